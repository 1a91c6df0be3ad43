"""What all experiments share: parts that are done once, pages and plots made from their results.

An experiment consists of parts with settings. A part's result is kept, with the settings that
led to it, as soon as it is there; a part whose settings are the same, and the results of whose
``needs`` are, is not run again. So an interrupted experiment goes on where it stopped, and a
changed network runs all anew. Changed code does not: delete the results then.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from evenmatch import plots
from evenmatch.errors import StateError, UsageError
from evenmatch.files import replace_file
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.processor import machine
from evenmatch.progress import Progress
from evenmatch_lab.markdown import wrapped
from evenmatch_lab.side_by_side import Work, side_by_side

GAMES = (
    "recorded games: build datasets with `evenmatch dataset build` and name each with --data DIR"
)
Results = dict[str, dict[str, Any]]  #: part -> {"settings": ..., "seconds": ..., **its result}


@dataclass(frozen=True)
class Part:
    """One piece of an experiment."""

    settings: dict[str, Any]  #: JSON values that decide the result, the networks included
    run: Callable[[Progress, Results], dict[str, Any]]
    """Plays, given the results of the parts it needs; returns JSON values."""
    needs: tuple[str, ...] = ()  #: parts whose results it uses


@dataclass(frozen=True)
class Experiment:
    """A table or figure, from games to page."""

    name: str
    title: str  #: what it measures, and where the paper has it
    parts: Callable[..., dict[str, Part]]  #: parts(quick) by name, in order
    page: Callable[[Results], list[str]]  #: lines of Markdown below the title and the command
    plot: Callable[[Results, Path], None] | None = None  #: draws an SVG file
    reads_games: bool = False  #: whether it is parts(quick, data, nets), as ``run`` has them
    data: str = GAMES  #: what it reads, if it does, and how to get and name that

    def parts_of(self, quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
        """Return the parts. UsageError if it needs datasets and has none, or has no use for any."""
        if self.reads_games and not data:
            raise UsageError(f"{self.name} reads {self.data}")
        if (data or nets) and not self.reads_games:
            raise UsageError(f"{self.name} reads no recorded games; leave out --data and --net")
        return self.parts(quick, data, nets) if self.reads_games else self.parts(quick)


def run(
    experiment: Experiment,
    out: Path,
    quick: bool = False,
    started: Callable[[str], Progress] = lambda part: lambda done, due: None,
    data: Sequence[Path] = (),
    nets: Sequence[Path] = (),
    jobs: int = 1,
    finished: Callable[[str], None] = lambda part: None,
) -> Path:
    """Run the parts that are not done, write the page and plot; return the page's path.

    ``started`` hears of each part as it begins and returns what hears of its progress, ``finished``
    of each that is over; ``data`` are folders of datasets and ``nets`` network files to compare
    with, for experiments that read games. Up to ``jobs`` parts are run at once. Raises StateError
    for results that cannot be read, UsageError if ``out`` cannot be written or there are fewer
    cores than jobs.
    """
    name = experiment.name + ("_quick" if quick else "")
    path = out / f"{name}.json"
    results = _known(path)
    probe = path.with_name(f".{name}.probe")
    write(probe, "")  # better refused now than after an hour
    probe.unlink()
    parts = experiment.parts_of(quick, data, nets)

    def publish() -> Path:
        done = {key: results[key] for key in parts if _is_done(key, parts, results)}
        return _publish(experiment, path, quick, data, nets, done, len(parts))

    def needed(key: str) -> Results:
        return {need: results[need] for need in parts[key].needs}

    def work_on(key: str) -> Work | None:
        if not all(_is_done(need, parts, results) for need in parts[key].needs):
            return None
        return partial(work, experiment, quick, tuple(data), tuple(nets), needed(key))

    try:
        due = (key for key in parts if not _is_done(key, parts, results))
        results_found: Iterable[tuple[str, dict[str, Any]]]
        if jobs == 1:
            results_found = ((key, do(parts[key], needed(key), started(key))) for key in due)
        else:
            results_found = side_by_side({key: partial(work_on, key) for key in due}, jobs, started)
        for key, result in results_found:
            results[key] = {"settings": _settings(parts[key], results), **result}
            write(path, json.dumps(results, indent=1) + "\n")
            finished(key)
    except KeyboardInterrupt:
        with suppress(Exception):  # not every page can be written of some of its parts
            publish()
        raise
    return publish()


def do(part: Part, needed: Results, progress: Progress) -> dict[str, Any]:
    """Run a part; return what comes of it, and where and in what time."""
    start = time.perf_counter()
    result = part.run(progress, needed)
    return {"machine": machine(), "seconds": round(time.perf_counter() - start, 1), **result}


def work(
    experiment: Experiment,
    quick: bool,
    data: Sequence[Path],
    nets: Sequence[Path],
    needed: Results,
    key: str,
    progress: Progress,
) -> dict[str, Any]:
    """Run one part of an experiment, from nothing but what can be told to another process."""
    return do(experiment.parts_of(quick, data, nets)[key], needed, progress)


def _is_done(key: str, parts: Mapping[str, Part], results: Results) -> bool:
    """Return whether a part's result is there, and those that it needs, by their settings."""
    needed = all(_is_done(need, parts, results) for need in parts[key].needs)
    return needed and results.get(key, {}).get("settings") == _settings(parts[key], results)


