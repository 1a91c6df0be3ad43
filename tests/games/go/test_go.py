"""The rules of Go against a naive twin, known counts and drawings.

GNU Go and OpenSpiel are in test_other_programs.py, and at length in docs/results/go_rules.md.
"""

import random

import numpy as np
import pytest
from naive_go import NaiveGo

from evenmatch.errors import MoveError, UsageError
from evenmatch.games import check_game, expand
from evenmatch.games.go import Go
from evenmatch.games.go.text import fixed_handicap, point_text

SMALL = Go(5)


def played(game, moves, start=None):
    """The position after moves such as "C3 D4 pass"."""
    state = game.initial()[0] if start is None else start
    for move in moves.split():
        state = game.after(state[None], [game.read_action(state, move)])[0]
    return state


def drawn(game, *rows, to_play=1, komi=None):
    """The position of a drawing: X Black, O White."""
    cells = "".join(rows)
    black, white = ([i for i, c in enumerate(cells) if c == mark] for mark in "XO")
    return game.start(black=black, white=white, to_play=to_play, komi=komi)


def legal_texts(game, state):
    return {game.action_text(state, int(action)) for action in game.legal_actions(state[None])[0]}


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_the_seam(size):
    check_game(Go(size), games=12)


@pytest.mark.parametrize(("size", "count"), [(1, None), (2, 57), (3, 12675)])
def test_the_number_of_legal_positions(size, count):
    """Tromp and Farneback 2007, table 1: boards all of whose chains have liberties."""
    if count is None:
        with pytest.raises(UsageError, match="from 2 to 19"):
            Go(size)
        return
    assert len(reachable(Go(size))) == count


def reachable(game):
    """The boards that play can reach from the empty one, as bytes, either side to move.

    History is forgotten after each move, so superko hides none.
    """
    seen = {game.initial()[:, :2].tobytes()}
    fresh = game.initial()
    while len(fresh):
        both = np.concatenate([fresh, fresh])
        for row, side in ((slice(0, len(fresh)), 0), (slice(len(fresh), None), 1)):
            both[row] = forgotten(game, both[row], side)
        children = forgotten(game, expand(game, both)[0], 0)
        keys = [row.tobytes() for row in children[:, :2]]
        new = {key: i for i, key in enumerate(keys) if key not in seen}
        seen.update(new)
        fresh = children[list(new.values())]
    return seen


def forgotten(game, states, side):
    """Positions with the same stones and no past, a side to move."""
    from evenmatch.games.go import state

    bare = np.zeros_like(states)
    bare[:, :2] = states[:, :2]
    state.write_field(bare, game.points, "side", side)
    return bare


