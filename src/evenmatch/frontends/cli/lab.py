"""``evenmatch experiment`` and ``evenmatch bench``: the laboratory, with progress bars."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenmatch.errors import MissingExtraError
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import MEASURE, Cluster, Jobs, Json, command

if TYPE_CHECKING:
    from evenmatch_lab.runner import Progress

WIDE, DETAILS = 110, ("networks", "commits")  #: columns from which on these are shown
LABORATORY = "evenmatch_lab"  #: the package, which players do not need


@command(MEASURE)
def bench(
    json: Json = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter measurements.")] = False,
) -> None:
    """Measure how fast search and networks run on this machine."""
    _laboratory("benchmarks")
    benchmarks = _module("bench")
    tell = console.errors().print
    rows = benchmarks.run(quick, lambda text: tell(text, style="dim", markup=False))
    if json:
        console.print_json(rows)
        return
    table = console.table(rows[0]["machine"])
    for head in benchmarks.HEADS[:-1]:
        table.add_column(head, justify="right" if head in benchmarks.NUMBERS else "left")
    for row in rows:
        table.add_row(*benchmarks.cells(row)[:-1])
    console.output().print(table)


@command(MEASURE)
def experiment(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which; leave out to list them.")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", "-g", metavar="GAME", help="Another game than the usual one, such as go9."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small run that shows that everything works.")
    ] = False,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of results, page and plot.")
    ] = Path("docs/results"),
    data: Annotated[
        list[Path],
        typer.Option("--data", metavar="DIR", help="Dataset to read; repeatable."),
    ] = [],  # noqa: B006
    net: Annotated[
        list[Path],
        typer.Option("--net", metavar="FILE", help="Network to compare with; repeatable."),
    ] = [],  # noqa: B006
    jobs: Jobs = None,
    cluster: Cluster = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="N", min=0, help="Begin no part after N minutes."),
    ] = None,
    status: Annotated[
        bool,
        typer.Option("--status", help="Run nothing; list the results, and which are out of date."),
    ] = False,
    pages: Annotated[
        bool, typer.Option("--pages", help="Run nothing; write the pages again from the results.")
    ] = False,
    json: Json = False,
) -> None:
    """Reproduce a table or figure of a paper, next to the paper's numbers.

    Finished parts are kept: an interrupted experiment continues where it stopped.
    """
    lab, runner = _laboratory("experiments"), _module("runner")
    if status:
        _show_status(runner.status(lab.experiments(name, game), out), runner, json)
    elif pages:
        for one in lab.experiments(name, game):
            path = runner.results_path(one, out, quick)
            if name is not None or path.exists():
                _print_page(runner.publish(one, path))
    elif name is None:
        table = console.table()
        table.add_column("name", style="bold")
        table.add_column("what it measures")
        for known in lab.NAMES:
            table.add_row(known, lab.get_experiment(known).title)
        console.output().print(table)
    else:
        from evenmatch.workshop.ray_tasks import executor

        chosen, does = lab.get_experiment(name, game), executor(cluster, jobs)
        page = _run(
            lambda started, ended, retries: runner.run(
                chosen, out, quick, started, data, net, does, ended, minutes, retries
            )
        )
        left = len(runner.ResultFile.read(page.with_suffix(".json")).left)
        if left:
            console.tell(f"{console.counted(left, 'part')} left: the same command continues")
        _print_page(page)


def _run(run: Any) -> Path:
    """Run an experiment with a bar for each part in progress; return its page."""
    from evenmatch.frontends.cli.parts import Retries
    from evenmatch.frontends.progress_bars import GameProgressBars

    retries = Retries()
    with GameProgressBars() as bars:

        def started(part: str) -> "Progress":
            console.errors().print(part, style="dim", markup=False, highlight=False)
            return bars.begin(part)

        try:
            page = run(started, bars.end, retries)
        except KeyboardInterrupt:
            bars.stop()
            retries.tell()
            console.tell("Interrupted; finished parts are kept: the same command continues")
            raise console.InterruptReported from None
    retries.tell()
    return page


def _show_status(rows: list[Any], runner: ModuleType, as_json: bool) -> None:
    """Print what there is of experiments, and whether it is up to date."""
    if as_json:
        console.print_json(rows)
        return
    table, screen = console.table(), console.output()
    shown = [head for head in runner.HEADS if screen.width >= WIDE or head not in DETAILS]
    for head in shown:
        table.add_column(head)
    for row in rows:
        cells = dict(zip(runner.HEADS, runner.status_cells(row), strict=True))
        table.add_row(*(cells[head] for head in shown))
    screen.print(table)


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
