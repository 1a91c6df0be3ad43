"""``evenmatch estimate`` with a random network and an estimator that learned from random games."""

import gzip
import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from random_networks import random_network

from evenmatch.app import estimate as estimates
from evenmatch.app.estimate_reader import EstimateReader, rater
from evenmatch.app.wanted_players import Wanted, nobody
from evenmatch.estimation import estimator_files
from evenmatch.estimation.running import phases_of
from evenmatch.games.catalog import game_info
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.record import GameRecord


def test_phases_are_rated_besides(run, games, made):
    result = run("estimate", games, "--phases", "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["players"]
    plain = json.loads(run("estimate", games, "--json").stdout)["players"]
    assert [{k: v for k, v in row.items() if k != "phases"} for row in rows] == plain
    for row in rows:
        assert list(row["phases"]) == ["opening", "middle", "ending"]
        assert row["phases"]["ending"] is None, "of games of 15 own moves"
    method = estimator_files.shipped_fitted("chess").of_phases("lichess-rapid", "chess")[0]
    scorer = estimator_files.shipped_fitted("chess").scorer(["lichess-rapid"], "chess", True)
    told = rows[0]
    sides = EstimateReader("chess", ["lichess-rapid"]).sides([games])
    whole = scorer([side for side in sides if side.name == told["player"]])
    opening = phases_of(whole, game_info("chess").phases)[0]
    assert opening.moves == 10 * told["games"]
    verdict = method.decide(method.evidence(opening).sum(0)[None], one_player=True)
    if told["phases"]["opening"] is not None:
        assert told["phases"]["opening"]["rating"] == round(verdict.ratings[0])
    shown = run("estimate", games, "--phases", "--player", told["player"])
    assert "By phase of the game" in shown.stdout
    assert "A dash stands where the moves say too little." in shown.output


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--fast"], "--phases asks all networks; leave out --fast"),
        (["--scale", "fide"], "no estimator of phases of fide is in evenmatch"),
        (["--game", "othello"], "nobody's level at othello can be told from moves"),
    ],
)
def test_phases_that_cannot_be_told(refused, games, options, error):
    assert error in refused("estimate", games, "--phases", *options)


def test_a_missing_file_is_told_before_others_are_read(refused, games, monkeypatch):
    def never(*_):
        raise AssertionError("nothing is to be read")

    monkeypatch.setattr(EstimateReader, "sides", never)
    assert "no file missing.pgn; check the path" in refused("estimate", games, "missing.pgn")


