"""What a person sees during a game: the seam of screens, their words, and the plain one."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from evenmatch.app.game_words import (
    EVEN,
    counts,
    evenness,
    name_of,
    result_line,
    score_to_show,
    value_to_show,
)
from evenmatch.errors import counted
from evenmatch.frontends.terminal.board import Diagram, diagram, plain
from evenmatch.games.area import AreaGame
from evenmatch.games.catalog import BoardStyle, game_info
from evenmatch.games.game import PASS
from evenmatch.sessions.scoring import score_of
from evenmatch.sessions.session import Session

MARGIN = "   "  #: before what is said on a terminal that can do colours
BAR = 18  #: characters of the line that shows how even the game stands


class Screen(Protocol):
    """Shows a game: PlainScreen anywhere, ColourScreen where the terminal can do it."""

    def show(self, session: Session) -> None:
        """Show the position and what was noted since the last time."""

    def moved(self, session: Session) -> None:
        """Tell that the latest action was just played."""

    def note(self, text: str) -> None:
        """Tell something that belongs to the next position shown."""

    def warn(self, text: str) -> None:
        """Tell something with every position shown, until it is another text or empty."""

    def say(self, text: str, wrong: bool = False) -> None:
        """Tell something now; ``wrong`` if the person must do something else."""

    def prompt(self, text: str) -> str:
        """Return what stands before what a person types."""

    def thinking(self, session: Session) -> AbstractContextManager:
        """Show, while the context lasts, that the opponent is thinking."""

    def end(self, session: Session) -> None:
        """Show the end of a game."""


# -- words both screens use ------------------------------------------------------------------


def picture_of(session: Session) -> Diagram:
    """Return what to draw: the position, the latest move, the person's legal moves."""
    return diagram(
        session.game,
        session.state,
        session.last_cells,
        dots=session.yours,
        side=session.side,
        score=score_to_show(session),
    )


def rules_line(session: Session) -> str:
    """Say by what rules a game of area is played; empty for other games."""
    game = session.game
    if not isinstance(game, AreaGame):
        return ""
    start = session.states[0]
    board = game.board(start[None])
    stones, others = int((board == 1).sum()), int((board == -1).sum())
    handicap = f"{counted(stones, 'handicap stone')}, " if stones else ""
    if others:
        handicap = "from a position that was set up, "
    return f"{handicap}komi {game.komi_of(start[None])[0]:g}, area scoring"


def captured(session: Session, side: int) -> int | None:
    """Return how many stones a side has captured; None where nothing is counted so."""
    if not isinstance(session.game, AreaGame):
        return None
    return int(session.game.captures(session.state[None])[0, 0 if side == 1 else 1])


def alarm_line(session: Session) -> str:
    """Return what the person to move must know, in words; empty for nothing."""
    alarm = session.game.alarm(session.state) if session.yours and not session.over else ""
    if not alarm:
        return ""
    if session.disputed and isinstance(session.game, AreaGame):
        all_alive = score_of(session.game, session.state)
        alarm += f", and all stones count: {all_alive.text if all_alive.lead else 'a draw'}"
    return f"{alarm[0].upper()}{alarm[1:]}"


def score_lines(session: Session) -> list[str]:
    """Say what the score of a game of area is, and which stones are dead."""
    score = score_to_show(session)
    if score is None:
        return []
    first, second = session.game.players
    lines = [
        f"{first} {score.areas[0]}",
        f"{second} {score.areas[1]} + komi {score.komi:g} = {score.areas[1] + score.komi:g}",
    ]
    board = session.game.board(session.state[None])[0].ravel()
    dead = [int((board[list(score.dead)] == side).sum()) for side in (1, -1)]
    how = (
        f"Dead, marked: {first} {dead[0]}, {second} {dead[1]}" if score.dead else "No stone is dead"
    )
    if session.disputed:
        how = "All stones count as alive, as you played on"
    elif isinstance(session.game, AreaGame) and not session.game.passed_out(session.state):
        how = "All stones count as alive, as the limit of moves ended the game"
    elif not score.judged:
        how = "All stones count as alive, as no network tells which are dead"
    return [*lines, f"Result {score.text if score.lead else 'draw'}", how]


