"""Moves of a dataset rated by tasks: side by side on this machine, or on a cluster.

The dataset has to have the same path on all machines; networks are sent.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.estimation.move_features import MoveFeatures, NetworkScorer
from evenmatch.progress import Progress, ignore
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.samples import answered, score_sides
from evenmatch.workshop.networks.sent import evaluator_from_bytes
from evenmatch.workshop.tasks import Executor, OnRetry, Shared, TaskPool, total_progress

SIDES = 200  #: of a task


class RatingTasks:
    """Rates moves as `NetworkScorer` does, by tasks on an executor, which is not closed."""

    def __init__(
        self,
        executor: Executor,
        game_id: str,
        scale: str,
        networks: Sequence[Path],
        on_retry: OnRetry = ignore,
    ):
        """``networks``: first the one that rates, then those of which only the policy is used."""
        self._executor, self._on_retry = executor, on_retry
        self._game_id, self._scale = game_id, scale
        self._networks = tuple(Shared(path.read_bytes()) for path in networks)

    def of_dataset(
        self, dataset: Dataset, chosen: Sides, progress: Progress = ignore
    ) -> MoveFeatures:
        """Rate the own moves of sides of a dataset; ``progress`` gets moves done and due."""
        counts = answered(dataset.games["plies"][chosen.games], chosen.sides)
        started = total_progress(progress, int(counts.sum()))
        tasks = TaskPool(self._executor, started, self._on_retry)
        settings = self._game_id, self._scale, str(dataset.folder.resolve())
        starts = range(0, max(len(counts), 1), SIDES)
        for at in starts:
            some = Sides(chosen.games[at : at + SIDES], chosen.sides[at : at + SIDES])
            tasks.add(str(at), partial(rate_some, *settings, some, *self._networks))
        found = {key: result["moves"] for key, result in tasks.results()}
        return joined([found[str(at)] for at in starts])


def rate_some(
    game_id: str, scale: str, folder: str, some: Sides, *rest: Any
) -> dict[str, MoveFeatures]:
    """Rate the moves of some sides; ``rest`` are Shared networks, then the key and progress."""
    *networks, _, progress = rest
    scorer = _scorer(game_id, scale, tuple(network.value for network in networks))
    return {"moves": score_sides(scorer, _dataset(folder), some, progress)}


@lru_cache(maxsize=1)
def _scorer(game_id: str, scale: str, networks: tuple[bytes, ...]) -> NetworkScorer:
    network, *others = (evaluator_from_bytes(one, game_id) for one in networks)
    return NetworkScorer(network, scale, others)


@lru_cache(maxsize=1)
def _dataset(folder: str) -> Dataset:
    return Dataset.open(folder)


def joined(some: Sequence[MoveFeatures]) -> MoveFeatures:
    """Return the games of several as those of one."""
    names = some[0].columns
    columns = {name: np.concatenate([one.columns[name] for one in some]) for name in names}
    return MoveFeatures(columns, np.concatenate([one.counts for one in some]))
