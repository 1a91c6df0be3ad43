"""``evenmatch me export``: what was told of games is given back, and nothing is made up."""

import json

import pytest
from records_from_elsewhere import PGN, SGF

from evenmatch.play.saved import YOU
from evenmatch.profiles import Profile, levels
from evenmatch.profiles.people import Guess
from evenmatch.records.codec import codec_for


def test_white_who_gave_a_handicap_is_white(run, tmp_path):
    """Though White moves first there."""
    source, mine = tmp_path / "games.sgf", tmp_path / "mine.sgf"
    source.write_text(SGF)
    run("me", "import", str(source), "--player", "Bob")
    (game,) = Profile().games.finished("you")
    assert (game.saved.side, game.outcome.result) == (-1, 1)
    run("me", "export", str(mine))
    text = mine.read_text()
    assert all(one in text for one in ("PB[Ann]", "BR[5k]", "PW[You]", "WR[3k]", "EV[Club]"))


def test_what_a_record_of_go_tells_is_given_back(run, tmp_path):
    """Ranks, rules, place and times too; without a date none is made up."""
    source, mine = tmp_path / "games.sgf", tmp_path / "mine.sgf"
    source.write_text(SGF.replace("DT[2022-03-14]", "PC[KGS]TM[600]OT[5x30 byo-yomi]RU[Japanese]"))
    run("me", "import", str(source), "--player", "Ann")
    run("me", "export", str(mine))
    (told,), (again,) = codec_for("go").games(source), codec_for("go").games(mine)
    assert again.players == ("Bob", "You")
    for name in ("ratings", "event", "site", "date", "year", "time_control", "start", "result"):
        assert getattr(again, name) == getattr(told, name), name


def test_what_a_record_of_chess_tells_is_given_back(run, judged, tmp_path):
    """Evaluations, clocks, event, site, ratings of both; as PGN and JSON."""
    run("me", "import", str(judged), "--player", "Bob")
    mine = tmp_path / "mine.pgn"
    run("me", "export", str(mine))
    (told,), (again,) = codec_for("chess").games(judged), codec_for("chess").games(mine)
    for name in ("ratings", "event", "site", "date", "year", "time_control", "result", "speed"):
        assert getattr(again, name) == getattr(told, name), name
    for name in ("moves", "evals", "clocks"):
        assert getattr(again, name).tolist() == getattr(told, name).tolist(), name
    record = json.loads(run("me", "export").stdout)["record"]
    assert record["ratings"] == [1450, 1490]
    assert record["evals"] == told.evals.tolist()
    assert record["clocks"][3:5] == [580, None]


def test_guesses_are_exported_with_all_games(run, played, tmp_path):
    profile = Profile()
    profile.guesses.add(YOU, Guess("p1", "g1", "certain", True, 5.0, "chess"))
    profile.close()
    path = tmp_path / "mine.json"
    told = f"Wrote 1 game and what was said of 1 pair to {path}\n"
    assert run("me", "export", str(path)).stderr == told
    game, guess = map(json.loads, path.read_text().splitlines())
    assert (game["game"], guess["pair"], guess["right"]) == ("connect4", "p1", True)
    assert "certain" not in run("me", "export", "--game", "connect4").stdout


def test_games_are_exported(run, refused, played, lichess, tmp_path):
    run("me", "import", lichess, "--player", "Ann")
    path = tmp_path / "mine.pgn"
    assert run("me", "export", str(path)).stderr == f"Wrote 2 games to {path}\n"
    assert [record.players for record in codec_for("chess").games(path)] == [("You", "Bob")] * 2
    lines = run("me", "export").stdout.splitlines()
    assert [json.loads(line)["game"] for line in lines] == ["chess", "chess", "connect4"]
    for name in ("mine.txt", "mine.sgf"):
        refused("me", "export", str(tmp_path / name))
        assert not (tmp_path / name).exists(), "no file is empty"
    assert "cannot hold these games" in refused("me", "export", str(path), "-g", "connect4")


@pytest.mark.parametrize(
    ("date", "told", "tag"),
    [
        ("2022.05.17", "2022-05-17", "2022.05.17"),
        ("2022.05.??", "2022-05", "2022.05.??"),
        ("2022.02.31", "2022", "2022.??.??"),
        ("????.??.??", None, "????.??.??"),
    ],
)
def test_a_game_from_elsewhere_keeps_the_day_that_it_tells(
    run, tmp_path, monkeypatch, date, told, tag
):
    """A day that is not told in full, or does not exist, is not made up."""
    monkeypatch.setattr(levels, "LEAST_MOVES", 0)  # the game has few moves
    source, mine = tmp_path / "games.pgn", tmp_path / "mine.pgn"
    source.write_text(PGN.replace("{result}", "1-0").replace("2022.05.??", date))
    run("me", "import", str(source), "--player", "Ann")
    (line,) = run("me", "export").stdout.splitlines()
    assert json.loads(line)["ended"] == told
    run("me", "export", str(mine))
    assert f'[Date "{tag}"]' in mine.read_text()
    facts = json.loads(run("me", "--json").stdout)["games"][0]
    assert [one["when"] for one in facts["history"]] == [told]
    said = run("me").stdout
    assert f"from 1 game{f' since {told}' if told else ''}." in " ".join(said.split())
    assert [line.split()[0] for line in said.splitlines() if "Bob" in line][-1] == (told or "?")


def test_a_file_is_not_written_over(run, refused, played, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("precious")
    assert "is there already; choose another name" in refused("me", "export", str(path))
    assert path.read_text() == "precious"
