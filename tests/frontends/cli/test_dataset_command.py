"""``evenmatch dataset``: what it prints, and the lines that say what is wrong."""

import json
from pathlib import Path

import pytest

from evenmatch.workshop.datasets import build

GAME = '[Event "rapid"]\n[White "Ann"]\n[Black "Bob"]\n[WhiteElo "1500"]\n[BlackElo "{elo}"]\n\n'
TEXT = GAME.format(elo="1700") + "1. e4 e5 1-0\n\n" + GAME.format(elo="-3") + "1. d4 1/2-1/2\n\n"


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(TEXT + GAME.format(elo="1") + "1. e4 Ke3 0-1\n")
    return str(path)


def test_build_and_info(run, games, tmp_path):
    out = str(tmp_path / "out")
    built = run("dataset", "build", games, "--out", out)
    assert built.exit_code == 0, built.output
    assert built.stdout.startswith("2 games of 2 players, 3 moves, ")
    assert f"Skipped 1 game: an illegal move 1; see {out}" in built.stderr
    assert "Dropped 1 rating that cannot be right." in built.stderr
    facts = json.loads(run("dataset", "info", out, "--json").stdout)
    assert facts["games"] == 2
    assert facts["results"] == {"white": 1, "draw": 1, "black": 0}
    assert facts["unknown_results"] == facts["games"] - 2
    assert facts["sides_by_band"] == {"1400": 2, "1600": 1}
    assert facts["unrated_sides"] == 1
    assert facts["games_by_speed"] == {"rapid": 2}
    assert facts["skipped"] == {"illegal_move": 1}
    assert sum(split["sides"] for split in facts["splits"].values()) == 4
    table = run("dataset", "info", out).stdout
    assert "white 1, draw 1" in table
    assert "an illegal move 1" in table


def test_one_speed_alone(run, refused, games, tmp_path):
    text = Path(games).read_text()
    (tmp_path / "more.pgn").write_text(text + text.replace('"rapid"', '"a blitz"'))
    out = tmp_path / "rapid"
    built = run(
        "dataset", "build", str(tmp_path / "more.pgn"), "--speed", "rapid", "--out", str(out)
    )
    assert built.exit_code == 0, built.output
    assert "Skipped 2 games of other speeds." in built.stderr
    facts = json.loads(run("dataset", "info", str(out), "--json").stdout)
    assert facts["games_by_speed"] == {"rapid": 2}
    assert (facts["speed"], facts["other_speeds"]) == ("rapid", 2)
    assert (out / "events.txt").read_text() == "rapid\n"
    other = str(tmp_path / "none")
    assert "no bullet game is left" in refused(
        "dataset", "build", games, "--speed", "bullet", "--out", other
    )
    assert "no speed 'fast'; choose one of" in refused(
        "dataset", "build", games, "--speed", "fast", "--out", other
    )


def test_shares_and_salt(run, games, tmp_path):
    out = str(tmp_path / "out")
    assert run("dataset", "build", games, "--out", out, "--split", "0/0/0/5").exit_code == 0
    facts = json.loads(run("dataset", "info", out, "--json").stdout)
    assert facts["splits"]["query"] == {"players": 2, "sides": 4}
    assert facts["shares"] == [0, 0, 0, 5]


def test_what_is_wrong_is_one_line(refused, games, tmp_path):
    out = str(tmp_path / "out")
    assert "Missing option '--out'" in refused("dataset", "build", games)
    assert "no file" in refused("dataset", "build", "none.pgn", "--out", out)
    assert "is a folder" in refused("dataset", "build", str(tmp_path), "--out", out)
    assert "write them as 75/5/10/10" in refused(
        "dataset", "build", games, "--out", out, "--split", "80"
    )
    assert "exists already" in refused("dataset", "build", games, "--out", str(tmp_path))
    assert "is not a dataset" in refused("dataset", "info", str(tmp_path))
    assert "No such command 'bild'" in refused("dataset", "bild")


SGF = "(;SZ[19]PB[Ann]BR[1d]PW[Bob]WR[5k]RE[B+R];B[aa];W[bb])(;SZ[9]RE[W+3];B[aa])"


def test_the_names_of_files_tell_the_game(run, refused, tmp_path):
    path = tmp_path / "mixed.sgf"
    path.write_text(SGF)
    out = tmp_path / "out"
    built = run("dataset", "build", str(path), "--out", str(out))
    assert built.exit_code == 0, built.output
    assert built.stdout.startswith("1 game of 2 players, 2 moves, ")
    skipped = "Skipped 1 game: a board of another size (games are go9, go13 and go) 1"
    assert skipped in " ".join(built.stderr.split())
    facts = json.loads(run("dataset", "info", str(out), "--json").stdout)
    assert facts["game"] == "go"
    assert facts["results"] == {"black": 1, "draw": 0, "white": 0}
    assert facts["unknown_results"] == facts["games"] - 1
    assert facts["sides_by_band"] == {"2600": 1, "3000": 1}
    table = run("dataset", "info", str(out)).stdout
    assert "sides by rank" in table
    assert "5k-4k 1, 1k-1d 1" in table
    nine = run("dataset", "build", str(path), "--game", "go9", "--out", str(tmp_path / "nine"))
    assert nine.stdout.startswith("1 game of 0 players, 1 move, ")
    thirteen = str(tmp_path / "thirteen")
    none = refused("dataset", "build", str(path), "--game", "go13", "--out", thirteen)
    assert "no game is left" in none


def test_interrupt(run, games, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "_read_all", interrupted)
    result = run("dataset", "build", games, "--out", str(tmp_path / "out"))
    assert result.exit_code == 130
    assert result.stderr.endswith("out was not built.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.pgn"]
