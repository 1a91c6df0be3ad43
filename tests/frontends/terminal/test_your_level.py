"""Opponents at the person's level: by their games, by their word, from game to game."""

import math
from types import SimpleNamespace

import pytest
from scripted_terminal import Scripted, saved

from evenmatch.app.match_level import (
    YourLevel,
    rating_said,
)
from evenmatch.app.start_game import PlayOptions, start
from evenmatch.errors import UsageError
from evenmatch.estimation.level import results_offset
from evenmatch.frontends.terminal import game as terminal
from evenmatch.games import GAMES
from evenmatch.games.catalog import game_info
from evenmatch.opponents import dials
from evenmatch.opponents.rating_range import supported_range
from evenmatch.play.session import Session
from evenmatch.profiles import Profile
from evenmatch.profiles.levels import Level

CHESS, GO = game_info("chess"), game_info("go")
LOWEST = supported_range("chess")[0]
AT_LOWEST = f"pikl:elo={LOWEST:g}"


def profile_at(rating, games=3, results=(), claimed=None):
    """A profile whose people are all of one level, had these results here, and claimed a level."""
    level = Level("x", rating, rating - 90, rating + 90, games, 0)
    found = {"now": level, "results": results, "claimed": claimed}
    return SimpleNamespace(
        levels=SimpleNamespace(**{name: lambda *_, it=it: it for name, it in found.items()})
    )


@pytest.mark.parametrize(
    ("rating", "target", "spec", "note"),
    [
        (
            1432.4,
            0.5,
            "even:elo=1432,unsure=50,moves=0.25",
            "Your level: 1432 (1342 to 1522) by 3 games.",
        ),
        (1500, 0.75, "pikl:elo=1309", "Your level: 1500 (1410 to 1590) by 3 games."),
        (1500, 0.25, "pikl:elo=1691", "Your level: 1500 (1410 to 1590) by 3 games."),
        (LOWEST, 0.95, AT_LOWEST, f"is not measured; it plays at {LOWEST:g}, the lowest"),
        (
            30,
            0.5,
            f"even:elo={LOWEST:g},unsure=50,moves=0.25",
            f"Evenmatch cannot play weaker than {LOWEST:g}.",
        ),
    ],
)
def test_an_opponent_at_a_level(rating, target, spec, note):
    """A target of 75% is 191 Elo below, by eq. 16 of Fujita 2022."""
    found, told = YourLevel(profile_at(rating), "you", "chess", target).opponent()
    assert found == spec
    assert note in told


def test_who_loses_to_their_level_meets_somebody_weaker():
    """And hears why: moves look like 1500, results do not."""
    lost = [(1500.0, 0.0)]
    spec, told = YourLevel(profile_at(1500, results=lost), "you", "chess").opponent()
    rating = float(spec.partition("elo=")[2].partition(",")[0])
    assert 1100 < rating < 1350
    assert spec.startswith("even:")
    assert told.endswith(f"Your results here are those of {rating:.0f}.")
    even = [(1500.0, 0.5)] * 2
    spec, told = YourLevel(profile_at(1500, results=even), "you", "chess").opponent()
    unsure = math.hypot(90 / 1.96, results_offset(1500.0, even).deviation)
    assert spec == f"even:elo=1500,unsure={unsure:.0f},moves=0.25", "two results as expected"
    assert "results" not in told


def test_results_are_not_told_before_there_is_a_level():
    """One won game may show a result far above moves that do not show a level yet."""
    profile = profile_at(1500, results=[(1500.0, 1.0)])
    known = Level("x", 1500, 1400, 1600, 3, 0)
    for missing in (0, 5):
        profile.levels.now = lambda *args, missing=missing: known._replace(missing=missing)
        spec, told = YourLevel(profile, "you", "chess").opponent()
        assert not spec.startswith("even:elo=1500,unsure=50,")
        assert ("Your results here" in told) == (not missing)


@pytest.mark.parametrize(
    ("level", "told"),
    [
        (Level("x", 1542, 1300, 1701, 3, 0), "Your level: provisional, about 1500 (1300 to 1701)"),
        (Level("x", 1542, 1342, 1742, 3, 0), "Your level: 1542 (1342 to 1742) by 3 games."),
        (Level("x", 1691, 900, 2400, 1, 0, missing=9), "No level yet: 9 more moves of your own"),
        (Level("x", 1691, 900, 2400, 2, 0, missing=1), "No level yet: 1 more move of your own is"),
    ],
)
def test_an_uncertain_level_is_not_told_as_a_certain_one(level, told):
    profile = profile_at(1500)
    profile.levels.now = lambda *args: level
    spec, said = YourLevel(profile, "you", "chess").opponent()
    share = f"moves={1 / (1 + level.games):.2g}"
    assert spec == f"even:elo={level.rating:g},unsure={level.deviation:.0f},{share}"
    assert said.startswith(told)
    assert "1691" not in said


def test_the_word_of_a_person_is_acknowledged_beside_their_games():
    profile = profile_at(1500, claimed=1200.0)
    told = YourLevel(profile, "you", "chess").opponent()[1]
    assert told == "Your level: 1500 (1410 to 1590) by your word and 3 games."
    early = Level("x", 1250, 900, 1600, 1, 0, missing=8)
    profile.levels.now = lambda *args: early
    told = YourLevel(profile, "you", "chess").opponent()[1]
    assert told == "No level yet: 8 more moves of your own are needed. Your word counts: 1200."


