"""What all experiments share: parts that are done once, pages and plots made from their results.

An experiment consists of parts with settings. A part's result is kept, with the settings that
led to it, as soon as it is there; a part whose settings are the same, and the results of whose
``needs`` are, is not run again. So an interrupted experiment goes on where it stopped, and a
changed network runs all anew. Changed code does not: the page and ``evenmatch experiment --status``
say what has changed since, and results that are to be made anew are deleted by hand.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import Any

from evenmatch.network.processor import machine
from evenmatch.progress import Progress, ignore
from evenmatch.strength.dials import only_shipped
from evenmatch.workshop.cluster import Executor, Here, Work, side_by_side
from evenmatch_lab.experiment import Experiment, Part, digest
from evenmatch_lab.pages import figure, publish
from evenmatch_lab.result_files import ResultFile, Results, fingerprint, today, write

__all__ = [
    "Experiment",
    "Part",
    "ResultFile",
    "Results",
    "digest",
    "figure",
    "fingerprint",
    "run",
    "write",
]


def run(
    experiment: Experiment,
    out: Path,
    quick: bool = False,
    started: Callable[[str], Progress] = lambda part: ignore,
    data: Sequence[Path] = (),
    nets: Sequence[Path] = (),
    executor: Executor | None = None,
    finished: Callable[[str], None] = ignore,
    minutes: float | None = None,
    lost: Callable[[str, str], None] = ignore,
) -> Path:
    """Run the parts that are not done, write the page and plot; return the page's path.

    ``started`` hears of each part as it begins and returns what hears of its progress, ``finished``
    of each that is over, ``lost`` of each that is done again, and why; ``data`` are folders of
    datasets and ``nets`` network files to compare with, for experiments that read games. Parts are
    run by the ``executor``, without one in this process, and none begins after so many ``minutes``.
    Raises StateError for results that cannot be read, UsageError if ``out`` cannot be written.
    """
    path = results_path(experiment, out, quick)
    kept = ResultFile.read(path)
    probe = path.with_name(f".{path.stem}.probe")
    write(probe, "")  # better refused now than after an hour
    probe.unlink()
    going = Run(Asked(experiment, quick, tuple(data), tuple(nets)), path, kept)
    end = inf if minutes is None else time.monotonic() + 60 * minutes
    works = {key: partial(going.work_on, key) for key in going.parts if not going.has(key)}
    try:
        for key, result in side_by_side(
            works, executor or Here(), started, lambda: time.monotonic() >= end, lost
        ):
            going.put(key, result)
            finished(key)
    except KeyboardInterrupt:
        going.publish()
        raise
    return going.publish()


class Asked:
    """What was asked for. It tells the parts in another process too, where they cannot be sent."""

    def __init__(
        self, experiment: Experiment, quick: bool, data: tuple[Path, ...], nets: tuple[Path, ...]
    ):
        self.experiment, self.quick, self.data, self.nets = experiment, quick, data, nets

    @cached_property
    def parts(self) -> dict[str, Part]:
        """The parts by name, in order."""
        return self.experiment.parts_of(self.quick, self.data, self.nets)

    def work(self, needed: Results, key: str, progress: Progress) -> dict[str, Any]:
        """Run one part, given the results that it needs."""
        return do(self.parts[key], needed, progress)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "parts"}


class Run:
    """A run of an experiment: its parts, and the results that there are, kept in their file."""

    def __init__(self, asked: Asked, path: Path, kept: ResultFile):
        self.parts = asked.parts
        self._asked, self._path = asked, path
        self._kept, self._results = kept, kept.rows
        self._command = command(asked.experiment, asked.quick, asked.data, asked.nets)
        self._code = asked.experiment.code()  # what runs, whatever is edited meanwhile

    def has(self, key: str) -> bool:
        """Return whether a part is done."""
        return is_done(key, self.parts, self._results)

    def needed(self, key: str) -> Results:
        """Return the results that a part needs."""
        return {need: self._results[need] for need in self.parts[key].needs}

    def work_on(self, key: str) -> Work | None:
        """Return what runs a part, wherever, None as long as what it needs is not done."""
        if not all(map(self.has, self.parts[key].needs)):
            return None
        return partial(self._asked.work, self.needed(key))

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keep what came of a part."""
        settings = settings_of(self.parts[key], self._results)
        made = {"code": self._kept.keep(self._code), "date": today()}
        self._results[key] = {"settings": settings, **made, **result}
        self.save()

    def publish(self) -> Path:
        """Write the page and plot of what is done; return the page's path."""
        self.save()
        return publish(self._asked.experiment, self._path)

    def save(self) -> None:
        """Write the rows in order: those of these settings, which the page tells of, and others."""
        kept, rows = self._kept, self._results
        kept.parts = {key: rows[key] for key in self.parts if self.has(key)}
        kept.left = [key for key in self.parts if key not in kept.parts]
        kept.aside = {key: row for key, row in rows.items() if key not in kept.parts}
        kept.command = self._command
        kept.write(self._path)


def results_path(experiment: Experiment, out: Path, quick: bool = False) -> Path:
    """Return where an experiment's results are."""
    return out / (experiment.stem + ("_quick" if quick else "") + ".json")


def command(experiment: Experiment, quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> str:
    """Return the command that makes results, for their page."""
    words = f"evenmatch experiment {experiment.name}"
    words += (f" --game {experiment.game}" if experiment.game else "") + " --quick" * quick
    for option, paths in (("--data", data), ("--net", nets)):
        words += "".join(f" {option} {_told(p)}" for p in paths)
    return words


def do(part: Part, needed: Results, progress: Progress) -> dict[str, Any]:
    """Run a part; return what comes of it, and where and in what time.

    Players of a rating are those that ship, whatever was calibrated on this machine.
    """
    start = time.perf_counter()
    with only_shipped():
        result = part.run(progress, needed)
    return {"machine": machine(), "seconds": round(time.perf_counter() - start, 1), **result}


def is_done(key: str, parts: Mapping[str, Part], results: Results) -> bool:
    """Return whether a part's result is there, and those that it needs, by their settings."""
    needed = all(is_done(need, parts, results) for need in parts[key].needs)
    return needed and results.get(key, {}).get("settings") == settings_of(parts[key], results)


def settings_of(part: Part, results: Results) -> dict[str, Any]:
    """Return a part's settings as JSON has them, with a fingerprint of the results it needs."""
    settings = json.loads(json.dumps(part.settings))
    if part.needs:
        settings["needs"] = fingerprint([results[need] for need in part.needs])
    return settings


def _told(path: Path) -> Path | str:
    """Return a path as a page has it: where it is on one machine says nothing to others."""
    return path.name if path.is_absolute() or ".." in path.parts else path
