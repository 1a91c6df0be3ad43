import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from evenmatch.frontends.terminal.board import coloured, diagram, plain
from evenmatch.games import GAMES
from evenmatch.games.catalog import game_info


def position(game, moves, side=1):
    state, last = game.initial()[0], ()
    for text in moves.split():
        action = game.read_action(state, text)
        last = game.action_cells(state, action)
        state = game.after(state[None], np.array([action]))[0]
    return diagram(game, state, last, side=side)


OTHELLO = """\
    a b c d e f g h
  1 . . . . . . . .
  2 . . . . . . . .
  3 . . . X . . . .
  4 . . . X X . . .
  5 . .(O)O O . . .
  6 . * * * * * . .
  7 . . . . . . . .
  8 . . . . . . . ."""

CONNECT4 = """\
    1 2 3 4 5 6 7
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    Y Y Y . . . .
   (R R R R). . ."""


CHESS = """\
    a b c d e f g h
  8 r n b q k b n r
  7 p p p p . p p p
  6 . . . . . . . .
  5 . . . . p . . .
  4 . . . . P . . .
  3 . . . . .(N). .
  2 P P P P . P P P
  1 R N B Q K B(.)R"""

CHESS_TURNED = """\
    h g f e d c b a
  1 R N B K Q B N R
  2 P P P(.)P P P P
  3 . . . . . . . .
  4 . . .(P). . . .
  5 . . . . . . . .
  6 . . . . . . . .
  7 p p p p p p p p
  8 r n b k q b n r"""


GO9 = """\
    A B C D E F G H J
  9 . . . . . . . . . 9
  8 . . . . . . . . . 8
  7 . . + . . . O . . 7
  6 . . . . . . . . . 6
  5 . . . . + . . . . 5
  4 . . . . . . . . . 4
  3 . . X(X). . + . . 3
  2 . . . . . . . . . 2
  1 . . . . . . . . . 1
    A B C D E F G H J"""


@pytest.mark.parametrize(
    ("game", "moves", "side", "drawing"),
    [
        ("othello", "d3 c5", 1, OTHELLO),
        ("othello", "d3 c5", -1, OTHELLO),  # as in books, whoever looks
        ("connect4", "1 1 2 2 3 3 4", 1, CONNECT4),
        ("connect4", "1 1 2 2 3 3 4", -1, CONNECT4),
        ("chess", "e4 e5 Nf3", 1, CHESS),
        ("chess", "e4", -1, CHESS_TURNED),
        ("go9", "C3 G7 D3", 1, GO9),
        ("go9", "C3 G7 D3", -1, GO9),  # not turned
    ],
)
def test_plain(game, moves, side, drawing):
    assert (
        plain(position(GAMES[game], moves, side), game_info(GAMES[game].id).board_style) == drawing
    )


def test_plain_marks_legal_moves_only_if_asked():
    game = GAMES["connect4"]
    picture = diagram(game, game.initial()[0], dots=False)
    assert "*" not in plain(picture, game_info(game.id).board_style)


COLOURED = """\
    1   2   3   4   5   6   7
    ▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖
    ▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘"""


def test_coloured():
    game = GAMES["connect4"]
    text = coloured(position(game, "4 4"), game_info(game.id).board_style)
    lines = [line.rstrip() for line in text.plain.split("\n")]
    assert len(lines) == 13
    assert lines[1:3] == COLOURED.split("\n")[1:]
    assert lines[11] == "    ▗▗▖▖▗▗▖▖▗▗▖▖▗▔▔▖▗▗▖▖▗▗▖▖▗▗▖▖"  # landing cells have a dot
    styles = {str(span.style) for span in text.spans}
    assert any("#e5484d" in style for style in styles)  # Red
    assert any("#ffd43b" in style for style in styles)  # Yellow


def test_chess_in_colour():
    """Solid figurines of both sides, one column wide; the latest move by the ground it crossed."""
    game = GAMES["chess"]
    look = game_info(game.id).board_style
    text = coloured(position(game, "e4 e5 Nf3", -1), look)
    lines = text.plain.split("\n")
    assert lines[0].split() == list("hgfedcba")
    assert lines[1].split() == ["1", *"♜♝♚♛♝♞♜"]
    assert lines[15].split() == ["8", *"♜♞♝♚♛♝♞♜"]
    assert [cell_len(line) for line in lines[1:]] == [3 + 8 * 4] * 16
    grounds = {}
    for row in range(8):
        for column in range(8):
            at = text.plain.index(lines[1 + 2 * row]) + 3 + 4 * column + 1
            ground = text.get_style_at_offset(Console(), at).bgcolor.name
            grounds.setdefault(ground, set()).add((row, column))
    assert {name: len(cells) for name, cells in grounds.items()} == {
        look.fields[0]: 31,
        look.fields[1]: 31,
        look.mark: 2,
    }
    assert grounds[look.mark] == {(0, 1), (2, 2)}  # g1 and f3, seen from Black's side


def luminance(colour):
    """Relative luminance of #rrggbb (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_figurines_are_clear_on_every_ground():
    """White has no outline: it must stand out on light squares, as Black must on dark ones."""
    look = game_info(GAMES["chess"].id).board_style
    for piece in look.discs:
        for ground in (*look.fields, look.mark):
            low, high = sorted((luminance(piece), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) > 2.5, (piece, ground)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_game_has_a_square_drawing(game):
    text = coloured(diagram(game, game.initial()[0]), game_info(game.id).board_style)
    lines = text.plain.split("\n")
    ruled = game_info(game.id).board_style.lines  # crossings are smaller, with letters below too
    assert len(lines) == (2 + game.height if ruled else 1 + 2 * game.height)
    assert len({len(line) for line in lines[1:]}) == 1
