"""Recorded games of Othello: read, stored, replayed and foreseen, without a line of chess."""

import json
import random
import tracemalloc

import numpy as np
import pytest
from typer.testing import CliRunner

from evenmatch.errors import RecordError
from evenmatch.frontends.cli import app
from evenmatch.games import get_game
from evenmatch.records.codec import codec_for
from evenmatch.records.record import Reason
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.datasets.dataset import Dataset

OTHELLO = get_game("othello")
PASS = OTHELLO.num_actions - 1


def random_line(seed: int) -> tuple[str, list[int], int]:
    """A random game as a line of text, its actions with passes, and Black's result."""
    rng, state, actions, squares = random.Random(seed), OTHELLO.initial()[0], [], ""
    while len(legal := OTHELLO.legal_actions(state[None])[0]):
        action = int(rng.choice(legal))
        actions.append(action)
        squares += "" if action == PASS else OTHELLO.action_text(state, action)
        state = OTHELLO.after(state[None], [action])[0]
    board = OTHELLO.board(state[None])[0]
    black, white = int((board > 0).sum()), int((board < 0).sum())
    line = f"{1980 + seed % 20} p{seed % 7} q{seed % 5} {black}-{white} {squares}"
    return line, actions, (black > white) - (black < white)


@pytest.fixture(scope="module")
def games():
    lines = [random_line(seed) for seed in range(60)]
    assert sum(PASS in actions for _, actions, _ in lines) > 5
    return lines


@pytest.fixture(scope="module")
def folder(games, tmp_path_factory):
    path = tmp_path_factory.mktemp("othello") / "games.txt"
    path.write_text("# a comment\n" + "".join(f"{line}\n" for line, _, _ in games))
    return path.parent


@pytest.fixture(scope="module")
def dataset(folder):
    return build([folder / "games.txt"], folder / "wthor", game="othello", shares=(1, 1, 1, 3))


def test_games_come_back_as_they_were_played(dataset, games):
    assert len(dataset) == len(games)
    for number, (line, actions, result) in enumerate(games):
        record, words = dataset.record(number), line.split()
        assert record.game == "othello"
        assert record.moves.tolist() == actions
        assert record.result == result
        assert (str(record.year), *record.players) == (words[0], words[1], words[2])
        assert record.line == number + 2
        assert record.ratings == (None, None)


def test_positions_are_those_of_the_game(dataset, games):
    """Asked for in no order, some twice, some at the end."""
    rng = np.random.default_rng(2)
    chosen = rng.integers(0, len(games), 200)
    plies = rng.integers(0, dataset.games["plies"][chosen].astype(int) + 1)
    states, moves = dataset.states(chosen, plies)
    for game, ply, state, move in zip(chosen, plies, states, moves, strict=True):
        actions, wanted = games[game][1], OTHELLO.initial()
        for action in actions[:ply]:
            wanted = OTHELLO.after(wanted, [action])
        assert (state == wanted[0]).all()
        assert move == (actions[ply] if ply < len(actions) else 0)


def test_played_positions_are_those_of_a_record(dataset, games):
    actions = np.array(games[3][1], np.uint16)
    states = codec_for("othello").played(actions)
    plies = np.arange(len(actions) + 1)
    assert (states == dataset.states(np.full(len(plies), 3), plies).states).all()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1990 a b 64-0", Reason.no_moves),
        ("1990 a b", Reason.unreadable_move),
        ("1990 a b 40-24 f5d6 c3", Reason.unreadable_move),
        ("1990 a b won f5d6c3", Reason.unreadable_move),
        ("1990 a b 40-24 f5d", Reason.unreadable_move),
        ("1990 a b 40-24 f5d9", Reason.unreadable_move),
        ("1990 a b 40-24 f5f5", Reason.illegal_move),
        ("1990 a b 40-24 a1", Reason.illegal_move),
    ],
)
def test_lines_that_are_skipped(games, tmp_path, line, reason):
    path = tmp_path / "games.txt"
    path.write_text(f"{games[0][0]}\n\n{line}\n{games[1][0]}")
    faults = []
    with codec_for("othello").reader(path) as reader:
        counts = [int((batch.reasons == 0).sum()) for batch in reader.batches(faults.append)]
    assert sum(counts) == reader.good == 2
    assert [(fault.line, fault.reason) for fault in faults] == [(3, reason)]


