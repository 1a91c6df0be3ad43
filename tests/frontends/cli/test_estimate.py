"""``evenmatch estimate`` with a random network and an estimator that learned from random games."""

import gzip
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from records_from_elsewhere import GAMES

from evenmatch.app import estimate as estimates
from evenmatch.app.estimate_reader import EstimateReader, Wanted, nobody, rater
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.record import GameRecord


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--fast"], "--phases uses all networks; leave out --fast"),
        (["--scale", "fide"], "no estimator of phases of fide is in evenmatch"),
        (["--game", "othello"], "levels at othello cannot be estimated from moves"),
    ],
)
def test_phases_that_cannot_be_told(refused, games, options, error):
    assert error in refused("estimate", games, "--phases", *options)


def test_everybody_is_rated(run, games):
    result = run("estimate", games, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["scale"] == "lichess-rapid"
    assert len(facts["players"]) == GAMES
    assert sum(row["games"] for row in facts["players"]) == 2 * GAMES
    for row in facts["players"]:
        assert 1000 <= row["rating"] <= 2600
        assert row["low"] < row["rating"] < row["high"]
        assert row["rating_recorded"] in (low + 50 for low in range(1000, 2600, 200))


@pytest.mark.parametrize("name", ["[/b]", "Bob [bot]", "[red]bob[/red]", "a :smile:"])
def test_names_are_shown_as_they_are(run, games, tmp_path, name):
    path = tmp_path / "some.pgn"
    path.write_text(re.sub(r'White "[^"]*"', f'White "{name}"', Path(games).read_text(), count=1))
    shown = run("estimate", str(path), "--player", name)
    assert shown.exit_code == 0, shown.output
    assert name in shown.stdout
    other = run("estimate", str(path), "--player", f"{name}s").stderr
    assert f"no game of '{name}s'; did you mean '{name}'" in other


def test_a_game_that_is_there_twice_counts_once(run, games):
    once, twice = run("estimate", games, "--json"), run("estimate", games, games, "--json")
    assert twice.stdout == once.stdout
    assert f"{GAMES} games were given twice. Each counts once." in twice.stderr


def test_absurd_moves_that_were_marked_do_not_count(run, games, tmp_path):
    """Ann throws her queen away on advice: she is rated by her other moves alone."""
    text = "e4 e5 Qh5 Nc6 Qxf7 Kxf7 Nf3 Nf6 Ng5 Kg8 Bc4 d5 exd5 Na5 O-O Nxc4"
    moves = text.split()
    marks = ["hint" if move in ("Qh5", "Qxf7", "Bc4") else "" for move in moves]

    def rated(*texts):
        path = tmp_path / "some.pgn"
        path.write_text("".join(texts))
        result = run("estimate", str(path), "--player", "Ann", "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)["players"][0], result.stderr

    tags = {"White": "Ann", "Black": "Bob"}
    whole, told = rated(pgn_text(tags, moves, 1))
    assert "Left out" not in told
    kept, told = rated(pgn_text(tags, moves, 1, marks=marks))
    assert "Left out 3 moves that players did not choose alone (hints, moves given or" in told
    assert (whole["moves"], kept["moves"]) == (8, 5)
    assert kept["rating"] != whole["rating"]
    kept, told = rated(pgn_text(tags, moves, 1, marks=["given", *15 * [""]]))
    assert "Left out 1 move that players" in told
    path = tmp_path / "given.pgn"
    path.write_text(pgn_text(tags, moves, 1, marks=16 * ["given"]))
    result = run("estimate", str(path))
    assert result.exit_code == 2
    assert "no player can be rated" in result.stderr


def test_one_player(run, games):
    alone = json.loads(run("estimate", games, "--player", "w0", "--json").stdout)["players"]
    everybody = json.loads(run("estimate", games, "--json").stdout)["players"]
    assert [row["player"] for row in alone] == ["w0"]
    same = next(row for row in everybody if row["player"] == "w0")
    assert alone[0]["rating"] == pytest.approx(same["rating"], abs=3)  # batches round differently
    table = run("estimate", games, "-p", "w0").stdout
    assert "Ratings estimated from moves, on the scale lichess-rapid" in table
    assert "95% interval" in table
    assert "w0" in table


def test_what_is_wrong_is_one_line(refused, games, tmp_path):
    assert "no game of 'Eve'" in refused("estimate", games, "--player", "Eve")
    assert "no rating scale 'fido'; choose one of" in refused("estimate", games, "--scale", "fido")
    assert "no file" in refused("estimate", str(tmp_path / "none.pgn"))
    short = tmp_path / "short.pgn"
    short.write_text('[White "Ann"]\n[Black "Bob"]\n\n1. e4 1-0\n')
    assert "no player can be rated; give games that name the players" in refused(
        "estimate", str(short)
    )
    assert "'ann' cannot be rated" in refused("estimate", str(short), "--player", "ann")
    assert "Missing argument" in refused("estimate")


def test_standard_input(run, games, tmp_path):
    text = b"\n\n[Event ".join(Path(games).read_bytes().split(b"\n\n[Event ")[:6]) + b"\n"
    few = tmp_path / "few.pgn"
    few.write_bytes(text)
    known = run("estimate", str(few), "--json").stdout
    for data in (text, gzip.compress(text)):
        result = run("estimate", "-", "--json", lines=data)
        assert result.exit_code == 0, result.output
        assert result.stdout == known
    result = run("estimate", "-", "--json", lines=text + b"\n1. e4 Ke3 0-1\n")
    assert "could not be read: standard input:" in result.stderr


@pytest.mark.parametrize("name", ["Ann Lee", "ann lee", "  ANN   Lee "])
def test_names_match_without_case_and_spaces(run, games, tmp_path, name):
    """Spellings that differ so are one player, named as the first game does."""
    path = tmp_path / "some.pgn"
    moves = ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"]
    spelled = ("Ann Lee", "ann  lee", "ANN LEE")
    path.write_text(
        "".join(pgn_text({"White": one, "Black": "Bob"}, moves[:-n], 1)
                for n, one in enumerate(spelled, start=1))
    )  # fmt: skip
    result = run("estimate", str(path), "--player", name, "--json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["players"]
    assert (row["player"], row["games"], row["moves"]) == ("Ann Lee", 3, 2 + 2 + 1)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Max Euwe", "did you mean 'Euwe, Max' or 'Euwen'?"),
        ("euwe", "did you mean 'Euwe, Max', 'Euwe, Maximilian' or 'Euwen'?"),
        ("Talk", "did you mean 'Tal'?"),
        ("zzz", "write the name as the games do"),
    ],
)
def test_the_nearest_names(name, near):
    wanted = Wanted(name)
    for other in ("Euwe, Max", "Euwe, Maximilian", "Tal", "TAL ", "Bronstein", "Euwen"):
        assert not wanted(other)
    told = nobody(wanted, SimpleNamespace(tallies={}))
    assert told == f"no game of '{name}'; {near}"


# -- whose ratings ---------------------------------------------------------------------------------


OWN = 'The column "in the file" is on the file\'s own scale. Compare it with the estimates only if'


def test_what_came_before_the_end_of_a_broken_file_is_rated(run, games, tmp_path):
    text = Path(games).with_name("games.pgn").read_bytes()  # so long that it compresses little
    packed = gzip.compress(100 * text)  # several blocks of a reader; games given twice count once
    path = tmp_path / "games.pgn.gz"
    path.write_bytes(packed[: 3 * len(packed) // 4])
    result = run("estimate", str(path), "--json")
    assert result.exit_code == 2
    assert "ends early" in result.stderr
    players = json.loads(result.stdout)["players"]
    assert 0 < len(players) <= 64


def test_an_interrupt_loses_no_ratings(run, games, monkeypatch):
    add, calls = estimates.RunningEstimates.add, []

    def interrupted(self, *arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        add(self, *arguments)

    monkeypatch.setattr(estimates.RunningEstimates, "add", interrupted)
    result = run("estimate", games, "--json")
    assert result.exit_code == 2
    assert "interrupted; the ratings are from the games read until then" in result.stderr
    assert sum(row["games"] for row in json.loads(result.stdout)["players"]) == estimates.BATCH


def test_options_of_other_games_are_refused(refused, games):
    assert "--all-moves is not for chess; leave it out" in refused("estimate", games, "--all-moves")
    for option in ("--fast", "--no-engine"):
        text = refused("estimate", "games.sgf", option)
        assert f"{option} is not for go; leave it out" in text


def test_games_none_of_which_can_be_read(run, games, tmp_path):
    (tmp_path / "broken.pgn").write_text('[White "Ann"]\n[Black "Bob"]\n\n1. e4 Ke4 1-0\n')
    result = run("estimate", str(tmp_path / "broken.pgn"))
    assert result.exit_code == 2
    path = tmp_path / "broken.pgn"
    assert result.stderr == (
        f"error: no game could be read: {path}:4: an illegal move: Ke4; correct the file, or "
        "export it again\n"
    )


@pytest.mark.parametrize(
    ("game", "event", "site", "server"),
    [
        ("chess", "Rated Rapid game", "https://lichess.org/abcdefgh", "Lichess"),
        ("chess", "Live Chess", "Chess.com", "Chess.com"),
        ("chess", "chess.com rapid", "?", "Chess.com"),
        ("chess", "evenmatch match", "?", "evenmatch"),
        ("chess", "Titled Tue 3rd Jan", "chess.com INT", ""),  # with ratings of FIDE
        ("chess", "Chess.com Global Ch", "Toronto CAN", ""),
        ("chess", "A study", "https://lichess.org/study/abc", ""),
        ("chess", "Candidates", "Madrid ESP", ""),
        ("chess", "", "", ""),
        ("go", "", "The KGS Go Server at http://www.gokgs.com/", "KGS"),
        ("go", "", "OGS: https://online-go.com/game/1", "OGS"),
        ("go", "", "Fox", "Fox"),
        ("go", "", "Tokyo", ""),
    ],
)
def test_which_server_a_game_s_ratings_are_of(game, event, site, server):
    record = GameRecord(game=game, moves=np.zeros(0, np.uint16), result=1, event=event, site=site)
    assert rater(record) == server


@pytest.mark.parametrize(
    ("game", "scales", "server", "known"),
    [
        ("chess", ["fide"], "Lichess", False),
        ("chess", ["fide"], "Chess.com", False),
        ("chess", ["lichess-rapid"], "Lichess", True),
        ("chess", ["chess.com"], "Chess.com", True),
        ("go", ["kgs", "ogs"], "Fox", False),
        ("go", ["kgs", "ogs"], "KGS", True),
        ("go", ["kgs", "ogs"], "OGS", True),
    ],
)
def test_ratings_of_another_server_are_not_compared(game, scales, server, known):
    reader = EstimateReader(game, scales)
    reader.raters[server] = 1234
    notes = [note for note in reader.notes() if "Do not compare" in note]
    assert len(notes) == (not known)
    assert all(f"1,234 games are on the scale of {server}." in note for note in notes)
