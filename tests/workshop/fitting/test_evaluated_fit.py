"""An estimator learns games whose evaluations were made here."""

import shutil

import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.errors import NetworkError, UsageError
from evenmatch.estimation.estimator_files import load
from evenmatch.estimation.pooled import Evals
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.fitting.evaluated_fit import CACHE, Evaluations, fit_evaluated
from evenmatch.workshop.fitting.fitting import fit

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))
pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")


@pytest.fixture(scope="module")
def made(few_epochs, tmp_path_factory):
    """A folder with a dataset, a network and an estimator."""
    folder = tmp_path_factory.mktemp("evaluated")
    random_dataset(folder, games=120, shares=(0, 1, 1, 0), bands=PAIRS, each=3)
    network = random_network(folder / "net.onnx", scales=("dataset",), strength=2 + 8)
    (file, _) = fit(folder / "dataset", network, folder, command="evenmatch fit")
    return folder, network, file


class Engine:
    """Says how many moves were played; fails after so many games."""

    def __init__(self, most=10**6):
        self.most, self.asked = most, 0

    def __call__(self, games):
        self.asked += len(games)
        if self.asked > self.most:
            raise UsageError("it failed")
        return [np.arange(len(states), dtype=float) for states in games]


def teach(made, out, evaluate, **more):
    folder, network, _ = made
    return fit_evaluated(
        folder / "dataset", network, out, evaluate=evaluate, engine="counts", command="again",
        judging=lambda *_: None, evaluating=more.get("evaluating", lambda *_: None),
    )  # fmt: skip


def test_it_goes_on_where_an_engine_failed(made, tmp_path):
    shutil.copy(made[2], tmp_path)
    heard = []
    with pytest.raises(UsageError, match="it failed"):
        teach(made, tmp_path, Engine(most=70))
    rest = Engine()
    (path,) = teach(made, tmp_path, rest, evaluating=lambda *count: heard.append(count))
    known = Evaluations(tmp_path / CACHE, known_facts(made)).of_game
    assert rest.asked == len(known) - 64
    assert heard[-1][0] == heard[-1][1] > 0
    assert all((row == np.arange(len(row))).all() for row in known.values())
    method, facts = load(path)
    before, told = load(made[2])
    assert set(method.models) == {*before.models, Evals.MADE}
    assert facts["command"] == told["command"] == "evenmatch fit"
    assert facts["made"]["command"] == "again"
    assert facts["made"]["engine"] == "counts"
    numbers = method.models[Evals.MADE][0].numbers.mean
    assert (numbers[-12:] != before.models[Evals.RECORDED][0].numbers.mean[-12:]).any()
    again = Engine()
    teach(made, tmp_path, again)
    assert again.asked == 0


def known_facts(made):
    return {"dataset": Dataset.open(made[0] / "dataset").identity, "engine": "counts"}


def test_what_another_engine_said_is_forgotten(tmp_path):
    facts = {"engine": "a"}
    known = Evaluations(tmp_path / "x.npz", facts)
    known.of_game[3] = np.array([1, 2], np.int16)
    known._write()
    assert Evaluations(tmp_path / "x.npz", facts).of_game[3].tolist() == [1, 2]
    assert Evaluations(tmp_path / "x.npz", {"engine": "b"}).of_game == {}
    (tmp_path / "x.npz").write_bytes(b"PK")
    with pytest.raises(UsageError, match="damaged; delete it"):
        Evaluations(tmp_path / "x.npz", facts)


def test_an_estimator_has_to_be_there(made, tmp_path):
    with pytest.raises(NetworkError, match="no estimator"):
        teach(made, tmp_path, Engine())
    other = random_network(tmp_path / "other.onnx", scales=("dataset",), strength=2 + 8, seed=3)
    shutil.copy(made[2], tmp_path)
    with pytest.raises(NetworkError, match="of another network"):
        teach((made[0], other, made[2]), tmp_path, Engine())
