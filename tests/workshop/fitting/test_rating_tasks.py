"""Moves rated in parts are those rated at once."""

import numpy as np
import pytest

from evenmatch.estimation import NetworkScorer
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting import rating_tasks
from evenmatch.workshop.fitting.fitting import fit
from evenmatch.workshop.fitting.rating_tasks import RatingTasks
from evenmatch.workshop.fitting.samples import score_sides
from evenmatch.workshop.tasks import InlineExecutor, ProcessExecutor


@pytest.mark.parametrize(
    "executor", [InlineExecutor, lambda: ProcessExecutor(1)], ids=["here", "a process"]
)
def test_a_dataset_in_parts_is_rated_as_at_once(games_of_all_ranks, nets, executor, monkeypatch):
    """Up to rounding: a network's calls are of other sizes."""
    network, maia = nets.conditioned, nets.plain
    monkeypatch.setattr(rating_tasks, "SIDES", 17)
    dataset = Dataset.open(games_of_all_ranks)
    every = dataset.select(split="tune")
    sides = Sides(every.games[:60], every.sides[:60])
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


def test_what_is_fitted_by_parts_is_fitted(games_of_all_ranks, nets, few_epochs, tmp_path):
    with InlineExecutor() as does:
        files = fit(
            games_of_all_ranks, nets.conditioned, tmp_path, policies=[nets.plain], executor=does
        )
    assert len(files) == 3
