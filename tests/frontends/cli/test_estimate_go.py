"""``evenmatch estimate`` of Go, by all commands on the way, with a random network."""

import json
from dataclasses import replace

import numpy as np
import pytest
import zstandard
from katago_reference import RANDOM
from random_go import random_go_game, random_go_games
from random_networks import random_network
from shared_data import needs, shared_file
from typer.testing import CliRunner

from evenmatch.estimation.estimator_files import load
from evenmatch.frontends.cli import app
from evenmatch.records.go.game_text import write_sgf
from evenmatch.workshop.fitting import pooled_fit
from evenmatch.workshop.fitting.pooled_fit import save

SCALES = ("kgs", "ogs")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with games, a dataset, a network and what was fitted, on two scales."""
    folder = tmp_path_factory.mktemp("go")
    network = random_network(folder / "net.onnx", SCALES, strength=2 + 2 * 8, game="go")
    text = random_go_games()
    (folder / "all.sgfs").write_text(text)
    (folder / "games.sgfs").write_text("".join(text.splitlines(keepends=True)[:15]))
    runner = CliRunner()
    words = [
        ["dataset", "build", folder / "all.sgfs", "--out", folder / "kgs", "--split", "0/1/1/0"],
        ["network", "fit", folder / "kgs", "--out", folder / "fitted", "--net", network],
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled_fit, "EPOCHS", 2)
        for line in words:
            result = runner.invoke(app, [str(word) for word in line])
            assert result.exit_code == 0, result.output
    method, _ = load(folder / "fitted" / "go-kgs.npz")
    method.scale = 1
    save(method, network, list(SCALES), folder / "fitted" / "go-ogs.npz")
    return folder


@pytest.fixture
def ask(run, made):
    """Estimate with what was fitted; return what came of it."""

    def asked(*words, **told):
        own = ["--fitted", str(made / "fitted"), "--net", str(made / "net.onnx")]
        return run("estimate", *map(str, words), *own, **told)

    return asked


def players_of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["players"]


def test_ranks_are_written_as_people_do(ask, made):
    facts = json.loads(ask(made / "games.sgfs", "--scale", "kgs", "--json").stdout)
    assert (facts["scale"], facts["lowest"], facts["highest"]) == ("kgs", 3050, 3950)
    dans = [f"{dan}d" for dan in range(1, 10)]
    for row in facts["players"]:
        assert row["rank_low"] in dans[: dans.index(row["rank"]) + 1]
        assert row["rank_high"] in dans[dans.index(row["rank"]) :]
        assert row["low"] < row["rating"] < row["high"]
        assert row["rank_recorded"] in dans
    table = ask(made / "games.sgfs", "--scale", "kgs")
    assert "on the scale kgs" in table.stdout
    assert "Estimates never leave 1d to 9d." in table.stderr
    row = facts["players"][0]
    assert f"{row['rank_low']} to {row['rank_high']}" in table.stdout


def test_all_scales_side_by_side(ask, made):
    result = ask(made / "games.sgfs", "--json")
    told = json.loads(result.stdout)
    assert [one["scale"] for one in told["scales"]] == ["kgs", "ogs"]
    for one in told["scales"]:
        alone = players_of(ask(made / "games.sgfs", "--json", "--scale", one["scale"]))
        assert [row["player"] for row in alone] == [row["player"] for row in one["players"]]
        wanted = [row["rating"] for row in alone]
        assert [row["rating"] for row in one["players"]] == pytest.approx(wanted, abs=2)
    kgs, ogs = ([row["rating"] for row in one["players"]] for one in told["scales"])
    assert kgs != ogs, "the network hears of whose ratings they are"
    table = ask(made / "games.sgfs").stdout
    assert "on the scales kgs and ogs" in table


def test_one_player_of_a_folder_a_packed_file_and_a_pipe(ask, made, tmp_path):
    text = (made / "games.sgfs").read_text()
    (tmp_path / "sgf").mkdir()
    for number, line in enumerate(text.splitlines()):
        (tmp_path / "sgf" / f"{number:03}.sgf").write_text(line)
    packed = tmp_path / "games.sgfs.zst"
    packed.write_bytes(zstandard.compress(text.encode()))
    wanted = ["--player", "BLACK  3", "--scale", "kgs", "--json"]
    rows = [players_of(ask(path, *wanted)) for path in (packed, tmp_path / "sgf")]
    rows.append(players_of(ask("-", *wanted, lines=text.encode())))
    rows.append(players_of(ask("-", *wanted, "--game", "go", lines=text.encode())))
    assert [row["player"] for row in rows[0]] == ["black 3"]
    assert rows[0][0]["games"] == 3
    assert all(one == rows[0] for one in rows)


def written(path, *games):
    path.write_text("".join(write_sgf(game, one_line=True) for game in games))
    return path


def test_sizes_handicaps_and_bots_are_told(ask, tmp_path):
    rng = np.random.default_rng(1)
    game = random_go_game(rng, players=("Ann", "robot"), comment="human:B")
    corner = 20
    given = replace(
        random_go_game(rng, players=("Ann", "Bob")), handicap=2, black=(corner, 340),
        moves=((-1, 180), (1, 60), (-1, 66), (1, 70), (-1, 74)),
    )  # fmt: skip
    small = replace(game, size=9, moves=((1, 40), (-1, 42)))
    path = written(tmp_path / "some.sgfs", game, given, small, small)
    result = ask(path, "--json", "--scale", "kgs")
    rows = players_of(result)
    assert [(row["player"], row["games"]) for row in rows] == [("Ann", 2), ("Bob", 1)]
    assert "Skipped 2 games on boards of another size." in result.stderr
    assert "1 game has handicap stones. The moves count like those of even" in result.stderr
    assert "could not be read" not in result.stderr


def test_files_of_other_games_are_told(ask, run, made, tmp_path):
    small = tmp_path / "small.sgf"
    small.write_text("(;SZ[9];B[aa];W[bb];B[cc])")
    other_size = ask(small)
    assert other_size.exit_code == 2
    assert "error: no game is on 19x19; give games that are" in other_size.stderr
    unnamed = tmp_path / "games.txt"
    unnamed.write_text((made / "games.sgfs").read_text())
    other_game = run("estimate", str(unnamed))
    assert other_game.exit_code == 2
    assert "it looks like SGF; for games of Go add --game go" in other_game.stderr


def test_a_network_alone_rates_by_its_policy(run, made):
    games, net = (str(made / x) for x in ("games.sgfs", "net.onnx"))
    result = run("estimate", games, "--net", net, "--scale", "kgs", "--json")
    rows = players_of(result)
    assert json.loads(result.stdout)["scale"] == "kgs"
    assert all(100 <= row["low"] <= row["rating"] <= row["high"] <= 4100 for row in rows)


def test_what_is_wrong_is_one_line(refused, made, tmp_path):
    games, net, fitted = (str(made / x) for x in ("games.sgfs", "net.onnx", "fitted"))
    assert "levels at go9 cannot be estimated from moves; give games of chess or go" in refused(
        "estimate", games, "--game", "go9"
    )
    assert "--phases needs estimators that were fitted" in refused(
        "estimate", games, "--net", net, "--phases"
    )
    assert "no estimator of go is in" in refused("estimate", games, "--fitted", str(tmp_path))
    own = ("--fitted", fitted, "--net", net)
    assert "no estimator of fox is in" in refused("estimate", games, *own, "--scale", "fox")
    assert "no rating scale 'igs'; choose one of: kgs, ogs" in refused(
        "estimate", games, *own, "--scale", "igs"
    )
    assert "fide is not a scale of go; choose ogs, kgs, fox, or other files" in refused(
        "estimate", games, *own, "--scale", "fide"
    )
    (tmp_path / "a.pgn").write_text("1. e4 e5 1-0\n")
    assert "these are files of go and of chess; give those of one game" in refused(
        "estimate", games, str(tmp_path / "a.pgn"), *own
    )
    assert "no estimator of go uses other networks; leave out --extra-networks" in refused(
        "network", "fit", str(made / "kgs"), "--out", str(tmp_path / "new"), "--extra-networks"
    )
    assert "is of another network; give the one that it was fitted to by --net" in refused(
        "estimate", games, "--fitted", fitted
    )


@needs(RANDOM)
def test_the_human_network_estimates(run, made, tmp_path, monkeypatch):
    """Fitted with KataGo's human network, whose strength scores are those of ours."""
    monkeypatch.setattr(pooled_fit, "EPOCHS", 1)
    human = str(shared_file(f"{RANDOM}/nbt-meta-v15.bin.gz"))
    fitted = str(tmp_path / "fitted")
    done = run("network", "fit", str(made / "kgs"), "--out", fitted, "--net", human)
    assert done.exit_code == 0, done.output
    words = [str(made / "games.sgfs"), "--scale", "kgs", "--json", "--fitted", fitted]
    assert players_of(run("estimate", *words, "--net", human))
    other = run("estimate", *words, "--net", str(made / "net.onnx"))
    assert "is of another network; give the one that it was fitted to" in other.output
