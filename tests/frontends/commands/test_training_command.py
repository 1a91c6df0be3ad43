"""``evenmatch train`` on recorded games; self-play is in test_cli.py and tests/training."""

import json

import pytest
from oracle_katago import RandomNet
from random_datasets import random_dataset
from random_go_games import random_go_dataset

from evenmatch.network.artifact import read_card

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


def test_training_go_from_katagos_weights(run, tmp_path):
    """By the same command: the presets are those of its networks, progress tells the rate."""
    data = [random_go_dataset(tmp_path / name).folder for name in ("kgs", "ogs")]
    (tmp_path / "net.bin.gz").write_bytes(RandomNet().packed())
    words = ["train", "go9", "-p", "tiny", "--init", str(tmp_path / "net.bin.gz")]
    words += ["--data", str(data[0]), "--data", str(data[1]), "--out", str(tmp_path / "run")]
    result = run(*words)
    assert result.exit_code == 0, result.output
    last = result.stdout.splitlines()[2]
    for told in ("iteration 2/2", "positions/s", "moves predicted", "left 0:00:00"):
        assert told in last
    assert read_card(tmp_path / "run" / "network.onnx").scales == ["kgs", "ogs"]
    refused = run(*words[:2], "-p", "further", *words[4:])
    assert "unknown preset 'further'; choose one of: small, short" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("othello", "--data", "DATA"), "has games of Chess, not Othello"),
        (("chess", "--data", "nowhere"), "nowhere is no dataset"),
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


def test_what_is_refused_takes_no_folder(refused, run, data, tmp_path):
    """All games are of one rank, which is not enough; then the folder is as free as before."""
    (tmp_path / "few").mkdir()
    random_dataset(tmp_path / "few", games=8)
    out = str(tmp_path / "run")
    words = ("train", "chess", "-p", "tiny", "--out", out)
    assert "no games of players rated" in refused(*words, "--data", str(tmp_path / "few/dataset"))
    assert run(*words, "--data", data).exit_code == 0


def test_an_interrupt_before_anything_is_kept(run, data, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("evenmatch.workshop.training.supervised.SupervisedTraining", interrupt)
    result = run("train", "chess", "-p", "tiny", "--data", data, "--out", str(tmp_path / "run"))
    assert "nothing was kept yet; start again" in result.output
