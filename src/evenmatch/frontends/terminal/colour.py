"""The screen of a terminal that can do colour: the board with a panel beside it."""

from contextlib import AbstractContextManager, nullcontext

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from evenmatch.app.game_words import (
    EVEN,
    counts,
    evenness,
    name_of,
    result_line,
    value_to_show,
)
from evenmatch.errors import counted
from evenmatch.frontends.terminal.board import coloured
from evenmatch.frontends.terminal.screen import (
    BAR,
    MARGIN,
    alarm_line,
    captured,
    colour_name,
    colours,
    course,
    course_lines,
    picture_of,
    rules_line,
    score_lines,
)
from evenmatch.games.area import AreaGame
from evenmatch.games.catalog import BoardStyle, game_info
from evenmatch.games.game import PASS
from evenmatch.sessions.session import Session

CURVE = 40  #: characters of the curve of a finished game
PANEL = 42  #: columns the panel needs
NARROW_PANEL = 35  #: the same beside a large board, so that both fit into 80
GOOD, QUIET, BAD, LEAD = "#4cc38a", "#5b6470", "#f0883e", "#6cb6ff"
LEVELS = "▁▂▃▄▅▆▇█"


def typed(session: Session) -> str:
    """Return what can be typed, besides moves."""
    words = [PASS] * session.may_pass + ["undo", "hint", "moves"]
    words += ["score"] * isinstance(session.game, AreaGame)
    return "  ".join([*words, "resign", "quit", "help"])


class ColourScreen:
    """A board in colour with a panel beside it; drawn anew for each move if ``redraw``."""

    def __init__(self, out: Console, redraw: bool):
        self._out = out
        self._redraw = redraw
        self._notes: list[str] = []
        self._said: list[Padding] = []
        self._warning = ""
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
        look = game_info(session.game.id).board_style
        board = coloured(picture_of(session), look)
        drawn = len(board.plain.split("\n")[1])
        width = self._out.width - drawn
        beside = width >= (NARROW_PANEL if look.lines else PANEL)
        panel = self._panel(session, look, min(width - 3 if beside else self._out.width, CURVE))
        if not beside:
            return Group(board, Text(), panel)
        grid = Table.grid(padding=(0, 3))
        grid.add_column(min_width=drawn)
        grid.add_column(max_width=width - 3, overflow="fold")  # paths are shown whole
        grid.add_row(board, Group(Text(), panel))
        return grid

    def _panel(self, session: Session, look: BoardStyle, width: int) -> Group:
        if session.over:
            played = counted(look.moves(session.ply), "move")
        else:
            played = f"move {look.moves(session.ply + 1)}"
        rows: list[Text | Table] = [
            Text.assemble((session.game.title, "bold"), (f"   {played}", "dim")),
            *([Text(rules, style="dim")] if (rules := rules_line(session)) else []),
            Text(),
            self._names(session, look),
            *self._captures(session),
            Text(),
        ]
        value = value_to_show(session)
        if value is not None:
            rows += [_bar(value, name_of(session)), self._words(session, value), Text()]
        if session.actions:
            who = "you" if not session.yours else name_of(session)
            move = (session.text(session.ply - 1), "bold")
            rows.append(Text.assemble(("last move  ", "dim"), move, (f"  {who}", "dim")))
        if alarm := alarm_line(session):
            rows.append(Text(alarm, style=f"bold {BAD}"))
        rows += [Text(note, style="italic") for note in self._notes]
        if self._warning:
            rows.append(Text(self._warning, style=f"bold {BAD}"))
        if session.unsettled:
            rows += [Text(), *map(Text, score_lines(session))]
        elif session.over:
            rows += self._ending(session, width)
        elif session.yours:
            rows += [Text(), Text(typed(session), style="dim")]
        return Group(*rows)

    def _names(self, session: Session, look: BoardStyle) -> Table:
        table = Table.grid(padding=(0, 1))
        for name, side, count in zip(
            ("You", name_of(session)), (session.side, -session.side), counts(session), strict=True
        ):
            moving = not session.over and session.yours == (side == session.side)
            disc = look.discs[0 if side == 1 else 1]
            table.add_row(
                Text("▸" if moving else " ", style=f"bold {GOOD}"),
                Text(f" {look.token(side)[0]} ", style=f"{disc} on {look.fields[0]}"),
                Text(name, style="bold" if moving else ""),
                Text(colour_name(session, side), style="dim"),
                Text(f"{count:>4}" if look.counts else "", style="bold"),
                Text(session.clock.text(side) if session.clock else "", style="bold"),
            )
        return table

    @staticmethod
    def _captures(session: Session) -> list[Text]:
        taken = {name: captured(session, side) for name, side in colours(session).items()}
        if None in taken.values():
            return []
        told = "  ".join(f"{name} {count}" for name, count in taken.items())
        return [Text.assemble(("  captured ", "dim"), told)]

    @staticmethod
    def _words(session: Session, value: float) -> Text:
        words = evenness(value, name_of(session))
        return Text(f"    {words}", style=GOOD if words == "even" else "dim")

    def moved(self, session: Session) -> None:
        """Leave it to the panel."""

    def note(self, text: str) -> None:
        """Keep a line for the panel."""
        self._notes.append(text)

    def warn(self, text: str) -> None:
        """Keep a line for the panel."""
        self._warning = text

    def say(self, text: str, wrong: bool = False) -> None:
        """Print a line under the board."""
        words = Text(text, style=BAD if wrong else "")
        line = Padding(words, (0, 0, 0, len(MARGIN)), expand=False)
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
        spinner = Spinner("dots", text=f"{name_of(session)} is thinking", style=GOOD)
        return Live(Padding(spinner, (0, len(MARGIN))), console=self._out, transient=True)

    def end(self, session: Session) -> None:
        """Draw the last position, the result and how even it was."""
        self._said.clear()
        self.show(session)

    @staticmethod
    def _ending(session: Session, width: int) -> list[Text]:
        style = {1: f"bold {GOOD}", 0: "bold", -1: f"bold {BAD}"}[session.result]
        lines = [Text(), *map(Text, score_lines(session)), Text(result_line(session), style=style)]
        values = course(session)
        if values:
            lines += [Text(), Text("How even it was", style="dim"), _curve(values, width)]
            lines += [Text(line, style="dim") for line in course_lines(values)]
        return lines


def _bar(value: float, opponent: str) -> Text:
    """Return a line between two names, divided where a game of that value stands."""
    filled = round((value + 1) / 2 * BAR)
    mine = GOOD if abs(value) < EVEN else BAD if value < 0 else LEAD
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
        colour = GOOD if abs(value) < EVEN else BAD if value < 0 else LEAD
        out.append(LEVELS[level], colour)
    return out
