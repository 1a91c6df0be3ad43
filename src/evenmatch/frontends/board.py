"""Boards as text: round discs in colour where the terminal can, plain letters elsewhere.

In colour a cell is four columns by two rows, which is square on most terminals; a disc is
spaces on a coloured ground with quadrant blocks as its corners, so that it needs no glyph of a
particular font. Nothing here knows whose turn it is or prints anything.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from evenmatch.games.game import Game

LETTERS = "abcdefghijklmnopqrstuvwxyz"
CELL_WIDTH = 4


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a game's board is drawn. Colours are rich's: names or #rrggbb."""

    fields: tuple[str, str] = ("#1f7a4d", "#23834f")  #: the ground of odd and even cells
    discs: tuple[str, str] = ("#15181a", "#f4f1e6")  #: of the first and the second player
    hole: str | None = None  #: the colour of an empty cell's hole, if cells have holes
    dot: str = "#9fdcb4"  #: a legal move
    mark: str = "#ff5a4f"  #: the latest move, a winning line
    letters: tuple[str, str] = ("X", "O")  #: the players' discs without colour
    numbered: bool = False  #: columns are numbers, rows have no label
    counts: bool = True  #: the number of discs matters


FELT = Look()
LOOKS = {
    "connect4": Look(
        fields=("#2457b5", "#2457b5"),
        discs=("#e5484d", "#ffd43b"),
        hole="#122a5c",
        dot="#5c86d6",
        mark="#23304f",
        numbered=True,
        letters=("R", "Y"),
        counts=False,
    ),
    "othello6": FELT,
    "othello": FELT,
}


def look_of(game: Game) -> Look:
    """Return how a game looks; a game without a look of its own gets green felt."""
    return LOOKS.get(game.id, FELT)


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """A position to draw: discs, and the cells to point out."""

    board: NDArray[np.int8]  #: [H, W]: 1 first player, -1 second, 0 empty; row 0 is the top
    marks: frozenset[int] = frozenset()  #: cells (row * W + column) to mark: the latest move
    dots: frozenset[int] = frozenset()  #: cells of legal moves


def diagram(game: Game, state: NDArray, last: int | None = None, dots: bool = True) -> Diagram:
    """Return what to draw of ``state`` [S]; ``last`` is the cell of the latest move."""
    board = game.board(state[None])[0]
    legal = game.legal_actions(state[None])[0]
    marks = {last} if last is not None else set()
    if not len(legal) and look_of(game).numbered:
        marks |= winning_line(board)
    cells = {game.action_cell(state, int(action)) for action in legal} if dots else set()
    return Diagram(
        board=board, marks=frozenset(marks), dots=frozenset(c for c in cells if c is not None)
    )


def winning_line(board: NDArray[np.int8], length: int = 4) -> set[int]:
    """Return the cells of all lines of ``length`` equal discs on a board [H, W]."""
    height, width = board.shape
    found: set[int] = set()
    for row, column in np.argwhere(board):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            cells = [(row + k * down, column + k * right) for k in range(length)]
            if all(0 <= r < height and 0 <= c < width for r, c in cells) and all(
                board[cell] == board[row, column] for cell in cells
            ):
                found |= {int(r * width + c) for r, c in cells}
    return found


# -- in colour -------------------------------------------------------------------------------


def coloured(picture: Diagram, look: Look) -> Text:
    """Draw in colour, cells of 4 x 2 characters, with coordinates."""
    height, width = picture.board.shape
    lines = [_column_labels(width, look)]
    for row in range(height):
        upper, lower = Text(), Text()
        for column in range(width):
            top, bottom = _cell(picture, look, row, column)
            upper.append_text(top)
            lower.append_text(bottom)
        label = "  " if look.numbered else f"{row + 1:>2}"
        edge = look.fields[0] if look.hole else None
        lines.append(_framed(f"{label} ", upper, edge))
        lines.append(_framed("   ", lower, edge))
    return Text("\n", no_wrap=True).join(lines)


def _column_labels(width: int, look: Look) -> Text:
    names = [str(i + 1) for i in range(width)] if look.numbered else list(LETTERS[:width])
    indent = "    " if look.hole else "   "
    return Text(indent + "".join(name.center(CELL_WIDTH) for name in names), style="dim")


def _framed(label: str, line: Text, edge: str | None) -> Text:
    """Put a row label before a line of cells, and a strip of the frame on either side."""
    out = Text(label, style="dim")
    strip = Text(" ", style=f"on {edge}") if edge else Text()
    return Text().join([out, strip, line, strip])


def _cell(picture: Diagram, look: Look, row: int, column: int) -> tuple[Text, Text]:
    """Return the upper and the lower line of a cell."""
    number = row * picture.board.shape[1] + column
    owner = picture.board[row, column]
    field = look.fields[(row + column) % 2]
    if owner:
        disc = look.discs[0] if owner == 1 else look.discs[1]
        return _round(disc, field, look.mark if number in picture.marks else None)
    ink = look.dot if number in picture.dots else None
    if look.hole:
        return _round(look.hole, field, ink)
    style = f"{ink or field} on {field}"
    return Text(" ▗▖ " if ink else "    ", style=style), Text("    ", style=style)


def _round(disc: str, ground: str, dot: str | None) -> tuple[Text, Text]:
    """Return a disc on ``ground``, with a ``dot`` of that colour in its middle if given."""
    corner, edge = f"{disc} on {ground}", f"{ground} on {disc}"
    upper = ("▗▖", f"{dot} on {disc}") if dot else ("▔▔", edge)
    return (
        Text.assemble(("▗", corner), upper, ("▖", corner)),
        Text.assemble(("▝", corner), ("▁▁", edge), ("▘", corner)),
    )


# -- without colour --------------------------------------------------------------------------


def plain(picture: Diagram, look: Look) -> str:
    """Draw in ASCII: letters, ``*`` for legal moves, the latest move in brackets."""
    height, width = picture.board.shape
    names = "".join(f"{i + 1:>2}" for i in range(width))
    if not look.numbered:
        names = "".join(f" {letter}" for letter in LETTERS[:width])
    lines = [f"   {names}"]
    for row in range(height):
        label = "   " if look.numbered else f"{row + 1:>3}"
        lines.append(f"{label}{_plain_row(picture, look, row)}".rstrip())
    return "\n".join(lines)


def _plain_row(picture: Diagram, look: Look, row: int) -> str:
    width = picture.board.shape[1]
    out = [" "]
    for column in range(width):
        number, owner = row * width + column, picture.board[row, column]
        symbol = "*" if number in picture.dots else "."
        if owner:
            symbol = look.letters[0] if owner == 1 else look.letters[1]
        if number in picture.marks:
            out[-1] = " " if out[-1] == ")" else "("
            out += [symbol, ")"]
        else:
            out += [symbol, " "]
    return "".join(out)
