"""Positions with KataGo's own inputs and outputs, and what our kernels are given for them.

`arrays_of` replays games with `naive_replay`; whatever else knows positions may take its place.
"""

import json
from functools import cache

import numpy as np
from naive_replay import PASS, NaiveReplay, read_point
from shared_data import FOLDER, shared_file

WEIGHTS = "weights/g170-b6c96-s175395328-d26788732.bin.gz"
POSITIONS = "go/katago_b6c96_reference.json.zst"
MODERN = "go/katago_modern_reference.json.zst"  #: of random networks of each kind, and profiles
RANDOM = "weights/katago_random"  #: the folder of these networks

#: KataGo's names of rules: ko rule, scoring, tax, suicide, numbered as in `katago_planes`
RULES = {
    "tromp-taylor": (1, 0, 0, 1),
    "chinese": (0, 0, 0, 0),
    "chinese-ogs": (1, 0, 0, 0),
    "japanese": (0, 1, 1, 0),
    "aga": (2, 0, 0, 0),
    "new-zealand": (2, 0, 0, 1),
}
KO_RULES = ("simple", "positional", "situational")


def reference_positions(name=POSITIONS, key="positions"):
    """Return the positions of a file as it tells them; skip the test if it is absent."""
    return _read(shared_file(name))[key]


@cache
def _read(path):
    import zstandard

    return json.loads(zstandard.decompress(path.read_bytes()))


def random_networks():
    """Return the names of the random networks in MODERN, none if the folder is absent."""
    return sorted(path.name.split(".")[0] for path in (FOLDER / RANDOM).glob("*.bin.gz"))


def positions_of(name):
    """Return the positions of MODERN that a random network has judged."""
    return [one for one in reference_positions(MODERN) if one["net"] == f"{name}.bin.gz"]


def inputs_of(position):
    """Return KataGo's inputs of a position of the file, as planes [41, H, W]."""
    size = position["size"]
    planes = np.zeros((41, size * size), np.float32)
    for plane, points in zip(planes[:22], position["planes"], strict=True):
        for point in points:
            at, value = point if isinstance(point, list) else (point, 1)
            plane[at] = value
    planes[22:] = np.array(position["globals"])[:, None]
    return planes.reshape(41, size, size)


def game_of(position):
    """Return (game, side to move) of a position of the file."""
    size = position["size"]
    game = NaiveReplay(size, handicap_points(size, position["handicap"]))
    for move in position["moves"]:
        colour, point = move.split()
        game.play(side_of(colour), read_point(point, size))
    return game, side_of(position["to_move"])


def side_of(colour):
    """Return 1 for B, -1 for W."""
    return 1 if colour == "B" else -1


def handicap_points(size, count):
    """Return the points of fixed handicap stones, as GTP places them."""
    near = 3 if size >= 13 else 2
    far, middle = size - 1 - near, size // 2
    corners = [(far, near), (near, far), (far, far), (near, near)]
    sides = [(middle, near), (middle, far), (near, middle), (far, middle)]
    centre = [(middle, middle)] if count in (5, 7, 9) else []
    return corners[: min(count, 4)] + sides[: max(0, (count - 4) // 2 * 2)] + centre


def arrays_of(game, side, rules):
    """Return (boards, moves, captured, banned) of `write_planes` for a game in progress.

    As KataGo does at the root of a search, the past is hidden where a pass would end the game.
    """
    size, points = game.size, game.size**2
    boards = np.zeros((3, points), np.int8)
    moves, captured = np.full(5, -1), np.full(3, -1)
    ends = bool(game.moves) and game.moves[-1][1] == PASS
    turn = -side
    for back, (mover, point) in enumerate(game.moves[::-1][:5]):
        if ends or mover != turn:
            break
        moves[back] = points if point == PASS else number(point, size)
        turn = -turn
    for back, board in enumerate(game.boards[::-1][:3]):
        for point, colour in board.items():
            boards[back, number(point, size)] = colour % 3 if side == 1 else -colour % 3
    for back, taken in enumerate(game.captured[::-1][:3]):
        if len(taken) == 1:
            captured[back] = number(next(iter(taken)), size)
    banned = np.zeros(points, bool)
    for point in game.banned(side, KO_RULES[rules[0]], rules[3]):
        banned[number(point, size)] = True
    return boards, moves, captured, banned


def number(point, size):
    """Return the number of a point (row, column)."""
    return point[0] * size + point[1]


def random_game(rng, size, plies):
    """Return a game of random moves without suicide that take turns, and the side to move."""
    game, side = NaiveReplay(size), 1
    for _ in range(plies):
        free = [point for point, colour in game.board.items() if colour == 0]
        rng.shuffle(free)
        banned = game.ko()
        for point in map(tuple, free):
            if point != banned and game.after(side, point)[0][point] == side:
                game.play(side, point)
                break
        else:
            game.play(side, PASS)
        side = -side
    return game, side


def drawn(*rows):
    """Return a game whose position is drawn: X is side 1, O side -1."""
    game = NaiveReplay(len(rows))
    for r, row in enumerate(rows):
        for c, sign in enumerate(row.split()):
            game.board[r, c] = {"X": 1, "O": -1, ".": 0}[sign]
    return game
