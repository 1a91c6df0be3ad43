"""Fit to recorded games what goes with a network: an estimator of ratings, targets of SE-MCTS.

Both learn from people whom the network did not learn from, those of the splits tune and candidate
(Chen et al. 2025, section 4: candidates).
"""

import datetime
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.estimator_files import (
    ALONE,
    OF_PHASE,
    SHIPPED,
    TARGETS,
    WITH_EXTRA,
    Targets,
    shipped_method,
)
from evenmatch.estimation.move_features import NetworkScorer
from evenmatch.estimation.pooled import PooledFeatures
from evenmatch.estimation.rating_scales import estimated_ranks, head_ranks, number_of, ranks_of
from evenmatch.estimation.running import phases_of
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of
from evenmatch.network.card import BETA, BETA_PLAIN
from evenmatch.network.combined import WithOurScores, with_strength_head
from evenmatch.network.imported import as_artifact
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress, ignore
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.pooled_fit import (
    learn,
    save,
    save_targets,
    target_curves,
    torch_module,
)
from evenmatch.workshop.fitting.rating_tasks import RatingTasks
from evenmatch.workshop.fitting.samples import Rated, Score, most_sides, rate, score_sides
from evenmatch.workshop.tasks import Executor, OnRetry

LEARNED = ("tune", "candidate")  #: splits that the estimator learns from
PHASE_SIDES = {"tune": 600, "candidate": 300}  #: of each rank, from which phases are learned
LEAST_TWICE = 50  #: people with two games or more, from whom likeness to oneself is learned


def fit(
    folder: Path,
    network: Path,
    out: Path,
    *,
    policies: Sequence[Path] = (),
    command: str = "",
    progress: Progress = lambda done, due: None,
    executor: Executor | None = None,
    on_retry: OnRetry = ignore,
) -> list[Path]:
    """Write to the folder ``out`` what was fitted to a dataset; return the files.

    Targets are among them if the network knows the dataset's scale itself.
    ``policies`` are networks, such as Maia's, that a second estimator also uses. Moves are rated
    in this process, or by tasks on an ``executor``; ``on_retry`` is called for those that are run
    again. UsageError names a rank with too few games, MissingExtraError what is to be installed.
    """
    torch_module()  # or it says what to install, before all the work
    dataset, scale = Dataset.open(folder), folder.resolve().name
    game = dataset.codec.game
    artifact = as_artifact(network)
    net = with_strength_head(NetworkEvaluator(artifact, game))
    number, ranks = number_of(scale, net.card), estimated_ranks(scale, net.card)
    classes = head_ranks(scale, net.card).count
    most = {split: most_sides(game.id, scale)[split] for split in LEARNED}
    networks = Networks(artifact, net, tuple(policies))
    rated = learned_from(dataset, networks, scale, most, progress, executor, on_retry)
    alone, with_extra, targets = (
        out / x.format(game.id, scale) for x in (ALONE, WITH_EXTRA, TARGETS)
    )
    kinds = [(alone, ()), *([(with_extra, tuple(policies))] if policies else [])]
    facts = facts_of(rated, command)
    for path, others in kinds:
        method = PooledFeatures(number, ranks, classes=classes, policies=bool(others))
        learn(method, rated.moves, rated.ratings, rated.players)
        if people_seen_twice(rated.players) < LEAST_TWICE:
            method.correlation = likeness_elsewhere(game.id)
        save(method, network, net.card.scales, path, others, **facts)
    files = [path for path, _ in kinds]
    if scale not in net.card.scales:
        return files
    save_targets(targets_of(rated, ranks_of(scale, net.card)), targets, digest_of(network))
    return [*files, targets]


