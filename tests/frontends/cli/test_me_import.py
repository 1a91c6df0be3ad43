"""``evenmatch me import``: games are added once, and completed when more is told."""

import datetime
import json
import re

import pytest
from records_from_elsewhere import PGN

from evenmatch.profiles import Profile
from evenmatch.profiles.saved_game import MAX_TEXT
from evenmatch.records.codec import codec_for


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


def test_games_played_here_are_not_added_again(run, lichess, tmp_path):
    """From the file that the terminal keeps, or from an export; nor under another case."""
    run("play", "chess", "-o", "random", "-s", "1", lines="e4 d4 Nf3 resign")
    kept = str(run.state / "games.pgn")
    assert run("me", "import", kept, "--player", "You").stdout.startswith("Added 0 games.")
    run("me", "import", lichess, "--player", "Ann", "--name", "ada")
    run("me", "rename", "Ada", "--name", "ada")
    again = run("me", "import", lichess, "--player", "Ann", "--name", "Ada")
    assert again.stdout.startswith("Added 0 games.")


def test_what_a_record_tells_later_is_added(run, judged):
    """As of a game that was analysed after it was added first; what is there already stays."""
    text = judged.read_text()
    judged.write_text(re.sub(r"\[%eval [^]]*\]", "", text).replace("600+5", "-"))
    run("me", "import", str(judged), "--player", "Ann")
    (bare,) = Profile().games.finished("you")
    assert bare.metadata.ply_evals is None
    judged.write_text(text)
    again = run("me", "import", str(judged), "--player", "Ann")
    assert "Updated the details of 1 game." in again.stderr
    (told,), (game,) = codec_for("chess").games(judged), Profile().games.finished("you")
    assert game.metadata.ply_evals.tolist() == told.evals.tolist()
    assert game.metadata.clocks == bare.metadata.clocks
    third = run("me", "import", str(judged), "--player", "Ann")
    assert "you have already" in third.stderr


def test_long_texts_of_a_record_are_cut(run, judged):
    long = "Rated rapid game" + "x" * 9000
    text = judged.read_text().replace("Rated rapid game", long)
    judged.write_text(text.replace("lichess.org/abcdefgh", long))
    run("me", "import", str(judged), "--player", "Ann")
    (game,) = Profile().games.finished("you")
    assert game.metadata.event == long[:MAX_TEXT]
    assert len(game.metadata.site) == MAX_TEXT


@pytest.mark.parametrize("date", ["2999.01.01", "tomorrow", "this year"])
def test_no_game_from_elsewhere_is_later_than_one_that_is_played_after_it(run, tmp_path, date):
    """The games that ended last are kept: a false date pushes none of them out."""
    today = datetime.date.today()
    date = {
        "tomorrow": f"{today + datetime.timedelta(1):%Y.%m.%d}",
        "this year": f"{today:%Y}.??.??",
    }.get(date, date)
    path = tmp_path / "games.pgn"
    path.write_text(PGN.replace("{result}", "1-0").replace("2022.05.??", date))
    run("me", "import", str(path), "--player", "Ann")
    run("play", "chess", "-o", "random", "-s", "1", lines="e4 resign")
    games = sorted(Profile().games.finished("you"), key=lambda game: game.ended)
    assert [game.imported for game in games] == [True, False]


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


SMALL = "(;GM[1]SZ[9]PB[Ann]PW[Bob]RE[B+R]KM[7];B[ee];W[cc];B[gg])"
LARGE = "(;GM[1]SZ[19]PB[Ann]PW[Eve]RE[W+R]KM[7];B[pd];W[dp];B[dd])"
ODD = "(;GM[1]SZ[7]PB[Ann]PW[Eve]RE[W+R]KM[7];B[cc])"


def test_files_of_several_games_at_once(run, tmp_path):
    """The name tells the game, a record of Go the size of its board."""
    pgn = '[White "Ann"]\n[Black "Eve"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n'
    (tmp_path / "chess.pgn").write_text(pgn)
    (tmp_path / "go.sgf").write_text(f"{SMALL}\n{LARGE}\n{ODD}\n")
    files = [str(tmp_path / name) for name in ("chess.pgn", "go.sgf")]
    result = run("me", "import", *files, "--player", "Ann", "--name", "Ann B")
    assert "Skipped 1 game that could not be read" in result.stderr
    assert "a board of another size" in result.stderr
    assert result.stdout == "Added 3 games. To see them: evenmatch me --name 'Ann B'\n"
    played = Profile().games.finished("Ann B")
    assert sorted(one.saved.game for one in played) == ["chess", "go", "go9"]
    out = tmp_path / "all.sgf"
    run("me", "export", str(out), "--name", "Ann B")
    assert out.read_text().count("SZ[") == 2, "of both sizes"
