"""``evenmatch me``: levels, lists, files, people."""

import json
import re
from datetime import datetime
from xml.etree import ElementTree

import pytest

from evenmatch.games import get_game
from evenmatch.profiles import Profile, record_facts
from evenmatch.profiles.guesses import Guess
from evenmatch.records.chess.pgn import read_games
from evenmatch.records.form import form_of
from evenmatch.sessions.saved import YOU

WON = "4 4 4 4"  # against random with seed 2, connect4
PGN = """[Event "Rated rapid game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2022.05.??"]
[White "Ann"]
[Black "Bob"]
[WhiteElo "1450"]
[BlackElo "1490"]
[TimeControl "600+0"]
[Result "{result}"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 {result}

"""


@pytest.fixture
def played(run):
    """A game of Connect Four that was won."""
    run("play", "connect4", "-o", "random", "-s", "2", lines=WON)


@pytest.fixture
def lichess(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN.replace("{result}", "1-0") + PGN.replace("{result}", "0-1"))
    return str(path)


def test_nothing_played(run):
    said = run("me").stdout
    assert said == "You have finished no game yet; play one: evenmatch play GAME.\n"
    assert "no game of Othello yet" in run("me", "-g", "othello").stdout
    for name in ("Ada", "ada"):
        assert run("me", "--name", name).stdout.startswith(f"{name} has finished no game yet")
    assert json.loads(run("me", "--json").stdout) == {"name": "you", "games": []}
    run("play", "connect4", "-o", "random", "-s", "2", "--name", "Ada", lines=WON)
    assert "games of others: --name Ada" in run("me").stdout


def test_games_and_scores_are_listed(run, played):
    run("play", "connect4", "-o", "random", "-s", "3", lines="4 3 resign")
    said = run("me").stdout
    assert "Connect Four" in said
    assert re.search(r"\d+ \(\d+ to \d+ with 95%\) on the scale evenmatch today", said)
    assert "MCTS with 100 playouts" in said or "random moves" in said
    assert ["random", "2", "1", "0", "1"] in [line.split() for line in said.splitlines()]
    assert "resignation" in said


def test_games_from_elsewhere_tell_a_level(run, lichess):
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


def test_a_page(run, lichess, played, tmp_path):
    """One file that loads nothing, with a plot where there is a level; text is text."""
    run("me", "import", lichess, "--player", "Ann")
    path = tmp_path / "me.html"
    assert run("me", "--html", str(path)).stderr.endswith(f"Wrote {path}\n")
    page = path.read_text()
    assert not re.search(r"(src|href)=|url\(|@import|<script", page)
    assert page.count("<svg") == 1
    assert page.count("<h2>") == 2
    level = json.loads(run("me", "-g", "chess", "--json").stdout)["games"][0]["level"]
    assert f"<b>{level['rating']}</b>" in page
    assert f"({level['low']} to {level['high']} with 95%)" in page
    tree = ElementTree.fromstring(re.search("<svg.*</svg>", page, re.S)[0])
    assert len(tree.find("polyline").get("points").split()) == 2
    assert len(tree.find("polygon").get("points").split()) == 4


def test_names_are_no_markup(run, tmp_path):
    run("play", "connect4", "-o", "random", "-s", "2", "--name", "<b>&", lines=WON)
    run("me", "--name", "<b>&", "--html", str(tmp_path / "me.html"))
    assert "<h1>&lt;b&gt;&amp;</h1>" in (tmp_path / "me.html").read_text()


def test_many_opponents_are_counted_together(run, lichess, tmp_path):
    path = tmp_path / "many.pgn"
    text = PGN.replace("{result}", "1-0")
    path.write_text("".join(text.replace("Bob", f"Bob{k}") for k in range(10)))
    run("me", "import", str(path), "--player", "Ann")
    said = run("me", "-g", "chess").stdout
    assert ["2", "others", "2", "2", "0", "0"] in [line.split() for line in said.splitlines()]


