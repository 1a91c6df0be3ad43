"""What a person sees during a game: the board with a panel beside it, or lines of plain ASCII."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from evenmatch.frontends import console
from evenmatch.frontends.board import Look, coloured, diagram, look_of, plain
from evenmatch.frontends.session import EVEN, Session, evenness

BAR = 18  #: characters of the line that shows how even the game stands
CURVE = 40  #: characters of the curve of a finished game
GOOD, QUIET, BAD = "#4cc38a", "#5b6470", "#f0883e"
MARGIN = "   "
LEVELS = "▁▂▃▄▅▆▇█"


class Screen(Protocol):
    """Shows a game; the two below differ in what the terminal can do."""

    def show(self, session: Session) -> None:
        """Show the position and what was noted since the last time."""

    def moved(self, session: Session) -> None:
        """Tell that the latest action was just played."""

    def note(self, text: str) -> None:
        """Tell something that belongs to the next position shown."""

    def say(self, text: str, wrong: bool = False) -> None:
        """Tell something now; ``wrong`` if the person must do something else."""

    def prompt(self, text: str) -> str:
        """Return what stands before what a person types."""

    def thinking(self, session: Session) -> AbstractContextManager:
        """Show, while the context lasts, that the opponent is thinking."""

    def end(self, session: Session) -> None:
        """Show the end of a game."""


def make_screen(interactive: bool) -> Screen:
    """Return the screen that suits standard output."""
    if console.capable(sys.stdout):
        return ColourScreen(console.output(), redraw=interactive)
    return PlainScreen(print)


# -- words both screens use ------------------------------------------------------------------


def name_of(session: Session) -> str:
    """Return what the opponent is called: its spec without the keys."""
    return session.opponent.partition(":")[0]


def counts(session: Session) -> tuple[int, int]:
    """Return how many discs the person and the opponent have."""
    board = session.game.board(session.state[None])[0]
    return int((board == session.side).sum()), int((board == -session.side).sum())


def result_line(session: Session) -> str:
    """Say who won."""
    if session.resigned:
        return f"You resigned: {name_of(session)} wins."
    mine, theirs = counts(session)
    by = f", {max(mine, theirs)} to {min(mine, theirs)}" if look_of(session.game).counts else ""
    if session.result == 0:
        return f"A draw{by}."
    return f"{'You win' if session.result > 0 else f'{name_of(session)} wins'}{by}."


def course_line(values: list[float]) -> str:
    """Say in words how even a game was, from the values of its positions."""
    even = sum(abs(value) < EVEN for value in values)
    mean = sum(values) / len(values)
    return f"even in {even} of {len(values)} positions; your mean value {mean:+.2f}"


def course(session: Session) -> list[float]:
    """Return the values of a finished game's positions, all but the last."""
    return session.values()[:-1]


def colour_name(session: Session, side: int) -> str:
    """Return what the rules call a side."""
    return session.game.players[0 if side == 1 else 1]


# -- plain -----------------------------------------------------------------------------------


class PlainScreen:
    """Lines of ASCII, for pipes and simple terminals."""

    def __init__(self, write: Callable[[str], None]):
        self._write = write

    def show(self, session: Session) -> None:
        """Write the board, the discs and how even it is."""
        look = look_of(session.game)
        picture = diagram(session.game, session.state, session.last_cell, session.yours)
        self._write("")
        self._write(plain(picture, look))
        self._write("")
        for line in self._status(session, look):
            self._write(line)

    def _status(self, session: Session, look: Look) -> list[str]:
        discs = counts(session)
        names = ("You", name_of(session))
        sides = (session.side, -session.side)
        lines = []
        for name, side, count in zip(names, sides, discs, strict=True):
            letter = look.letters[0 if side == 1 else 1]
            tally = f"  {count}" if look.counts else ""
            lines.append(f"{letter} {name} ({colour_name(session, side)}){tally}")
        value = session.value()
        if value is not None and not session.over:
            filled = round((value + 1) / 2 * BAR)
            bar = "#" * filled + "." * (BAR - filled)
            words = evenness(value, name_of(session))
            lines.append(f"You {bar} {name_of(session)}  {words}")
        return lines

    def moved(self, session: Session) -> None:
        """Write who played what."""
        who = f"{name_of(session)} plays" if session.yours else "You play"
        self._write(f"{who} {session.text(session.ply - 1)}")

    def note(self, text: str) -> None:
        """Write a line."""
        self._write(text)

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
        """Write the last board, the result and how even it was."""
        self.show(session)
        self._write(result_line(session))
        values = course(session)
        if values:
            self._write(f"How even it was: {course_line(values)}.")


# -- in colour -------------------------------------------------------------------------------