def fit_phases(
    folder: Path,
    network: Path,
    out: Path,
    *,
    policies: Sequence[Path] = (),
    command: str = "",
    progress: Progress = lambda done, due: None,
    executor: Executor | None = None,
    on_retry: OnRetry = ignore,
) -> list[Path]:
    """Write to the folder ``out`` estimators of each phase, fitted to a dataset; return the files.

    They listen to ``policies``. UsageError if the game has no phases, or as `fit`.
    """
    torch_module()
    dataset, scale = Dataset.open(folder), folder.resolve().name
    game, begins = dataset.codec.game, game_info(dataset.codec.game.id).phases
    if begins is None:
        raise UsageError(f"{game.id} has no distinct phases; leave out --phases")
    artifact = as_artifact(network)
    net = with_strength_head(NetworkEvaluator(artifact, game))
    number, ranks = number_of(scale, net.card), estimated_ranks(scale, net.card)
    networks = Networks(artifact, net, tuple(policies))
    rated = learned_from(dataset, networks, scale, PHASE_SIDES, progress, executor, on_retry)
    facts = facts_of(rated, command)
    files = [out / name.format(game.id, scale) for name in OF_PHASE]
    for path, moves in zip(files, phases_of(rated.moves, begins), strict=True):
        method = PooledFeatures(
            number, ranks, classes=head_ranks(scale, net.card).count, policies=bool(policies)
        )
        learn(method, moves, rated.ratings, rated.players)
        save(method, network, net.card.scales, path, policies, **facts)
    return files


class Networks(NamedTuple):
    """What rates moves: a network's file, its evaluator, and files of the extra networks."""

    path: Path
    evaluator: NetworkEvaluator | WithOurScores
    policies: tuple[Path, ...]

    def score(self, scale: str, executor: Executor | None, on_retry: OnRetry) -> Score:
        """Return what rates moves, here or by an executor."""
        game = self.evaluator.game
        if executor is not None:
            networks = (self.path, *self.policies)
            return RatingTasks(executor, game.id, scale, networks, on_retry).of_dataset
        others = [NetworkEvaluator(path, game) for path in self.policies]
        return partial(score_sides, NetworkScorer(self.evaluator, scale, others))


def learned_from(
    dataset: Dataset,
    networks: Networks,
    scale: str,
    most: Mapping[str, int],
    progress: Progress,
    executor: Executor | None,
    on_retry: OnRetry,
) -> Rated:
    """Return the games to learn from, ``most`` of each rank by split, and what networks say."""
    score = networks.score(scale, executor, on_retry)
    ranks = estimated_ranks(scale, networks.evaluator.card)
    return together(rate(score, dataset, ranks, most, progress).values())


def facts_of(rated: Rated, command: str) -> dict[str, Any]:
    """Return what is noted of how something was fitted."""
    return {
        "command": command,
        "games": len(rated.players),  # one side of each counts
        "players": len(np.unique(rated.players)),
        "date": datetime.date.today().isoformat(),
    }


def people_seen_twice(players: NDArray[np.int64]) -> int:
    """Return how many people have two games or more; ``players`` [G] are who played each."""
    return int((np.unique(players[players >= 0], return_counts=True)[1] > 1).sum())


def likeness_elsewhere(game_id: str) -> float:
    """Return how alike games of one person are to the first of the game's estimators that ship.

    0, as if every game were of another person, if none ships.
    """
    usual = next((scale for scale in game_info(game_id).scales if scale in SHIPPED), None)
    return shipped_method(usual, fast=True).correlation if usual else 0.0


def together(parts: Iterable[Rated]) -> Rated:
    """Return the games of several splits as those of one."""
    sides, labels, ratings, players, moves = zip(*parts, strict=True)
    return Rated(
        Sides(*map(np.concatenate, zip(*sides, strict=True))),
        np.concatenate(labels),
        np.concatenate(ratings),
        np.concatenate(players),
        reduce(operator.add, moves),
    )


def targets_of(rated: Rated, ranks: Ranks) -> Targets:
    """Return the targets of SE_inf-MCTS and SE-MCTS."""
    labels = np.where(rated.labels > ranks.count, 0, rated.labels)  # weaker people have none
    beta, plain = (
        target_curves(rated.moves, rated.sides.sides, labels, column, ranks)
        for column in (BETA, BETA_PLAIN)
    )
    return Targets(beta, plain, ranks)