@pytest.mark.parametrize("text", ["# nothing\n", '[Event "chess"]\n\n1. e4 e5 1-0\n'])
def test_a_file_without_a_game(tmp_path, text):
    path = tmp_path / "games.txt"
    path.write_text(text)
    with pytest.raises(RecordError, match="no game of Othello"):
        build([path], tmp_path / "out", game="othello")


def test_a_line_that_is_too_long_ends_the_reading(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("x" * 70000)
    with pytest.raises(RecordError, match="line of over 65,536 bytes: line 1"):
        build([path], tmp_path / "out", game="othello")


def test_a_game_that_is_too_long_is_left_out_and_costs_no_room(tmp_path):
    """2000 games are padded to the longest: with one of 20 kB that was 2 GB."""
    path = tmp_path / "games.txt"
    good = "1977 Ann Bob 34-30 f5d6c3\n"
    path.write_text(good * 2000 + "1977 Ann Bob 34-30 " + "f5" * 10000 + "\n" + good)
    faults = []
    tracemalloc.start()
    with codec_for("othello").reader(path) as reader:
        read = sum(len(batch.lines) for batch in reader.batches(faults.append))
        peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (read, reader.good) == (2002, 2001)
    assert [(fault.line, fault.reason) for fault in faults] == [(2001, Reason.too_long)]
    assert peak < 50_000_000


def test_a_damaged_dataset_says_so(dataset, folder, tmp_path):
    import shutil

    copied = tmp_path / "copied"
    shutil.copytree(dataset.folder, copied)
    path = copied / "moves.bin"
    path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(RecordError, match="is damaged"):
        Dataset.open(copied).states([0], [3])


def test_the_commands_build_and_describe(games, folder, tmp_path):
    out = tmp_path / "wthor"
    asked = ["dataset", "build", str(folder / "games.txt"), "--game", "Othello", "--out", str(out)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    assert f"{len(games)} games" in result.output
    facts = json.loads(CliRunner().invoke(app, ["dataset", "info", str(out), "--json"]).stdout)
    assert facts["game"] == "othello"
    assert facts["moves"] == sum(len(actions) for _, actions, _ in games)
    wanted = {"black": 1, "draw": 0, "white": -1}
    assert facts["results"] == {
        name: sum(result == number for _, _, result in games) for name, number in wanted.items()
    }


def test_games_of_another_game_are_refused(folder, tmp_path):
    asked = ["dataset", "build", str(folder / "games.txt"), "--game", "connect4"]
    result = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "has no game of Connect Four in it" in result.output


def test_moves_are_foreseen(dataset, tmp_path):
    """The share is that of the network's best legal moves, asked one position at a time."""
    from evenmatch.network.artifact import shipped_path
    from evenmatch.network.inference import NetworkEvaluator
    from evenmatch_lab import get_experiment
    from evenmatch_lab.runner import run
    from evenmatch_lab.shared.moves_by_rank import MovesByRank

    page = run(get_experiment("move_prediction"), tmp_path, quick=True, data=[dataset.folder])
    (row,) = json.loads((tmp_path / "move_prediction_quick.json").read_text())["parts"].values()
    (counts,) = row["ours, rating not given"]["all"]
    sample = MovesByRank(dataset.folder, 50)
    net = NetworkEvaluator(shipped_path("othello"), OTHELLO)
    right = 0
    for state, action in zip(sample.states, sample.actions, strict=True):
        legal = OTHELLO.legal_actions(state[None])[0]
        logits = net.evaluate(state[None]).logits[0]
        right += int(legal[logits[legal].argmax()] == action)
    assert abs(counts[0] - right) <= 1  # one batch rounds otherwise than 50
    assert counts[1] == len(sample.actions) == 50
    assert "| network | average | unrated |" in page.read_text()
