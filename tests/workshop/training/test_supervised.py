"""Supervised training on a handful of random games: it runs, resumes, and refuses."""

import gzip
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from random_datasets import random_dataset

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.errors import NetworkError, RecordError, StateError, UsageError  # noqa: E402
from evenmatch.estimation import Ranks  # noqa: E402
from evenmatch.games.chess import Chess  # noqa: E402
from evenmatch.network.artifact import read_card  # noqa: E402
from evenmatch.network.inference import NetworkEvaluator  # noqa: E402
from evenmatch.network.leela.graph import import_leela  # noqa: E402
from evenmatch.workshop.networks.modules import read_weights  # noqa: E402
from evenmatch.workshop.networks.resnet import ResNet  # noqa: E402
from evenmatch.workshop.networks.resnet_weights import leela_module  # noqa: E402
from evenmatch.workshop.training.human import HUMAN_PRESETS  # noqa: E402
from evenmatch.workshop.training.loop import dropout_seed  # noqa: E402
from evenmatch.workshop.training.networks import network_config, take_over  # noqa: E402
from evenmatch.workshop.training.supervised import SupervisedTraining, train_on_games  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_curves")
CHESS = Chess()
PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Games of all eight ranks, players to train and to tune by."""
    torch.set_num_threads(1)
    path = tmp_path_factory.mktemp("supervised")
    random_dataset(path, games=80, shares=(1, 1, 0, 0), bands=PAIRS)
    return path / "dataset"


@pytest.fixture(scope="module")
def whole(folder, tmp_path_factory):
    """The folder of a run that nothing stopped, with its plot; it is not to be changed."""
    out = tmp_path_factory.mktemp("run") / "whole"
    train_on_games([folder], "tiny", out, seed=3)
    return out


class StopError(Exception):
    pass


class StopsAfter:
    """A listener that stops the training after some intervals."""

    def __init__(self, intervals):
        self.left = intervals

    def started(self):
        pass

    def phase(self, *_, **__):
        pass

    def iteration(self, row):
        self.left -= 1
        if not self.left:
            raise StopError


def test_a_stopped_run_goes_on_to_the_same_network(folder, whole, tmp_path):
    with pytest.raises(StopError):
        train_on_games([folder], "tiny", tmp_path / "cut", seed=3, listener=StopsAfter(1))
    train_on_games([folder], "tiny", tmp_path / "cut", seed=3, resume=True)
    rows = [
        [json.loads(line) for line in (run / "progress.jsonl").read_text().splitlines()]
        for run in (whole, tmp_path / "cut")
    ]
    assert len(rows[0]) == 2
    for one, two in zip(*rows, strict=True):
        for name in ("seconds", "learning_seconds"):
            del one[name], two[name]
        assert one == two
    states = Chess().initial(3)
    one, two = (
        NetworkEvaluator(run / "network.onnx", Chess(), precision="f32").evaluate(states)
        for run in (whole, tmp_path / "cut")
    )
    for name in ("logits", "values", "scores"):
        assert (getattr(one, name) == getattr(two, name)).all()
    card = read_card(whole / "network.onnx")
    assert card.shape == (112, 8, 8)
    assert card.positions == 4 * (9 * 2 + 3)
    assert card.scales == ["dataset"]
    assert card.ranks == {"lowest": 1000, "width": 200, "count": 8}
    assert "Leela" in card.planes
    assert (whole / "curves.svg").read_text().startswith("<?xml")


def test_it_learns(folder, tmp_path):
    """Random moves cannot be foreseen, but which of the 1858 occur at all is soon learned."""
    from dataclasses import replace

    from evenmatch.workshop.datasets.dataset import Dataset

    preset = replace(
        HUMAN_PRESETS["tiny"], channels=16, moves=4, steps=60, interval=30, learning_rate=0.1
    )
    training = SupervisedTraining(
        [Dataset.open(folder)], preset, tmp_path, name="t", ranks=Ranks(count=2, width=800)
    )
    training.run()
    rows = [json.loads(line) for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert rows[0]["policy_loss"] < 1.05 * np.log(1858)
    assert rows[-1]["policy_loss"] < 0.85 * np.log(1858)


def test_bad_runs(folder, whole, tmp_path):
    with pytest.raises(UsageError, match="unknown preset 'huge'; choose one of: small, further"):
        train_on_games([folder], "huge", tmp_path / "a")
    with pytest.raises(RecordError, match="is not a dataset"):
        train_on_games([tmp_path], "tiny", tmp_path / "a")
    shutil.copytree(whole, tmp_path / "run")
    with pytest.raises(UsageError, match="already holds a run; add --resume"):
        train_on_games([folder], "tiny", tmp_path / "run", seed=3)
    with pytest.raises(StateError, match="holds another run; add --resume to its command"):
        train_on_games([folder], "tiny", tmp_path / "run", seed=2, resume=True)
    (tmp_path / "run" / "checkpoint.pt").write_bytes(b"no")
    with pytest.raises(StateError, match="cannot be read"):
        train_on_games([folder], "tiny", tmp_path / "run", seed=3, resume=True)


def test_weights_are_taken_over_and_ranks_left_out(folder, whole, tmp_path, monkeypatch):
    first = whole / "network.onnx"
    only = replace(HUMAN_PRESETS["tiny"], ranking_weight=0.0, class_weight=0.0)
    monkeypatch.setitem(HUMAN_PRESETS, "only", only)
    module = ResNet(network_config(only, CHESS, 1, Ranks()))
    take_over(module, first)
    wanted = read_weights(first).state_dict()
    for name, weight in module.state_dict().items():
        assert torch.equal(weight, wanted[name]), name
    assert any(name.startswith("strength") for name in wanted)
    assert not any(name.startswith("strength") for name in module.state_dict())
    second = train_on_games([folder], "only", tmp_path / "second", seed=4, init=first)
    card = read_card(second)
    assert card.ranks == {}
    said = NetworkEvaluator(second, Chess(), precision="f32").evaluate(Chess().initial())
    assert said.scores is None
    rows = (tmp_path / "second" / "progress.jsonl").read_text().splitlines()
    assert json.loads(rows[0])["ranking_loss"] == 0
    other = replace(only, channels=16)
    for strange in (other, replace(only, normed=False)):
        with pytest.raises(NetworkError, match="of another shape; give others to --init"):
            take_over(ResNet(network_config(strange, CHESS, 1, Ranks())), first)
    with pytest.raises(StateError, match="holds another run; add --resume to its command"):
        train_on_games([folder], "only", tmp_path / "second", seed=4, resume=True, init=second)
    with pytest.raises(StateError, match="holds another run; add --resume to its command"):
        train_on_games([folder], "only", tmp_path / "second", seed=4, resume=True)


def test_leelas_weights_are_begun_from(tmp_path):
    """More blocks than the file has, conditions and strength: the policy is the file's at first."""
    pytest.importorskip("google.protobuf", reason="protobuf absent: pip install evenmatch[test]")
    import oracle_lc0

    net = oracle_lc0.random_net(1, convolutional=True, wdl=True, squeezed=3)
    path = tmp_path / "n.pb.gz"
    path.write_bytes(gzip.compress(net.SerializeToString(), mtime=0))
    value = leela_module(path).config
    preset = replace(
        HUMAN_PRESETS["tiny"], blocks=4, channels=8, squeezed=3,
        value_channels=value.value_channels, value_hidden=value.value_hidden,
    )  # fmt: skip
    module = ResNet(network_config(preset, CHESS, 1, Ranks()))
    take_over(module, path)
    planes = (np.random.default_rng(5).random((5, 112, 8, 8)) < 0.2).astype(np.float32)
    told = torch.zeros(5, module.config.conditions)
    with torch.no_grad():
        found = module.eval()(torch.from_numpy(planes), None, told)
    np.testing.assert_allclose(found.logits, oracle_lc0.forward(net, planes)[0], atol=1e-3)
    for strange in (replace(preset, blocks=1), replace(preset, squeezed=0)):
        with pytest.raises(NetworkError, match="of another shape; give others to --init"):
            take_over(ResNet(network_config(strange, CHESS, 1, Ranks())), path)
    import_leela(path, tmp_path / "n.onnx")
    with pytest.raises(NetworkError, match="was imported; give the file that it is from"):
        take_over(module, tmp_path / "n.onnx")