def _settings(part: Part, results: Results) -> dict[str, Any]:
    """Return a part's settings as JSON has them, with a fingerprint of the results it needs."""
    settings = json.loads(json.dumps(part.settings))
    if part.needs:
        settings["needs"] = fingerprint([results[need] for need in part.needs])
    return settings


def _publish(
    experiment: Experiment,
    path: Path,
    quick: bool,
    data: Sequence[Path],
    nets: Sequence[Path],
    results: Results,
    due: int,
) -> Path:
    """Write page and plot of the parts that are done, beside the results at ``path``."""
    command = f"evenmatch experiment {experiment.name}" + (" --quick" if quick else "")
    for option, paths in (("--data", data), ("--net", nets)):
        command += "".join(f" {option} {_told(p)}" for p in paths)
    machines = sorted({row.get("machine", machine()) for row in results.values()})
    lines = [
        f"# {experiment.title}",
        "",
        f"Command: `{command}`; machine: {'; '.join(machines)}.",
        "",
    ]
    if quick:
        lines += ["A small run, to see that everything works; its numbers say nothing.", ""]
    if len(results) < due:
        lines += [f"**{len(results)} of {due} parts are done**; the command goes on from here.", ""]
    if experiment.plot:
        experiment.plot(results, path.with_suffix(".svg"))
        lines += [f"![{experiment.title}]({path.stem}.svg)", ""]
    page = path.with_suffix(".md")
    text = "\n".join(lines + experiment.page(results))
    write(page, "\n".join(wrapped(text.split("\n"))) + "\n")
    return page


def _told(path: Path) -> Path | str:
    """Return a path as a page has it: where it is on one machine says nothing to others."""
    return path.name if path.is_absolute() or ".." in path.parts else path


def fingerprint(results: list[dict[str, Any]]) -> str:
    """Return a hash of results, whatever time they took and wherever."""
    told = [{k: v for k, v in row.items() if k not in ("seconds", "machine")} for row in results]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def _known(path: Path) -> Results:
    try:
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, ValueError, RecursionError):
        known = None
    if not isinstance(known, dict) or not all(
        isinstance(row, dict) and "settings" in row for row in known.values()
    ):
        raise StateError(f"{path} holds no results; delete it or choose another --out")
    return known


def write(path: Path, text: str) -> None:
    """Replace a file, whole. Raises UsageError if it cannot be written."""
    try:
        replace_file(path, text)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path} ({error.strerror}); choose another folder with --out")


@lru_cache
def digest(name: str) -> str:
    """Return the digest of a network that ships, such as that of a game."""
    return digest_of(shipped_path(name))


def figure(path: Path, columns: int, *, height: float = 3.6, width: float = 11.0) -> Iterator[Any]:
    """Yield an array of axes side by side, then write the SVG; for use in a ``for`` of one turn."""
    try:
        with plots.axes(path, columns, size=(width, height)) as axes:
            yield axes
    except OSError as error:
        raise _unwritable(path, error) from None
