"""Reading a checkpoint runs none of it, whoever wrote it."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.errors import StateError  # noqa: E402
from evenmatch.workshop.training import checkpoints  # noqa: E402
from evenmatch.workshop.training.alphazero import train  # noqa: E402


class RunsAtReading:
    """Makes a folder if it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


SMALL = """
import resource, sys
from pathlib import Path
from evenmatch.workshop.training import checkpoints
import torch
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    checkpoints.save(Path(sys.argv[1]), {"weights": torch.zeros(100_000)})
except OSError as error:
    print(f"no room: {error.strerror}")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files here")
def test_a_checkpoint_without_room_is_an_oserror_and_leaves_the_last_one(tmp_path):
    """As on a full disk; torch itself would raise a RuntimeError of its own."""
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(b"the last one")
    words = [sys.executable, "-c", SMALL, str(path)]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.stdout == "no room: File too large\n", ended.stderr
    assert path.read_bytes() == b"the last one"
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint.pt"]


def read(path):
    held = {}
    assert checkpoints.go_on(path, {"blocks": 3}, "some", held.update)
    return held


def test_arrays_numbers_and_random_states_come_back(tmp_path):
    rng = np.random.default_rng(3)
    rng.random(5)
    played = {
        "states": rng.integers(0, 2**64, (2, 3), np.uint64),
        "policies": rng.random((2, 4)).astype(np.float16),
        "none": np.zeros((0, 2), np.int32),
        "games": 7,
        "delivered": [("worker 1", 2, {"outcomes": np.ones(3, np.float32)})],
    }
    rows = [{"loss": np.float64(0.5), "elo": None, "of": ("a", True)}]
    state = {
        "preset": {"blocks": 3},
        "self_play": played,
        "rng": rng.bit_generator.state,
        "rows": rows,
    }
    checkpoints.save(tmp_path / "checkpoint.pt", state)
    held = read(tmp_path / "checkpoint.pt")
    back = checkpoints.arrays(held["self_play"])
    assert back.pop("games") == 7
    [(worker, iteration, delivered)] = back.pop("delivered")
    assert (worker, iteration, delivered["outcomes"].tolist()) == ("worker 1", 2, [1, 1, 1])
    assert isinstance(delivered["outcomes"], np.ndarray)
    for name, array in back.items():
        assert array.dtype == played[name].dtype
        assert array.shape == played[name].shape
        assert (array == played[name]).all()
    assert held["rows"] == [{"loss": 0.5, "elo": None, "of": ("a", True)}]
    other = np.random.default_rng(0)
    other.bit_generator.state = held["rng"]
    assert (other.random(9) == rng.random(9)).all()


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    with pytest.raises(TypeError, match="cannot hold RunsAtReading"):
        checkpoints.save(tmp_path / "checkpoint.pt", {"rows": [RunsAtReading(tmp_path)]})
    assert not list(tmp_path.iterdir())


def of_this_run(folder):
    """Let a folder hold a run of Connect Four that has a checkpoint; return the checkpoint."""
    asked = '{"game": "connect4", "preset": "tiny", "seed": 1, "workers": 1, "command": ""}'
    (folder / "run.json").write_text(asked)
    return folder / "checkpoint.pt"


def test_a_checkpoint_that_runs_something_is_refused(tmp_path):
    path = of_this_run(tmp_path)
    torch.save({"preset": RunsAtReading(tmp_path / "made")}, path)
    torch.load(path, weights_only=False)  # so it would have run
    (tmp_path / "made").rmdir()
    with pytest.raises(StateError, match=r"not written by this version of evenmatch; start again"):
        train("connect4", "tiny", tmp_path, seed=1, resume=True)
    assert not (tmp_path / "made").exists()


def test_a_checkpoint_of_an_earlier_version_is_refused(tmp_path):
    path = of_this_run(tmp_path)
    torch.save({"self_play": {"states": np.zeros((2, 2), np.uint64)}}, path)  # arrays, as it had
    with pytest.raises(StateError, match=r"\.pt is damaged, or was not written by this version"):
        train("connect4", "tiny", tmp_path, seed=1, resume=True)


@pytest.mark.parametrize("state", [[], {}, {"preset": 3, "fitter": {}}, {"preset": None}])
def test_a_checkpoint_of_another_form_is_refused(state, tmp_path):
    torch.save(state, of_this_run(tmp_path))
    with pytest.raises(StateError, match="start again with another --out"):
        train("connect4", "tiny", tmp_path, seed=1, resume=True)


def test_damage_deep_inside_is_refused(tmp_path):
    path = of_this_run(tmp_path)
    train("connect4", "tiny", tmp_path, seed=1, resume=True)
    state = torch.load(path, weights_only=True)
    state["source"]["workers"] = []
    torch.save(state, path)
    with pytest.raises(StateError, match=r"checkpoint\.pt is damaged, or"):
        train("connect4", "tiny", tmp_path, seed=1, resume=True)
