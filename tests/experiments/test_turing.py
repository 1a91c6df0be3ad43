"""The classifier of the Turing test, and games as records."""

import chess
import numpy as np

from evenmatch.arena import Pairing, play
from evenmatch.estimation import MoveOutputs
from evenmatch.estimation.pooled import move_numbers
from evenmatch.estimation.scorer import answered
from evenmatch.experiments import turing
from evenmatch.games import get_game
from evenmatch.games.chess_text import code_of
from evenmatch.network.strength_head import LOGITS, rank_logits

CHESS, RANKS = get_game("chess"), 3


def made_up(rng, counts):
    """Sides of games with so many moves, of which all but the number says nothing."""
    n = int(np.sum(counts))
    shapes = {"strength": LOGITS + RANKS, "likelihood": 3, "entropy": 3, "choice": 2, "value": 2}
    columns = {name: rng.normal(size=(n, c)).astype(np.float32) for name, c in shapes.items()}
    return MoveOutputs(columns, np.array(counts, np.int64))


def test_two_kinds_are_told_apart():
    rng = np.random.default_rng(1)
    agents = np.arange(300) % 3 == 0
    rows = rng.normal(size=(300, 6)) + agents[:, None] * [3, 0, 0, 0, 0, 0]
    assert turing.told_right(rows, agents, np.arange(300)).mean() > 0.85  # at best 0.93


def test_one_kind_is_not():
    """400 guesses at even chances: beyond five deviations with a chance of 6e-7."""
    rng = np.random.default_rng(2)
    rows, agents = rng.normal(size=(400, 6)), np.arange(400) % 2 == 0
    assert abs(turing.told_right(rows, agents, np.arange(400)).mean() - 0.5) < 0.125


def test_games_that_differ_in_length_alone_are_not_told_apart():
    """400 guesses at even chances: beyond five deviations with a chance of 6e-7."""
    rng = np.random.default_rng(4)
    agents = np.arange(400) % 2 == 0
    counts = np.where(agents, rng.integers(60, 90, 400), rng.integers(24, 50, 400))
    moves = made_up(rng, counts)
    assert turing.long_enough(counts).all()
    rows = turing.features(moves, RANKS)
    assert abs(turing.told_right(rows, agents, np.arange(400)).mean() - 0.5) < 0.125
    shown = move_numbers(moves, rank_logits(0, RANKS), evals=False)
    means = moves.sums(shown) / counts[:, None]
    assert turing.told_right(means, agents, np.arange(400)).mean() > 0.95, "length would tell"


def test_what_follows_the_moves_compared_does_not_count():
    rng = np.random.default_rng(5)
    moves = made_up(rng, [70, 24, 40])
    shorter = moves.first(turing.OPENING // 2 + turing.LEAST_MOVES)
    assert (shorter.counts == 24).all()
    assert (turing.features(moves, RANKS) == turing.features(shorter, RANKS)).all()
    opening = moves.places < turing.OPENING // 2
    for rows in moves.columns.values():
        rows[opening] = 9.0
    assert (turing.features(moves, RANKS) == turing.features(shorter, RANKS)).all()


def test_numbers_left_out_are_those_that_know_when():
    """The same moves in one game and in three: places differ, and no other number."""
    rng = np.random.default_rng(6)
    one = made_up(rng, [90])
    three = one._replace(counts=np.array([30, 30, 30]))
    a, b = (move_numbers(x, rank_logits(0, RANKS), evals=False) for x in (one, three))
    differ = (a != b).any(0)
    assert not differ[: -turing.PLACES].any()
    assert differ[-turing.PLACES :].all()
    assert turing.features(one, RANKS).shape[1] == 2 * (a.shape[1] - turing.PLACES)


def test_short_games_are_left_out():
    """The side that moves first has 24 moves with a reply in 48 plies, the other in 49."""
    plies, sides = np.array([47, 48, 48, 49]), np.array([0, 0, 1, 1])
    assert turing.long_enough(answered(plies, sides)).tolist() == [False, True, False, True]


def test_short_games_of_agents_are_counted(monkeypatch):
    """Four games of an agent, of which one is too short for either side and one for Black."""
    rng = np.random.default_rng(7)
    theirs, own = made_up(rng, [30] * 12), made_up(rng, [30, 30, 9, 9, 24, 23, 50, 50])

    class Scorer:
        def __init__(self, evaluator, scale):
            card = type("Card", (), {"ranks": {"count": RANKS}})
            self.evaluator = type("Evaluator", (), {"card": card})

        def of_dataset(self, dataset, sides):
            return theirs

        def __call__(self, games):
            return own

    seen = []
    inner = turing.told_right
    monkeypatch.setattr(turing, "NetworkScorer", Scorer)
    monkeypatch.setattr(turing.Dataset, "open", lambda folder: None)
    monkeypatch.setattr(turing, "strength_of", lambda game: None)
    monkeypatch.setattr(turing, "draw", lambda *_: (None, np.arange(12)))
    monkeypatch.setattr(turing, "agent_games", lambda *_: [])
    monkeypatch.setattr(turing, "told_right", lambda *a: seen.append(a) or inner(*a))
    row = turing.judge(None, "scale", 1200, "random", 4, lambda done, due: None, {})
    assert row["left_out"] == 3
    assert (row["people_right"][1], row["agent_right"][1]) == (12, 5)
    assert seen[0][2][12:].tolist() == [-1, -1, -3, -4, -4], "sides of one game stay together"
    own = made_up(rng, [9] * 8)
    row = turing.judge(None, "scale", 1200, "random", 4, lambda done, due: None, {})
    assert (row["left_out"], row["agent_right"]) == (8, [0, 0])
    row["settings"] = {"agent": "random", "moves": 20}
    assert turing.page({"all short": row})[-1].startswith("| all short | random | - | ")


def test_nobody_is_both_learned_and_asked():
    """Every person has a number of their own, which a classifier could learn by heart."""
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(100), 4)
    rows = rng.normal(size=(100, 60))[people]
    agents = (rng.random(100) < 0.5)[people]
    assert turing.told_right(rows, agents, people).mean() < 0.75  # by heart it is 1


def test_games_become_records():
    board, actions, state = chess.Board(), [], CHESS.initial()[0]
    for san in ("e4", "d5", "exd5", "Nf6", "Bb5+", "Bd7", "Nf3", "a6", "O-O"):
        action = CHESS.read_action(state, san)
        actions.append(action)
        state = CHESS.after(state[None], np.array([action]))[0]
    wanted = []
    for san in ("e4", "d5", "exd5", "Nf6", "Bb5+", "Bd7", "Nf3", "a6", "O-O"):
        wanted.append(code_of(board.parse_san(san)))
        board.push_san(san)
    assert turing.record_of(actions).moves.tolist() == wanted


def test_games_begin_with_the_lines_given():
    lines = [[CHESS.read_action(CHESS.initial()[0], move)] for move in ("e4", "a3")]
    played = play(["random", "random"], [Pairing(0, 1, 1), Pairing(1, 0, 0)], CHESS, lines=lines)
    assert [one.actions[0] for one in played] == [lines[1][0], lines[0][0]]


def test_the_mean_of_two_shares_and_its_interval():
    """1000 samples of 56 and 200 sides: 95% intervals hold the truth in all but 8% at most.

    The share strays by 0.7%, so 8% is more than four deviations away.
    """
    rng, held = np.random.default_rng(6), 0
    for _ in range(1000):
        middle, half = turing.balanced(rng.binomial(56, 0.6), 56, rng.binomial(200, 0.9), 200)
        held += abs(middle - 0.75) < half
    assert 920 < held < 980
