"""What all experiments share: parts that are run once, and results that say what made them.

An experiment is a module with an ``EXPERIMENT``: parts with settings, a table and a plot. A part's
result is kept with its settings as soon as it is there; a part with the same settings, and the same
results of the parts that it ``needs``, is not run again. So an interrupted experiment resumes where
it stopped, and a changed network runs everything again. Changed code does not: each result names
the commit that made it, and results that must be made again are deleted by hand.
"""

import hashlib
import json
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from math import inf
from pathlib import Path
from typing import Any

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.processor import machine
from evenmatch.progress import Progress, ignore
from evenmatch.workshop.tasks import Executor, InlineExecutor, Work, run_tasks
from evenmatch_lab.pages import MADE, RESULTS, code_list, figure, with_block, write

__all__ = ["Experiment", "Part", "ResultFile", "Results", "digest", "figure", "run", "write"]

#: part -> {"settings": ..., where, when and how it was made, **its result}
Results = dict[str, dict[str, Any]]

#: What a row says of its making, which is not part of the result.
ORIGIN = ("code", "commit", "date", "machine", "seconds")
NETWORKS = ("network", "networks", "policies", "people")  #: settings that may hold digests
SIZES = ("games", "positions", "moves")  #: of a part, in its settings or its result
DIGITS = 8  #: of a commit or a digest that is shown
DATA = "recorded games: build datasets with `evenmatch dataset build` and name each with --data DIR"


@dataclass(frozen=True)
class Part:
    """One piece of an experiment."""

    settings: dict[str, Any]  #: JSON values that decide the result, digests of networks included
    run: Callable[[Progress, Results], dict[str, Any]] | None
    """Given the results of the parts it needs, returns JSON values. None for a part that cannot be
    run here, such as one of a program that is not installed: its result is shown if it is there,
    whatever its settings are, and it is not due."""
    needs: tuple[str, ...] = ()  #: parts whose results it uses


