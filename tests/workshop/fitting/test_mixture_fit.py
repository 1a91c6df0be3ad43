"""Weights of mixtures: found again where moves are drawn from a mixture; the gradient; datasets."""

import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network
from scipy.optimize import check_grad

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.network.artifact import read_card
from evenmatch.network.conditions import conditions
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.fitting.mixture_fit import (
    NEVER,
    Judged,
    completed,
    cost,
    fit_mixture,
    fit_weights,
    legal_only,
    penalized,
    widened,
)

KNOTS = (1000, 1400, 1800, 2200)
PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


def drawn(weights, moves, seed=0, width=20):
    """Moves drawn from a mixture with such weights [K, N], of people of all ratings."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(moves, width, weights.shape[1])).astype(np.float32)
    logits[rng.random((moves, width)) < 0.2] = NEVER
    logits[:, 0] = 0  # somebody can always move
    told = conditions(rng.uniform(900, 2300, moves), 0, 1, KNOTS)
    sums = np.where(logits[:, :, 0] > NEVER, np.einsum("mwn,mn->mw", logits, told @ weights), -1e9)
    played = (sums + rng.gumbel(size=sums.shape)).argmax(1)
    return Judged(logits, played, told)


TRUE = np.array([[0, 0], [2.0, 0.2], [1.5, 0.5], [1.0, 1.0], [0.5, 1.5]])


def test_weights_are_found_again():
    """40,000 moves leave each weight an error of about 0.02; 0.12 is six of them."""
    judged = drawn(TRUE, 40_000)
    found = fit_weights([judged])
    np.testing.assert_allclose(found[1:], TRUE[1:], atol=0.12)
    assert cost(found, judged)[0] <= cost(TRUE, judged)[0] + 1e-3


def test_the_gradient():
    judged = [drawn(TRUE, 300, seed=1), drawn(TRUE, 200, seed=2)]

    def loss(flat):
        return penalized(flat.reshape(TRUE.shape), judged)[0]

    def slope(flat):
        return penalized(flat.reshape(TRUE.shape), judged)[1]

    start = np.random.default_rng(3).normal(size=TRUE.size)
    assert check_grad(loss, slope, start) < 1e-4 * np.abs(slope(start)).max()


def test_legal_moves_alone():
    rng = np.random.default_rng(4)
    legal = rng.random((6, 30)) < 0.3
    legal[:, 7] = True
    logits = rng.normal(size=(6, 30, 2)).astype(np.float32)
    actions = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
    kept, played = legal_only(logits, legal, actions)
    for i in range(6):
        moves = np.flatnonzero(legal[i])
        np.testing.assert_array_equal(kept[i, : len(moves)], logits[i, moves])
        assert (kept[i, len(moves) :] == NEVER).all()
        assert moves[played[i]] == actions[i]
    assert (widened(kept, 40)[:, kept.shape[1] :] == NEVER).all()


@pytest.fixture(scope="module")
def made(games_of_all_ranks, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixing")
    first = random_network(folder / "first.onnx", scales=("dataset", "fide"), strength=10)
    return games_of_all_ranks, [first, random_network(folder / "other.onnx", seed=1)]


def test_what_nobody_was_judged_for(made):
    _, (first, _) = made
    card = read_card(first)
    knots = len(card.condition_knots)
    told = conditions([1500.0, 1700.0], 0, 2, card.condition_knots)
    judged = Judged(np.zeros((2, 1, 2), np.float32), np.zeros(2, np.intp), told)
    weights = np.zeros((1 + 2 * knots, 2), np.float32)
    at = {card.condition_knots[k]: 1 + k for k in range(knots)}
    weights[at[1400]], weights[at[1600]], weights[at[1800]] = (1, 0), (2, 0), (5, 0)
    full = completed(weights, [judged], card)
    assert (full[at[600], 0], full[at[1600], 0], full[at[2800], 0]) == (1, 2, 5)
    assert full[0, 0] == pytest.approx(0.25 + 1 + 1.25)
    np.testing.assert_array_equal(full[1 + knots :], np.repeat(full[:1], knots, 0))


def test_a_mixture_is_fitted_to_a_dataset(made, tmp_path):
    folder, paths = made
    out, heard = tmp_path / "mixed.onnx", []
    card = fit_mixture(paths, [folder], out, seed=4, progress=lambda *told: heard.append(told))
    assert card.seed == 4
    assert card.notes.startswith("The policies of first, other, weighted by rating to predict")
    assert 0 < card.positions == heard[-1][0]
    NetworkEvaluator(out, get_game("chess"), threads=1)


def test_a_dataset_of_too_few_moves(made, tmp_path):
    _, paths = made
    random_dataset(tmp_path, games=4, shares=(1, 0, 0, 0), bands=PAIRS, each=1)
    with pytest.raises(UsageError, match="0 rated moves of split tune; take more games"):
        fit_mixture(paths, [tmp_path / "dataset"], tmp_path / "x.onnx")
