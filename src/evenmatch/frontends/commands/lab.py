"""``evenmatch experiment`` and ``evenmatch bench``: the laboratory, with progress bars."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from evenmatch.errors import MissingExtraError
from evenmatch.frontends import console
from evenmatch.frontends.interrupts import Told
from evenmatch.frontends.progress_bars import GameProgressBars

if TYPE_CHECKING:
    from evenmatch_lab.runner import Progress

LABORATORY = "evenmatch_lab"  #: the package, which players do not need


def experiment(
    name: str | None,
    quick: bool,
    out: Path,
    data: Sequence[Path],
    nets: Sequence[Path],
    jobs: int,
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
    chosen = lab.get_experiment(name)
    with GameProgressBars() as bars:

        def started(part: str) -> "Progress":
            console.errors().print(part, style="dim", markup=False, highlight=False)
            return bars.begin(part)

        run = import_module(f"{LABORATORY}.runner").run
        try:
            page = run(chosen, out, quick, started, data, nets, jobs, bars.end)
        except KeyboardInterrupt:
            bars.stop()
            console.tell("Interrupted; parts that were finished are kept: the same command goes on")
            raise Told from None
    console.output().print(f"The page: {page}", markup=False, highlight=False)


def bench(as_json: bool, quick: bool) -> None:
    """Run the benchmarks and show their rows."""
    _laboratory("benchmarks")
    benchmarks = import_module(f"{LABORATORY}.bench")
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
