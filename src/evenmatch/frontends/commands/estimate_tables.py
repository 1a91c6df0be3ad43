"""Estimates on a rating scale, as JSON and as a table."""

from typing import Any

from rich.text import Text

from evenmatch.app.estimate import OnScale
from evenmatch.errors import counted
from evenmatch.estimation.running import PHASES
from evenmatch.frontends import console
from evenmatch.ratings.ranks import Ranks
from evenmatch.ratings.scale import SCALES

SHOWN = 20  # players in the table


def show_phases(told: OnScale) -> None:
    """Print what is told of each phase of the players with most games."""
    table = console.table("By phase of the game, with 95% intervals")
    table.add_column("player")
    for phase in PHASES:
        table.add_column(phase, justify="right")
    write = SCALES[told.ranks.written].write
    for row in told.rows[:SHOWN]:
        cells = [
            f"[bold]{write(x['rating'])}[/bold] ({write(x['low'])} to {write(x['high'])})"
            if x
            else "-"
            for x in row["phases"].values()
        ]
        table.add_row(Text(row["player"]), *cells)
    console.output().print(table)
    if any(None in row["phases"].values() for row in told.rows[:SHOWN]):
        console.tell("A dash stands where the moves say too little.")


def show(told: list[OnScale], unknown_scale: bool) -> None:
    """Print the players with most games, the estimates on all scales side by side."""
    rows, names = told[0].rows, [one.scale for one in told]
    noun = "scale" if len(told) == 1 else "scales"
    table = console.table(f"Ratings estimated from moves, on the {noun} {' and '.join(names)}")
    table.add_column("player")
    heads = ["rating"] if len(told) == 1 else names
    estimated = [head for name in heads for head in (name, "95% interval")]
    for name in ("games", "moves", *estimated, "in the file"):
        table.add_column(name, justify="right")
    for same in zip(*(one.rows[:SHOWN] for one in told), strict=True):
        row = same[0]
        cells = [cell for one, x in zip(told, same, strict=True) for cell in _cells(one.ranks, x)]
        write = SCALES[told[0].ranks.written].write
        table.add_row(
            Text(row["player"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
            *cells,
            write(row["rating_told"]) if row["rating_told"] else "",
        )
    console.output().print(table)
    if len(rows) > SHOWN:
        more = len(rows) - SHOWN
        verb = "is" if more == 1 else "are"
        console.tell(f"{counted(more, 'more player')} {verb} not shown. --json lists all.")
    for one in told:
        of = "" if len(told) == 1 else f" of {one.scale}"
        console.tell(f"Nobody is rated outside {_reach(one.ranks)}{of}.")
    if unknown_scale and any(row["rating_told"] for row in rows[:SHOWN]):
        console.tell(
            'The column "in the file" is on the file\'s own scale. '
            f"Compare it with the estimates only if that scale is {' or '.join(names)}."
        )


def _cells(ranks: Ranks, row: dict[str, Any]) -> tuple[str, str]:
    """Return a player's rating and interval as they are written."""
    write = SCALES[ranks.written].write
    return f"[bold]{write(row['rating'])}[/bold]", f"{write(row['low'])} to {write(row['high'])}"


def _reach(ranks: Ranks) -> str:
    """Write which ratings can be estimated."""
    if ranks.written == "elo":
        return f"{ranks.lowest} to {ranks.highest}"
    return " to ".join(SCALES[ranks.written].ends(ranks.lowest, ranks.highest))
