"""What a person sees during a game: a board, and lines about it beside or below.

The lines are the same everywhere. A terminal with colours gets them styled, as a panel beside a
board in colour, and is redrawn for each move; pipes and simple terminals get plain text.
"""

import sys
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from evenmatch.app.game_words import (
    BALANCED,
    counts,
    evenness,
    name_of,
    result_line,
    score_to_show,
    value_to_show,
    who_plays,
)
from evenmatch.errors import counted
from evenmatch.frontends import console
from evenmatch.frontends.terminal.board import coloured, diagram, plain
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
    return Screen(console.output() if console.capable(sys.stdout) else None, redraw=interactive)


class Screen:
    """Shows a game on a terminal in colour, or as lines of ASCII."""

    def __init__(self, out: Console | None, redraw: bool = False):
        """``out`` is a terminal in colour, None for plain text on standard output.

        With ``redraw`` the terminal is cleared before each drawing.
        """
        self._out, self._redraw = out, redraw and out is not None
        self._warning = ""
        self._notes: list[str] = []  # for the next panel
        self._said: list[Padding] = []  # below the board since it was drawn
        self._shown: Session | None = None
        self._plain: list[str] = []  # what was drawn last

    # -- what happens --------------------------------------------------------------------------

    def show(self, session: Session) -> None:
        """Show the position and what was noted since the last time."""
        if self._out is None:
            self._plain = self._lines(session)
            print(*self._plain, sep="\n")
            return
        self._draw(session)
        self._notes.clear()

    def moved(self, text: str, by_person: bool, name: str) -> None:
        """Report a move; in colour the panel does."""
        if self._out is None:
            passes, who = text == PASS, "You" if by_person else name
            verb = "pass" if passes else "play"
            print(f"{who} {verb}{'' if by_person else 'es' if passes else 's'}", end="")
            print("" if passes else f" {text}")

    def note(self, text: str) -> None:
        """Report something that belongs to the next position shown."""
        if self._out is None:
            print(text)
        else:
            self._notes.append(text)

    def warn(self, text: str) -> None:
        """Show a text with every position from here on; empty for none."""
        self._warning = text

    def say(self, text: str, wrong: bool = False) -> None:
        """Report something now; ``wrong`` if the person must do something else."""
        if self._out is None:
            print(text)
            return
        words = Text(text, style=BAD if wrong else "")
        self._said.append(Padding(words, (0, 0, 0, len(MARGIN)), expand=False))
        self._out.print(self._said[-1])

    def prompt(self, text: str) -> str:
        """Return what stands before what a person types; readline does not count \\001 to \\002.

        In colour the board is drawn again after an answer, so that it stays where it is.
        """
        if self._out is None:
            return text
        if self._redraw and self._said and self._shown:
            self._draw(self._shown)
            for line in self._said:
                self._out.print(line)
        self._said.clear()
        return f"{MARGIN}\001\033[1m\002{text}\001\033[0m\002"

    def thinking(self, session: Session) -> AbstractContextManager:
        """Draw the person's move and spin while the opponent thinks, where that can be done."""
        if self._out is None or not self._redraw:
            return nullcontext()
        self._draw(session)
        spinner = Spinner("dots", text=f"{name_of(session)} is thinking", style=GOOD)
        return Live(Padding(spinner, (0, len(MARGIN))), console=self._out, transient=True)

    def end(self, session: Session) -> None:
        """Show the last position, unless it is shown, the result and how even the game was."""
        self._said.clear()
        if self._out is not None or self._lines(session) != self._plain:
            self.show(session)
        if self._out is None:
            for line in [result_line(session), *_course_lines(_course(session))]:
                print(line)

    # -- drawing -------------------------------------------------------------------------------

    def _draw(self, session: Session) -> None:
        assert self._out is not None
        self._shown = session
        if self._redraw:
            self._out.clear()
        self._out.print()
        self._out.print(self.drawing(session, self._out.width))
        self._out.print()

    def _lines(self, session: Session) -> list[str]:
        """Return the board and the lines below it as plain text."""
        look = game_info(session.game.id).board_style
        rows = [row for section in self._sections(session, look, None) for row in section]
        board = plain(_picture(session), look)
        return ["", *board.split("\n"), "", *(row.plain for row in rows)]

    def drawing(self, session: Session, width: int) -> Table | Group:
        """Return board and panel in colour, side by side if there is room."""
        look = game_info(session.game.id).board_style
        board = coloured(_picture(session), look)
        drawn = len(board.plain.split("\n")[1])
        room = width - drawn
        beside = room >= (NARROW_PANEL if look.lines else PANEL)
        panel: list[Text] = []
        for section in self._sections(session, look, min(room - 3 if beside else width, CURVE)):
            panel += [*section, Text()] if section else []
        if not beside:
            return Group(board, Text(), *panel[:-1])
        grid = Table.grid(padding=(0, 3))
        grid.add_column(min_width=drawn)
        grid.add_column(max_width=room - 3, overflow="fold")  # paths are shown whole
        grid.add_row(board, Group(Text(), *panel[:-1]))
        return grid

    def _sections(self, session: Session, look: BoardStyle, width: int | None) -> list[list[Text]]:
        """Return the lines about a game in sections; ``width`` of a curve in colour, or None."""
        colour = width is not None
        rules = [Text(line, "dim") for line in _rules_lines(session)]
        who = who_plays(session.game.id, session.opponent)
        if colour and who != name_of(session):
            rules = [Text(who, "dim"), *rules]
        warning = [Text(self._warning, f"bold {BAD}")] if self._warning else []
        alarm = [Text(line, f"bold {BAD}") for line in _alarm_lines(session)]
        score = [Text(line) for line in score_lines(session)]
        players = _player_lines(session, look, colour)
        even = _even_lines(session, colour)
        if width is None:
            return [rules, players, alarm, even, score, warning]
        moves = look.moves(session.ply if session.over else session.ply + 1)
        played = counted(moves, "move") if session.over else f"move {moves}"
        title = Text.assemble((session.game.title, "bold"), (f"   {played}", "dim"))
        notes = [Text(note, "italic") for note in self._notes]
        return [
            [title, *rules],
            players,
            even,
            [*_last_move(session), *alarm, *notes, *warning],
            [*score, *_end_lines(session)],
            _curve_lines(session, width),
            _words(session),
        ]


