"""The judge of Connect Four against published scores, a naive twin, drawings and symmetry."""

import json
import random
import sys
from pathlib import Path

import pytest
from shared_data import shared_file

from evenmatch.errors import MoveError, UsageError

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import connect4_solver as judge

LINES = [
    [(column + i * right, row + i * up) for i in range(4)]
    for column in range(7)
    for row in range(6)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if column + 3 * right < 7 and 0 <= row + 3 * up < 6
]
LINES_OF = {
    (column, row): [line for line in LINES if (column, row) in line]
    for column in range(7)
    for row in range(6)
}


class Naive:
    """Columns as lists of 0 and 1; plain negamax over whole lines of play."""

    def __init__(self, moves=""):
        self.columns = [[] for _ in range(7)]
        self.ply = 0
        for digit in moves:
            self.drop(int(digit) - 1)

    def drop(self, column):
        """Play the side to move's disc there; returns whether it makes four."""
        self.columns[column].append(self.ply % 2)
        self.ply += 1
        cell = column, len(self.columns[column]) - 1
        return any(self.of_one_side(line) for line in LINES_OF[cell])

    def of_one_side(self, line):
        discs = {self.columns[c][r] if r < len(self.columns[c]) else None for c, r in line}
        return len(discs) == 1 and None not in discs

    def legal(self):
        return [column for column in range(7) if len(self.columns[column]) < 6]

    def move_outcomes(self):
        outcomes = {}
        for column in self.legal():
            wins = self.drop(column)
            outcomes[column] = 1 if wins else -max(self.move_outcomes().values(), default=0)
            self.columns[column].pop()
            self.ply -= 1
        return outcomes


def random_position(rng, plies):
    """Return moves of a game of so many plies without a four."""
    while True:
        board, moves = Naive(), ""
        while len(moves) < plies:
            column = rng.choice(board.legal())
            if board.drop(column):
                break
            moves += str(column + 1)
        else:
            return moves


def published(name):
    return judge.load_positions(shared_file(f"connect4/{name}"))


def test_hand_made_moves():
    lost = dict.fromkeys(range(7), -1)
    assert judge.move_outcomes("44556") == lost  # an open three has two ends
    assert judge.move_outcomes("1212121") == {}  # over


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        ("112233", 1),  # takes the four in a row
        ("4455", 1),  # makes an open three
        ("44556", -1),
        ("121212", 1),  # has three in a column
        ("1212121", -1),  # over
    ],
)
def test_hand_made_outcomes(moves, outcome):
    assert judge.solve(moves) == outcome


def test_full_board_is_a_draw():
    moves = random_position(random.Random(4), 42)
    assert judge.solve(moves) == 0
    assert judge.move_outcomes(moves) == {}
    assert judge.solve(moves[:-1]) == 0
    assert judge.move_outcomes(moves[:-1]) == {int(moves[-1]) - 1: 0}


@pytest.mark.parametrize("plies", [41, 40, 38, 36, 34, 33, 32])
def test_equals_naive_twin(plies):
    rng = random.Random(plies)
    solver = judge.Solver(table_bits=8)  # so small that answers are thrown out all the time
    for _ in range(6):
        moves = random_position(rng, plies)
        expected = Naive(moves).move_outcomes()
        assert solver.move_outcomes(moves) == expected, moves
        assert solver.solve(moves) == max(expected.values()), moves


def test_mirrored_positions_have_mirrored_outcomes():
    rng = random.Random(7)
    for plies in range(14, 24):  # on both sides of the limit of mirrored keys
        moves = random_position(rng, plies)
        mirrored = "".join(str(8 - int(digit)) for digit in moves)
        outcomes = judge.Solver(table_bits=16).move_outcomes(mirrored)
        assert judge.move_outcomes(moves) == {6 - a: value for a, value in outcomes.items()}


def test_outcome_is_the_best_of_the_moves_and_the_reply_turns_it():
    rng = random.Random(8)
    for _ in range(20):
        moves = random_position(rng, 20)
        outcomes = judge.move_outcomes(moves)
        assert judge.solve(moves) == max(outcomes.values())
        for action, value in outcomes.items():
            assert judge.solve(moves + str(action + 1)) == -value


@pytest.mark.parametrize(("name", "count"), [("Test_L3_R1", 1000), ("Test_L2_R1", 300)])
def test_equals_published_scores(name, count):
    for moves, score in published(name)[:count]:
        assert judge.solve(moves) == (score > 0) - (score < 0), moves


def test_early_positions_equal_published_scores():
    late = [(moves, score) for moves, score in published("Test_L1_R1") if len(moves) >= 13]
    for moves, score in late[:25]:
        assert judge.solve(moves) == (score > 0) - (score < 0), moves


@pytest.mark.parametrize("name", judge.SETS)
def test_kept_judgements_equal_published_scores(name):
    positions, kept = published(name), judge.read_cache()
    assert len(positions) == 1000
    for moves, score in positions:
        assert kept[moves].outcome == (score > 0) - (score < 0), moves


def test_kept_judgements_can_be_made_again():
    kept = judge.read_cache()
    assert judge.CACHE.stat().st_size < 200_000
    rng = random.Random(9)
    late = sorted(moves for moves in kept if len(moves) >= 16)
    for moves in rng.sample(late, 100):
        assert judge.move_outcomes(moves) == kept[moves].outcomes, moves
    for judgement in kept.values():
        best = {a for a, value in judgement.outcomes.items() if value == judgement.outcome}
        assert {a for a in range(7) if judgement.optimal >> a & 1} == best


def test_judging_goes_on_where_it_was_stopped(tmp_path):
    rng = random.Random(10)
    games = [random_position(rng, 30) for _ in range(6)]
    path, cache = tmp_path / "positions", tmp_path / "deep" / "cache.json"
    path.write_text("".join(f"{moves} 0\n" for moves in games))

    class StoppedError(Exception):
        pass

    def stop(path, done, of):
        assert of == 6
        if done == 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        judge.optimal_moves([path], cache, stop, save_every=0)
    assert list(judge.read_cache(cache)) == games[:3]

    calls = []
    judgements = judge.optimal_moves([path], cache, lambda *call: calls.append(call))
    assert calls == [(path, done, 6) for done in (4, 5, 6)]
    assert judgements == judge.read_cache(cache)
    assert judgements == {m: judge.Judgement.of(judge.move_outcomes(m)) for m in games}
    assert judge.optimal_moves([path], cache, stop) == judgements  # nothing left to stop
    assert "connect4_solver.py" in json.loads(cache.read_text())["made_by"]
    expected = [moves for moves in games if judgements[moves].outcome != 0]
    assert judge.mismatches(path, judgements) == expected


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("48", "columns 1 to 7"),
        ("1111111", "column 1 is full"),
        ("12121212", "over before move 8"),
    ],
)
def test_moves_that_cannot_be_played(moves, message):
    for function in (judge.solve, judge.move_outcomes):
        with pytest.raises(MoveError, match=message):
            function(moves)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match="EVENMATCH_DATA"):
        judge.load_positions(tmp_path / "none")
    (tmp_path / "bad").write_text("44 1\n44\n")
    with pytest.raises(UsageError, match="line 2"):
        judge.load_positions(tmp_path / "bad")