@pytest.mark.parametrize(
    ("text", "info", "rating"),
    [("1200", CHESS, 1200), ("Beginner", CHESS, 1000), ("club", CHESS, 1700), ("8k", GO, 2300),
     ("club player", GO, 2600)],
)  # fmt: skip
def test_what_people_say_of_themselves(text, info, rating):
    assert rating_said(text, info) == rating


@pytest.mark.parametrize("text", ["", "foo", "99999", "100", "8k"])
def test_what_says_no_level(text):
    with pytest.raises(UsageError, match="is not a level; write 1000, or one of: beginner"):
        rating_said(text, CHESS)


def test_a_stranger_is_believed(run):
    """And remembered: the next game is at the same level without saying it again."""
    for options in (("--i-am", "1700"), ()):
        told = run("play", "chess", *options, lines="resign").stdout
        assert "Your level: 1700 (1210 to 2190) by your word." in told
        assert "Evenmatch, at about your level (Black)" in told
        run("play", "chess", lines="e4")
        assert saved("chess").opponent == "even:elo=1700,unsure=250"
        run("play", "--delete", "chess-1")
    told = run("play", "chess", "--name", "Ada", lines="e4").stdout
    assert "Evenmatch, at about your level (Black)" in told
    assert "report it: evenmatch play chess --name Ada --i-am 1000, or --i-am beginner." in told
    assert saved("chess").opponent == "even"


def test_the_first_game_teaches_the_profile_alone(run):
    """And the second begins with it; the first says what it cannot know."""
    told = run("play", "connect4", "--target", "0.3", lines="4 resign").stdout
    say = "To report it: evenmatch play connect4 --i-am beginner, and --target 0.3 counts then."
    assert say in told
    assert "by this game" in told
    assert Profile().memories.games_known("connect4", "even", "you") is None
    told = run("play", "connect4", "--forget", lines="4 resign").stdout
    assert "Evenmatch begins without 1 earlier game of yours.\n" in told
    assert "by this game" in told
    told = run("play", "connect4", lines="4 resign").stdout
    assert "by what it knew of you and this game" in told


def test_a_resumed_game_keeps_its_opponent_and_the_next_is_at_the_level(run):
    """Unless it was named, or is to forget; then nothing is chosen by the profile."""
    run("play", "connect4", "--i-am", "1700", lines="4")
    started = start(PlayOptions(game="connect4", resume=True))
    assert (started.session.opponent, started.session.by_profile) == (
        "even:elo=1700,unsure=250",
        True,
    )
    assert started.command == "evenmatch play connect4 --as first"
    started.profile.levels.claim("you", "connect4", 1300.0)
    assert started.yours.opponent()[0] == "even:elo=1300,unsure=250"
    started.kept.leave()
    for options in ({"opponent": "even"}, {"forget": True}, {"elo": 1500.0}):
        started = start(PlayOptions(game="connect4", **options))
        assert (started.yours, started.session.by_profile) == (None, False)
        expected = "style:elo=1500" if "elo" in options else "even"
        assert started.session.opponent == expected


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("chess", "--i-am", "1200", "--elo", "1500"), "--i-am and --elo both say how strong"),
        (("chess", "--target", "0.6", "-o", "random"), "--target and --opponent both say"),
        (
            ("chess", "--i-am", "1200", "--forget"),
            "--i-am counts your games in, and --forget leaves",
        ),
        (
            ("connect4", "--target", "0.6", "--forget"),
            "keep one, or write --opponent even:elo=1500",
        ),
        (("go9", "--i-am", "1200"), "--i-am needs ratings, which 9x9 Go does not have; leave it"),
    ],
)
def test_options_that_do_not_go_together(refused, options, why):
    assert why in refused("play", *options)


def test_who_wants_a_level_where_none_was_measured_is_told_how(refused, tmp_path, monkeypatch):
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "none.json")
    why = "--i-am needs ratings, which Othello does not have; measure them: evenmatch calibrate"
    assert why in refused("play", "othello", "--i-am", "1200")


def test_the_next_opponent_is_at_the_new_level(monkeypatch, capsys):
    """A person hears of their level after each game, and the rematch is at it."""
    monkeypatch.setattr(terminal, "PAUSE", 0)
    monkeypatch.setattr("evenmatch.play.session._evaluator_of", lambda networks, opponent: None)
    levels = iter([("human:elo=1300", "Now 1300."), ("human:elo=1300", ""), ("", "Now 1250.")])
    yours = SimpleNamespace(opponent=lambda: next(levels), message=lambda: next(levels)[1])
    session = Session(GAMES["chess"], "random", 1, 3)
    words = Scripted("e4 resign y y resign y n")
    terminal.TerminalGame(session, profile=Profile(), yours=yours, words=words).run()
    said = capsys.readouterr().out
    assert "Now 1300." in said
    assert session.opponent == "human:elo=1300"
    assert "human at 1300 (White)" in said
    assert session.by_profile