def test_a_game_is_added_once(run, lichess):
    run("me", "import", lichess, "--player", "Ann")
    again = run("me", "import", lichess, "--player", "Ann")
    assert again.stdout.startswith("Added 0 games.")
    assert "Skipped 2 games that you have already." in again.stderr


def test_who_imports_by_another_name_is_that_player(run, lichess):
    """Nobody is both players of a game. All is as if the right name had been typed at once."""
    run("me", "import", lichess, "--player", "Bob", "--name", "Right")
    run("me", "import", lichess, "--player", "Ann")
    before = json.loads(run("me", "--json").stdout)["games"][0]
    other = run("me", "import", lichess, "--player", "bob")
    assert other.stdout.startswith("Added 0 games.")
    assert other.stderr == "note: You are 'bob' now in 2 games that you had already.\n"
    after, right = (
        json.loads(run("me", "--json", *whose).stdout)["games"][0]
        for whose in ((), ("--name", "Right"))
    )
    assert [one.pop("first") for one in after["played"]] == ["Ann", "Ann"]
    assert [one.pop("second") for one in after["played"]] == ["You", "You"]
    for one in right["played"]:
        del one["first"], one["second"]
    for one in (before, after, right):
        del one["level"]["when"]  # it was asked for
    assert after == right
    assert after["level"] != before["level"]


def test_nobody_is_both_players_of_a_game(run, lichess):
    run("me", "import", lichess, "--player", "Ann")
    run("me", "import", lichess, "--player", "Bob")
    assert len(Profile().games.finished("you")) == 2
    bob = run("me", "import", lichess, "--player", "Bob", "--name", "Bob")
    assert bob.stdout.startswith("Added 2 games.")


def test_ratings_of_other_servers_are_no_evidence(run, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN.replace("{result}", "1-0").replace("lichess.org", "chess.com"))
    run("me", "import", str(path), "--player", "Ann")
    assert Profile().games.finished("you")[0].outcome.level is None


def test_games_played_here_are_not_added_again(run, lichess, tmp_path):
    """From the file that the terminal keeps, or from an export; nor under another case."""
    run("play", "chess", "-o", "random", "-s", "1", lines="e4 d4 Nf3 resign")
    kept = str(run.state / "games.pgn")
    assert run("me", "import", kept, "--player", "You").stdout.startswith("Added 0 games.")
    run("me", "import", lichess, "--player", "Ann", "--name", "ada")
    run("me", "rename", "Ada", "--name", "ada")
    again = run("me", "import", lichess, "--player", "Ann", "--name", "Ada")
    assert again.stdout.startswith("Added 0 games.")


SGF = """(;GM[1]SZ[19]KM[0.5]HA[2]AB[dd][pp]PB[Ann]BR[5k]PW[Bob]WR[3k]RE[W+R]DT[2022-03-14]
EV[Club];W[pd];B[dp];W[cf];B[fd])"""


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


@pytest.mark.parametrize("rules", ["", "RU[Japanese]", "RU[Chinese]"])
def test_what_a_record_of_go_tells_is_given_back(run, tmp_path, rules):
    """Ranks, rules, place and times too; without a date none is made up."""
    source, mine = tmp_path / "games.sgf", tmp_path / "mine.sgf"
    source.write_text(SGF.replace("DT[2022-03-14]", f"PC[KGS]TM[600]OT[5x30 byo-yomi]{rules}"))
    run("me", "import", str(source), "--player", "Ann")
    run("me", "export", str(mine))
    (told,), (again,) = form_of("go").games(source), form_of("go").games(mine)
    assert again.players == ("Bob", "You")
    for name in ("ratings", "event", "site", "date", "year", "time_control", "start", "result"):
        assert getattr(again, name) == getattr(told, name), name


