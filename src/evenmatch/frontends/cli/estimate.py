"""``evenmatch estimate``: how strong the players of recorded games are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from evenmatch.errors import counted
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import MEASURE, Json, command
from evenmatch.frontends.progress_bars import Line
from evenmatch.games.catalog import SOURCES

if TYPE_CHECKING:
    from evenmatch.app.estimate import OnScale, Rated

SHOWN = 20  # players in the table


@command(MEASURE)
def estimate(
    ctx: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files of chess, .pgn, or of Go, .sgf, .sgfs or a folder of them; compressed ones "
            "end in .zst, .gz or .bz2; - is standard input.",
        ),
    ],
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            "-p",
            metavar="NAME",
            help="Rate this player alone; case and spaces do not matter. "
            "[dim]\\[default: everybody][/dim]",
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCALE",
            help=f"The rating scale: {', '.join(SOURCES)}. "
            "[dim]\\[default: lichess-rapid; of Go ogs][/dim]",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="The game, where the names of the files do not show it.",
        ),
    ] = None,
    fitted: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Estimators of your own: the folder of `evenmatch network fit`."
        ),
    ] = None,
    net: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A network that knows people's ratings, such as Maia-3: how likely it finds the "
            "moves is all that counts. With --fitted: the network they were fitted to.",
        ),
    ] = None,
    all_moves: Annotated[
        bool,
        typer.Option(
            "--all-moves",
            help="Go only: rate all moves. By default, from a player's sixth game on, every second "
            "move is rated, which saves time.",
        ),
    ] = False,
    fast: Annotated[
        bool,
        typer.Option(
            "--fast",
            help="Chess only: use one network instead of four, and no engine; faster, and less "
            "accurate.",
        ),
    ] = False,
    phases: Annotated[
        bool,
        typer.Option(
            "--phases",
            help="Chess only: also rate opening, middle game and ending.",
        ),
    ] = False,
    no_engine: Annotated[
        bool,
        typer.Option(
            "--no-engine",
            help="Chess only: do not let Stockfish evaluate games without evaluations.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Estimate the ratings of chess or Go players from their moves in recorded games.

    Evaluations in the games, as Lichess writes them, are used where there are some. Stockfish, if
    it is installed, evaluates games of chess that have none. Moves that are marked as not the
    player's own do not count: hints, moves given or taken back.
    """
    from evenmatch.app.estimate import EstimateOptions, rate_files

    names = EstimateOptions.__dataclass_fields__
    options = EstimateOptions(**{name: ctx.params[name] for name in names})
    with RatingLine() as bar:
        rated = rate_files(files, options, bar.update, bar.evaluated)
    for text in rated.notes:
        console.note(text)
    if not rated.scales[0].rows:
        assert rated.error is not None, "it says why nobody is rated"
        raise rated.error
    if json:
        facts = [one.facts for one in rated.scales]
        console.print_json(facts[0] if len(facts) == 1 else {"game": rated.game, "scales": facts})
    else:
        _show(rated)
        if phases:
            _show_phases(rated.scales[0])
    if rated.error is not None:
        raise rated.error


class RatingLine(Line):
    """Shows how many sides are rated, and how fast."""

    def __init__(self) -> None:
        super().__init__(
            "rating",
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
        )
        self._rated = ""

    def update(self, sides: int) -> None:
        """Show how many sides are rated."""
        self._rated = self.counted(sides, "sides")
        self.show(note=self._rated)

    def evaluated(self, done: int, due: int) -> None:
        """Show how many games of those that are rated next are evaluated."""
        self.show(note=f"{self._rated} (evaluating {due:,} games: {done:,})")


def _show(rated: "Rated") -> None:
    """Print the players with most games, the estimates on all scales side by side."""
    scales = rated.scales
    rows, names = scales[0].rows, [one.scale for one in scales]
    noun = "scale" if len(scales) == 1 else "scales"
    table = console.table(f"Ratings estimated from moves, on the {noun} {' and '.join(names)}")
    table.add_column("player")
    heads = ["rating"] if len(scales) == 1 else names
    estimated = [head for name in heads for head in (name, "95% interval")]
    for name in ("games", "moves", *estimated, "in the file"):
        table.add_column(name, justify="right")
    for same in zip(*(one.rows[:SHOWN] for one in scales), strict=True):
        row = same[0]
        cells = [cell for one, x in zip(scales, same, strict=True) for cell in _cells(one, x)]
        table.add_row(
            Text(row["player"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
            *cells,
            scales[0].write(row["rating_recorded"]) if row["rating_recorded"] else "",
        )
    console.output().print(table)
    if len(rows) > SHOWN:
        more = len(rows) - SHOWN
        verb = "is" if more == 1 else "are"
        console.tell(f"{counted(more, 'more player')} {verb} not shown. --json lists all.")
    for one in scales:
        of = "" if len(scales) == 1 else f" of {one.scale}"
        console.tell(f"Estimates never leave {one.reach}{of}.")
    if rated.unknown_scale and any(row["rating_recorded"] for row in rows[:SHOWN]):
        console.tell(
            'The column "in the file" is on the file\'s own scale. '
            f"Compare it with the estimates only if that scale is {' or '.join(names)}."
        )


def _cells(scale: "OnScale", row: dict[str, Any]) -> tuple[str, str]:
    """Return a player's rating and interval as they are written."""
    write = scale.write
    return f"[bold]{write(row['rating'])}[/bold]", f"{write(row['low'])} to {write(row['high'])}"


def _show_phases(scale: "OnScale") -> None:
    """Print the ratings by phase of the players with most games."""
    table = console.table("By phase of the game, with 95% intervals")
    table.add_column("player")
    for phase in scale.rows[0]["phases"]:
        table.add_column(phase, justify="right")
    write = scale.write
    for row in scale.rows[:SHOWN]:
        cells = [
            f"[bold]{write(x['rating'])}[/bold] ({write(x['low'])} to {write(x['high'])})"
            if x
            else "-"
            for x in row["phases"].values()
        ]
        table.add_row(Text(row["player"]), *cells)
    console.output().print(table)
    if any(None in row["phases"].values() for row in scale.rows[:SHOWN]):
        console.tell("A dash means too few moves.")
