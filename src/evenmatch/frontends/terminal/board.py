"""Boards as text: discs or figurines in colour where the terminal can, plain letters elsewhere.

In colour a cell is four columns by two rows, which is square on most terminals; a disc is
spaces on a coloured ground with quadrant blocks as its corners, so that it needs no glyph of a
particular font. A figurine is one column wide with room on its right, for some fonts draw it
wider; both sides have the solid one, for outlines vanish at this size. Nothing here knows whose
turn it is or prints anything.

Games on crossings of lines are drawn smaller, a crossing to two columns by one row, so that a board
of 19 by 19 with labels on all sides fits into 24 rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from evenmatch.games.catalog import BoardStyle, game_info
from evenmatch.games.game import AreaGame, Game
from evenmatch.play.scoring import Score

CELL_WIDTH = 4


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """A position to draw: pieces, and the cells to point out."""

    board: NDArray[np.int8]  #: [H, W]: 1, 2, ... first player's, negative second's, 0 empty;
    #: row 0 is the first player's top row
    marks: frozenset[int] = frozenset()  #: cells (row * W + column) to mark: the latest move
    dots: frozenset[int] = frozenset()  #: cells of legal moves
    turned: bool = False  #: the last row is drawn on top, the last column on the left
    stars: frozenset[int] = frozenset()  #: cells that the board itself marks
    dead: frozenset[int] = frozenset()  #: cells whose pieces are dead
    owners: NDArray[np.int8] | None = None  #: [H*W] whose area a cell is, where that is shown

    @property
    def rows(self) -> range:
        """The rows from top to bottom."""
        return range(len(self.board))[:: -1 if self.turned else 1]

    @property
    def columns(self) -> range:
        """The columns from left to right."""
        return range(self.board.shape[1])[:: -1 if self.turned else 1]


def diagram(
    game: Game,
    state: NDArray,
    last: Iterable[int] = (),
    dots: bool = True,
    side: int = 1,
    score: Score | None = None,
) -> Diagram:
    """Return what to draw of ``state`` [S] for the player of ``side``, 1 or -1.

    ``last`` are the cells of the latest move; ``dots``: show the legal moves. ``score``: show the
    dead stones and the area of each side.
    """
    look = game_info(game.id).board_style
    board = game.pieces(state[None])[0]
    legal = game.legal_actions(state[None])[0]
    marks = set(last)
    if not len(legal):
        marks |= game.winning_cells(state)
    shown = legal if dots and look.dot else ()
    cells = {game.action_cell(state, int(action)) for action in shown}
    return Diagram(
        board=board,
        marks=frozenset(marks),
        dots=frozenset(c for c in cells if c is not None),
        turned=look.turned and side == -1,
        stars=frozenset(game.stars if isinstance(game, AreaGame) else ()),
        dead=frozenset(score.dead if score else ()),
        owners=score.owners if score else None,
    )


# -- in colour -------------------------------------------------------------------------------


def coloured(picture: Diagram, look: BoardStyle) -> Text:
    """Draw in colour, cells of 4 x 2 characters, with coordinates."""
    if look.lines:
        return _ruled(picture, look, look.lines)
    names = "".join(name.center(CELL_WIDTH) for name in _column_labels(picture, look))
    lines = [Text(f"{'    ' if look.hole else '   '}{names}", style="dim")]
    for row in picture.rows:
        upper, lower = Text(), Text()
        for column in picture.columns:
            top, bottom = _cell(picture, look, row, column)
            upper.append_text(top)
            lower.append_text(bottom)
        label = f"{_row_label(picture, look, row):>2}"
        edge = look.fields[0] if look.hole else None
        lines.append(_framed(f"{label} ", upper, edge))
        lines.append(_framed("   ", lower, edge))
    return Text("\n", no_wrap=True).join(lines)


def _framed(label: str, line: Text, edge: str | None) -> Text:
    """Put a row label before a line of cells, and a strip of the frame on either side."""
    out = Text(label, style="dim")
    strip = Text(" ", style=f"on {edge}") if edge else Text()
    return Text().join([out, strip, line, strip])


def _cell(picture: Diagram, look: BoardStyle, row: int, column: int) -> tuple[Text, Text]:
    """Return the upper and the lower line of a cell."""
    number = row * picture.board.shape[1] + column
    owner = int(picture.board[row, column])
    field = look.fields[(row + column) % 2]
    if look.figures:
        return _figure(owner, look, look.mark if number in picture.marks else field)
    if owner:
        disc = look.discs[0] if owner == 1 else look.discs[1]
        return _round(disc, field, look.mark if number in picture.marks else None)
    ink = look.dot if number in picture.dots else None
    if look.hole:
        return _round(look.hole, field, ink)
    style = f"{ink or field} on {field}"
    return Text(" ▗▖ " if ink else "    ", style=style), Text("    ", style=style)


def _figure(piece: int, look: BoardStyle, ground: str) -> tuple[Text, Text]:
    """Return a figurine, or an empty cell for piece 0, on ``ground``."""
    style = f"bold {look.discs[0 if piece > 0 else 1]} on {ground}"
    glyph = look.figures[abs(piece) - 1] if piece else " "
    return Text(f" {glyph}  ", style=style), Text("    ", style=style)


def _round(disc: str, ground: str, dot: str | None) -> tuple[Text, Text]:
    """Return a disc on ``ground``, with a ``dot`` of that colour in its middle if given."""
    corner, edge = f"{disc} on {ground}", f"{ground} on {disc}"
    upper = ("▗▖", f"{dot} on {disc}") if dot else ("▔▔", edge)
    return (
        Text.assemble(("▗", corner), upper, ("▖", corner)),
        Text.assemble(("▝", corner), ("▁▁", edge), ("▘", corner)),
    )


# -- in colour, on crossings of lines --------------------------------------------------------


def _ruled(picture: Diagram, look: BoardStyle, lines: str) -> Text:
    """Draw in colour, crossings of 2 x 1 characters, with coordinates on all sides."""
    ground = look.fields[0]
    names = Text(f"    {' '.join(_column_labels(picture, look))}    ", style="dim")
    rows = [names]
    for row in picture.rows:
        label = _row_label(picture, look, row)
        line = Text.assemble((f"{label:>2} ", "dim"), (" ", f"on {ground}"))
        for column in picture.columns:
            glyph, ink = _crossing(picture, look, row, column)
            marked = row * picture.board.shape[1] + column in picture.marks
            line.append(glyph, f"{ink or lines} on {look.mark if marked else ground}")
            line.append(" " if column == picture.columns[-1] else "─", f"{lines} on {ground}")
        rows.append(line.append(f" {label:<2}", "dim"))
    return Text("\n", no_wrap=True).join([*rows, names])


def _crossing(picture: Diagram, look: BoardStyle, row: int, column: int) -> tuple[str, str]:
    """Return what is drawn on a crossing, and its colour; empty for that of the lines."""
    height, width = picture.board.shape
    number, piece = row * width + column, int(picture.board[row, column])
    if piece:
        return "×" if number in picture.dead else "●", look.discs[0 if piece > 0 else 1]
    if picture.owners is not None and picture.owners[number]:
        return "▪", look.discs[0 if picture.owners[number] > 0 else 1]
    if number in picture.stars:
        return "•", ""
    across = 0 if column == 0 else 2 if column == width - 1 else 1
    down = 0 if row == 0 else 2 if row == height - 1 else 1
    return ("┌┬┐", "├┼┤", "└┴┘")[down][across], ""


# -- labels ----------------------------------------------------------------------------------


def _column_labels(picture: Diagram, look: BoardStyle) -> list[str]:
    """Return the names of the columns from left to right."""
    return [str(i + 1) if look.numbered else look.columns[i] for i in picture.columns]


def _row_label(picture: Diagram, look: BoardStyle, row: int) -> str:
    if look.numbered:
        return ""
    return str(len(picture.board) - row if look.upward else row + 1)


# -- without colour --------------------------------------------------------------------------


def plain(picture: Diagram, look: BoardStyle) -> str:
    """Draw in ASCII: letters, ``*`` for legal moves, the latest move in brackets.

    Dead pieces have small letters, cells that the board marks a ``+``.
    """
    names = "".join(f"{name:>2}" for name in _column_labels(picture, look))
    lines = [f"   {names}"]
    for row in picture.rows:
        label = _row_label(picture, look, row)
        line = f"{label:>3}{_plain_row(picture, look, row)}"
        lines.append(f"{line}{label}" if look.lines else line.rstrip())
    if look.lines:
        lines.append(lines[0])
    return "\n".join(lines)


def _plain_row(picture: Diagram, look: BoardStyle, row: int) -> str:
    width = picture.board.shape[1]
    out = [" "]
    for column in picture.columns:
        number, owner = row * width + column, int(picture.board[row, column])
        symbol = "*" if number in picture.dots else "+" if number in picture.stars else "."
        if owner:
            symbol = look.letter(owner)
        if number in picture.dead:
            symbol = symbol.lower()
        if number in picture.marks:
            out[-1] = " " if out[-1] == ")" else "("
            out += [symbol, ")"]
        else:
            out += [symbol, " "]
    return "".join(out)