def test_everybody_is_rated(run, games):
    result = run("estimate", games, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["scale"] == "lichess-rapid"
    assert len(facts["players"]) == 64
    assert sum(row["games"] for row in facts["players"]) == 128
    for row in facts["players"]:
        assert 1000 <= row["rating"] <= 2600
        assert row["low"] < row["rating"] < row["high"]
        assert row["rating_told"] in (low + 50 for low in range(1000, 2600, 200))


def test_the_maias_are_asked_besides_unless_it_is_to_be_fast(run, games, made):
    listening = json.loads(run("estimate", games, "--json").stdout)["players"]
    alone = json.loads(run("estimate", games, "--fast", "--json").stdout)["players"]
    assert [row["games"] for row in listening] == [row["games"] for row in alone]
    assert [row["rating"] for row in listening] != [row["rating"] for row in alone]
    method = estimator_files.shipped_method("lichess-rapid")
    told = listening[0]
    moves = estimator_files.shipped_fitted("chess").scorer(["lichess-rapid"], "chess", True)
    sides = EstimateReader("chess", ["lichess-rapid"]).sides([games])
    own = [side for side in sides if side.name == told["player"]]
    evidence = method.evidence(moves(own)).sum(0)[None]
    (verdict,) = method.decide(evidence, one_player=True).ratings
    assert told["rating"] == round(verdict)


def test_other_networks_than_it_learned_to_listen_to(run, games, made, monkeypatch, tmp_path):
    """Fitted beside other Maias: it is to be fitted anew."""
    for path in made.glob("*.npz"):
        shutil.copy(path, tmp_path)
    shutil.copy(made / "chess.onnx", tmp_path)
    for name in game_info("chess").extra_networks:
        random_network(tmp_path / f"{name}.onnx", seed=9)
    monkeypatch.setattr(estimator_files, "nets", lambda: tmp_path)
    result = run("estimate", games)
    assert result.exit_code == 2
    assert "listens to other networks; reinstall evenmatch" in result.stderr
    assert run("estimate", games, "--fast").exit_code == 0


@pytest.mark.parametrize("name", ["[/b]", "Bob [bot]", "[red]bob[/red]", "a :smile:"])
def test_names_are_shown_as_they_are(run, games, tmp_path, name):
    path = tmp_path / "some.pgn"
    path.write_text(re.sub(r'White "[^"]*"', f'White "{name}"', Path(games).read_text(), count=1))
    shown = run("estimate", str(path), "--player", name)
    assert shown.exit_code == 0, shown.output
    assert name in shown.stdout
    other = run("estimate", str(path), "--player", f"{name}s").stderr
    assert f"no game of '{name}s'; did you mean '{name}'" in other


def test_games_of_another_speed_are_told(run, games, tmp_path):
    text = Path(games).read_text().split("\n\n[Event ")
    path = tmp_path / "some.pgn"
    path.write_text(text[0] + '\n\n[TimeControl "60+0"]\n[Event ' + text[1] + "\n")
    result = run("estimate", str(path), "--json")
    assert result.exit_code == 0, result.output
    assert (
        "1 game is not rapid. The scale lichess-rapid was learned from rapid games only."
        in result.stderr
    )


def test_a_game_that_is_there_twice_counts_once(run, games):
    once, twice = run("estimate", games, "--json"), run("estimate", games, games, "--json")
    assert twice.stdout == once.stdout
    assert "64 games were given twice. Each counts once." in twice.stderr


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


def test_games_that_cannot_be_read_are_told(run, games, tmp_path):
    path = tmp_path / "some.pgn"
    tags = '[White "Ann"]\n[Black "?"]\n\n'
    path.write_text(f"{tags}1. e4 e5 2. Nf3 Nc6 1-0\n\n{tags}1. e4 Ke3 0-1\n")
    result = run("estimate", str(path))
    assert result.exit_code == 0, result.output
    assert "Skipped 1 game that could not be read: " in result.stderr
    assert "Ann" in result.stdout
    assert "?" not in result.stdout


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


def test_standard_input(run, games):
    text = Path(games).read_bytes()
    known = run("estimate", games, "--json").stdout
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


@pytest.mark.parametrize(
    ("event", "site", "whose"),
    [
        ("Rated Rapid game", "https://lichess.org/abcdefgh", "Lichess"),
        ("Live Chess", "Chess.com", "Chess.com"),
        ("chess.com rapid", "?", "Chess.com"),
        ("evenmatch", "?", "evenmatch"),
        ("evenmatch match", "?", "evenmatch"),
        ("Titled Tue 3rd Jan", "chess.com INT", ""),  # with ratings of FIDE
        ("Chess.com Global Ch", "Toronto CAN", ""),
        ("A study", "https://lichess.org/study/abc", ""),
        ("A broadcast", "https://lichess.org/broadcast/x", ""),
        ("Candidates", "Madrid ESP", ""),
        ("", "", ""),
    ],
)
def test_whose_ratings_a_game_tells(event, site, whose):
    record = GameRecord(
        game="chess", moves=np.zeros(0, np.uint16), result=1, event=event, site=site
    )
    assert rater(record) == whose


OWN = 'The column "in the file" is on the file\'s own scale. Compare it with the estimates only if'


@pytest.mark.parametrize(
    ("tags", "note", "own"),
    [
        ({"Site": "https://lichess.org/abc"}, None, False),
        ({"Event": "evenmatch"}, None, False),
        (
            {"Site": "Chess.com"},
            "For estimates on theirs, from 200 to 1600, add --scale chess.com.",
            False,
        ),
        ({"Site": "Madrid ESP"}, None, True),
        ({"WhiteElo": "?", "BlackElo": "?"}, None, False),
    ],
)
def test_ratings_of_another_scale(run, games, tmp_path, tags, note, own):
    path = tmp_path / "some.pgn"
    players = {"White": "Ann", "Black": "Bob", "WhiteElo": "1500", "BlackElo": "1600"}
    path.write_text(pgn_text(players | tags, ["e4", "e5", "Nf3", "Nc6"], 1))
    result = run("estimate", str(path))
    assert result.exit_code == 0, result.output
    assert (OWN in result.stderr) == own
    assert ("on the scale of" in result.stderr) == (note is not None)
    assert note is None or note in result.stderr


def test_an_estimator_of_another_network(refused, games, monkeypatch):
    monkeypatch.setattr(estimator_files, "digest_of", lambda path: "another")
    assert "is of another network" in refused("estimate", games)


def test_what_came_before_the_end_of_a_broken_file_is_rated(run, games, tmp_path):
    text = Path(games).read_bytes()
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


def test_what_would_help_where_all_games_were_skipped(run, tmp_path):
    path = tmp_path / "some.pgn"
    path.write_text(
        '[Variant "Atomic"]\n\n1. e4 1-0\n\n[Variant "Chess960"]\n\n1. e4 1-0\n\n1. Sf3 1-0\n'
    )
    result = run("estimate", str(path))
    assert result.exit_code == 2
    assert result.stderr == (
        "error: no game could be read, 3 were skipped: another game, or another variant of it (2), "
        "a piece letter of another language (1); give games "
        f"of the usual rules. The first is {path}:1\n"
    )
