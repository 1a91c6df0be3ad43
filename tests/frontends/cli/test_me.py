"""``evenmatch me``: levels and lists, on the screen and as a page; people by name."""

import json
import re
from xml.etree import ElementTree

import pytest
from records_from_elsewhere import JUDGED, WON

from evenmatch.profiles import Profile, levels


def test_nothing_played(run):
    said = run("me").stdout
    assert said == "You have finished no game yet; play one: evenmatch play GAME.\n"
    assert "no game of Othello yet" in run("me", "-g", "othello").stdout
    for name in ("Ada", "ada"):
        assert run("me", "--name", name).stdout.startswith(f"{name} has finished no game yet")
    assert json.loads(run("me", "--json").stdout) == {"name": "you", "games": []}
    run("play", "connect4", "-o", "random", "-s", "2", "--name", "Ada", lines=WON)
    assert "games of others: --name Ada" in run("me").stdout


def test_a_level_is_shown_after_ten_moves_and_roundly_while_it_is_uncertain(run, played):
    """Four moves and one that was resigned say nothing; forced moves and hints do not count."""
    run("play", "connect4", "-o", "random", "-s", "3", lines="hint 4 3 resign")
    said = " ".join(run("me").stdout.split())
    assert "No level yet: 6 more moves of your own are needed." in said or (
        "No level yet: 5 more moves of your own are needed." in said  # if the hint was not 4
    )
    assert "95%" not in said
    assert "--elo" not in said
    facts = json.loads(run("me", "--json").stdout)["games"][0]
    assert (facts["level"], facts["history"]) == (None, [])
    assert 5 <= facts["moves_missing"] <= 6
    for _ in range(2):
        run("play", "connect4", "-o", "random", "-s", "2", lines=WON)
    said = " ".join(run("me").stdout.split())
    shown = r"provisional, about \d+00 \(\d+ to \d+ with 95%\) today on the scale of evenmatch's"
    assert re.search(shown, said)
    assert "No level yet" not in said
    facts = json.loads(run("me", "--json").stdout)["games"][0]
    assert facts["moves_missing"] == 0
    assert facts["level"]["provisional"]
    assert facts["level"]["high"] - facts["level"]["low"] > 400


def test_one_move_and_resigning_shows_no_level_and_no_mistake(run, tmp_path):
    """Neither in the terminal, as JSON, on a page, nor before the next game."""
    run("play", "chess", lines="e4 resign")
    said = " ".join(run("me").stdout.split())
    missing = "No level yet: 9 more moves of your own are needed."
    facts = json.loads(run("me", "--json").stdout)["games"][0]
    assert (facts["level"], facts["history"], facts["moves_missing"]) == (None, [], 9)
    assert facts["losses"]["latest"] == []
    run("me", "--html", str(tmp_path / "me.html"))
    page = (tmp_path / "me.html").read_text()
    for shown in (said, page):
        assert missing in shown
        assert not re.search(r"1[0-9]{3} \(|provisional|gave up most", shown)
    again = run("play", "chess", lines="quit").stdout
    assert missing in again
    assert "Your level:" not in again


def test_games_from_elsewhere_tell_a_level(run, lichess, monkeypatch):
    monkeypatch.setattr(levels, "LEAST_MOVES", 5)
    monkeypatch.setattr(levels, "WIDE", 1e6)
    added = run("me", "import", lichess, "--player", "ann")
    assert added.stdout == "Added 2 games. To see them: evenmatch me\n"
    facts = json.loads(run("me", "-g", "chess", "--json").stdout)["games"][0]
    level = facts["level"]
    assert (level["scale"], level["games"]) == ("lichess-rapid", 2)
    assert 1000 <= level["low"] < level["rating"] < level["high"] <= 2600
    assert [one["second"] for one in facts["played"]] == ["Bob", "Bob"]
    assert [one["level"] for one in facts["played"]] == [1490, 1490]
    assert facts["played"][0]["moves"][:3] == ["e4", "e5", "Nf3"]
    said = run("me").stdout
    assert "since 2022-05." in " ".join(said.split()), "no day is made up"
    assert f"{level['rating']} ({level['low']} to {level['high']} with 95%)" in said
    assert "after game" in said


