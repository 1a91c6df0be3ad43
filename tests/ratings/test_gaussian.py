import numpy as np
import pytest

from evenmatch.ratings.bradley_terry import BradleyTerry
from evenmatch.ratings.gaussian import learned, rate
from evenmatch.ratings.score import ELO_PER_LOGIT, PairingScore, Score, expected_score


def wide(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A prior that says nothing but that the first player has 1500."""
    precision = np.eye(count) * 1e-9
    precision[0, 0] = 1e6
    return np.full(count, 1500.0), precision


def test_with_a_wide_prior_it_is_bradley_terry():
    """Another implementation of the same likelihood, with an anchor in place of the prior."""
    points = np.array([[0, 12, 3], [8, 0, 9.5], [1, 10.5, 0]])
    pairings = [
        PairingScore(first=str(i), second=str(j), score=Score(wins=x, losses=y, draws=z))
        for i, j, x, y, z in ((0, 1, 12, 8, 0), (0, 2, 3, 1, 0), (1, 2, 9, 10, 1))
    ]
    table = BradleyTerry(anchors={"0": 1500.0}, prior_draws=0).fit(pairings)
    found = rate(*wide(3), points)
    assert found.mean == pytest.approx([table[str(i)].elo for i in range(3)], abs=0.01)


def test_without_games_it_is_the_prior():
    mean, precision = np.array([1.0, 2.0]), np.array([[2.0, -1.0], [-1.0, 3.0]])
    found = rate(mean, precision, np.zeros((2, 2)))
    assert found.mean.tolist() == [1.0, 2.0]
    assert found.covariance == pytest.approx(np.linalg.inv(precision))


def test_one_game_by_hand():
    """A prior N(0, s^2) and a draw: the mean stays, the curvature gains 1/4 of a logit^-2."""
    precision = np.diag([1e12, 1 / 200**2])
    points = np.array([[0, 0.5], [0.5, 0]])
    found = rate(np.zeros(2), precision, points)
    assert found.mean == pytest.approx([0, 0])
    wanted = 1 / (1 / 200**2 + 0.25 / ELO_PER_LOGIT**2)
    assert found.covariance[1, 1] == pytest.approx(wanted)


def test_players_who_won_all_have_a_rating():
    points = np.zeros((2, 2))
    points[1, 0] = 1000
    found = rate(np.zeros(2), np.diag([1e6, 1 / 400**2]), points)
    assert 400 < found.mean[1] < 4000
    assert np.isfinite(found.covariance).all()


def test_steps_that_would_lead_down_are_shortened():
    """Whole steps of Newton's go to and fro for ever here."""
    points, mean = np.array([[0, 240.0], [240, 0]]), np.array([0.0, 382])
    precision = np.eye(2) / 600**2
    found = rate(mean, precision, points)
    chance = 1 / (1 + np.exp(-(found.mean[0] - found.mean[1]) / ELO_PER_LOGIT))
    gradient = precision @ (mean - found.mean)
    gradient += np.array([240 - 480 * chance, 480 * chance - 240]) / ELO_PER_LOGIT
    assert gradient == pytest.approx([0, 0], abs=1e-9)


def test_learned_is_what_a_game_teaches():
    """Against the definition: the mean over both results of how much the variances shrink.

    The covariance after a game hardly depends on its result, but on how open it was.
    """
    rng = np.random.default_rng(2)
    spread = rng.normal(size=(4, 4)) * 20
    covariance = spread @ spread.T + np.eye(4) * 100
    mean = np.array([1400.0, 1500, 1650, 1900])
    now = rate(mean, np.linalg.inv(covariance), np.zeros((4, 4)))
    gains = learned(now, np.arange(3))
    for i, j in ((0, 1), (1, 3), (0, 3), (2, 3)):
        shrunk = 0.0
        for result in (0.0, 1.0):
            points = np.zeros((4, 4))
            points[i, j], points[j, i] = result, 1 - result
            after = rate(mean, np.linalg.inv(covariance), points)
            chance = expected_score(mean[i] - mean[j])
            chance = chance if result else 1 - chance
            shrunk += chance * np.diag(now.covariance - after.covariance)[:3].sum()
        assert gains[i, j] == pytest.approx(shrunk, rel=0.1)
    assert np.diag(gains) == pytest.approx(np.zeros(4))
    assert gains == pytest.approx(gains.T)


def test_draws_have_the_covariance():
    found = rate(*wide(3), np.full((3, 3), 40.0) - np.eye(3) * 40)
    drawn = found.draws(20_000, 1)
    assert np.cov(drawn.T) == pytest.approx(found.covariance, abs=60)