@dataclass(frozen=True)
class Experiment:
    """A table or figure, from games to page."""

    name: str
    title: str  #: what it measures, and where the paper has it
    parts: Callable[..., dict[str, Part]]  #: parts(quick) by name, in order
    page: Callable[[Results], list[str]]  #: the tables, as lines of Markdown
    plot: Callable[[Results, Path], None] | None = None  #: draws an SVG file
    reads_games: bool = False  #: whether it is parts(quick, data, nets), as ``run`` has them
    data: str = DATA  #: what it reads, if it does, and how to get and name that
    games: tuple[str, ...] = ()  #: further games it can be run on, with results of their own
    game: str = ""  #: the one of them that it is on: parts(quick, game_id); empty: its usual ones

    @property
    def stem(self) -> str:
        """The name of its files, without suffix."""
        return f"{self.name}_{self.game}" if self.game else self.name

    def on(self, game_id: str) -> "Experiment":
        """Return it on another game than usual. UsageError unless that is one of ``games``."""
        if game_id not in self.games:
            others = f"give one of {', '.join(self.games)}, or leave" if self.games else "leave"
            raise UsageError(f"{self.name} is not run on {game_id}; {others} out --game")
        title = f"{self.title}: {get_game(game_id).title}"
        return replace(self, game=game_id, title=title)

    def parts_of(self, quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
        """Return the parts. UsageError if datasets are missing, or given to one that reads none."""
        if self.reads_games and not data:
            raise UsageError(f"{self.name} reads {self.data}")
        if (data or nets) and not self.reads_games:
            raise UsageError(f"{self.name} reads no recorded games; leave out --data and --net")
        if self.game:
            return self.parts(quick, self.game)
        return self.parts(quick, data, nets) if self.reads_games else self.parts(quick)


# -- results ---------------------------------------------------------------------------------------


@dataclass
class ResultFile:
    """The results of an experiment, as its JSON file has them."""

    command: str = ""  #: that made them, and makes the rest
    left: list[str] = field(default_factory=list)  #: parts that are still to be made
    parts: Results = field(default_factory=dict)  #: those that the page shows, in its order
    aside: Results = field(default_factory=dict)  #: rows of other settings, or of other networks

    @classmethod
    def read(cls, path: Path) -> "ResultFile":
        """Return the results of a file, none if there is none. StateError if it is broken."""
        if not path.exists():
            return cls()
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            kept = cls(known["command"], known["left"], known["parts"], known["aside"])
            complete = all("settings" in row for row in kept.rows.values())
        except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
            complete = False
        if not complete:
            raise StateError(f"{path} holds no results; delete it or choose another --out")
        return kept

    def write(self, path: Path) -> None:
        """Replace the file. UsageError if it cannot be written."""
        write(path, json.dumps(asdict(self), indent=1) + "\n")

    @property
    def rows(self) -> Results:
        """All rows, on the page or not; of a part that is in both, the one on the page."""
        return self.aside | self.parts

    def sort(self, parts: Mapping[str, Part]) -> None:
        """Divide the rows into those of the settings of ``parts``, in their order, and others."""
        rows, known = self.rows, dict[str, bool]()
        done = [key for key in parts if is_done(key, parts, rows, known)]
        self.left = [key for key in parts if parts[key].run and key not in done]
        self.parts = {key: rows[key] for key in done}
        self.aside = {key: row for key, row in rows.items() if key not in self.parts}

    def made(self, what: str) -> list[str]:
        """Return what the rows on the page say of their making, such as ``date``, in order."""
        return sorted({row[what] for row in self.parts.values() if row.get(what)})

    @property
    def networks(self) -> list[str]:
        """The short digests of the networks in the settings of the rows on the page."""
        found = (name for row in self.parts.values() for name in networks_in(row["settings"]))
        return sorted({name[:DIGITS] for name in found})


def networks_in(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the digests of networks that settings name, or settings within them."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from networks_in(value)
        elif key in NETWORKS and isinstance(value, str | list):
            yield from [value] if isinstance(value, str) else value


def fingerprint(results: Iterable[Mapping[str, Any]]) -> str:
    """Return a hash of results without what ``ORIGIN`` names."""
    kept = [{k: v for k, v in row.items() if k not in ORIGIN} for row in results]
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


@lru_cache
def digest(name: str) -> str:
    """Return the digest of a network that ships, such as that of a game."""
    return digest_of(shipped_path(name))


@lru_cache
def commit() -> str:
    """Return the commit of the sources, ``COMMIT+`` if they differ from it; "" outside Git."""
    here = Path(__file__).parent
    git = ["git", "-C", str(here)]
    try:
        name = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True, stderr=-3)[:DIGITS]
        top = subprocess.check_output([*git, "rev-parse", "--show-toplevel"], text=True).strip()
        changed = subprocess.check_output([*git, "-C", top, "status", "--porcelain", "src", "lab"])
    except (OSError, subprocess.CalledProcessError):
        return ""
    return name + ("+" if changed else "")


def today() -> str:
    """Return the day in ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def results_path(experiment: Experiment, out: Path, quick: bool = False) -> Path:
    """Return where an experiment's results are."""
    return out / (experiment.stem + ("_quick" if quick else "") + ".json")


# -- running ---------------------------------------------------------------------------------------


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
    on_retry: Callable[[str, str], None] = ignore,
) -> Path:
    """Run the parts that are not done, write the page and plot; return the page's path.

    ``started`` is called with each part as it begins and returns its progress callback,
    ``finished`` with each that is over, ``on_retry`` with each that is run again and the reason;
    ``data`` are folders of datasets and ``nets`` network files to compare with, for experiments
    that read games. Parts are run by the ``executor``, without one in this process, and none begins
    after so many ``minutes``. Raises StateError for results that cannot be read, UsageError if
    ``out`` cannot be written.
    """
    path = results_path(experiment, out, quick)
    kept = ResultFile.read(path)
    probe = path.with_name(f".{path.stem}.probe")
    write(probe, "")  # better refused now than after an hour
    probe.unlink()
    request = Request(experiment, quick, tuple(data), tuple(nets))
    kept.command, made_by = command(request), commit()

    def save() -> None:
        kept.sort(request.parts)
        kept.write(path)

    def work_on(key: str) -> Work | None:
        part, rows, known = request.parts[key], kept.rows, dict[str, bool]()
        if not all(is_done(need, request.parts, rows, known) for need in part.needs):
            return None
        return partial(request.work, {need: rows[need] for need in part.needs})

    save()
    end = inf if minutes is None else time.monotonic() + 60 * minutes
    works = {key: partial(work_on, key) for key in kept.left}
    try:
        for key, result in run_tasks(works, executor or InlineExecutor(), started, end, on_retry):
            settings = settings_of(request.parts[key], kept.rows)
            made = {"settings": settings, "commit": made_by, "date": today()}
            kept.parts[key] = made | result
            save()
            finished(key)
    except KeyboardInterrupt:
        publish(experiment, path)
        raise
    return publish(experiment, path)


