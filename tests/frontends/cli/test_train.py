"""``evenmatch train`` on recorded games; self-play is in test_cli.py and tests/training."""

import json

import pytest
from random_datasets import random_dataset

pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    random_dataset(folder, games=80, shares=(1, 1, 0, 0), bands=PAIRS)
    return str(folder / "dataset")


def test_training_on_recorded_games(run, data, tmp_path):
    out = tmp_path / "run"
    result = run("train", "chess", "--data", data, "-p", "tiny", "--out", str(out))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Chess, preset tiny, seed 0")
    assert "iteration 2/2" in lines[2]
    assert "moves predicted" in lines[2]
    assert lines[3] == f"The network: {out / 'network.onnx'}"
    assert json.loads((out / "run.json").read_text())["datasets"] == [data]
    assert "already holds a run" in run("train", "chess", "--data", data, "--out", str(out)).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("othello", "--data", "DATA"), "has games of Chess, not Othello"),
        (("chess", "--data", "nowhere"), "nowhere is not a dataset"),
        (("chess", "--data", "DATA", "-p", "fast"), "choose one of: small, further"),
        (("chess", "--data", "DATA", "--workers", "2"), "--workers is for training by self-play"),
        (("chess", "--data", "DATA", "--free"), "--free is for training by self-play; leave out"),
        (("connect4", "--workers", "0"), "0 is outside 1 to 10000"),
        (("connect4", "--cluster", "127.0.0.1:1"), "no cluster answers at '127.0.0.1:1'"),
    ],
)
def test_what_cannot_be_learned(refused, data, tmp_path, arguments, message):
    words = [data if word == "DATA" else word for word in arguments]
    assert message in refused("train", *words, "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_an_interrupt_before_anything_is_kept(run, data, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("evenmatch.workshop.training.supervised.SupervisedTraining", interrupt)
    result = run("train", "chess", "-p", "tiny", "--data", data, "--out", str(tmp_path / "run"))
    assert "nothing was kept yet; start again" in result.output
