"""``evenmatch play``: games in the terminal, and the list of unfinished ones."""

import datetime
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from evenmatch.errors import UsageError
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import PLAY, SEEDS, command, number, whole
from evenmatch.frontends.progress_bars import moves_done

if TYPE_CHECKING:
    from evenmatch.games.game import Game
    from evenmatch.profiles import SavedGame


@command(PLAY)
def play(
    ctx: typer.Context,
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="Such as [cyan]othello[/cyan], see `evenmatch games`; or an unfinished game, such "
            "as [cyan]othello-1[/cyan], see --saved.",
            show_default=False,
        ),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent",
            "-o",
            metavar="SPEC",
            help="Your opponent; see `evenmatch players`. [dim]\\[default: even, at about your "
            "level; in a game that you added, mcts][/dim]",
        ),
    ] = None,
    elo: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            parser=number,
            help="A fixed rating to play against: 429 to 2476 at chess; at Connect Four and "
            "Othello as `evenmatch calibrate` measured it.",
        ),
    ] = None,
    rank: Annotated[
        str | None,
        typer.Option(
            metavar="RANK",
            help="At Go: a fixed rank to play against, such as 8k or 2d.",
        ),
    ] = None,
    net: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your opponent's network, such as Maia-3 or KataGo's human one. No level is "
            "measured.",
        ),
    ] = None,
    search_net: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --rank or --elo: a network that judges positions in the opponent's search, "
            "such as KataGo's strongest.",
        ),
    ] = None,
    i_am: Annotated[
        str | None,
        typer.Option(
            "--i-am",
            metavar="LEVEL",
            help="How strong you are, until your games show it: 1200, 8k, beginner, casual player, "
            "club player.",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            parser=number,
            help="The share of points to expect, from an opponent of a fixed rating, once your "
            "level is known; not at Go. [dim]\\[default: 0.5, from even][/dim]",
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="SIDE",
            help="Your side: first or second, or its colour. [dim]\\[default: first, or the side "
            "to move in a position][/dim]",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="M+S", help="Play by a clock: minutes, and seconds added for a move, as 5+3."
        ),
    ] = None,
    pace: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            parser=number,
            help="How long the opponent takes for a move, on average; 0 for no longer than it "
            "needs. [dim]\\[default: in a terminal 3 at a rating, at chess and at Go; otherwise "
            "0][/dim]",
        ),
    ] = None,
    play_on: Annotated[bool, typer.Option("--play-on", help="The opponent never resigns.")] = False,
    handicap: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(0, 1000),
            help="At Go: Black begins with N stones, 2 to 9; you are Black.",
        ),
    ] = None,
    komi: Annotated[
        float | None,
        typer.Option(
            metavar="K",
            parser=number,
            help="At Go: points that White gets. [dim]\\[default: 7 on 9x9, otherwise 7.5; 0.5 "
            "with --handicap][/dim]",
        ),
    ] = None,
    moves: Annotated[
        str | None,
        typer.Option("--moves", metavar="MOVES", help="Start after these moves, such as 'd3 c5'."),
    ] = None,
    fen: Annotated[
        str | None, typer.Option(metavar="FEN", help="At chess and Go: start from this position.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            "--sgf",
            metavar="FILE",
            help="Start after the moves of a file's first game: PGN or FEN at chess, SGF at Go, "
            "moves at any.",
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(0, 10**6),
            help="Start after so many of these moves. [dim]\\[default: all][/dim]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            "-s",
            metavar="N",
            parser=SEEDS,
            help="Seed of the opponent. [dim]\\[default: any][/dim]",
        ),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Who you are: whose games and level count."),
    ] = None,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="The opponent begins without your earlier games; one that remembers them itself "
            "forgets them when you make a move.",
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue your latest unfinished game.")
    ] = False,
    saved: Annotated[bool, typer.Option("--saved", help="List your unfinished games.")] = False,
    delete: Annotated[
        str | None, typer.Option(metavar="NAME", help="Delete an unfinished game.")
    ] = None,
) -> None:
    """Play a game in the terminal.

    Type moves, or [cyan]help[/cyan] for what else can be typed. The game is saved after every
    move: [cyan]evenmatch play --resume[/cyan] continues it.

    Moves are read from a pipe too: [cyan]echo "d3 resign" | evenmatch play othello[/cyan]
    """
    if saved:
        return _list_unfinished()
    if delete is not None:
        from evenmatch.profiles import Profile

        Profile().games.delete(delete.lower())
        return console.output().print(f"Deleted {delete.lower()}.", markup=False)
    if sys.stdin is None:
        raise UsageError("standard input is closed; play in a terminal, or pipe moves in")
    from evenmatch.app.start_game import PlayOptions, start
    from evenmatch.frontends.terminal.game import TerminalGame

    options = PlayOptions(**{name: ctx.params[name] for name in PlayOptions.__dataclass_fields__})
    started = start(options, _busy, partial(moves_done, "judging your games"))
    TerminalGame(
        started.session, started.note, profile=started.profile, kept=started.kept,
        command=started.command, yours=started.yours,
    ).run()  # fmt: skip


@contextmanager
def _busy(game: "Game") -> Iterator[None]:
    """Show that a game is set up; say so first if it has to be compiled."""
    from evenmatch.app.compiling import on_first_compile

    out = console.errors()
    note = f"Compiling {game.title}: this takes about a minute, the first time only."
    status = out.status("Setting up the board") if sys.stdin.isatty() else nullcontext()
    with on_first_compile(lambda: out.print(note, style="dim")), status:
        yield


# -- unfinished games ----------------------------------------------------------------------------


def _list_unfinished() -> None:
    """List the unfinished games, the latest first."""
    from evenmatch.profiles import Profile

    profile = Profile()
    games = profile.games.unfinished()
    if not games:
        console.output().print("You have no unfinished games.", markup=False)
        return
    table = console.table()
    for name in ("game", "against", "who", "moves", "last played", ""):
        table.add_column(name, justify="right" if name == "moves" else "left", overflow="fold")
    for one in games:
        table.add_row(*map(Text, _cells(one, profile.games.is_open(one.name))))
    out = console.output()
    out.print(table)
    out.print("Go on with one: evenmatch play NAME. Delete one: evenmatch play --delete NAME")


def _cells(one: "SavedGame", is_open: bool) -> tuple[str, ...]:
    from evenmatch.games.catalog import game_info
    from evenmatch.opponents.rating_range import title_of

    when = datetime.datetime.fromtimestamp(one.ended).strftime("%Y-%m-%d %H:%M")
    note = "open in another terminal" if is_open else ""
    against = title_of(one.saved.game, one.saved.opponent)
    moves = game_info(one.saved.game).board_style.moves(len(one.saved.actions))
    return one.name, against, one.saved.person, str(moves), when, note
