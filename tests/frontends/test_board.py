import numpy as np
import pytest

from evenmatch.frontends.board import coloured, diagram, look_of, plain, winning_line
from evenmatch.games import GAMES


def position(game, moves):
    state, last = game.initial()[0], None
    for text in moves.split():
        action = game.read_action(state, text)
        last = game.action_cell(state, action)
        state = game.after(state[None], np.array([action]))[0]
    return diagram(game, state, last)


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


@pytest.mark.parametrize(
    ("game", "moves", "drawing"),
    [("othello", "d3 c5", OTHELLO), ("connect4", "1 1 2 2 3 3 4", CONNECT4)],
)
def test_plain(game, moves, drawing):
    assert plain(position(GAMES[game], moves), look_of(GAMES[game])) == drawing


def test_plain_marks_legal_moves_only_if_asked():
    game = GAMES["connect4"]
    picture = diagram(game, game.initial()[0], None, dots=False)
    assert "*" not in plain(picture, look_of(game))


COLOURED = """\
    1   2   3   4   5   6   7
    ▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖▗▔▔▖
    ▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘▝▁▁▘"""


def test_coloured():
    game = GAMES["connect4"]
    text = coloured(position(game, "4 4"), look_of(game))
    lines = [line.rstrip() for line in text.plain.split("\n")]
    assert len(lines) == 13
    assert lines[1:3] == COLOURED.split("\n")[1:]
    assert lines[11] == "    ▗▗▖▖▗▗▖▖▗▗▖▖▗▔▔▖▗▗▖▖▗▗▖▖▗▗▖▖"  # landing cells have a dot
    styles = {str(span.style) for span in text.spans}
    assert any("#e5484d" in style for style in styles)  # Red
    assert any("#ffd43b" in style for style in styles)  # Yellow


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_game_has_a_square_drawing(game):
    text = coloured(diagram(game, game.initial()[0]), look_of(game))
    lines = text.plain.split("\n")
    assert len(lines) == 1 + 2 * game.height
    assert len({len(line) for line in lines[1:]}) == 1


@pytest.mark.parametrize("row_step", [0, 1, -1])
def test_winning_line(row_step):
    board = np.zeros((6, 7), np.int8)
    cells = [(3 + row_step * k, 2 + k) for k in range(3)]
    cells.append((3 - row_step, 1))
    for cell in cells:
        board[cell] = -1
    assert winning_line(board) == {row * 7 + column for row, column in cells}
