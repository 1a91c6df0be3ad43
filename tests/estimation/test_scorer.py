"""Moves rated one by one as they are in bulk, from records and from a dataset."""

from dataclasses import replace

import chess
import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.errors import NetworkError, UsageError
from evenmatch.estimation import NetworkScorer, PlayerGame
from evenmatch.estimation.move_features import (
    CHOICE,
    ENTROPY,
    EVALS,
    LIKELIHOOD,
    MADE,
    POLICIES,
    STRENGTH,
    VALUE,
)
from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.record import NO_EVAL
from evenmatch.search import Request
from evenmatch.workshop.fitting.samples import answered, score_sides

GAME = Chess()


def evaluator(path, **settings):
    return NetworkEvaluator(random_network(path, **settings), GAME, precision="f32")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """It has two rating scales, so 2 + 2 * 8 strength outputs."""
    path = tmp_path_factory.mktemp("net") / "n.onnx"
    return evaluator(path, strength=2 + 2 * 8, scales=("a", "b"))


@pytest.fixture(scope="module")
def scorer(network):
    return NetworkScorer(network, "b")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return random_dataset(tmp_path_factory.mktemp("scorer"), games=6)


def test_records_and_datasets_agree_with_moves_one_by_one(scorer, dataset):
    chosen = dataset.select()
    in_bulk = score_sides(scorer, dataset, chosen)
    begun = score_sides(scorer, dataset, chosen, most=3)
    assert (begun.counts == np.minimum(in_bulk.counts, 3)).all()
    for name, column in in_bulk.first(3).columns.items():
        np.testing.assert_allclose(begun.columns[name], column, atol=1e-4, err_msg=name)
    games = [
        PlayerGame(dataset.record(game), 1 - 2 * int(side))
        for game, side in zip(chosen.games, chosen.sides, strict=True)
    ]
    by_record = scorer(games)
    assert (in_bulk.counts == by_record.counts).all()
    assert set(in_bulk.columns) == {STRENGTH, LIKELIHOOD, ENTROPY, CHOICE, VALUE, EVALS, MADE}
    for name, rows in in_bulk.columns.items():
        assert rows == pytest.approx(by_record.columns[name], abs=1e-4, nan_ok=True), name
    slow = list(one_by_one(scorer, games[3]))
    assert len(slow) == by_record.counts[3] > 10
    mine = by_record.games == 3
    for name in (STRENGTH, LIKELIHOOD, ENTROPY, CHOICE, VALUE, EVALS):
        wanted = np.array([move[name] for move in slow])
        assert by_record.columns[name][mine] == pytest.approx(wanted, abs=1e-4, nan_ok=True), name
    assert 0.5 < np.isfinite(by_record.columns[EVALS]).mean() < 1


def one_by_one(scorer, one):
    """Yield what is known of each own move, from the definitions."""
    net, (record, side) = scorer.evaluator, one
    state = GAME.initial()
    for ply, word in enumerate(record.moves[:-1]):
        move = chess.Move(int(word) & 63, int(word) >> 6 & 63, int(word) >> 12 or None)
        action = GAME.read_action(state[0], move.uci())
        after = GAME.after(state, np.array([action]))
        if ply % 2 == (side == -1):
            legal = [int(a) for a in GAME.legal_actions(state)[0] if a >= 0]
            chances = []
            for rating in (1000.0, 1800.0, 2600.0):
                request = Request(ratings=np.array([rating]), scales=np.array([1]))
                logits = net.evaluate(state, request).logits[0, legal].astype(float)
                chances.append(np.exp(logits) / np.exp(logits).sum())
            mine, p = legal.index(action), chances[-1]
            before, said = net.evaluate(state).values[0], net.evaluate(after)
            scores, reply = said.scores[0].copy(), -said.values[0]
            yield {
                STRENGTH: scores,
                LIKELIHOOD: [max(np.log(x[mine]), -8.0) for x in chances],
                ENTROPY: [-(x * np.log(x)).sum() for x in chances],
                CHOICE: [p.max(), np.log1p((p > p[mine]).sum())],
                VALUE: [before, reply],
                EVALS: [side * eval_of(record, at) for at in (ply - 1, ply)],
            }
        state = after


def eval_of(record, ply):
    """The record's evaluation after a ply, for White; 20 at the start, NaN where it has none."""
    if ply < 0:
        return 20
    return np.nan if record.evals[ply] == NO_EVAL else int(record.evals[ply])


