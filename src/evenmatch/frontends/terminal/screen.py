"""What a person sees during a game: lines of ASCII, or a board in colour with a panel beside it."""

import sys
from collections.abc import Callable
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
    score_to_show,
    value_to_show,
)
from evenmatch.errors import counted
from evenmatch.frontends import console
from evenmatch.frontends.terminal.board import Diagram, coloured, diagram, plain
from evenmatch.games.catalog import BoardStyle, game_info
from evenmatch.games.game import PASS, AreaGame
from evenmatch.play.scoring import score_of
from evenmatch.play.session import Session

MARGIN = "   "  #: before what is said on a terminal that can do colours
BAR = 18  #: characters of the line that shows how even the game stands
CURVE = 40  #: characters of the curve of a finished game
PANEL = 42  #: columns the panel needs
NARROW_PANEL = 35  #: the same beside a large board, so that both fit into 80
GOOD, QUIET, BAD, LEAD = "#4cc38a", "#5b6470", "#f0883e", "#6cb6ff"
LEVELS = "▁▂▃▄▅▆▇█"


def make_screen(interactive: bool) -> "Screen":
    """Return the screen that suits standard output."""
    if console.capable(sys.stdout):
        return ColourScreen(console.output(), redraw=interactive)
    return Screen(print)


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


# -- without colour -------------------------------------------------------------------------


class Screen:
    """What a person sees during a game: lines of ASCII, for pipes and simple terminals."""

    def __init__(self, write: Callable[[str], None]):
        self._write = write
        self._warning = ""
        self._shown: list[str] = []  # what was drawn last

    def show(self, session: Session) -> None:
        """Show the position and what was noted since the last time."""
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
            tally = f"  {count}" if session.game.counts_pieces else ""
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
        """Report the latest action, which was just played."""
        text, theirs = session.text(session.ply - 1), session.yours
        if text == PASS:
            self._write(f"{name_of(session)} passes" if theirs else "You pass")
        else:
            self._write(f"{name_of(session)} plays {text}" if theirs else f"You play {text}")

    def note(self, text: str) -> None:
        """Report something that belongs to the next position shown."""
        self._write(text)

    def warn(self, text: str) -> None:
        """Show a text with every position from here on; empty for none."""
        self._warning = text

    def say(self, text: str, wrong: bool = False) -> None:
        """Report something now; ``wrong`` if the person must do something else."""
        self._write(text)

    def prompt(self, text: str) -> str:
        """Return what stands before what a person types."""
        return text

    def thinking(self, session: Session) -> AbstractContextManager:
        """Return a context in which the screen shows that the opponent is thinking."""
        return nullcontext()

    def end(self, session: Session) -> None:
        """Show the last position, the result and how even the game was."""
        if self._drawn(session) != self._shown:
            self.show(session)
        self._write(result_line(session))
        values = course(session)
        if values:
            self._write(f"{'. '.join(course_lines(values))}.")


# -- in colour -------------------------------------------------------------------------------


def typed(session: Session) -> str:
    """Return what can be typed, besides moves."""
    words = [PASS] * session.may_pass + ["undo", "hint", "moves"]
    words += ["score"] * isinstance(session.game, AreaGame)
    return "  ".join([*words, "resign", "quit", "help"])


class ColourScreen(Screen):
    """A board in colour with a panel beside it; drawn anew for each move if ``redraw``."""

    def __init__(self, out: Console, redraw: bool):
        super().__init__(print)
        self._out = out
        self._redraw = redraw
        self._notes: list[str] = []
        self._said: list[Padding] = []
        self._drawn_last: Session | None = None

    def show(self, session: Session) -> None:
        """Draw the board and the panel."""
        self._draw(session)
        self._notes.clear()

    def _draw(self, session: Session) -> None:
        self._drawn_last = session
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
                Text(f"{count:>4}" if session.game.counts_pieces else "", style="bold"),
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
        if self._redraw and self._said and self._drawn_last:
            self._draw(self._drawn_last)
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
