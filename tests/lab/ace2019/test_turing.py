"""What the Turing test compares, and games as records."""

from itertools import combinations
from types import SimpleNamespace

import chess
import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.estimation import MoveFeatures
from evenmatch.estimation.pooled import move_numbers
from evenmatch.games import get_game
from evenmatch.games.chess.text import code_of
from evenmatch.network.card import LOGITS, rank_logits
from evenmatch.network.conditions import RatingCondition
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.samples import answered
from evenmatch_lab.ace2019 import turing
from evenmatch_lab.shared.classifier import told_right

CHESS, RANKS = get_game("chess"), 3
WORDS = "e2e4 d7d5 e4d5 g8f6 f1b5 c8d7 g1f3 a7a6 e1g1 a6b5 d5d6 b5b4 d6c7 b4b3 c7b8q"


def made_up(rng, counts):
    """Sides of games with so many moves, of which all but the number says nothing."""
    n = int(np.sum(counts))
    shapes = {"strength": LOGITS + RANKS, "likelihood": 3, "entropy": 3, "choice": 2, "value": 2}
    columns = {name: rng.normal(size=(n, c)).astype(np.float32) for name, c in shapes.items()}
    return MoveFeatures(columns, np.array(counts, np.int64))


def test_games_that_differ_in_length_alone_are_not_told_apart():
    """400 guesses at even chances: beyond five deviations with a chance of 6e-7."""
    rng = np.random.default_rng(4)
    agents = np.arange(400) % 2 == 0
    counts = np.where(agents, rng.integers(60, 90, 400), rng.integers(24, 50, 400))
    moves = made_up(rng, counts)
    assert turing.long_enough(counts).all()
    rows = turing.features(turing.compared(moves), RANKS)
    assert abs(told_right(rows, agents, np.arange(400), 1).mean() - 0.5) < 0.125
    shown = move_numbers(moves, rank_logits(0, RANKS), evals=False)
    means = moves.sums(shown) / counts[:, None]
    assert told_right(means, agents, np.arange(400), 1).mean() > 0.95, "length would tell"


