"""The page of what people said of pairs of games, from a profile made here."""

import json
import re

import numpy as np
import pytest

from evenmatch.profiles import Profile
from evenmatch.profiles.guesses import Guess
from evenmatch.records.pairs import shipped_pairs
from evenmatch_lab.ace2019.turing_people import EXPERIMENT, PART, Judged, interval, parts, tables
from evenmatch_lab.runner import ResultFile, run

OF_D = [
    pair
    for pair in shipped_pairs().by_id.values()
    if (pair.label, pair.player) == ("D", "pikl:elo=1250")
]


@pytest.fixture
def profile(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path / "state"))
    profile = Profile()
    yield profile
    profile.close()


def judge(profile, person: str, rights: str, sure: str = "certain") -> None:
    """Let a person judge as many pairs of class D as there are letters: y is right."""
    for pair, right in zip(OF_D, rights, strict=False):
        game = pair.program if right == "y" else pair.people
        profile.guesses.add(person, Guess(pair.id, game.id, sure, right == "y", 5.0))


def row_of(page: list[str], *begin: str) -> list[str]:
    """Return the cells of the row that begins so."""
    rows = [line.strip("| ").split(" | ") for line in page if line.startswith("| ")]
    [found] = [row for row in rows if row[: len(begin)] == list(begin)]
    return found


def test_without_guesses_the_page_says_so_and_how_to_take_part(profile, tmp_path):
    text = run(EXPERIMENT, tmp_path / "out").read_text()
    assert "People so far: 0. Guesses: 0." in text
    assert "**Nobody has judged a pair yet.**" in text
    assert "`evenmatch web`" in text
    assert "counts as another person" in " ".join(text.split())
    assert not re.search(r"\| [1-9]\d* \(\d", text), "no row counts anybody"
    assert not profile.folder.exists(), "to look makes no profile"


def test_guesses_are_counted_by_class_player_and_sureness(profile, tmp_path):
    """Ann is right 3 of 4 times, Bob 1 of 4. Two people's interval is as wide as can be."""
    judge(profile, "Ann", "yyyn")
    judge(profile, "Bob", "ynnn", sure="guess")
    page = EXPERIMENT.page(_rows(profile))
    assert row_of(page, "D (1250)", "`pikl`")[2:4] == ["50.0% (0.0% to 100.0%)", "8 (2)"]
    assert row_of(page, "D (1250)", "all")[2:4] == ["50.0% (0.0% to 100.0%)", "8 (2)"]
    assert row_of(page, "all", "all")[3] == "8 (2)"
    assert row_of(page, "D (1250)", "`sa`")[2:4] == ["-", "0 (0)"]
    assert row_of(page, "certain") == ["certain", "75.0%", "4 (1)"], "of one person no interval"
    assert row_of(page, "guess") == ["guess", "25.0%", "4 (1)"]
    assert not [line for line in page if "Nobody has judged" in line]


def test_people_who_are_all_right_leave_some_doubt(profile):
    """Wilson's interval of 3 of 3, by hand: 3 / (3 + 1.96^2) = 43.9%."""
    for person in ("Ann", "Bob", "Cid"):
        judge(profile, person, "yy")
    page = EXPERIMENT.page(_rows(profile))
    assert row_of(page, "D (1250)", "`pikl`")[2] == "100.0% (43.9% to 100.0%)"


def test_the_unit_is_the_person():
    """Ten people of ten guesses: those who are all right or all wrong tell as much as ten do."""
    alike = [Judged(k // 10, "D", "pikl", "guess", k % 2 == 0) for k in range(100)]
    apart = [Judged(k // 10, "D", "pikl", "guess", k < 50) for k in range(100)]
    ends = []
    for found in (alike, apart):
        [line] = [line for line in tables(found, {}) if line.startswith("| D (1250) | all")]
        ends.append([float(x) for x in re.findall(r"([\d.]+)%", line)])
    assert ends[0][0] == ends[1][0] == 50
    assert ends[1][2] - ends[1][1] > 70, "Student's 2.26 by sqrt(0.25 / 9), on either side"


def test_intervals_of_unequal_people():
    """The jackknife by hand: the shares without one of three people are 1/4, 3/4 and 2/4."""
    right, judges = np.array([1.0, 1, 0, 0, 1, 0]), np.array([0, 0, 1, 1, 2, 2])
    low, high = interval(right, judges)
    assert low < 0.5 < high
    assert low + high == pytest.approx(1)
    assert high - low == pytest.approx(2 * 4.302653 * (3 - 1) ** 0.5 * np.std([0.25, 0.75, 0.5]))


def test_new_guesses_make_the_results_out_of_date(profile, tmp_path):
    run(EXPERIMENT, tmp_path)
    judge(profile, "Ann", "y")
    text = run(EXPERIMENT, tmp_path).read_text()
    assert "People so far: 1. Guesses: 1." in text
    kept = ResultFile.read(tmp_path / "turing_people.json")
    assert kept.parts[PART]["guesses"] == [[0, "D", "pikl", "certain", True]]
    assert "Ann" not in (tmp_path / "turing_people.json").read_text()


def test_pairs_that_do_not_ship_are_left_out(profile):
    judge(profile, "Ann", "y")
    profile.guesses.add("Ann", Guess("gone", "x", "guess", True, 6.0))
    page = EXPERIMENT.page(_rows(profile))
    assert "Guesses of pairs that do not ship any more, left out: 1." in page
    assert row_of(page, "all", "all")[3] == "1 (1)"


def test_the_classifier_stands_beside(profile, tmp_path, monkeypatch):
    rows = {"lichess-rapid, D: pikl, told": {"settings": {}, "told_right": [0.6, 0.1]}}
    results = tmp_path / "docs" / "results"
    results.mkdir(parents=True)
    (results / "turing.json").write_text(json.dumps({"parts": rows}))
    monkeypatch.chdir(tmp_path)
    page = EXPERIMENT.page(_rows(profile))
    assert row_of(page, "D (1250)", "`pikl`")[4] == "60.0% (50.0% to 70.0%)"
    assert row_of(page, "D (1250)", "`sa`")[4] == "-"


def _rows(profile) -> dict:
    part = parts(False)[PART]
    return {PART: part.run(lambda done, due: None, {}) | {"settings": part.settings}}