@pytest.mark.parametrize("size", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_a_naive_twin(size, seed):
    """Legal moves, boards, captures and area of random games that seldom pass."""
    rng = random.Random(1000 * size + seed)
    game = Go(size)
    for _ in range({2: 30, 3: 20, 4: 8, 5: 4, 9: 1}[size]):
        komi = rng.randrange(-20, 21) / 2
        twin = NaiveGo(size, komi)
        state = game.start(komi=komi)
        while len(twin.moves) < game.max_plies:
            legal = twin.legal()
            assert game.legal_actions(state[None])[0].tolist() == legal
            assert game.board(state[None])[0].tolist() == twin.cells()
            assert game.captures(state[None])[0].tolist() == [twin.captured[1], twin.captured[-1]]
            assert game.lead(state[None])[0] == twin.lead()
            roots = game.as_roots(state[None])
            assert game.legal_actions(roots)[0].tolist() == legal
            if not legal:
                break
            points = legal[:-1]
            action = rng.choice(points) if points and rng.random() < 0.95 else legal[-1]
            twin.play(action)
            state = game.after(state[None], [action])[0]
        over, values = game.outcome(state[None])
        assert over[0]
        assert values[0] * game.to_play(state[None])[0] == np.sign(twin.lead())


@pytest.mark.parametrize("seed", range(2))
def test_below_a_root_repetitions_of_eight_plies_are_seen(seed):
    """Of a game's boards the latest eight are compared, the root's bans apart."""
    rng = random.Random(seed)
    game = Go(3)
    for _ in range(30):
        twin, state = NaiveGo(3), game.initial()
        narrow = game.as_roots(state)
        while not twin.over() and len(twin.moves) < game.max_plies:
            legal = twin.legal()
            points = [a for a in range(9) if twin.after(divmod(a, 3)) is not None]
            recent = twin.seen[-8:]
            seen = [a for a in points if frozenset(twin.after(divmod(a, 3)).items()) not in recent]
            assert game.legal_actions(narrow)[0].tolist() == [*seen, 9]
            action = rng.choice(legal[:-1] or legal)
            twin.play(action)
            narrow = game.after(narrow, [action])


def test_a_stone_in_the_corner_is_captured():
    state = played(SMALL, "A1 A2 C3 B1")
    assert SMALL.board(state[None])[0, 4, 0] == 0
    assert SMALL.captures(state[None]).tolist() == [[0, 1]]


def test_suicide_is_illegal_unless_it_captures():
    lonely = drawn(SMALL, ".X...", "X....", ".....", ".....", ".....", to_play=-1)
    assert "A5" not in legal_texts(SMALL, lonely)
    with pytest.raises(MoveError, match="no liberty \\(suicide\\)"):
        SMALL.read_action(lonely, "A5")
    with pytest.raises(MoveError, match="there is a stone"):
        SMALL.read_action(lonely, "B5")
    capturing = drawn(SMALL, ".XO..", "XO...", "O....", ".....", ".....", to_play=-1)
    assert "A5" in legal_texts(SMALL, capturing)


def test_ko_may_be_retaken_after_an_exchange():
    state = drawn(SMALL, ".XO..", "X.XO.", ".XO..", ".....", ".....", to_play=-1)
    taken = played(SMALL, "B4", state)
    assert SMALL.captures(taken[None]).tolist() == [[0, 1]]
    assert "C4" not in legal_texts(SMALL, taken)
    assert "C4" in legal_texts(SMALL, played(SMALL, "E1 E2", taken))
    with pytest.raises(MoveError, match="'C4' is not legal here: the position would repeat"):
        SMALL.read_action(taken, "C4")


def test_a_finished_game_says_why():
    state = played(SMALL, "C3 pass")
    assert SMALL.alarm(state) == "a pass ends the game"
    assert SMALL.ending(state) == ""
    assert SMALL.ending(played(SMALL, "pass", state)) == "two passes"


def test_komi_decides():
    for komi, value in ((24.5, 1), (25, 0), (25.5, -1)):
        state = played(SMALL, "C3 pass pass", SMALL.start(komi=komi))
        assert SMALL.outcome(state[None])[1][0] == -value  # White is to move
        assert SMALL.lead(state[None])[0] == 25 - komi
    assert SMALL.komi_of(SMALL.start(komi=-0.5, bonus=3)[None])[0] == 2.5
    assert SMALL.lead(SMALL.with_komi(SMALL.initial(), 3))[0] == -3


@pytest.mark.parametrize("komi", [0.3, float("nan"), float("inf"), 1e9])
def test_a_komi_that_no_game_has(komi):
    with pytest.raises(UsageError, match="choose a whole or half number"):
        SMALL.start(komi=komi)


def test_stones_that_cannot_be_set():
    with pytest.raises(UsageError, match="cannot set a stone at A5"):
        SMALL.start(black=[0], white=[0])
    with pytest.raises(UsageError, match="the stone at A5 has no liberty"):
        SMALL.start(black=[0], white=[1, 5])


def test_white_cannot_get_more_points_than_there_are():
    assert SMALL.komi_of(SMALL.start(komi=0, bonus=25)[None])[0] == 25
    with pytest.raises(UsageError, match="cannot get 26 points"):
        SMALL.start(bonus=26)
    with pytest.raises(UsageError, match="no start of a game of Go"):
        SMALL.read_position("HA[600]RU[Chinese]KM[0.5]")


def test_networks_are_told_of_positional_superko():
    """Inputs 6 and 7 of the whole board, by KataGo's fillRowV7."""
    planes = SMALL.encoded(SMALL.initial())[0]
    assert (planes[28] == 1).all()
    assert (planes[29] == 0.5).all()


def test_handicap_stones_are_those_of_gtp():
    def texts(size, stones):
        return " ".join(point_text(point, size) for point in fixed_handicap(size, stones))

    assert texts(19, 3) == "D4 Q16 D16"
    assert texts(19, 9) == "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"
    assert texts(19, 7) == "D4 Q16 D16 Q4 D10 Q10 K10"
    assert texts(9, 5) == "C3 G7 C7 G3 E5"
    assert texts(13, 2) == "D4 K10"
    with pytest.raises(ValueError, match="from 2 to 4"):
        fixed_handicap(8, 5)


@pytest.mark.parametrize("text", ["", "I5", "A0", "A6", "F1", "AA", "A²", "résumé", "pas"])
def test_a_move_that_cannot_be_read(text):
    with pytest.raises(MoveError, match="type a point A1 to E5"):
        SMALL.read_action(SMALL.initial()[0], text)
