import json

import pytest

pytest.importorskip("torch", reason="training needs the [train] extra")

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.workshop.training.alphazero import train
from evenmatch.workshop.training.presets import PRESETS
from evenmatch.workshop.training.replay_buffer import Replay
from evenmatch.workshop.training.runs import Quiet


class KilledError(Exception):
    """Stands for a kill at an arbitrary moment."""


class KillAt(Quiet):
    """Kills the run in the given phase of the given iteration."""

    def __init__(self, iteration, phase):
        self.iterations = 0
        self.when = (iteration - 1, phase)

    def phase(self, name, done, due, **numbers):
        if (self.iterations, name) == self.when:
            raise KilledError

    def iteration(self, row):
        self.iterations += 1


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    return train("connect4", "tiny", out, seed=5).read_bytes()


@pytest.mark.parametrize("moment", [(1, "learning"), (2, "self-play"), (2, "learning")])
def test_a_killed_run_goes_on_to_the_same_network(moment, undisturbed, tmp_path):
    with pytest.raises(KilledError):
        train("connect4", "tiny", tmp_path, seed=5, listener=KillAt(*moment))
    assert train("connect4", "tiny", tmp_path, seed=5, resume=True).read_bytes() == undisturbed


def test_progress_is_written(tmp_path):
    train("othello6", "tiny", tmp_path, seed=1)
    rows = [json.loads(line) for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert [row["iteration"] for row in rows] == [1, 2]
    assert {"policy_loss", "value_loss", "games_per_second", "evaluations_per_second"} <= set(
        rows[0]
    )
    assert "elo_mcts1" in rows[1]
    assert (tmp_path / "gates" / "00002.onnx").exists()


def test_a_run_is_not_overwritten(tmp_path):
    (tmp_path / "run.json").write_text(
        '{"game": "othello", "preset": "tiny", "seed": 1, "workers": 1, "command": ""}'
    )
    with pytest.raises(UsageError, match="add --resume"):
        train("othello", "tiny", tmp_path, seed=1)
    with pytest.raises(StateError, match="holds another run; add --resume to its command"):
        train("othello", "tiny", tmp_path, seed=2, resume=True)


def test_unwritable_folder_says_the_fix(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(UsageError, match="choose another --out"):
        train("othello", "tiny", blocked / "run", seed=1)


def test_corrupt_checkpoint_says_the_fix(tmp_path):
    (tmp_path / "run.json").write_text(
        '{"game": "connect4", "preset": "tiny", "seed": 1, "workers": 1, "command": ""}'
    )
    (tmp_path / "checkpoint.pt").write_bytes(b"not a checkpoint")
    with pytest.raises(
        StateError, match=r"checkpoint\.pt cannot be read; start again with another"
    ):
        train("connect4", "tiny", tmp_path, seed=1, resume=True)


@pytest.mark.parametrize("kept", [b"", b"no positions", b"PK\x03\x04" + bytes(60)])
def test_damaged_positions_say_the_fix(kept, tmp_path):
    (tmp_path / "00000.npz").write_bytes(kept)
    replay = Replay(get_game("connect4"), tmp_path, 100, 1.0)
    with pytest.raises(StateError, match=r"00000\.npz cannot be read; start again with another"):
        replay.load(1)


def test_paper_preset_is_table_a1():
    preset = PRESETS["paper"]["othello"]
    assert (preset.iterations, preset.games, preset.simulations) == (700, 10, 400)
    assert (preset.blocks, preset.channels, preset.batch) == (5, 256, 2048)
    assert (preset.c_puct, preset.opening_plies, preset.tau) == (1.25, 6, 40)
    assert (preset.random_root, preset.learning_rate, preset.momentum) == (0.2, 0.2, 0.9)