@pytest.mark.parametrize(
    ("told", "points"),
    [
        ("KM[0.5]RU[chinese]HA[1]", 1.5),  # as OGS has it: Black plays first
        ("KM[0.5]RU[chinese]AB[dd][pp]PL[W]", 0.5),  # stones, but no handicap
    ],
)
def test_what_white_gets_for_a_handicap_is_given_back(run, tmp_path, told, points):
    source, mine = tmp_path / "games.sgf", tmp_path / "mine.sgf"
    source.write_text(
        f"(;GM[1]SZ[19]{told}PB[Ann]PW[Bob]RE[W+R];{'W' if 'PL' in told else 'B'}[cf])"
    )
    run("me", "import", str(source), "--player", "Ann")
    run("me", "export", str(mine))
    (before,), (again,) = form_of("go").games(source), form_of("go").games(mine)
    assert again.start == before.start
    go = get_game("go")
    assert go.komi_of(go.read_position(again.start)[None])[0] == points


JUDGED = """[Event "Rated rapid game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2022.05.17"]
[White "Ann"]
[Black "Bob"]
[WhiteElo "1450"]
[BlackElo "1490"]
[TimeControl "600+5"]
[Result "1-0"]

1. e4 {[%eval 0.3] [%clk 0:10:00]} 1... e5 {[%eval 0.25] [%clk 0:09:58]}
2. Nf3 {[%eval 0.31] [%clk 0:09:57]} 2... f6 {[%eval 1.4] [%clk 0:09:40]}
3. Nxe5 {[%eval 1.3]} 3... fxe5 {[%eval 3.2]} 4. Qh5+ {[%eval 3.3]} 4... Ke7 {[%eval #5]}
5. Qxe5+ {[%eval #4]} 5... Kf7 {[%eval #4]} 6. Bc4+ {[%eval #3]} 1-0

"""


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.pgn"
    path.write_text(JUDGED)
    return path


def test_what_a_record_of_chess_tells_is_given_back(run, judged, tmp_path):
    """Evaluations, clocks, event, site, ratings of both; as PGN and JSON."""
    run("me", "import", str(judged), "--player", "Bob")
    mine = tmp_path / "mine.pgn"
    run("me", "export", str(mine))
    (told,), (again,) = read_games(judged), read_games(mine)
    for name in ("ratings", "event", "site", "date", "year", "time_control", "result", "speed"):
        assert getattr(again, name) == getattr(told, name), name
    for name in ("moves", "evals", "clocks"):
        assert getattr(again, name).tolist() == getattr(told, name).tolist(), name
    record = json.loads(run("me", "export").stdout)["record"]
    assert record["ratings"] == [1450, 1490]
    assert record["evals"] == told.evals.tolist()
    assert record["clocks"][3:5] == [580, None]


@pytest.mark.parametrize("player", ["Ann", "Bob"])
def test_an_imported_game_tells_what_estimate_tells_of_its_file(run, judged, player):
    """By its evaluations, too; nobody's rating is known, so results do not count."""
    judged.write_text(JUDGED.replace("1450", "?").replace("1490", "?"))
    run("me", "import", str(judged), "--player", player)
    level = json.loads(run("me", "--json").stdout)["games"][0]["history"][0]
    bare = judged.with_name("bare.pgn")
    bare.write_text(re.sub(r"\[%eval [^]]*\]", "", judged.read_text()))
    found, without = (
        json.loads(run("estimate", str(path), "-p", player, "--json").stdout)["players"][0]
        for path in (judged, bare)
    )
    for name in ("rating", "low", "high"):
        assert level[name] == found[name], name
    assert found["rating"] != without["rating"], "evaluations count"


def test_what_an_older_version_lost_is_kept_by_importing_again(run, judged):
    """The game is judged anew, by its evaluations."""
    run("me", "import", str(judged), "--player", "Ann")
    profile = Profile()
    level = profile.levels.history(YOU, "chess")
    with profile.together() as connection:
        connection.execute("DELETE FROM told")
        connection.execute("DELETE FROM evidence")
    assert profile.levels.history(YOU, "chess") != level
    again = run("me", "import", str(judged), "--player", "Ann")
    assert "Kept what the record of 1 game tells now." in again.stderr
    assert again.stdout.startswith("Added 0 games.")
    assert profile.levels.history(YOU, "chess") == level


