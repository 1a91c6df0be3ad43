"""Roots: their noise, their statistics, and the plans of their searches."""

import numpy as np
import pytest
from compared_trees import HashEvaluator, tree_seed
from scipy import stats

from evenmatch.errors import UsageError
from evenmatch.games import GAMES
from evenmatch.search import Plan, RootStats, Rule, Search, UniformEvaluator
from evenmatch.search.forest import seeds_from
from evenmatch.search.plan import DEPTHS, PLAN, as_records

# -- noise -----------------------------------------------------------------------------------------


def noisy_roots(plan, trees=3000):
    game = GAMES["connect4"]
    search = Search(game, UniformEvaluator(game), trees=trees, nodes=3)
    search.plant(range(trees), game.initial(trees), seeds_from(11, trees))
    return search.run(range(trees), plan)


@pytest.mark.parametrize("fraction", [0.25, 1.0])
@pytest.mark.parametrize("alpha", [0.1, 0.3, 1.0, 10.0])
def test_root_noise_is_dirichlet(alpha, fraction):
    """Each prior's noise is Beta(alpha, 6 alpha): false alarm 1e-6 for each action."""
    plan = Plan(simulations=1, noise_fraction=fraction, noise_alpha=alpha)
    priors = noisy_roots(plan).priors.astype(float)
    assert np.allclose(priors.sum(1), 1, atol=1e-6)
    noise = np.clip((priors - (1 - fraction) / 7) / fraction, 0, 1)
    shape = stats.beta(alpha, 6 * alpha)
    noise = np.maximum(noise, 1e-7 / fraction)  # where single precision ends
    for action in range(7):
        found = stats.kstest(noise[:, action], lambda x: np.where(x < 2e-6, 0, shape.cdf(x)))
        below = (noise[:, action] < 2e-6).mean()
        assert found.pvalue > 1e-6 or found.statistic <= below + 1e-9
        if below:
            count = int((noise[:, action] < 2e-6).sum())
            assert stats.binomtest(count, len(noise), shape.cdf(2e-6)).pvalue > 1e-6


def test_root_noise_of_different_trees_is_unrelated():
    """Correlation of neighbours' noise: 3000 pairs, |r| < 0.09 but for 1e-6 of seeds."""
    noise = noisy_roots(Plan(simulations=1, noise_fraction=1.0, noise_alpha=1.0)).priors[:, 0]
    assert abs(np.corrcoef(noise[:-1], noise[1:])[0, 1]) < 0.09


def test_no_noise_by_default():
    assert (noisy_roots(Plan(simulations=1), 10).priors == np.float32(1 / 7)).all()


def test_halving_noise_is_gumbel():
    """Kolmogorov-Smirnov over 21,000 draws, false alarm 1e-6."""
    found = noisy_roots(Plan(simulations=1, considered=4))
    noise = found.scores - np.log(found.priors.astype(float))
    assert stats.kstest(noise.ravel(), stats.gumbel_r.cdf).pvalue > 1e-6
    assert found.gumbel.all()


def test_random_root_is_uniform():
    """Chi-square over 7000 simulations, false alarm 1e-6."""
    game = GAMES["connect4"]
    search = Search(game, HashEvaluator(game))
    search.plant([0], game.initial(), [tree_seed(2)])
    visits = search.run([0], Plan(simulations=7000, random_root=1.0)).visits[0]
    assert ((visits - 1000) ** 2 / 1000).sum() < stats.chi2.isf(1e-6, 6)


# -- statistics of the roots -----------------------------------------------------------------------


def root_stats(**fields):
    rows = {
        "visits": [[3, 3, 0]], "means": [[0.1, 0.1, 0.0]], "priors": [[0.2, 0.3, 0.5]],
        "legal": [[True, True, True]], "values": [0.5], "scores": [[0.0, 0.0, 0.0]],
        "gumbel": [False], **fields,
    }  # fmt: skip
    return RootStats(**{name: np.array(value) for name, value in rows.items()})


@pytest.mark.parametrize(
    ("fields", "best"),
    [
        ({"visits": [[3, 4, 0]]}, 1),
        ({"visits": [[4, 3, 0]], "means": [[-1.0, 1.0, 0]]}, 0),
        ({"means": [[0.1, 0.2, 0]]}, 1),
        ({"means": [[0.1, -0.2, 0]]}, 0),
        ({}, 1),  # by prior
        ({"priors": [[0.3, 0.3, 0.4]]}, 0),  # the first of equals
        ({"visits": [[0, 0, 0]], "means": [[0, 0, 0]], "legal": [[False, True, False]]}, 1),
        ({"gumbel": [True], "scores": [[1.0, 0.0, 9.0]]}, 0),
    ],
)
def test_best(fields, best):
    assert root_stats(**fields).best().tolist() == [best]


def test_stats_of_a_finished_root():
    game = GAMES["othello"]
    search = Search(game, HashEvaluator(game), trees=2)
    over = np.array([[3, 0, 0]], np.uint64)
    search.plant([0, 1], np.concatenate([over, game.initial()]), [1, 2])
    found = search.run([0, 1], Plan(simulations=20, noise_fraction=0.5, considered=4))
    assert found.visits.sum(1).tolist() == [0, 20]
    assert found.values[0] == 1
    assert not found.legal[0].any()


# -- plans -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("simulations", 0), ("simulations", -5), ("simulations", 10**8),
        ("c_puct", -0.1), ("c_puct", float("nan")), ("c_puct", float("inf")),
        ("open_at", 0), ("unvisited_value", 11), ("prior_temperature", 0),
        ("head_dropout", 1.0), ("head_dropout", -0.1), ("random_root", 1.01),
        ("noise_fraction", -1), ("noise_alpha", 0), ("considered", -1),
    ],
)  # fmt: skip
def test_plans_out_of_bounds(field, value):
    with pytest.raises(UsageError, match=f"{field}={value} is outside .* choose one") as caught:
        Plan(**{field: value})
    assert "\n" not in str(caught.value)


def test_plans_take_no_unknown_fields():
    with pytest.raises(TypeError, match="simulation"):
        Plan(simulation=5)


def test_plans_are_frozen_and_compare():
    assert Plan(simulations=5) == Plan(simulations=5)
    with pytest.raises(AttributeError):
        Plan().simulations = 3


def test_plans_become_records():
    plans = [Plan(), Plan(simulations=7, rule=Rule.UCT), Plan(c_puct=3.0, noise_fraction=0.5)]
    records = as_records(plans)
    assert records.dtype == PLAN
    for name in set(PLAN.names) - {"targets"}:
        assert records[name].tolist() == [getattr(plan, name) for plan in plans]


def test_targets_beyond_the_last_are_the_last():
    records = as_records([Plan(), Plan(targets=(1.0, 2.0)), Plan(targets=tuple(range(100)))])
    assert records["targets"][0].tolist() == [0.0] * DEPTHS
    assert records["targets"][1].tolist() == [1.0] + [2.0] * (DEPTHS - 1)
    assert records["targets"][2].tolist() == list(range(DEPTHS))


def test_seeds():
    seeds = seeds_from(5, 1000)
    assert seeds.dtype == np.uint64
    assert (seeds != 0).all()
    assert len(set(seeds.tolist())) == 1000
    assert (seeds_from(5, 1000) == seeds).all()
    assert (seeds_from(5, 10) == seeds[:10]).all()
    assert (seeds_from(6, 1000) != seeds).any()
