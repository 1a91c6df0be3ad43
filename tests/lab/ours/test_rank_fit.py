"""Players fitted to ranks of Go, with a random network of people and games of random moves."""

from dataclasses import replace

import numpy as np
import pytest
from even_roots import even_roots
from random_go_games import random_go_dataset
from random_networks import random_network

from evenmatch.opponents.pikl import corrected
from evenmatch_lab.ours import level_fit, rank_fit, rank_lines


@pytest.fixture
def data(tmp_path, monkeypatch):
    """People of 20k; the network of people is told the server."""
    net = str(random_network(tmp_path / "net.onnx", ("ogs",), game="go9"))
    for module in (rank_fit, level_fit):
        monkeypatch.setattr(module, "human_policy_path", lambda _: net)
    dataset = random_go_dataset(tmp_path / "ogs", ranks=("20k", "19k"), shares=(0, 1, 1, 0))
    return dataset.folder


def made_up_roots(count, seed=3):
    """Return roots of a seed."""
    return even_roots(count, np.random.default_rng(seed))


def people_of(actions):
    """Moves of as many people."""
    count = len(actions)
    return level_fit.DrawnMoves(
        np.zeros((count, 1), np.uint64), np.zeros(count, int), actions, np.arange(count), "go9"
    )


def test_costs_are_those_of_the_moves():
    """Of one pair of numbers, move by move."""
    roots, rng = made_up_roots(30), np.random.default_rng(2)
    actions = rng.integers(6, size=30)
    costs = np.array(rank_fit.pikl_costs(roots, people_of(actions)))
    lam, t = rank_lines.LAMBDAS_TRIED[7], rank_lines.T_TRIED[3]
    by_hand = [
        -np.log(corrected(root, lam, t)[action])
        for root, action in zip(roots, actions, strict=True)
    ]
    assert costs[:, 7, 3].sum() == pytest.approx(sum(by_hand), abs=0.01)
    assert costs[4, 7, 3] == pytest.approx(sum(by_hand[4::10]), abs=0.01)


def test_gaps_fall_with_z():
    """People who play the best move stay ahead at every z, those who play the worst behind."""
    roots = made_up_roots(50)
    untold = [replace(root, visits=np.argsort(np.argsort(root.means)) + 1) for root in roots]
    best, worst = (np.array([at(root.means) for root in roots]) for at in (np.argmax, np.argmin))
    ahead, behind = (
        np.sum(rank_fit.sa_gaps(roots, untold, people_of(actions)), 0) for actions in (best, worst)
    )
    assert (np.diff(ahead) < 0).all()
    assert (ahead > 0).all()
    assert (behind < 0).all()


def test_nobody_counts_too_much(data):
    moves = rank_fit.People(data, 1100, of_one=3).moves(500)
    assert np.unique(moves.people, return_counts=True)[1].max() == 3
    assert len(rank_fit.People(data, 1100, of_one=4).moves(500).people) > len(moves.people)


def test_passes_are_left_out(data):
    moves = rank_fit.People(data, 1100).moves(50)
    assert (moves.actions < moves.game.num_actions - 1).all()
    assert len(moves.states) == len(moves.people) == len(moves.plies)