# -- the lines -----------------------------------------------------------------------------------


def _picture(session: Session):
    """Return what to draw: the position, the latest move, the person's legal moves."""
    game, last, score = session.game, session.last_cells, score_to_show(session)
    return diagram(game, session.state, last, session.yours, session.side, score)


def _rules_lines(session: Session) -> list[str]:
    """Say by what rules a game of area is played."""
    game = session.game
    if not isinstance(game, AreaGame):
        return []
    start = session.states[0]
    board = game.board(start[None])
    stones, others = int((board == 1).sum()), int((board == -1).sum())
    handicap = f"{counted(stones, 'handicap stone')}, " if stones else ""
    if others:
        handicap = "from a position that was set up, "
    return [f"{handicap}komi {game.komi_of(start[None])[0]:g}, area scoring"]


def _player_lines(session: Session, look: BoardStyle, colour: bool) -> list[Text]:
    """Return a line for each player: piece, name, colour, pieces or captures, time."""
    names = [f"You ({_colour_name(session, session.side)})"]
    who = name_of(session) if colour else who_plays(session.game.id, session.opponent)
    names.append(f"{who} ({_colour_name(session, -session.side)})")
    width = max(map(len, names)) if colour else 0
    lines = []
    sides = (session.side, -session.side)
    for name, side, count in zip(names, sides, counts(session), strict=True):
        tally = f"  {count}" if session.game.counts_pieces else ""
        if isinstance(session.game, AreaGame):
            taken = session.game.captures(session.state[None])[0, 0 if side == 1 else 1]
            tally = f"  {int(taken)} captured"
        time = f"  {session.clock.text(side)}" if session.clock else ""
        if not colour:
            lines.append(Text(f"{look.token(side)[1]} {name}{tally}{time}"))
            continue
        moving = not session.over and session.yours == (side == session.side)
        disc = f"{look.discs[0 if side == 1 else 1]} on {look.fields[0]}"
        piece = (f" {look.token(side)[0]} ", disc)
        shown = (f" {name:{width}}", "bold" if moving else "")
        arrow = ("▸ " if moving else "  ", f"bold {GOOD}")
        lines.append(Text.assemble(arrow, piece, shown, (f"{tally}{time}", "bold")))
    return lines


def _alarm_lines(session: Session) -> list[str]:
    """Say what the person to move must know."""
    alarm = session.game.alarm(session.state) if session.yours and not session.over else ""
    if alarm and session.disputed and isinstance(session.game, AreaGame):
        all_alive = score_of(session.game, session.state)
        alarm += f", and all stones count: {all_alive.text if all_alive.lead else 'a draw'}"
    return [f"{alarm[0].upper()}{alarm[1:]}."] if alarm else []


