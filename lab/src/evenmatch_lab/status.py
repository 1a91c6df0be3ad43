"""What there is of every experiment: ``evenmatch experiment --status``, from its result file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evenmatch_lab.experiment import Experiment
from evenmatch_lab.result_files import ResultFile
from evenmatch_lab.runner import is_done, results_path
from evenmatch_lab.standing import standing

SIZES = ("games", "positions", "moves")  #: of a part, in its settings or its result
HEADS = ("experiment", "parts", "size of a part", "made", "networks", "changed modules", "verdict")


def status(experiments: Iterable[Experiment], out: Path) -> list[dict[str, Any]]:
    """Return a row for each experiment, by what is in the folder ``out``.

    No dataset is asked for: which parts are due is what the last run knew. Where none is needed,
    they are those of the settings as they are now.
    """
    return [_row(experiment, out) for experiment in experiments]


def cells(row: Mapping[str, Any]) -> list[str]:
    """Return a row as a table shows it, under HEADS."""
    ours = [name for name, ships in row["networks"].items() if ships]
    others = len(row["networks"]) - len(ours)
    networks = [*ours, *([f"{others} that do not ship"] if others else [])]
    return [
        row["experiment"],
        f"{row['done']} of {row['due']}" if row["due"] else "",
        ", ".join(f"{_span(least, most)} {what}" for what, (least, most) in row["sizes"].items()),
        " to ".join(dict.fromkeys((row["oldest"], row["newest"]))) if row["oldest"] else "",
        ", ".join(networks),
        str(len(row["changed"])) if row["done"] else "",
        row["verdict"],
    ]


def _row(experiment: Experiment, out: Path) -> dict[str, Any]:
    kept = ResultFile.read(results_path(experiment, out))
    if not experiment.reads_games:
        parts = experiment.parts_of(False, (), ())
        rows = kept.rows
        kept.left = [key for key in parts if not is_done(key, parts, rows)]
        kept.parts = {key: rows[key] for key in parts if key not in kept.left}
        kept.aside = {key: row for key, row in rows.items() if key not in kept.parts}
    stands = standing(experiment, kept)
    return {
        "experiment": experiment.stem,
        "command": kept.command,
        "done": stands.done,
        "due": stands.due,
        "sizes": {what: [min(n), max(n)] for what in SIZES if (n := _sizes(kept, what))},
        "oldest": stands.dates[0] if stands.dates else None,
        "newest": stands.dates[-1] if stands.dates else None,
        "networks": stands.networks,
        "code": stands.codes,
        "changed": stands.changed,
        "verdict": stands.verdict,
    }


def _sizes(kept: ResultFile, what: str) -> list[int]:
    """Return how many of something the parts have, as far as they say it."""
    told = (row.get(what, row["settings"].get(what)) for row in kept.parts.values())
    return [size for size in told if isinstance(size, int)]


def _span(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
