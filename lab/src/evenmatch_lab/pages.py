"""Pages of results: the command, what made them, what has changed since, then tables and plots."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenmatch import plots
from evenmatch.errors import UsageError
from evenmatch_lab.experiment import Experiment
from evenmatch_lab.markdown import wrapped
from evenmatch_lab.result_files import ResultFile, unwritable, write
from evenmatch_lab.standing import Standing, listed, standing


def publish(experiment: Experiment, path: Path) -> Path:
    """Write page and plot of the results at ``path``, beside them; return the page's path.

    UsageError if there are no results, or the folder cannot be written.
    """
    kept = ResultFile.read(path)
    if not kept.command:
        raise UsageError(f"{path} has no results to tell of; run the experiment without --pages")
    if experiment.plot and not kept.left:
        experiment.plot(kept.parts, path.with_suffix(".svg"))
    page = path.with_suffix(".md")
    write(page, page_of(experiment, kept, path.stem))
    return page


def page_of(experiment: Experiment, kept: ResultFile, stem: str) -> str:
    """Return the text of a page; ``stem`` is the name of its files."""
    lines = [f"# {experiment.title}", "", *header(kept, standing(experiment, kept)), ""]
    if "--quick" in kept.command.split():
        lines += ["A small run, to see that everything works; its numbers say nothing.", ""]
    if kept.left:
        due = len(kept.parts) + len(kept.left)
        done = f"**{len(kept.parts)} of {due} parts are done**"
        lines += [f"{done}; the command goes on from here.", ""]
    elif experiment.plot:
        lines += [f"![{experiment.title}]({stem}.svg)", ""]
    text = "\n".join(lines + _body(experiment, kept))
    return "\n".join(wrapped(text.split("\n"))) + "\n"


def _body(experiment: Experiment, kept: ResultFile) -> list[str]:
    """Return the tables, as far as they can be written of the parts that are done."""
    try:
        return experiment.page(kept.parts)
    except Exception:  # whatever a page runs into for want of parts
        if not kept.left:
            raise
        return ["The tables follow when more parts are done."]


def header(kept: ResultFile, stands: Standing) -> list[str]:
    """Say how results were made, and in a paragraph of its own what has changed since."""
    made = [" to ".join(dict.fromkeys(stands.dates[:1] + stands.dates[-1:])), *stands.machines]
    for what, names in (("networks", list(stands.networks)), ("code", stands.codes)):
        made += [f"{what} {listed(names)}"] if names else []
    lines = [f"Command: `{kept.command}`.", f"Made: {'; '.join(filter(None, made))}."]
    return lines + (["", stands.since] if stands.since else [])


def figure(path: Path, columns: int, *, height: float = 3.6, width: float = 11.0) -> Iterator[Any]:
    """Yield an array of axes side by side, then write the SVG; for use in a ``for`` of one turn."""
    try:
        with plots.axes(path, columns, size=(width, height)) as axes:
            yield axes
    except OSError as error:
        raise unwritable(path, error) from None
