"""Players fitted to ranks of Go, with a random network of people and games of random moves."""

from dataclasses import replace

import numpy as np
import pytest
from random_go_games import random_go_dataset
from random_networks import random_network

from evenmatch.errors import UsageError
from evenmatch.strength import Root
from evenmatch.strength.regularized import corrected
from evenmatch_lab.ours import rank_fit
from evenmatch_lab.shared import level_numbers


@pytest.fixture
def data(tmp_path, monkeypatch):
    """People of 20k; the network of people is told the server."""
    net = str(random_network(tmp_path / "net.onnx", ("ogs",), game="go9"))
    for module in (rank_fit, level_numbers):
        monkeypatch.setattr(module, "people_path", lambda _: net)
    dataset = random_go_dataset(tmp_path / "ogs", ranks=("20k", "19k"), shares=(0, 1, 0, 0))
    return dataset.folder


def made_up_roots(count, seed=3):
    """Roots of 6 moves, all visited, in positions that are even."""
    rng = np.random.default_rng(seed)
    return [
        Root(
            visits=np.full(6, 9),
            means=rng.uniform(-0.6, 0.6, 6),
            priors=rng.dirichlet(np.ones(6)).astype(np.float32),
            legal=np.ones(6, bool),
            value=0.0,
            best=0,
        )
        for _ in range(count)
    ]


def test_numbers_are_found_and_told(data):
    ((name, found),) = rank_fit.parts(True, [data], []).items()
    assert name == "ogs, 20k"
    row = found.run(lambda *_: None, {}) | {"settings": found.settings}
    assert row["moves"] == 4
    assert found.settings["simulations"] == 4
    assert -2 <= row["sa"]["z"] <= 6
    text = "\n".join(rank_fit.page({name: row}))
    assert text.count("| ogs, 20k |") == 1
    assert f"{row['sa']['z']:.2f}" in text


def test_the_numbers_that_drew_moves_are_found_again():
    """2,000 draws of lambda 0.3 and t 1.5: found within a tenth."""
    roots, rng = made_up_roots(2_000), np.random.default_rng(5)
    actions = np.array([rng.choice(6, p=corrected(root, 0.3, 1.5)) for root in roots])
    lam, t = rank_fit.likeliest(roots, actions)
    assert lam == pytest.approx(0.3, rel=0.1)
    assert t == pytest.approx(1.5, rel=0.1)


def test_what_is_likeliest_is_worth_as_much_and_as_rare():
    """The moments of the family: mean angle of Q and mean log prior, by hand from the moves."""
    roots, rng = made_up_roots(400), np.random.default_rng(6)
    actions = np.array([rng.choice(6, p=corrected(root, 0.5, 0.8)) for root in roots])
    actions[::5] = rng.integers(6, size=80)  # a fifth of the moves are of no such player
    lam, t = rank_fit.likeliest(roots, actions)
    pis = [corrected(root, lam, t) for root in roots]
    for of in (lambda r: np.arcsin(r.means), lambda r: np.log(r.priors.astype(float))):
        theirs = np.mean([of(r)[a] for r, a in zip(roots, actions, strict=True)])
        own = np.mean([pi @ of(r) for pi, r in zip(pis, roots, strict=True)])
        assert own == pytest.approx(theirs, abs=0.01)


def test_intervals_come_from_leaving_people_out():
    """By hand: means of two people, 0 and 2: the error is 1, Student's quantile of 1 is 12.7."""
    values, people = np.array([0.0, 2.0]), np.array([7, 9])
    ((low, high),) = rank_fit.jackknifed(
        lambda rows: values[rows].mean(keepdims=True), values.mean(keepdims=True), people
    )
    assert (low, high) == (pytest.approx(1 - 12.706, abs=0.01), pytest.approx(13.706, abs=0.01))
    ((low, high),) = rank_fit.jackknifed(lambda rows: values[:1], values[:1], np.array([7, 7]))
    assert (low, high) == (-np.inf, np.inf)


def test_z_is_where_draws_are_worth_what_people_play():
    """People who play the most visited move have the largest z, those who never do the least."""
    rng = np.random.default_rng(1)
    roots = made_up_roots(50)
    untold = [replace(root, visits=np.argsort(np.argsort(root.means)) + 1) for root in roots]
    best = np.array([root.means.argmax() for root in roots])
    worst = np.array([root.means.argmin() for root in roots])
    moves = level_numbers.DrawnMoves(
        np.zeros((50, 1), np.uint64), np.zeros(50, int), best, np.arange(50), "go9"
    )
    z = [
        rank_fit.sa_level(roots, untold, moves._replace(actions=some))["z"]
        for some in (best, rng.integers(6, size=50), worst)
    ]
    assert z[0] == 6
    assert z[0] > z[1] > z[2]


def test_passes_are_left_out(data):
    moves = rank_fit.People(data, 1100).moves(50)
    assert (moves.actions < moves.game.num_actions - 1).all()
    assert len(moves.states) == len(moves.people) == len(moves.plies)


def test_servers_that_are_not_fitted(tmp_path, data):
    other = random_go_dataset(tmp_path / "else").folder
    with pytest.raises(UsageError, match="give datasets of ogs and kgs"):
        rank_fit.parts(True, [other], [])
    with pytest.raises(UsageError, match="leave out --net"):
        rank_fit.parts(True, [data], [data])
