"""What a person can type in a game that is no move; each returns whether the game changed."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable
from typing import NamedTuple, Protocol

from evenmatch.app.game_words import name_of
from evenmatch.errors import NetworkError
from evenmatch.frontends.terminal.saving import Keeper
from evenmatch.frontends.terminal.screen import MARGIN, Screen, colour_name
from evenmatch.games.catalog import game_info
from evenmatch.games.game import PASS, AreaGame
from evenmatch.opponents.resigning import EVEN_PLIES
from evenmatch.play.played_game import End
from evenmatch.play.session import Session


class Played(Protocol):
    """What a command needs of the game that it is typed in."""

    session: Session
    screen: Screen
    keeper: Keeper

    def read_clock(self) -> None:
        """Take the time since the clock was last read from the side to move."""

    def keep(self) -> None:
        """Save the game; warn on the screen as long as that fails."""

    def agreed(self, question: str) -> bool:
        """Ask a person; a pipe agrees."""


class Left(Exception):  # noqa: N818
    """The person leaves the game unfinished."""


def undo(game: Played) -> bool:
    """Take back your last move and the reply."""
    if game.session.undo():
        return True
    game.screen.say("There is no move of yours to take back.", wrong=True)
    return False


def hint(game: Played) -> bool:
    """Show what full strength would play."""
    session = game.session
    try:
        text = session.game.action_text(session.state, session.hint())
    except NetworkError as error:
        game.screen.say(f"No hint: {error}", wrong=True)
        return False
    game.screen.say(f"A strong player would play {text}.")
    return False


def moves(game: Played) -> bool:
    """List the legal moves."""
    session = game.session
    names = [session.game.action_text(session.state, action) for action in session.legal]
    game.screen.say(f"Legal moves: {' '.join(names)}")
    return False


def board(game: Played) -> bool:
    """Draw the board again."""
    game.read_clock()
    game.screen.show(game.session)
    return False


def save(game: Played) -> bool:
    """Save the game now (it is saved after every move anyway)."""
    game.keep()
    if game.keeper.notice:
        game.screen.say(f"{game.keeper.notice}; {game.keeper.remedy}.", wrong=True)
    elif not game.keeper.name:
        game.screen.say("There is nothing to save before your first move.", wrong=True)
    else:
        game.screen.say(f"Saved as {game.keeper.name} in {game.keeper.path}")
    return False


def draw(game: Played) -> bool:
    """Offer a draw."""
    session = game.session
    if not session.game.draws_agreed:
        game.screen.say(f"Nobody agrees on a draw in {session.game.title}.", wrong=True)
        return False
    if session.offer_draw():
        return True
    early = session.ply < EVEN_PLIES
    move = game_info(session.game.id).board_style.moves(EVEN_PLIES)
    when = f" It accepts no draw before move {move}." if early else ""
    game.screen.say(f"{name_of(session)} plays on.{when}")
    return False


def score(game: Played) -> bool:
    """Show who is ahead, as the network expects the game to end."""
    session = game.session
    if not isinstance(session.game, AreaGame):
        game.screen.say(f"Nobody counts points in {session.game.title}.", wrong=True)
        return False
    lead = session.expected_lead()
    if lead is None:
        game.screen.say("This network does not count points.", wrong=True)
        return False
    points = round(2 * abs(lead)) / 2
    ahead = colour_name(session, 1 if lead > 0 else -1)
    text = (
        f"{ahead} leads by about {points:g} point{'s' * (points != 1)}"
        if points
        else "Neither side leads"
    )
    game.screen.say(f"{text}, komi counted, if both play well from here.")
    return False


def resign(game: Played) -> bool:
    """Give up the game."""
    if not game.agreed("Give up the game? [y/N] "):
        return False
    game.session.end = End.YOU_RESIGNED
    return True


def quit(game: Played) -> bool:
    """Leave; the game is saved."""
    raise Left


def help(game: Played) -> bool:
    """Show this list."""
    session = game.session
    example = session.game.action_text(session.state, session.legal[0])
    rows = {example: "a move, for example"}
    if session.may_pass:
        rows[PASS] = "make no move; two passes end the game"
    unknown = ["draw"] * (not session.game.draws_agreed)
    unknown += ["score"] * (not isinstance(session.game, AreaGame))
    rows |= {name: word.help for name, word in COMMANDS.items() if name not in unknown}
    for name, text in rows.items():
        for line in _help_lines(name, text):
            game.screen.say(line)
    return False


def _help_lines(name: str, text: str) -> list[str]:
    """Return a row of the help, broken so that it stays a column on a narrow terminal."""
    width = max(30, shutil.get_terminal_size().columns - len(MARGIN))
    start = f"  {name:8} "
    return textwrap.wrap(text, width, initial_indent=start, subsequent_indent=" " * len(start))


class Command(NamedTuple):
    """A word that is no move."""

    run: Callable[[Played], bool]
    help: str


def _command(run: Callable[[Played], bool]) -> Command:
    text = (run.__doc__ or "").strip().rstrip(".")
    return Command(run, text[0].lower() + text[1:])


COMMANDS = {
    command.__name__: _command(command)
    for command in (undo, hint, moves, board, save, draw, score, resign, quit, help)
}  #: what can be typed instead of a move
ALIASES = {"q": "quit", "exit": "quit", "?": "help"}  #: other words for some of them