class ColourScreen:
    """A board in colour with a panel beside it; drawn anew for each move if ``redraw``."""

    def __init__(self, out: Console, redraw: bool):
        self._out = out
        self._redraw = redraw
        self._notes: list[str] = []
        self._said: list[Text] = []
        self._shown: Session | None = None

    def show(self, session: Session) -> None:
        """Draw the board and the panel."""
        self._draw(session)
        self._notes.clear()

    def _draw(self, session: Session) -> None:
        self._shown = session
        if self._redraw:
            self._out.clear()
        self._out.print()
        self._out.print(self.drawing(session))
        self._out.print()

    def drawing(self, session: Session) -> Table | Group:
        """Return board and panel, side by side if there is room."""
        look = look_of(session.game)
        picture = diagram(session.game, session.state, session.last_cell, session.yours)
        board = coloured(picture, look)
        panel = self._panel(session, look)
        if self._out.width < len(board.plain.split("\n")[1]) + 42:
            return Group(board, Text(), panel)
        grid = Table.grid(padding=(0, 3))
        grid.add_row(board, Group(Text(), panel))
        return grid

    def _panel(self, session: Session, look: Look) -> Group:
        rows: list[Text | Table] = [
            Text.assemble((session.game.title, "bold"), (f"   move {session.ply + 1}", "dim"))
            if not session.over
            else Text.assemble((session.game.title, "bold"), (f"   {session.ply} moves", "dim")),
            Text(),
            self._names(session, look),
            Text(),
        ]
        value = None if session.over else session.value()
        if value is not None:
            rows += [_bar(value, name_of(session)), self._words(session, value), Text()]
        if session.actions:
            who = "you" if not session.yours else name_of(session)
            move = (session.text(session.ply - 1), "bold")
            rows.append(Text.assemble(("last move  ", "dim"), move, (f"  {who}", "dim")))
        rows += [Text(note, style="italic") for note in self._notes]
        if session.over:
            rows += self._ending(session)
        elif session.yours:
            rows += [Text(), Text("undo  hint  moves  resign  quit  help", style="dim")]
        return Group(*rows)

    def _names(self, session: Session, look: Look) -> Table:
        table = Table.grid(padding=(0, 1))
        for name, side, count in zip(
            ("You", name_of(session)), (session.side, -session.side), counts(session), strict=True
        ):
            moving = not session.over and session.yours == (side == session.side)
            disc = look.discs[0 if side == 1 else 1]
            table.add_row(
                Text("▸" if moving else " ", style=f"bold {GOOD}"),
                Text(" ● ", style=f"{disc} on {look.fields[0]}"),
                Text(name, style="bold" if moving else ""),
                Text(colour_name(session, side), style="dim"),
                Text(f"{count:>4}" if look.counts else "", style="bold"),
            )
        return table

    @staticmethod
    def _words(session: Session, value: float) -> Text:
        words = evenness(value, name_of(session))
        return Text(f"    {words}", style=GOOD if words == "even" else "dim")

    def moved(self, session: Session) -> None:
        """Leave it to the panel."""

    def note(self, text: str) -> None:
        """Keep a line for the panel."""
        self._notes.append(text)

    def say(self, text: str, wrong: bool = False) -> None:
        """Print a line under the board."""
        line = Text(f"{MARGIN}{text}", style=BAD if wrong else "")
        self._said.append(line)
        self._out.print(line)

    def prompt(self, text: str) -> str:
        """Return the text in bold; readline does not count what is between the two bytes.

        After an answer the screen is drawn anew, so that the board stays where it is.
        """
        if self._redraw and self._said and self._shown:
            self._draw(self._shown)
            for line in self._said:
                self._out.print(line)
        self._said.clear()
        return f"{MARGIN}\001\033[1m\002{text}\001\033[0m\002"

    def thinking(self, session: Session) -> AbstractContextManager:
        """Draw the person's move and spin while the opponent thinks."""
        if not self._redraw:
            return nullcontext()
        self._draw(session)
        return self._out.status(f"{name_of(session)} is thinking", spinner="dots")

    def end(self, session: Session) -> None:
        """Draw the last position, the result and how even it was."""
        self._said.clear()
        self.show(session)

    @staticmethod
    def _ending(session: Session) -> list[Text]:
        style = {1: f"bold {GOOD}", 0: "bold", -1: f"bold {BAD}"}[session.result]
        lines = [Text(), Text(result_line(session), style=style)]
        values = course(session)
        if values:
            lines += [Text(), Text("How even it was", style="dim"), _curve(values, CURVE)]
            lines += [Text(course_line(values), style="dim")]
        return lines


def _bar(value: float, opponent: str) -> Text:
    """Return a line between two names, divided where a game of that value stands."""
    filled = round((value + 1) / 2 * BAR)
    mine = GOOD if abs(value) < EVEN else BAD if value < 0 else "#6cb6ff"
    return Text.assemble(
        ("You ", ""), ("━" * filled, mine), ("━" * (BAR - filled), QUIET), (f" {opponent}", "")
    )


def _curve(values: list[float], width: int) -> Text:
    """Return a curve of values, high where the person stood well, green where it was even."""
    out = Text()
    size = min(width, len(values))
    for i in range(size):
        part = values[i * len(values) // size : (i + 1) * len(values) // size]
        value = sum(part) / len(part)
        level = min(int((value + 1) / 2 * len(LEVELS)), len(LEVELS) - 1)
        colour = GOOD if abs(value) < EVEN else BAD if value < 0 else "#6cb6ff"
        out.append(LEVELS[level], colour)
    return out
