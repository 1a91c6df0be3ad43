"""Moves rated in parts are those rated at once."""

import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.estimation import NetworkScorer
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.fitting import rating_tasks
from evenmatch.workshop.fitting.fitting import fit
from evenmatch.workshop.fitting.rating_tasks import RatingTasks
from evenmatch.workshop.fitting.samples import score_sides
from evenmatch.workshop.tasks import InlineExecutor, ProcessExecutor

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A dataset, a network, and one more to listen to."""
    folder = tmp_path_factory.mktemp("scoring")
    random_dataset(folder, games=240, shares=(1, 1, 1, 1), bands=PAIRS, each=3)
    network = random_network(folder / "net.onnx", scales=("dataset",), strength=2 + 8)
    return folder / "dataset", network, random_network(folder / "maia.onnx", seed=1)


@pytest.mark.parametrize(
    "executor", [InlineExecutor, lambda: ProcessExecutor(1)], ids=["here", "a process"]
)
def test_a_dataset_in_parts_is_rated_as_at_once(made, executor, monkeypatch):
    """Up to rounding: a network's calls are of other sizes."""
    folder, network, maia = made
    monkeypatch.setattr(rating_tasks, "SIDES", 17)
    dataset = Dataset.open(folder)
    sides = dataset.select(split="tune")
    net, other = (NetworkEvaluator(path, dataset.codec.game) for path in (network, maia))
    expected = score_sides(NetworkScorer(net, "dataset", [other]), dataset, sides)
    heard = []
    with executor() as does:
        scorer = RatingTasks(does, "chess", "dataset", (network, maia))
        found = scorer.of_dataset(dataset, sides, lambda *told: heard.append(told))
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert found.columns.keys() == expected.columns.keys()
    for name, column in expected.columns.items():
        np.testing.assert_allclose(found.columns[name], column, atol=0.02, err_msg=name)
    assert heard[-1][1] == expected.moves


def test_what_is_fitted_by_parts_is_fitted(made, tmp_path):
    folder, network, maia = made
    with InlineExecutor() as does:
        files = fit(folder, network, tmp_path, policies=[maia], executor=does)
    assert len(files) == 3