@pytest.mark.parametrize("side", [1, -1])
def test_moves_not_chosen_alone_say_nothing(scorer, dataset, side):
    """Not those marked, and not the evals around them; the other moves are as they were."""
    record, rng = dataset.record(3), np.random.default_rng(4)
    aided = rng.random(len(record.moves)) < 0.4
    marked = PlayerGame(replace(record, aided=aided), side)
    whole, found = scorer([PlayerGame(record, side)]), scorer([marked])
    kept = np.logical_not(aided[:-1][marked.number :: 2])
    assert marked.counted.tolist() == kept.tolist()
    assert 0 < kept.sum() < len(kept) == whole.moves
    assert found.counts.tolist() == [kept.sum()]
    for name, rows in whole.only(kept).columns.items():
        assert found.columns[name] == pytest.approx(rows, abs=1e-4, nan_ok=True), name
    nothing = scorer([PlayerGame(replace(record, aided=np.ones_like(aided)), side)])
    assert nothing.counts.tolist() == [0]
    other = PlayerGame(record, -side)
    assert scorer([marked, other]).counts.tolist() == [kept.sum(), scorer([other]).moves]


def test_strength_alone_is_the_same(network, scorer, dataset):
    chosen = dataset.select()
    alone = score_sides(NetworkScorer(network), dataset, chosen)
    assert set(alone.columns) == {STRENGTH, EVALS, MADE}
    wanted = score_sides(scorer, dataset, chosen).columns[STRENGTH]
    assert alone.columns[STRENGTH] == pytest.approx(wanted, abs=1e-5)


def test_other_networks_say_what_they_think(network, dataset, tmp_path):
    others = [evaluator(tmp_path / f"{seed}.onnx", seed=seed) for seed in (1, 2)]
    record = dataset.record(2)
    found = NetworkScorer(network, "b", others)([PlayerGame(record, -1)])
    assert found.columns[POLICIES].shape == (found.moves, 8)
    state, row = GAME.initial(), 0
    for ply, word in enumerate(record.moves[:-1]):
        move = chess.Move(int(word) & 63, int(word) >> 6 & 63, int(word) >> 12 or None)
        action = GAME.read_action(state[0], move.uci())
        if ply % 2:
            legal = [int(a) for a in GAME.legal_actions(state)[0] if a >= 0]
            mine, wanted = legal.index(action), []
            for other in others:
                logits = other.evaluate(state).logits[0, legal].astype(float)
                p = np.exp(logits) / np.exp(logits).sum()
                spread, behind = -(p * np.log(p)).sum(), np.log(p.max() / p[mine])
                likelier = np.log1p((p > p[mine]).sum())
                wanted += [max(np.log(p[mine]), -8.0), spread, likelier, behind]
            assert found.columns[POLICIES][row] == pytest.approx(wanted, abs=1e-4)
            row += 1
        state = GAME.after(state, np.array([action]))
    assert row == found.moves > 5


def test_no_games(scorer):
    assert scorer([]).moves == 0


def test_progress_is_told(scorer, dataset):
    told = []
    moves = score_sides(scorer, dataset, dataset.select(), lambda *numbers: told.append(numbers))
    assert told[-1] == (moves.moves, moves.moves)


def test_a_scale_that_is_not_there(network):
    with pytest.raises(UsageError, match="no rating scale 'c'; this network knows: a, b"):
        NetworkScorer(network, "c")


def test_a_network_without_a_strength_head(tmp_path):
    with pytest.raises(NetworkError, match="no strength head"):
        NetworkScorer(evaluator(tmp_path / "n.onnx"))


@pytest.mark.parametrize("plies", range(8))
@pytest.mark.parametrize("side", [0, 1])
def test_moves_with_a_reply_are_counted(plies, side):
    own = [ply for ply in range(side, plies, 2) if ply + 1 < plies]
    assert answered(np.array([plies]), np.array([side]))[0] == len(own)


def test_evaluations_that_were_made_here_are_marked(dataset, network):
    """They are of single games; those of datasets were recorded."""
    records = [replace(dataset.record(game), evals_made=game == 1) for game in range(2)]
    found = NetworkScorer(network)([PlayerGame(record, 1) for record in records])
    assert found.columns[MADE][:, 0].tolist() == found.games.tolist()
    assert not score_sides(NetworkScorer(network), dataset, dataset.select()).columns[MADE].any()