def test_a_page(run, lichess, played, tmp_path, monkeypatch):
    """One file that loads nothing, with a plot where there is a level; text is text."""
    monkeypatch.setattr(levels, "LEAST_MOVES", 5)
    run("me", "import", lichess, "--player", "Ann")
    path = tmp_path / "me.html"
    assert run("me", "--html", str(path)).stderr.endswith(f"Wrote {path}\n")
    page = path.read_text()
    assert not re.search(r"(src|href)=|url\(|@import|<script", page)
    assert page.count("<svg") == 1
    assert page.count("<h2>") == 2
    level = json.loads(run("me", "-g", "chess", "--json").stdout)["games"][0]["level"]
    assert f"<b>provisional, about {level['rating'] / 100:.0f}00</b>" in page
    assert f"({level['low']} to {level['high']} with 95%)" in page
    tree = ElementTree.fromstring(re.search("<svg.*</svg>", page, re.S)[0])
    assert len(tree.find("polyline").get("points").split()) == 2
    assert len(tree.find("polygon").get("points").split()) == 4


def test_an_imported_game_tells_what_estimate_tells_of_its_file(run, judged, monkeypatch):
    """By its evaluations, too; nobody's rating is known, so results do not count.

    But for the first guess, that a stranger is about 1500.
    """
    monkeypatch.setattr(levels, "first_guess", lambda *_: None)
    monkeypatch.setattr(levels, "LEAST_MOVES", 0)
    judged.write_text(JUDGED.replace("1450", "?").replace("1490", "?"))
    run("me", "import", str(judged), "--player", "Ann")
    level = json.loads(run("me", "--json").stdout)["games"][0]["history"][0]
    bare = judged.with_name("bare.pgn")
    bare.write_text(re.sub(r"\[%eval [^]]*\]", "", judged.read_text()))
    found, without = (
        json.loads(run("estimate", str(path), "-p", "Ann", "--json").stdout)["players"][0]
        for path in (judged, bare)
    )
    for name in ("rating", "low", "high"):
        assert level[name] == found[name], name
    assert found["rating"] != without["rating"], "evaluations count"


@pytest.mark.parametrize("word", ["delete", "export"])
def test_options_before_the_word_are_refused(refused, word):
    """Else they would be those of nobody, and the default person be deleted."""
    line = refused("me", "--name", "Ada", word)
    assert f"write options behind the word: evenmatch me {word} --name NAME" in line


def test_people_are_renamed_and_deleted(run, refused, played):
    assert run("me", "rename", "  Ada  B ").stdout == (
        "You play by the name Ada B now: add --name 'Ada B'.\n"
    )
    assert "at least one letter; write one" in refused("me", "rename", "", "--name", "Ada B")
    assert "finished no game" in run("me").stdout
    assert "Connect Four" in run("me", "--name", "ada b").stdout
    assert "for good; add --yes" in refused("me", "delete", "--name", "Ada B")
    (run.state / "games.pgn").touch()
    deleted = run("me", "delete", "--name", "Ada B", "--yes")
    assert deleted.exit_code == 0
    assert "games.pgn has finished games of everybody" in deleted.stderr
    assert Profile().people.names() == []
    assert "nobody is called 'Ada B' here" in refused("me", "delete", "--name", "Ada B", "--yes")


def test_a_page_replaces_no_other_file(run, refused, tmp_path):
    """It replaces an older page of its own, and an empty file."""
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    assert "precious.txt is another file; choose another name" in refused(
        "me", "--html", str(precious)
    )
    assert precious.read_text() == "mine"
    assert "is a folder; name a file" in refused("me", "--html", str(tmp_path))
    assert "choose one" in refused("me", "--html", str(tmp_path / "x.html"), "--json")
    for _ in range(2):
        run("me", "--html", str(tmp_path / "me.html"))
    assert "<title>" in (tmp_path / "me.html").read_text()


def test_a_loss_that_does_not_count_is_marked(run):
    """It was given up at once, while it was open."""
    run("play", "connect4", "-o", "style:s=1", "-s", "2", lines="4 resign")
    assert "lost, does not count" in " ".join(run("me").stdout.split())
    run("play", "connect4", "-o", "random", "-s", "2", lines=WON)
    rows = [line for line in run("me").stdout.splitlines() if "four in a row" in line]
    assert len(rows) == 1
    assert "does not count" not in rows[0]