@dataclass
class Request:
    """A request for an experiment; in another process it makes its parts again, from the same."""

    experiment: Experiment
    quick: bool
    data: tuple[Path, ...]
    nets: tuple[Path, ...]

    @cached_property
    def parts(self) -> dict[str, Part]:
        """The parts by name, in order."""
        return self.experiment.parts_of(self.quick, self.data, self.nets)

    def work(self, needed: Results, key: str, progress: Progress) -> dict[str, Any]:
        """Run one part, given the results that it needs; return its result, machine and time."""
        start = time.perf_counter()
        run_it = self.parts[key].run
        assert run_it is not None, "it is due"
        result = run_it(progress, needed)
        return {"machine": machine(), "seconds": round(time.perf_counter() - start, 1), **result}

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "parts"}


def command(request: Request) -> str:
    """Return the command that makes results, for their page."""
    one = request.experiment
    words = f"evenmatch experiment {one.name}"
    words += (f" --game {one.game}" if one.game else "") + " --quick" * request.quick
    for option, paths in (("--data", request.data), ("--net", request.nets)):
        # a path on one machine says nothing to others: the last name is what they share
        local = (path.is_absolute() or ".." in path.parts for path in paths)
        words += "".join(
            f" {option} {p.name if own else p}" for p, own in zip(paths, local, strict=True)
        )
    return words


def is_done(
    key: str, parts: Mapping[str, Part], results: Results, known: dict[str, bool] | None = None
) -> bool:
    """Return whether a part's result is there, and those that it needs, by their settings.

    ``known`` are the answers for other parts of these results; what is found is added.
    """
    known = {} if known is None else known
    if key not in known:
        part = parts[key]
        if part.run is None:
            known[key] = key in results
        else:
            needed = all(is_done(need, parts, results, known) for need in part.needs)
            row = results.get(key, {})
            known[key] = needed and row.get("settings") == settings_of(part, results)
    return known[key]


def settings_of(part: Part, results: Results) -> dict[str, Any]:
    """Return a part's settings as JSON has them, with a fingerprint of the results it needs."""
    settings = json.loads(json.dumps(part.settings))
    if part.needs:
        settings["needs"] = fingerprint([results[need] for need in part.needs])
    return settings


# -- what there is ---------------------------------------------------------------------------------


def publish(experiment: Experiment, path: Path) -> Path:
    """Write the plot of the results at ``path`` and the blocks of their page; return its path.

    Words beside the blocks stay. UsageError without results, or if the folder cannot be
    written.
    """
    kept = ResultFile.read(path)
    if not kept.command:
        raise UsageError(f"{path} has no results; run the experiment without --pages")
    if experiment.plot and not kept.left:
        experiment.plot(kept.parts, path.with_suffix(".svg"))
    page = path.with_suffix(".md")
    text = page.read_text(encoding="utf-8") if page.exists() else f"# {experiment.title}\n"
    text = with_block(text, RESULTS, block(experiment, kept, path.stem))
    write(page, with_block(text, MADE, provenance(kept)))
    return page


