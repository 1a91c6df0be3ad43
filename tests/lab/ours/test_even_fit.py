"""The fits of `even`: known numbers are found again, and a small run goes through."""

import numpy as np
import pytest
from scipy.special import expit

from evenmatch.opponents.evidence import Course, Lost, Seen
from evenmatch.ratings import expected_score
from evenmatch.ratings.score import ELO_PER_LOGIT
from evenmatch_lab import get_experiment
from evenmatch_lab.ours.even_fit import (
    POSITIONS,
    course_row,
    fitted_course,
    log_odds,
    lost_row,
    page,
    seen_row,
    strength_of,
)
from evenmatch_lab.pages import RESULTS, block_of
from evenmatch_lab.runner import ResultFile, run

COURSE = Course((-0.4, 0.5, 0.8, -0.2), (0.3, 0.1), plies=40.0, slope=0.995, elo=120.0)


def numbers_of(course):
    return np.array([*course.value, *course.first, np.log(400 / np.log(10) / course.elo)])


def games_of(course, games, seed=0):
    """Rows of games of 40 plies whose results follow the course."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((games, POSITIONS, 6))
    rows[..., :2] = rng.uniform(900, 2100, (games, 1, 1)) + rng.uniform(-300, 300, (games, 1, 2))
    rows[..., 3], rows[..., 4] = 40, rng.integers(40, size=(games, POSITIONS))
    rows[..., 5] = np.tanh(rng.normal(size=(games, POSITIONS)))
    flat = rows.reshape(-1, 6)
    t = np.vectorize(course.share)(flat[:, 4])
    flat[:, 2] = rng.random(len(flat)) < expit(log_odds(numbers_of(course), t, flat))
    return flat


def test_log_odds_are_those_of_the_course():
    """By the code that plays: X, and the difference in strength over the share left."""
    for first, second, _, _, ply, value in games_of(COURSE, 5):
        t = COURSE.share(int(ply))
        x = COURSE.position(value, t, (first + second) / 2, 1)
        wanted = (x + (first - second) / COURSE.elo * (1 - t)) / np.sqrt(1 - t)
        row = np.array([[first, second, 0, 40, ply, value]])
        assert log_odds(numbers_of(COURSE), np.array([t]), row) == pytest.approx(wanted)


def test_a_known_course_is_found_again():
    """Of 32,000 positions; each number within what their chance allows."""
    found, numbers = fitted_course(games_of(COURSE, 4000))
    assert (found.plies, found.slope) == (40.0, 0.995)
    assert found.value == pytest.approx(COURSE.value, abs=0.2)
    assert found.first == pytest.approx(COURSE.first, abs=0.1)
    assert found.elo == pytest.approx(COURSE.elo, rel=0.1)
    assert numbers_of(found) == pytest.approx(numbers, abs=0.001)


def test_the_expected_score_is_reliable_where_the_model_holds():
    row = course_row({"a": {"rows": games_of(COURSE, 1000).tolist()}})
    assert (row["held out"], row["games"]) == (250, 1000)
    assert sum(count for *_, count in row["reliability"]) == 250 * POSITIONS
    for _, expected, points, count in row["reliability"]:
        assert points == pytest.approx(expected, abs=4.5 * np.sqrt(0.25 / count))


def test_known_losses_are_found_again():
    """Of 24 players, whose strengths are known to 30 Elo; within what their chance allows."""
    rng, wanted = np.random.default_rng(0), Lost(-2.0, -0.5, 0.9, 150.0)
    done: dict = {"chess | course": {"course": {"elo": ELO_PER_LOGIT}}}
    for k, strength in enumerate(np.linspace(900, 2300, 24)):
        met = np.repeat(strength + np.array([-200.0, 200.0]), 100)
        chances = expit((strength - met) / ELO_PER_LOGIT)
        moves_like = strength + wanted.deviation * rng.normal()
        logs = wanted.mean + wanted.slope * (moves_like - 1500) / 1000
        logs = logs + wanted.spread * rng.normal(size=(200, 30))
        done[f"chess | player {k}"] = {
            "played": np.column_stack([met, rng.random(200) < chances]).tolist(),
            "lost": [[30, one.mean(), one.var()] for one in logs],
            "settings": {"family": "some"},
        }
    done["chess | nobody"] = {"played": [[1500, 0.0]], "lost": [[0, 0.0, 0.0]]}
    row = lost_row(done)
    found = Lost(**row["lost"])
    assert found.mean == pytest.approx(wanted.mean, abs=0.06)
    assert found.slope == pytest.approx(wanted.slope, abs=0.12)
    assert found.spread == pytest.approx(wanted.spread, abs=0.03)
    assert found.deviation == pytest.approx(wanted.deviation, abs=75)
    assert len(row["players"]) == 24
    del done["chess | course"]
    assert "| player 23 | some |" in "\n".join(page(done | {"chess | lost": row}))


@pytest.mark.parametrize("elo", [80.0, 400 / np.log(10)])
def test_a_strength_is_that_of_most_likelihood(elo):
    """By a grid; half of the points against 1500 are a strength of 1500."""
    rows = np.array([[1200, 1.0], [1500, 0.5], [1800, 0.0], [1800, 1.0]])
    assert strength_of(rows[:3], elo) == pytest.approx(1500, abs=1)
    grid = np.arange(500.0, 2500.0)
    logs = -(((grid - 1500) / 800) ** 2) / 2
    for met, points in rows:
        chance = np.array([expected_score((s - met) * 400 / np.log(10) / elo) for s in grid])
        logs += points * np.log(chance) + (1 - points) * np.log(1 - chance)
    assert strength_of(rows, elo) == pytest.approx(grid[logs.argmax()], abs=2)


def test_strengths_of_styles_are_found_again():
    """Players of 1000 to 2000, a style every 200 Elo, whose own strength is 100 Elo off."""
    rng = np.random.default_rng(1)
    done = {"made up | course": {"course": {"elo": 170.0}}}
    for strength in range(1000, 2001, 100):
        rows, looks_like = [], strength + rng.normal(0, 100)
        for met in np.arange(800.0, 2300.0, 200):
            points = float(expit((strength - met) / 170))
            style = 4.5 + (looks_like - 1500) / 200
            rows.append([met, points, *(-(((np.arange(10) - style) / 0.3) ** 2))])
        family = {"family": "made up"}
        done[f"made up | {strength}"] = {"played": rows, "settings": family}
    found = seen_row(done)
    seen = Seen(**found["seen"])
    at = np.interp([2, 4.5, 7], np.linspace(0, 9, len(seen.strengths)), seen.strengths)
    assert at == pytest.approx([1000, 1500, 2000], abs=120)
    assert 50 <= seen.deviation < 170
    assert seen.anyone < 0.1
    assert [row[0] for row in found["players"].values()] == ["made up"] * 11
    assert found["players"]["1500"][1] == pytest.approx(1500, abs=20)


def test_a_quick_run_goes_on_and_is_shown(tmp_path):
    experiment = get_experiment("even_fit")
    text = block_of(run(experiment, tmp_path, quick=True).read_text(), RESULTS)
    assert "`Course(value=" in text
    assert "`Seen(strengths=" in text
    assert "| random | random |" in text
    kept = ResultFile.read(tmp_path / "even_fit_quick.json")
    assert not kept.left
    run(experiment, tmp_path, quick=True)
    assert ResultFile.read(tmp_path / "even_fit_quick.json") == kept