def test_what_follows_the_moves_compared_does_not_count():
    rng = np.random.default_rng(5)
    moves = made_up(rng, [70, 24, 40])
    shorter = moves.first(turing.OPENING // 2 + turing.LEAST_MOVES)
    assert (shorter.counts == 24).all()

    def seen(moves):
        return turing.features(turing.compared(moves), RANKS)

    assert (seen(moves) == seen(shorter)).all()
    opening = moves.places < turing.OPENING // 2
    for rows in moves.columns.values():
        rows[opening] = 9.0
    assert (seen(moves) == seen(shorter)).all()


def test_short_games_are_left_out():
    """The side that moves first has 24 moves with a reply in 48 plies, the other in 49."""
    plies, sides = np.array([47, 48, 48, 49]), np.array([0, 0, 1, 1])
    assert turing.long_enough(answered(plies, sides)).tolist() == [False, True, False, True]


def test_games_are_written_and_read():
    """A capture, a check, castling and a promotion."""
    record = turing.record_of("chess", WORDS.split())
    actions, state = [], CHESS.initial()
    for word in WORDS.split():
        actions.append(CHESS.read_action(state[0], word))
        assert CHESS.legal_mask(state)[0, actions[-1]]
        state = CHESS.after(state, np.array([actions[-1]]))
    assert turing.words_of(CHESS, actions) == WORDS.split()
    assert record.moves.tolist() == [code_of(chess.Move.from_uci(word)) for word in WORDS.split()]


class Scorer:
    """Outputs by the number of moves asked about, in place of a network."""

    theirs: MoveFeatures
    own: MoveFeatures

    def __init__(self, evaluator, scale):
        card = type("Card", (), {"ranks": {"count": RANKS}})
        self.evaluator = type("Evaluator", (), {"card": card})

    def __call__(self, games):
        assert len(games) == len(self.own.counts)
        return self.own


def conditions(scale, card):
    return [RatingCondition(rating, 0) for rating in (1000.0, 1500.0, 2500.0)]


def test_rarity_lies_between_the_ratings_that_are_asked_for(monkeypatch):
    """At 1250 the first two ratings count alike: 2.5 - 1, 3 - 1 and 1.5 - 1 nats."""
    monkeypatch.setattr(turing, "rating_conditions", conditions)
    logs = np.array([[-2, -3, 9], [-4, -2, 9], [-1, -2, 9]], np.float32)
    columns = {"likelihood": logs, "entropy": np.ones((3, 3), np.float32)}
    moves = MoveFeatures(columns, np.array([2, 1]))
    mean, half = turing.rarity(Scorer(None, ""), "", 1250, moves, np.array([5, 7]))
    assert mean == pytest.approx((1.5 + 2 + 0.5) / 3, abs=1e-4)
    assert half > 0


@pytest.fixture
def judged(monkeypatch):
    """Judge the games of an agent whose sides have some counts of moves; people have twelve."""
    rng, seen = np.random.default_rng(7), []

    def told(rows, kinds, groups, seed):
        seen.append((rows, kinds, groups))
        return np.full(len(rows), 0.75)

    monkeypatch.setattr(turing, "NetworkScorer", Scorer)
    monkeypatch.setattr(turing, "rating_conditions", conditions)
    monkeypatch.setattr(turing, "score_sides", lambda scorer, *_, most: scorer.theirs)
    dataset = SimpleNamespace(codec=SimpleNamespace(game=CHESS))
    monkeypatch.setattr(turing.Dataset, "open", lambda folder: dataset)
    monkeypatch.setattr(turing, "network_of", lambda game, net: None)
    people = np.repeat(np.arange(6), 2)
    sides = Sides(np.arange(12), np.zeros(12, int))
    begun = {(k,): 4 if k == 3 else 100 + k for k in range(4)}  # the last from a game compared
    monkeypatch.setattr(turing, "draw", lambda *_: (sides, people))
    monkeypatch.setattr(turing, "openings", lambda *_: begun)
    monkeypatch.setattr(turing, "told_right", told)

    def judge(counts):
        Scorer.theirs, Scorer.own = made_up(rng, [30] * 12), made_up(rng, counts)
        done = {"games": {"games": ["e2e4 e7e5"] * (len(counts) // 2)}}
        row = turing.judge(None, "scale", 1200, 4, "games", lambda done, due: None, done)
        return row, seen[-1]

    return judge


def test_short_games_of_agents_are_counted(judged):
    """Four games of an agent, of which one is too short for either side and one for Black."""
    row, (rows, kinds, groups) = judged([30, 30, 9, 9, 24, 23, 50, 50])
    assert row["left_out"] == 3
    assert row["people"] == [12, 6]
    assert row["agent"] == [5, 3]
    assert row["told_right"][0] == 0.75
    assert len(row["rarity"]) == 2
    assert kinds.tolist() == [False] * 12 + [True] * 5
    assert groups[:12].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert groups[12] == groups[13] == 6, "sides of one game stay together"
    assert groups[14] == 7
    assert groups[15] == groups[16] == 2, "and with the person whose game they began as"
    assert len(rows) == 17


def test_openings_and_other_people_are_not_those_who_are_compared(tmp_path, monkeypatch):
    """A game's players may be of two splits; sides are drawn by the player's own."""
    monkeypatch.setattr(turing, "SEEN", 12)
    random_dataset(tmp_path, games=90, shares=(34, 0, 33, 33), bands=((1200, 1299),))
    dataset = Dataset.open(tmp_path / "dataset")
    drawn = {s: turing.draw(dataset, s, 1200, 30)[1] for s in ("train", "candidate", "query")}
    assert all(len(people) for people in drawn.values())
    for a, b in combinations(drawn.values(), 2):
        assert not np.intersect1d(a, b).size
