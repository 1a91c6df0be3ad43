"""``evenmatch calibrate``; its games are coin tosses, in which every setting is one strength."""

import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from filelock import FileLock

from evenmatch.opponents import dials
from evenmatch.opponents.dials import curve_of, own_curve_path, read_curve
from evenmatch.opponents.rating_range import ANCHORS
from evenmatch.ratings.score import Score, expected_score
from evenmatch.workshop import calibration


def strength(spec: str) -> float:
    known = {"mcts:sims=300": 1700.0, "mcts:sims=100": 1500.0, "random": 700.0}
    if spec.startswith("style:s="):
        return 700 + 190 * float(spec.removeprefix("style:s="))
    return known.get(spec, 2050.0)


@pytest.fixture(autouse=True)
def none_ships(monkeypatch, tmp_path):
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "shipped.json")


@pytest.fixture(autouse=True)
def tosses(monkeypatch):
    def play_match(a, b, game, count, *, seed, openings, by):
        rng = np.random.default_rng(seed)
        wins = int(rng.binomial(count, expected_score(strength(a) - strength(b))))
        return SimpleNamespace(score=Score(wins=wins, losses=count - wins, draws=0))

    monkeypatch.setattr(calibration, "play_match", play_match)
    monkeypatch.setattr(calibration, "DRAWS", 500)  # what bands are of


def test_calibrate(run, tmp_path):
    plot = tmp_path / "curve.svg"
    result = run("calibrate", "connect4", "--within", "150", "--plot", str(plot))
    assert result.exit_code == 0, result.output
    assert "Connect Four: style, " in result.stdout
    assert re.search(r"MCTS1: 17\d\d ±\d+ \([\d,]+ games\)", result.stdout)
    assert "Players use it from now on." in result.stderr
    curve = curve_of("connect4", "style", own=True)
    assert curve == read_curve(own_curve_path("connect4", "style"))
    assert curve.command.startswith("evenmatch")
    assert abs(curve.rating(4) - strength("style:s=4")) < 150
    assert plot.read_text().startswith("<?xml")


def test_players_use_it(run):
    assert run("match", "style:elo=1300", "random", "-g", "connect4", "-n", "2").exit_code == 2
    run("calibrate", "connect4", "--within", "200")
    assert run("match", "style:elo=1300", "random", "-g", "connect4", "-n", "2").exit_code == 0


def test_as_json_into_a_file(run, tmp_path):
    out = tmp_path / "curve.json"
    result = run("calibrate", "connect4", "--within", "200", "--out", str(out), "--json")
    told = json.loads(result.stdout)
    assert told["player"] == "style"
    assert [row["setting"] for row in told["settings"]] == list(read_curve(out).settings)
    assert {row["name"] for row in told["anchors"]} <= {one.name for one in ANCHORS["connect4"]}
    assert curve_of("connect4", "style", own=True) is None, "players go on as before"


def test_it_goes_on(run):
    first = json.loads(run("calibrate", "connect4", "--within", "250", "--json").stdout)
    second = json.loads(run("calibrate", "connect4", "--within", "120", "--json").stdout)
    assert second["games"] > first["games"]
    assert run("calibrate", "connect4", "--seed", "3").exit_code == 2
    anew = ("calibrate", "connect4", "--seed", "3", "--within", "250", "--again", "--json")
    assert json.loads(run(*anew).stdout)["games"] < second["games"]


def test_ctrl_c_keeps_the_games(run, monkeypatch):
    play = calibration.Calibration.play
    seen = []

    def until_the_third(self, a, b):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append((a, b))
        play(self, a, b)

    monkeypatch.setattr(calibration.Calibration, "play", until_the_third)
    result = run("calibrate", "connect4")
    assert result.exit_code == 130
    assert result.stderr == (
        "Interrupted. 48 games are kept; the same command continues from there.\n"
    )
    assert curve_of("connect4", "style", own=True) is None


def test_a_wide_curve_does_not_take_the_place_of_a_narrower_one(run, tmp_path, monkeypatch):
    run("calibrate", "connect4", "--within", "150", "--out", str(tmp_path / "shipped.json"))
    shipped = curve_of("connect4", "style", own=True)
    steps = calibration.Calibration.steps

    def short(self, within, until):
        return steps(self, within, lambda standing: standing.games >= 48)

    monkeypatch.setattr(calibration.Calibration, "steps", short)
    result = run("calibrate", "connect4", "--within", "50", "--seed", "5")
    assert result.exit_code == 0
    assert "The curve that players use is narrower" in result.stderr
    assert curve_of("connect4", "style", own=True) == shipped


def test_one_at_a_time(run):
    own_curve_path("connect4", "style").parent.mkdir(parents=True)
    with FileLock(own_curve_path("connect4", "style").with_suffix(".lock")):
        result = run("calibrate", "connect4")
    assert result.exit_code == 2
    assert "another evenmatch is calibrating it; wait until that ends" in result.stderr


def test_go_without_a_player_of_known_rating(run, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    result = run("calibrate", "go9")
    assert result.exit_code == 2
    assert "no program of known rating at go9 is here; install GNU Go\n" in result.stderr


def test_out_replaces_no_other_file(run, tmp_path):
    precious = tmp_path / "notes.txt"
    for text in ("mine", '{"mine": 1}'):
        precious.write_text(text)
        result = run("calibrate", "connect4", "--out", str(precious))
        assert result.exit_code == 2
        assert "is another file; choose another --out" in " ".join(result.stderr.split())
        assert precious.read_text() == text
    result = run("calibrate", "connect4", "--out", str(tmp_path))
    assert "is a folder; name a file" in " ".join(result.stderr.split())
    assert sorted(tmp_path.glob("*.lock")) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ludo",), "unknown game"),
        (("connect4", "--within", "0"), "--within 0 is not a width; give some Elo, such as 80"),
        (("connect4", "--within", "nan"), "write a number"),
        (("connect4", "--minutes", "-1"), "--minutes -1 is not a time; give some, such as 60"),
        (("connect4", "--minutes", "abc"), "write a number"),
        (("connect4", "--out", "/dev/null/x.json"), "choose another --out"),
        (("connect4", "--out", ""), "--out names no file; write one, such as curve.json"),
        (("connect4", "--plot", "curve"), "--plot is drawn as SVG; write a name that says so"),
        (("connect4", "--plot", "curve.png"), "such as curve.svg"),
        (("connect4", "--within", "300", "--plot", "/dev/null/x.svg"), "choose another --plot"),
    ],
)
def test_bad_input_is_told(run, arguments, message):
    result = run("calibrate", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stderr.count("error:") == 1


def test_a_plot_without_matplotlib_is_refused_before_any_game(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("calibrate", "connect4", "--plot", "curve.svg")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: plots need matplotlib; install it: pip install 'evenmatch[plot]'\n"
    )