def block(experiment: Experiment, kept: ResultFile, stem: str) -> list[str]:
    """Return the generated lines of a page's results: plot and tables."""
    lines = []
    if "--quick" in kept.command.split():
        lines += ["A small run, to see that everything works; its numbers say nothing.", ""]
    if kept.left:
        due = len(kept.parts) + len(kept.left)
        lines += [f"**{len(kept.parts)} of {due} parts are done**; the command resumes.", ""]
    elif experiment.plot:
        lines += [f"![{experiment.title}]({stem}.svg)", ""]
    try:
        lines += experiment.page(kept.parts)
    except Exception:  # whatever a table raises for want of parts
        if not kept.left:
            raise
        lines.append("The tables follow when more parts are done.")
    return lines


def provenance(kept: ResultFile) -> list[str]:
    """Return the generated lines of a page that name what made its numbers."""
    dates = kept.made("date")
    made = [" to ".join(dict.fromkeys(dates[:1] + dates[-1:])), *kept.made("machine")]
    for what, names in (("networks", kept.networks), ("commit", kept.made("commit"))):
        made += [f"{what} {code_list(names)}"] if names else []
    return [f"Command: `{kept.command}`. Made: {'; '.join(filter(None, made))}."]


def status(experiments: Iterable[Experiment], out: Path) -> list[dict[str, Any]]:
    """Return a row for each experiment, by its result file in the folder ``out``.

    Which parts are due is a matter of the settings as they are now; of an experiment that reads
    datasets, which need not be here, of those of the last run.
    """
    return [_status(experiment, out) for experiment in experiments]


def _status(experiment: Experiment, out: Path) -> dict[str, Any]:
    kept = ResultFile.read(results_path(experiment, out))
    if not experiment.reads_games:
        kept.sort(experiment.parts_of(False, (), ()))
    dates, unnamed = kept.made("date"), [k for k, r in kept.parts.items() if not r.get("commit")]
    if not kept.parts:
        verdict = "settings changed" if kept.aside else "not run"
    elif kept.left:
        verdict = "unfinished"
    else:
        verdict = "names no commit" if unnamed else "complete"
    return {
        "experiment": experiment.stem,
        "command": kept.command,
        "done": len(kept.parts),
        "due": len(kept.parts) + len(kept.left),
        "sizes": {what: [min(n), max(n)] for what in SIZES if (n := _sizes(kept, what))},
        "oldest": dates[0] if dates else None,
        "newest": dates[-1] if dates else None,
        "networks": kept.networks,
        "commits": kept.made("commit"),
        "unnamed": unnamed,  # parts whose result names no commit
        "verdict": verdict,
    }


def _sizes(kept: ResultFile, what: str) -> list[int]:
    """Return how many of something the parts have, if they say it."""
    found = (row.get(what, row["settings"].get(what)) for row in kept.parts.values())
    return [size for size in found if isinstance(size, int)]


HEADS = ("experiment", "parts", "size of a part", "made", "networks", "commits", "verdict")


def status_cells(row: Mapping[str, Any]) -> list[str]:
    """Return a row of ``status`` as a table shows it, under HEADS."""
    sizes = (
        f"{low:,} {what}" if low == high else f"{low:,} to {high:,} {what}"
        for what, (low, high) in row["sizes"].items()
    )
    return [
        row["experiment"],
        f"{row['done']} of {row['due']}" if row["due"] else "",
        ", ".join(sizes),
        " to ".join(dict.fromkeys((row["oldest"], row["newest"]))) if row["oldest"] else "",
        ", ".join(row["networks"]),
        ", ".join(row["commits"]),
        row["verdict"],
    ]