def test_what_a_record_tells_later_is_added(run, judged):
    """As of a game that was analysed after it was added first; what is there already stays."""
    text = judged.read_text()
    judged.write_text(re.sub(r"\[%eval [^]]*\]", "", text).replace("600+5", "-"))
    run("me", "import", str(judged), "--player", "Ann")
    (bare,) = Profile().games.finished("you")
    assert bare.told.ply_evals is None
    judged.write_text(text)
    again = run("me", "import", str(judged), "--player", "Ann")
    assert "Kept what the record of 1 game tells now." in again.stderr
    (told,), (game,) = read_games(judged), Profile().games.finished("you")
    assert game.told.ply_evals.tolist() == told.evals.tolist()
    assert game.told.clocks == bare.told.clocks
    third = run("me", "import", str(judged), "--player", "Ann")
    assert "you have already" in third.stderr


def test_long_texts_of_a_record_are_cut(run, judged):
    long = "Rated rapid game" + "x" * 9000
    text = judged.read_text().replace("Rated rapid game", long)
    judged.write_text(text.replace("lichess.org/abcdefgh", long))
    run("me", "import", str(judged), "--player", "Ann")
    (game,) = Profile().games.finished("you")
    assert game.told.event == long[: record_facts.LONGEST]
    assert len(game.told.site) == record_facts.LONGEST


def test_games_of_another_speed_are_told(run, tmp_path):
    path = tmp_path / "games.pgn"
    bullet = PGN.replace("{result}", "1-0").replace("Rated rapid", "Rated bullet")
    path.write_text(bullet.replace("600+0", "60+0"))
    added = run("me", "import", str(path), "--player", "Ann")
    assert "told of rapid games. 1 game of another speed" in added.stderr
    assert Profile().games.finished("you")[0].outcome.level is None


@pytest.mark.parametrize("word", ["delete", "export"])
def test_options_before_the_word_are_refused(refused, word):
    """Else they would be those of nobody, and the default person be deleted."""
    line = refused("me", "--name", "Ada", word)
    assert f"write options behind the word: evenmatch me {word} --name NAME" in line


@pytest.mark.parametrize("name", ["", " ", "a\nb"])
def test_names_that_are_none(refused, name):
    assert "--name" in refused("me", "delete", "--yes", "--name", name)


def test_bad_imports(refused, tmp_path, lichess):
    assert "no finished game of 'Carl'; the files have games of 'Ann', 'Bob';" in refused(
        "me", "import", lichess, "--player", "Carl"
    )
    (tmp_path / "unfinished.pgn").write_text(PGN.replace("{result}", "*"))
    path = str(tmp_path / "unfinished.pgn")
    assert "no finished game of 'Ann'; 1 game without a result; the files have games of 'Bob';" in (
        refused("me", "import", path, "--player", "Ann")
    )
    assert "check the path" in refused("me", "import", f"{path}x", "--player", "Ann")


def test_a_wrong_name_is_told_those_most_like_it(refused, tmp_path):
    """And how many more there are."""
    path = tmp_path / "many.pgn"
    names = ["Abe", "Bea", "Cleo", "Magnus, Carl", "Carlos", "Zoe"]
    game = PGN.replace("{result}", "1-0")
    path.write_text("".join(game.replace("Ann", name) for name in names))
    said = refused("me", "import", str(path), "--player", "Carl")
    assert "; the files have games of 'Magnus, Carl', 'Carlos', 'Abe' and 4 more; check" in said


def test_guesses_are_exported_with_all_games(run, played, tmp_path):
    profile = Profile()
    profile.guesses.add(YOU, Guess("p1", "g1", "certain", True, 5.0))
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
    assert [record.players for record in read_games(path)] == [("You", "Bob")] * 2
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
        ("2022.??.??", "2022", "2022.??.??"),
        ("2022.02.31", "2022", "2022.??.??"),
        ("????.??.??", None, "????.??.??"),
    ],
)
def test_a_game_from_elsewhere_keeps_the_day_that_it_tells(run, tmp_path, date, told, tag):
    """A day that is not told in full, or does not exist, is not made up."""
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


