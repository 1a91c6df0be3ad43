"""An estimator and targets fitted to random games, by a random network."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.errors import NetworkError, UsageError
from evenmatch.estimation import NetworkScorer, Ranks
from evenmatch.estimation.estimator_files import Fitted, Targets, load, shipped_method
from evenmatch.estimation.pooled import Evals
from evenmatch.games.catalog import CATALOG, RatingSource, game_info
from evenmatch.games.chess import Chess
from evenmatch.network.artifact import digest_of
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.fitting import fit, fit_phases
from evenmatch.workshop.fitting.pooled_fit import NEAR
from evenmatch.workshop.fitting.samples import choose, score_sides

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="module")
def made(games_of_all_ranks, nets, few_epochs, tmp_path_factory):
    """A dataset, a network, and what was fitted with the help of another network."""
    out = tmp_path_factory.mktemp("fitting")
    files = fit(
        games_of_all_ranks, nets.conditioned, out, policies=[nets.plain], command="evenmatch fit"
    )
    return games_of_all_ranks, nets.conditioned, files


def test_files_are_named_by_the_scale(made):
    files = made[2]
    names = ["chess-dataset.npz", "chess-dataset-maia.npz", "chess-dataset-targets.npz"]
    assert [path.relative_to(files[0].parent).as_posix() for path in files] == names


def test_estimators_are_of_the_network_and_listen(made):
    _, network, (alone, with_extra, _) = made
    for path, policies in ((alone, 0), (with_extra, 1)):
        method, facts = load(path)
        assert facts["network"] == digest_of(network)
        assert facts["command"] == "evenmatch fit"
        assert len(facts["policies"]) == policies
        assert method.policies == bool(policies)
        assert set(method.models) == {Evals.NONE, Evals.RECORDED}, "the games have evaluations"


def test_a_scale_that_the_network_does_not_know(few_epochs, tmp_path, monkeypatch):
    """Another stands for it. Nobody plays twice here, so likeness comes from the usual scale."""
    chess = game_info("chess")
    foreign = RatingSource(name="dataset", conditioned_as="known")
    monkeypatch.setitem(CATALOG, "chess", replace(chess, sources=(*chess.sources, foreign)))
    random_dataset(tmp_path, games=240, shares=(0, 1, 1, 1), bands=PAIRS, each=1)
    network = random_network(tmp_path / "net.onnx", scales=("other", "known"), strength=2 + 2 * 8)
    files = fit(tmp_path / "dataset", network, tmp_path)
    assert [path.name for path in files] == ["chess-dataset.npz"], "no targets for se"
    method, facts = load(files[0])
    assert (method.scale, facts["scale"]) == (1, "known")
    usual = shipped_method("lichess-rapid", fast=True).correlation
    assert method.correlation == pytest.approx(usual, rel=1e-6)
    assert usual > 0.1


def test_targets_are_of_people_of_tune_and_candidate(made):
    """One game after the other: the mean of both scores over all plies near the tenth."""
    folder, network, (*_, path) = made
    dataset, targets = Dataset.open(folder), Targets.load(path, digest_of(network))
    scorer = NetworkScorer(NetworkEvaluator(network, Chess()), "dataset")
    sums, weights = np.zeros((8, 2)), np.zeros(8)
    for split in ("tune", "candidate"):
        sides, labels = choose(dataset, split, Ranks(), 10_000)
        for k, rank in enumerate(labels):
            one = Sides(sides.games[k : k + 1], sides.sides[k : k + 1])
            scores = score_sides(scorer, dataset, one).columns["strength"]
            for move, score in enumerate(scores):
                weight = NEAR + 1 - abs(2 * move + sides.sides[k] - 10)
                if weight > 0:
                    sums[rank - 1] += weight * score[:2]
                    weights[rank - 1] += weight
    means = sums / weights[:, None]
    assert targets.beta[:, 10] == pytest.approx(means[:, 0], abs=1e-4)
    assert targets.plain[:, 10] == pytest.approx(means[:, 1], abs=1e-4)
    assert not np.allclose(means[:, 0], means[:, 1], atol=1e-3)


def test_ranks_without_games_are_named(tmp_path):
    random_dataset(tmp_path, games=24, shares=(1, 1, 1, 1), bands=((1050, 1250),))
    network = random_network(tmp_path / "net.onnx", scales=("dataset",), strength=2 + 8)
    with pytest.raises(UsageError, match="rated 2400-2599; add some"):
        fit(tmp_path / "dataset", network, tmp_path)


def test_phases_have_estimators_of_their_own(made, nets, tmp_path, monkeypatch):
    """Each is learned from the moves of its phase alone; all listen."""
    folder, network, _ = made
    chess = game_info("chess")
    monkeypatch.setitem(CATALOG, "chess", replace(chess, phases=(4, 9)))
    files = fit_phases(folder, network, tmp_path, policies=[nets.plain], command="fit")
    phases = ["opening", "middle", "ending"]
    assert [path.name for path in files] == [f"chess-dataset-{phase}.npz" for phase in phases]
    fitted = [load(path) for path in files]
    means = [method.models[Evals.NONE][0].numbers.mean for method, _ in fitted]
    assert all((a != b).any() for a, b in combinations(means, 2)), "of other moves"
    for method, facts in fitted:
        assert method.policies
        assert facts["command"] == "fit"
    (tmp_path / "net.onnx").write_bytes(network.read_bytes())
    ours = Fitted(tmp_path, tmp_path / "net.onnx")
    assert ours.scales("chess") == [], "phases are no scales"
    with pytest.raises(NetworkError, match="uses other networks"):
        ours.of_phases("dataset", "chess")
    files[0].unlink()
    with pytest.raises(UsageError, match="no estimator of phases of dataset is in"):
        ours.of_phases("dataset", "chess")


def test_a_game_without_phases(made, tmp_path, monkeypatch):
    folder, network, _ = made
    monkeypatch.setitem(CATALOG, "chess", replace(game_info("chess"), phases=None))
    with pytest.raises(UsageError, match="chess has no distinct phases"):
        fit_phases(folder, network, tmp_path)
