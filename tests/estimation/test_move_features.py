"""Features of moves: columns, and the networks that fill them."""

from dataclasses import replace

import chess
import numpy as np
import pytest
from random_datasets import random_dataset
from random_go import random_go_games
from random_networks import random_network

from evenmatch.errors import NetworkError, UsageError
from evenmatch.estimation import MoveFeatures, NetworkScorer, PlayerGame
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
from evenmatch.estimation.pooled import move_numbers
from evenmatch.games import get_game
from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.record import NO_EVAL
from evenmatch.search import Request
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.fitting.samples import answered, score_sides

#: Games of 3, 0 and 4 moves; each row is its number.
MOVES = MoveFeatures({"a": np.arange(7.0)[:, None], "b": -np.ones((7, 2))}, np.array([3, 0, 4]))


def test_which_game_and_where():
    assert MOVES.games.tolist() == [0, 0, 0, 2, 2, 2, 2]
    assert MOVES.places.tolist() == [0, 1, 2, 0, 1, 2, 3]
    assert MOVES.left.tolist() == [3, 2, 1, 4, 3, 2, 1]
    assert MOVES.sums(MOVES.columns["a"]).tolist() == [[3], [0], [18]]


def test_first_and_last_moves():
    assert MOVES.first(2).columns["a"][:, 0].tolist() == [0, 1, 3, 4]
    assert MOVES.last(1).columns["a"][:, 0].tolist() == [2, 6]
    assert MOVES.last(9).columns["a"][:, 0].tolist() == list(range(7))
    assert MOVES.first(2).counts.tolist() == [2, 0, 2]


def test_one_random_move_of_each_game():
    """Over 100 seeds every move comes up; one of 4 is missed with a chance of 4 * 0.75^100."""
    drawn = [MOVES.one_each(np.random.default_rng(seed)) for seed in range(100)]
    assert all(one.counts.tolist() == [1, 0, 1] for one in drawn)
    assert {x for one in drawn for x in one.columns["a"][:, 0].tolist()} == set(range(7))


def test_games_of_both():
    both = MOVES + MOVES.first(1)
    assert both.counts.tolist() == [3, 0, 4, 1, 0, 1]
    assert both.columns["b"].shape == (both.moves, 2) == (9, 2)
    assert both.columns["a"][:, 0].tolist() == [*range(7), 0, 3]


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


GO = get_game("go")


@pytest.fixture(scope="module")
def go_network(tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / "n.onnx"
    random_network(path, ("ogs", "kgs"), strength=2 + 2 * 8, game="go")
    return NetworkEvaluator(path, GO, precision="f32", sizes=(16,))


@pytest.fixture(scope="module")
def go_dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scorer")
    (folder / "games.sgfs").write_text(random_go_games(3))
    return build([folder / "games.sgfs"], folder / "kgs", game="go", shares=(1, 0, 0, 0))


def test_records_datasets_and_scales_agree(go_network, go_dataset):
    chosen = go_dataset.select()
    games = [
        PlayerGame(go_dataset.record(game), 1 - 2 * int(side))
        for game, side in zip(chosen.games, chosen.sides, strict=True)
    ]
    both = NetworkScorer(go_network, "ogs", (), ["kgs"]).on_each_scale(games)
    for scale, found in zip(("ogs", "kgs"), both, strict=True):
        wanted = score_sides(NetworkScorer(go_network, scale), go_dataset, chosen)
        assert found.counts.tolist() == wanted.counts.tolist() == 3 * [6, 5]
        for name, rows in wanted.columns.items():
            assert found.columns[name] == pytest.approx(rows, abs=1e-4, nan_ok=True), name
    assert np.abs(both[0].columns[LIKELIHOOD] - both[1].columns[LIKELIHOOD]).max() > 1e-3


def test_every_second_move_of_some_games_is_rated_as_it_is_among_all(go_network, go_dataset):
    games = [PlayerGame(go_dataset.record(game), 1) for game in range(3)]
    scorer = NetworkScorer(go_network, "ogs")
    whole, (some,) = scorer(games), scorer.on_each_scale(games, [1, 2, 2])
    chosen = (whole.games == 0) | (whole.places % 2 == 0)
    assert some.counts.tolist() == [6, 3, 3]
    assert (
        some.places.tolist() == whole.places[chosen].tolist() == [0, 1, 2, 3, 4, 5] + 2 * [0, 2, 4]
    )
    assert some.left.tolist() == whole.left[chosen].tolist() == [6, 5, 4, 3, 2, 1] + 2 * [6, 4, 2]
    wanted = move_numbers(whole, slice(2, 10), evals=False)[chosen]
    found = move_numbers(some, slice(2, 10), evals=False)
    assert found == pytest.approx(wanted, abs=1e-4, nan_ok=True)


def test_policies_are_asked_for_the_ends_and_the_middle_of_a_scale(go_network, go_dataset):
    """1d, 5d and 9d of KGS: half a rank beyond the outer ones."""
    record = go_dataset.record(0)
    moves = NetworkScorer(go_network, "kgs")([PlayerGame(record, 1)])
    for column, rating in enumerate((3050.0, 3500.0, 3950.0)):
        request = Request(ratings=np.array([rating]), scales=np.array([1]))
        logits = go_network.evaluate(GO.initial(), request).logits[0].astype(float)
        logs = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
        assert moves.columns[ENTROPY][0, column] == pytest.approx(
            -(np.exp(logs) * logs).sum(), abs=1e-4
        )  # all points are legal