def test_what_a_record_does_not_tell_is_not_made_up(run, tmp_path):
    """The event "?", and a date of which the year alone is told, come back as they were."""
    source, mine, again = (tmp_path / f"{name}.pgn" for name in ("games", "mine", "again"))
    game = PGN.replace("{result}", "1-0").replace("Rated rapid game", "?")
    source.write_text(game.replace("2022.05.??", "2022.??.??"))
    for path, out, player in ((source, mine, "Ann"), (mine, again, "mine")):
        run("me", "import", str(path), "--player", player, "--name", out.stem)
        run("me", "export", str(out), "--name", out.stem)
    for path in (mine, again):
        assert '[Event "?"]' in path.read_text()
        assert '[Date "2022.??.??"]' in path.read_text()


def test_a_month_of_go_is_given_back(run, tmp_path):
    source, mine = tmp_path / "games.sgf", tmp_path / "mine.sgf"
    source.write_text(SGF.replace("DT[2022-03-14]", "DT[2022-09]"))
    run("me", "import", str(source), "--player", "Ann")
    run("me", "export", str(mine))
    assert "DT[2022-09]" in mine.read_text()


@pytest.mark.parametrize("size", [9, 13])
def test_games_on_small_boards_are_added(run, tmp_path, size):
    """No scale of ratings is known there."""
    source = tmp_path / "games.sgf"
    source.write_text(f"(;GM[1]SZ[{size}]PB[Ann]PW[Bob]RE[W+R];B[dd];W[cf];B[fd])")
    result = run("me", "import", str(source), "--player", "Ann", "--game", f"go{size}")
    assert result.exit_code == 0, result.output
    assert "Added 1 game" in result.output


def test_a_month_that_is_told_later_is_kept(run, tmp_path):
    """As of games that were added by a version that read no months."""
    path = tmp_path / "games.pgn"
    game = PGN.replace("{result}", "1-0")
    for date in ("2022.??.??", "2022.05.??", "2022.??.??"):
        path.write_text(game.replace("2022.05.??", date))
        run("me", "import", str(path), "--player", "Ann")
    (kept,) = Profile().games.finished(YOU)
    assert kept.told.date == "2022-05"
    assert datetime.fromtimestamp(kept.ended) == datetime(2022, 5, 16)


def test_what_is_skipped_is_told(run, refused, tmp_path):
    """With the first reason, and the games that count as of today."""
    path = tmp_path / "some.pgn"
    good = PGN.replace("{result}", "1-0")
    future = good.replace("2022.05.??", "2999.01.01").replace("Re1", "d3")
    broken = good.replace("6. Re1", "6. Ke8")
    path.write_text(good + PGN.replace("{result}", "*") + broken + future)
    told = run("me", "import", str(path), "--player", "Ann").stderr
    assert "Skipped 1 game that could not be read:" in told
    assert "Ke8" in told
    assert "Skipped 1 game without a result." in told
    assert "1 game without a date, counted as played today." in told
    path.write_text(broken)
    assert "1 game could not be read: " in refused("me", "import", str(path), "--player", "Ann")


def test_a_file_is_not_written_over(run, refused, played, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("precious")
    assert "is there already; choose another name" in refused("me", "export", str(path))
    assert path.read_text() == "precious"


def test_people_are_renamed_and_deleted(run, refused, played):
    assert run("me", "rename", "  Ada  B ").stdout == (
        "You play by the name Ada B now: add --name.\n"
    )
    assert "finished no game" in run("me").stdout
    assert "Connect Four" in run("me", "--name", "ada b").stdout
    assert "for good; add --yes" in refused("me", "delete", "--name", "Ada B")
    (run.state / "games.pgn").touch()
    deleted = run("me", "delete", "--name", "Ada B", "--yes")
    assert deleted.exit_code == 0
    assert "games.pgn has finished games of everybody" in deleted.stderr
    assert Profile().people.names() == []
    assert "nobody is called 'Ada B' here" in refused("me", "delete", "--name", "Ada B", "--yes")
