"""``evenmatch me``: a person's level and games."""

import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from evenmatch.errors import UsageError, counted
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import PLAY, Json, app, flowing
from evenmatch.frontends.progress_bars import moves_done

if TYPE_CHECKING:
    from evenmatch.app.move_review import PlainTable
    from evenmatch.app.report import GameReport
    from evenmatch.profiles.levels import Level

CHART_ROWS, CHART_COLUMNS = 12, 48  #: games and characters of the chart, at most
LEAST_COLUMNS = 16  #: of the chart
BESIDE = 20  #: characters of a line beside the chart

me = typer.Typer(rich_markup_mode="rich")

Name = Annotated[
    str | None,
    typer.Option(
        "--name", metavar="NAME", help="Whose, if you play by a name; see `evenmatch play --name`."
    ),
]
Game = Annotated[
    str | None,
    typer.Option("--game", "-g", metavar="GAME", help="This game alone.", show_default="all"),
]


def _me(
    ctx: typer.Context,
    name: Name = None,
    game: Game = None,
    page: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write it as one page with plots instead."),
    ] = None,
    json: Json = False,
) -> None:
    """Show your level by the games that you finished, with its interval, and list the games.

    Chess levels use the Lichess rapid scale, Go levels are ranks, and other games use Elo among
    evenmatch's own players, once the game is calibrated.
    """
    if ctx.invoked_subcommand is None:
        _show(name, game, json, page)
    elif json or any(value is not None for value in (name, game, page)):
        word = ctx.invoked_subcommand
        raise UsageError(f"write options behind the word: evenmatch me {word} --name NAME")


me.callback(invoke_without_command=True)(_me)
app.add_typer(me, name="me", help=flowing(_me.__doc__), rich_help_panel=PLAY)


@me.command("export")
def export(
    out: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A .pgn for chess, .sgf for Go, or .json for any.",
            show_default="standard output, as JSON",
        ),
    ] = None,
    name: Name = None,
    game: Game = None,
) -> None:
    """Write your finished games to a file."""
    from evenmatch.app import report
    from evenmatch.files import replace_file
    from evenmatch.profiles import Profile
    from evenmatch.profiles.database import OWNER_ONLY

    text, note = report.export(Profile(), name, game, out)
    if out is None:
        sys.stdout.write(text)
    else:
        replace_file(out, text, OWNER_ONLY)
        console.tell(note)


@me.command("import")
def take_in(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PGN or SGF.")],
    player: Annotated[
        str, typer.Option("--player", "-p", metavar="NAME", help="Who you are in these games.")
    ],
    name: Name = None,
    game: Game = None,
) -> None:
    """Add games that you played elsewhere; they count as evidence of your level."""
    from evenmatch.app.import_games import add_games, kinds_of
    from evenmatch.app.report import person_of
    from evenmatch.games import get_game
    from evenmatch.profiles import Profile

    kind = get_game(game).id if game else None
    read = [(path, [kind] if kind else kinds_of(path)) for path in files]
    *notes, added = add_games(Profile(), person_of(name), read, player, "--player")
    for note in notes:
        console.note(note)
    whose = "" if name is None else f" --name {shlex.quote(name)}"
    console.output().print(f"{added} To see them: evenmatch me{whose}", markup=False)


@me.command("rename")
def rename(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")], name: Name = None
) -> None:
    """Give your games and what opponents remember of you another name."""
    from evenmatch.app.report import person_of
    from evenmatch.profiles import Profile
    from evenmatch.profiles.people import named

    new = named(new, one="one")
    Profile().people.rename(person_of(name), new)
    console.output().print(
        f"You play by the name {new} now: add --name {shlex.quote(new)}.",
        markup=False,
    )


@me.command("delete")
def delete(
    name: Name = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete your games and what opponents remember of you."""
    from evenmatch.app.report import person_of
    from evenmatch.profiles import Profile

    profile, person = Profile(), person_of(name)
    games = len(profile.games.finished(person))
    count = f" ({counted(games, 'finished game')})" if games else ""
    what = f"all that is kept of {person}{count}"
    if not yes:
        if not console.is_terminal(sys.stdin):
            raise UsageError(f"this deletes {what} for good; add --yes")
        if input(f"Delete {what} for good? [y/N] ").strip().lower() not in ("y", "yes"):
            return
    profile.people.delete(person)
    console.output().print(f"Deleted {what}.", markup=False)
    for file in sorted(profile.folder.glob("games.*")):
        console.note(f"{file} has finished games of everybody; delete it if you want to.")


# -- the report in the terminal ------------------------------------------------------------------


def _show(name: str | None, game: str | None, as_json: bool, page: Path | None) -> None:
    """Print a person's report, or write it as a page."""
    from evenmatch.app import report
    from evenmatch.profiles import Profile

    if as_json and page is not None:
        raise UsageError("--html writes a page, --json prints; choose one")
    profile, person = Profile(), report.person_of(name)
    found = report.reports(
        profile,
        person,
        game,
        judging=partial(moves_done, "judging games"),
        searching=partial(moves_done, "searching your moves"),
    )
    if as_json:
        console.print_json({"name": person, "games": [report.facts_of(one) for one in found]})
    elif page is not None:
        from evenmatch.frontends.cli.me_page import write_page

        write_page(found, person, page)
    else:
        if not found:
            text = report.no_games(profile, name, game)
            text = text if name is not None else f"{text[0].upper()}{text[1:]}"
            console.output().print(f"{text}.", markup=False, soft_wrap=True)
        for one in found:
            _print(one)


def _print(one: "GameReport") -> None:
    from evenmatch.app.report import level_text, tables_of, writer_of
    from evenmatch.games import get_game

    out = console.output()
    out.print(Text(get_game(one.kind).title, style="bold"))
    out.print(level_text(one), markup=False)
    if len(one.history) > 1:
        columns = min(max(out.width - BESIDE, LEAST_COLUMNS), CHART_COLUMNS)
        out.print(chart(one.history, writer_of(one.kind), columns), markup=False)
    tables, note = tables_of(one)
    for table in tables:
        if table.title:
            out.print(Text(table.title, style="bold"))
        out.print(drawn(table))
    if note:
        out.print(note, markup=False)


def drawn(rows: "PlainTable") -> Table:
    """Return a table for the terminal."""
    table = console.table()
    for head, right in zip(rows.heads, rows.numeric, strict=True):
        table.add_column(head, justify="right" if right else "left")
    for row in rows.rows:
        table.add_row(*map(Text, row))
    return table


def chart(
    history: Sequence["Level"], write: Callable[[float], str], columns: int = CHART_COLUMNS
) -> str:
    """Draw the level after each of the last games, with its interval, a line a game."""
    rows = list(history)[-CHART_ROWS:]
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    step = max(high - low, 1.0) / (columns - 1)
    lines = [f"{'after game':>10}  {write(low)}{write(high):>{columns - len(write(low))}}"]
    for row in rows:
        at = [round((x - low) / step) for x in (row.low, row.rating, row.high)]
        drawn = [" "] * columns
        drawn[at[0] : at[2] + 1] = "-" * (at[2] - at[0] + 1)
        drawn[at[1]] = "o"
        lines.append(f"{row.games:>10}  {''.join(drawn)}  {write(row.rating)}")
    return "\n".join(lines)
