"""Lines through the numbers of ranks, with made-up moves of players whose numbers are known."""

import numpy as np
import pytest
from even_roots import even_roots

from evenmatch.opponents.pikl import corrected
from evenmatch_lab.ours import rank_lines
from evenmatch_lab.ours.level_fit import Z
from evenmatch_lab.ours.rank_fit import nats
from evenmatch_lab.ours.rank_lines import ALL, GROUPS, Rank

LAMBDAS_TRIED, T_TRIED = np.geomspace(0.05, 10, 8), np.geomspace(0.8, 1.8, 5)


@pytest.fixture(scope="module", autouse=True)
def coarse():
    """A coarser grid than that of the experiment, which takes a fifth of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rank_lines, "LAMBDAS_TRIED", LAMBDAS_TRIED)
        patch.setattr(rank_lines, "T_TRIED", T_TRIED)
        yield


def rank_of(rating, lam, t, z=1.0, moves=600):
    """A rank whose people play as `pikl` does with these numbers."""
    rng = np.random.default_rng(int(rating))
    roots = even_roots(moves, rng)
    actions = np.array([rng.choice(6, p=corrected(root, lam, t)) for root in roots])
    group, costs = np.arange(moves) % GROUPS, np.zeros((GROUPS, len(LAMBDAS_TRIED), len(T_TRIED)))
    for i, some in enumerate(LAMBDAS_TRIED):
        for j, other in enumerate(T_TRIED):
            each = nats(roots, actions, some, other)
            costs[:, i, j] = np.bincount(group, each, GROUPS)
    gaps = np.tile((z - Z) * moves / GROUPS, (GROUPS, 1))
    return Rank(f"{rating}", rating, moves, moves, costs, gaps, np.bincount(group), 9.9)


@pytest.fixture(scope="module")
def ranks():
    """lambda falls from 1 to 0.25 in 2,000 Elo, t stays 1.2, z rises from 0 to 2."""
    known = [(1500, 1.0, 0.0), (2500, 0.5, 1.0), (3500, 0.25, 2.0)]
    return [rank_of(rating, lam, 1.2, z) for rating, lam, z in known]


def test_the_numbers_of_a_rank_are_found_again(ranks):
    """600 moves: within a fifth, seeded."""
    for rank, lam in zip(ranks, (1.0, 0.5, 0.25), strict=True):
        own = rank_lines.likeliest(rank)
        assert own.lam == pytest.approx(lam, rel=0.2)
        assert own.t == pytest.approx(1.2, rel=0.1)
        assert own.cost <= rank.mean_costs(ALL).min() + 1e-6


def test_the_lines_are_found_again(ranks):
    lines = rank_lines.lines_of(ranks)
    assert lines.log_lam[1] == pytest.approx(-np.log(2), abs=0.15)
    for rank, lam, z in zip(ranks, (1.0, 0.5, 0.25), (0, 1, 2), strict=True):
        assert np.exp(lines.logs(rank.x)) == pytest.approx([lam, 1.2], rel=0.15)
        assert rank.z(ALL) == (pytest.approx(z), True)


def test_outside_the_grid_a_search_finds_back():
    """Costs that fall towards the largest lambda: it stays at the edge, nearly."""
    costs = np.tile(-np.log(LAMBDAS_TRIED)[:, None], (1, len(T_TRIED)))
    found, _ = rank_lines.least(rank_lines.smooth(costs), np.log([1.0, 1.0]))
    assert np.exp(found[0]) >= LAMBDAS_TRIED[-1]


def test_intervals_come_from_leaving_groups_out():
    """By hand: means without each of 10 groups whose values are 0 to 9; a mean's usual error."""
    values = np.arange(10.0)
    ((low, high),) = rank_lines.jackknifed(
        lambda without: np.array([np.delete(values, without).mean() if without >= 0 else 4.5])
    )
    half = 2.262 * values.std(ddof=1) / 10**0.5
    assert (low, high) == (pytest.approx(4.5 - half, abs=1e-3), pytest.approx(4.5 + half, abs=1e-3))