def _even_lines(session: Session, colour: bool) -> list[Text]:
    """Show how even the game stands: a bar between two names, and in words."""
    value = value_to_show(session)
    if value is None:
        return []
    name, filled = name_of(session), round((value + 1) / 2 * BAR)
    words = evenness(value, name)
    if not colour:
        return [Text(f"You {'#' * filled}{'.' * (BAR - filled)} {name}  {words}")]
    bar = [("━" * filled, _shade(value)), ("━" * (BAR - filled), QUIET)]
    said = Text(f"    {words}", style=GOOD if words == "even" else "dim")
    return [Text.assemble("You ", *bar, f" {name}"), said]


def _last_move(session: Session) -> list[Text]:
    """Say what was played last, and by whom."""
    if not session.actions:
        return []
    who = "you" if not session.yours else name_of(session)
    move = (session.text(session.ply - 1), "bold")
    return [Text.assemble(("last move  ", "dim"), move, (f"  {who}", "dim"))]


def score_lines(session: Session) -> list[str]:
    """Say what the score of a game of area is, and which stones are dead."""
    score = score_to_show(session)
    if score is None or not isinstance(session.game, AreaGame):
        return []
    first, second = session.game.players
    black, white = score.areas
    board = session.game.board(session.state[None])[0].ravel()
    dead = [int((board[list(score.dead)] == side).sum()) for side in (1, -1)]
    how = f"Dead, marked: {first} {dead[0]}, {second} {dead[1]}"
    if session.disputed:
        how = "All stones count as alive, as you played on"
    elif not session.game.passed_out(session.state):
        how = "All stones count as alive, as the limit of moves ended the game"
    elif not score.judged:
        how = "All stones count as alive, because no network estimates which are dead"
    elif not score.dead:
        how = "No stone is dead"
    return [
        f"{first} {black}.",
        f"{second} {white} + komi {score.komi:g} = {white + score.komi:g}.",
        f"Result {score.text if score.lead else 'draw'}.",
        f"{how}.",
    ]


def _end_lines(session: Session) -> list[Text]:
    """Say who has won."""
    if not session.over or session.unsettled:
        return []
    style = {1: f"bold {GOOD}", 0: "bold", -1: f"bold {BAD}"}[session.result]
    return [Text(result_line(session), style=style)]


def _curve_lines(session: Session, width: int) -> list[Text]:
    """Show how even a finished game was."""
    values = _course(session) if session.over and not session.unsettled else []
    words = [Text(line.rstrip("."), "dim") for line in _course_lines(values, apart=True)]
    return [Text("How even it was", "dim"), _curve(values, width), *words] if values else []


def _words(session: Session) -> list[Text]:
    """Return the words that can be typed instead of moves."""
    if session.over or not session.yours:
        return []
    words = [PASS] * session.may_pass + ["undo", "hint", "moves"]
    words += ["score"] * isinstance(session.game, AreaGame)
    return [Text("  ".join([*words, "resign", "quit", "help"]), style="dim")]


def _course(session: Session) -> list[float]:
    """Return the values of a finished game's positions, all but the last."""
    return session.values()[:-1]


def _course_lines(values: list[float], apart: bool = False) -> list[str]:
    """Say in words how even a game was, from the values of its positions; in one line or two."""
    if not values:
        return []
    even = sum(abs(value) < BALANCED for value in values)
    chances = (sum(values) / len(values) + 1) / 2
    low, high = (1 - BALANCED) / 2, (1 + BALANCED) / 2
    lines = [
        f"Even (chances {low:.0%} to {high:.0%}) in {even} of {len(values)} positions.",
        f"Your chances on average: {chances:.0%}.",
    ]
    return lines if apart else [" ".join(lines)]


def _curve(values: list[float], width: int) -> Text:
    """Return a curve of values, high where the person stood well, green where it was even."""
    out = Text()
    size = min(width, len(values))
    for i in range(size):
        part = values[i * len(values) // size : (i + 1) * len(values) // size]
        value = sum(part) / len(part)
        level = min(int((value + 1) / 2 * len(LEVELS)), len(LEVELS) - 1)
        out.append(LEVELS[level], _shade(value))
    return out


def _shade(value: float) -> str:
    """Return the colour of a value: even, behind or ahead."""
    return GOOD if abs(value) < BALANCED else BAD if value < 0 else LEAD


def _colour_name(session: Session, side: int) -> str:
    """Return what the rules call a side."""
    return session.game.players[0 if side == 1 else 1]
