"""``evenmatch experiment``: lists the experiments, or runs one with progress bars."""

from collections.abc import Sequence
from pathlib import Path

from evenmatch.experiments import NAMES, get_experiment
from evenmatch.experiments.runner import Progress, run
from evenmatch.frontends import console
from evenmatch.frontends.interrupts import Told
from evenmatch.frontends.progress import GameLines


def experiment(
    name: str | None,
    quick: bool,
    out: Path,
    data: Sequence[Path],
    nets: Sequence[Path],
    jobs: int,
) -> None:
    """Run the named experiment and say where its page is, or list all."""
    if name is None:
        table = console.table()
        table.add_column("name", style="bold")
        table.add_column("what it measures")
        for known in NAMES:
            table.add_row(known, get_experiment(known).title)
        console.output().print(table)
        return
    chosen = get_experiment(name)
    with GameLines() as bars:

        def started(part: str) -> Progress:
            console.errors().print(part, style="dim", markup=False, highlight=False)
            return bars.begin(part)

        try:
            page = run(chosen, out, quick, started, data, nets, jobs, bars.end)
        except KeyboardInterrupt:
            bars.stop()
            console.tell("Interrupted; parts that were finished are kept: the same command goes on")
            raise Told from None
    console.output().print(f"The page: {page}", markup=False, highlight=False)
