"""``evenmatch experiment`` and ``evenmatch bench``: the laboratory, with progress bars."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from evenmatch.errors import MissingExtraError
from evenmatch.frontends import console
from evenmatch.frontends.commands.lost_parts import Lost
from evenmatch.frontends.console import InterruptReported
from evenmatch.frontends.progress_bars import GameProgressBars
from evenmatch.workshop.cluster import executor

if TYPE_CHECKING:
    from evenmatch_lab.runner import Progress

WIDE, DETAILS = 110, ("networks", "commits")  #: columns from which on these are shown
LABORATORY = "evenmatch_lab"  #: the package, which players do not need


def experiment(
    name: str | None,
    game_id: str | None,
    quick: bool,
    out: Path,
    data: Sequence[Path],
    nets: Sequence[Path],
    jobs: int | None,
    cluster: str | None,
    minutes: float | None,
) -> None:
    """Run the named experiment and say where its page is, or list all."""
    lab = _laboratory("experiments")
    if name is None:
        table = console.table()
        table.add_column("name", style="bold")
        table.add_column("what it measures")
        for known in lab.NAMES:
            table.add_row(known, lab.get_experiment(known).title)
        console.output().print(table)
        return
    chosen, does = lab.get_experiment(name, game_id), executor(cluster, jobs)
    lost = Lost()
    with GameProgressBars() as bars:

        def started(part: str) -> "Progress":
            console.errors().print(part, style="dim", markup=False, highlight=False)
            return bars.begin(part)

        run = _module("runner").run
        try:
            page = run(chosen, out, quick, started, data, nets, does, bars.end, minutes, lost)
        except KeyboardInterrupt:
            bars.stop()
            lost.tell()
            console.tell("Interrupted; parts that were finished are kept: the same command goes on")
            raise InterruptReported from None
    lost.tell()
    left = len(_module("runner").ResultFile.read(page.with_suffix(".json")).left)
    if left:
        console.tell(f"{console.counted(left, 'part')} left: the same command goes on")
    _print_page(page)


def pages(name: str | None, game_id: str | None, quick: bool, out: Path) -> None:
    """Write the pages anew from the results that there are: one's, or of all that have some."""
    lab = _laboratory("experiments")
    results_path = _module("runner").results_path
    for one in lab.experiments(name, game_id):
        path = results_path(one, out, quick)
        if name is not None or path.exists():
            _print_page(_module("runner").publish(one, path))


def status(name: str | None, game_id: str | None, out: Path, as_json: bool) -> None:
    """Show what there is of an experiment, or of all, and whether it is up to date."""
    lab = _laboratory("experiments")
    module = _module("runner")
    rows = module.status(lab.experiments(name, game_id), out)
    if as_json:
        console.print_json(rows)
        return
    table, screen = console.table(), console.output()
    shown = [head for head in module.HEADS if screen.width >= WIDE or head not in DETAILS]
    for head in shown:
        table.add_column(head)
    for row in rows:
        cells = dict(zip(module.HEADS, module.status_cells(row), strict=True))
        table.add_row(*(cells[head] for head in shown))
    screen.print(table)


def bench(as_json: bool, quick: bool) -> None:
    """Run the benchmarks and show their rows."""
    _laboratory("benchmarks")
    benchmarks = _module("bench")
    tell = console.errors().print
    rows = benchmarks.run(quick, lambda text: tell(text, style="dim", markup=False))
    if as_json:
        console.print_json(rows)
        return
    table = console.table(rows[0]["machine"])
    for head in benchmarks.HEADS[:-1]:
        table.add_column(head, justify="right" if head in benchmarks.NUMBERS else "left")
    for row in rows:
        table.add_row(*benchmarks.cells(row)[:-1])
    console.output().print(table)


def _print_page(page: Path) -> None:
    console.output().print(f"The page: {page}", markup=False, highlight=False)


def _module(name: str) -> ModuleType:
    return import_module(f"{LABORATORY}.{name}")


def _laboratory(what: str) -> ModuleType:
    """Return the laboratory's package; MissingExtraError, with the fix, where it is missing."""
    try:
        return import_module(LABORATORY)
    except ModuleNotFoundError as error:
        if error.name != LABORATORY:
            raise
        raise MissingExtraError(
            f"{what} are a package of their own: run `pip install ./lab` in evenmatch's repository"
        ) from None