def course_lines(values: list[float]) -> list[str]:
    """Say in words how even a game was, from the values of its positions."""
    even = sum(abs(value) < EVEN for value in values)
    chances = (sum(values) / len(values) + 1) / 2
    low, high = (1 - EVEN) / 2, (1 + EVEN) / 2
    return [
        f"Even (chances {low:.0%} to {high:.0%}) in {even} of {len(values)} positions",
        f"Your chances on average: {chances:.0%}",
    ]


def course(session: Session) -> list[float]:
    """Return the values of a finished game's positions, all but the last."""
    return session.values()[:-1]


def colours(session: Session) -> dict[str, int]:
    """Return the sides by what the rules call them."""
    return dict(zip(session.game.players, (1, -1), strict=True))


def colour_name(session: Session, side: int) -> str:
    """Return what the rules call a side."""
    return session.game.players[0 if side == 1 else 1]


# -- plain -----------------------------------------------------------------------------------


class PlainScreen:
    """Lines of ASCII, for pipes and simple terminals."""

    def __init__(self, write: Callable[[str], None]):
        self._write = write
        self._warning = ""
        self._shown: list[str] = []  # what was drawn last

    def show(self, session: Session) -> None:
        """Write the board, the discs and how even it is."""
        self._shown = self._drawn(session)
        for line in self._shown:
            self._write(line)

    def _drawn(self, session: Session) -> list[str]:
        look = game_info(session.game.id).board_style
        return ["", plain(picture_of(session), look), "", *self._status(session, look)]

    def _status(self, session: Session, look: BoardStyle) -> list[str]:
        discs = counts(session)
        names = ("You", name_of(session))
        sides = (session.side, -session.side)
        lines = list(filter(None, [rules_line(session)]))
        for name, side, count in zip(names, sides, discs, strict=True):
            letter = look.token(side)[1]
            tally = f"  {count}" if look.counts else ""
            if (taken := captured(session, side)) is not None:
                tally = f"  {taken} captured"
            time = f"  {session.clock.text(side)}" if session.clock else ""
            lines.append(f"{letter} {name} ({colour_name(session, side)}){tally}{time}")
        if alarm := alarm_line(session):
            lines.append(f"{alarm}.")
        value = value_to_show(session)
        if value is not None:
            filled = round((value + 1) / 2 * BAR)
            bar = "#" * filled + "." * (BAR - filled)
            words = evenness(value, name_of(session))
            lines.append(f"You {bar} {name_of(session)}  {words}")
        lines += [f"{line}." for line in score_lines(session)]
        return [*lines, self._warning] if self._warning else lines

    def moved(self, session: Session) -> None:
        """Write who played what."""
        text, theirs = session.text(session.ply - 1), session.yours
        if text == PASS:
            self._write(f"{name_of(session)} passes" if theirs else "You pass")
        else:
            self._write(f"{name_of(session)} plays {text}" if theirs else f"You play {text}")

    def note(self, text: str) -> None:
        """Write a line."""
        self._write(text)

    def warn(self, text: str) -> None:
        """Keep a line for below each board."""
        self._warning = text

    def say(self, text: str, wrong: bool = False) -> None:
        """Write a line."""
        self._write(text)

    def prompt(self, text: str) -> str:
        """Return the text."""
        return text

    def thinking(self, session: Session) -> AbstractContextManager:
        """Show nothing."""
        return nullcontext()

    def end(self, session: Session) -> None:
        """Write the last board, unless it was drawn last, the result and how even it was."""
        if self._drawn(session) != self._shown:
            self.show(session)
        self._write(result_line(session))
        values = course(session)
        if values:
            self._write(f"{'. '.join(course_lines(values))}.")