def test_weights_taken_over_judge_as_they_did(folder, whole, tmp_path, monkeypatch):
    """Batch normalisation has its statistics again: one small step from them changes little."""
    first = whole / "network.onnx"
    still = replace(HUMAN_PRESETS["tiny"], steps=1, learning_rate=1e-6, final_learning_rate=1e-6)
    monkeypatch.setitem(HUMAN_PRESETS, "still", replace(still, ema=None))
    second = train_on_games([folder], "still", tmp_path / "second", seed=4, init=first)
    states = Chess().initial(2)
    one, two = (
        NetworkEvaluator(path, Chess(), precision="f32").evaluate(states).values
        for path in (first, second)
    )
    np.testing.assert_allclose(one, two, atol=0.1)


def test_a_training_whose_units_die_ends(folder, tmp_path, monkeypatch):
    path = tmp_path / "run"
    with pytest.raises(StopError):
        train_on_games([folder], "tiny", path, seed=3, listener=StopsAfter(1))
    row = json.loads((path / "progress.jsonl").read_text())
    assert 0 <= row["dead_units"] <= 1
    held = (path / "network.onnx").read_bytes()
    monkeypatch.setattr("evenmatch.workshop.training.supervised.DEAD", -1.0)
    with pytest.raises(NetworkError, match=r"have died by step 4; train with a lower learning"):
        train_on_games([folder], "tiny", path, seed=3, resume=True)
    assert (path / "network.onnx").read_bytes() == held
    assert len((path / "progress.jsonl").read_text().splitlines()) == 1


def test_every_step_drops_other_units():
    """Else the rows of a batch, and so their ranks, are known by what is dropped in them."""
    masks = []
    for seed, step in ((1, 0), (1, 1), (1, 500), (2, 0), (2, 1)):
        torch.manual_seed(dropout_seed(seed, step))
        masks.append(torch.nn.functional.dropout(torch.ones(64), 0.3).tolist())
    for i, mask in enumerate(masks):
        assert mask not in masks[:i]
    assert dropout_seed(1, 7) == dropout_seed(1, 7)
