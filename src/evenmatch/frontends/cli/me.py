"""``evenmatch me``: a person's level and games."""

from pathlib import Path
from typing import Annotated

import typer

from evenmatch.errors import UsageError
from evenmatch.frontends.cli.program import PLAY, Json, app, flowing

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
    """Tell how strong you are by the games that you finished, with the interval, and list them.

    Levels are told at chess as Lichess rates rapid games, at Go in ranks, at other games as Elo of
    players that come with evenmatch, once the game is calibrated.
    """
    if ctx.invoked_subcommand is None:
        from evenmatch.frontends.commands import me as commands

        commands.show(name, game, json, page)
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
    from evenmatch.frontends.commands import my_games as commands

    commands.export(name, game, out)


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
    from evenmatch.frontends.commands import my_games as commands

    commands.take_in(files, player, name, game)


@me.command("rename")
def rename(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")], name: Name = None
) -> None:
    """Give your games and what opponents remember of you another name."""
    from evenmatch.frontends.commands import my_games as commands

    commands.rename(name, new)


@me.command("delete")
def delete(
    name: Name = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete your games and what opponents remember of you."""
    from evenmatch.frontends.commands import my_games as commands

    commands.delete(name, yes)
