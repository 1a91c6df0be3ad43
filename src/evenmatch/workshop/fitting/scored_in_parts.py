"""Moves of a dataset rated in parts: side by side on this machine, or on a cluster.

The dataset has to have the same path on all machines; networks are sent.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.estimation.move_features import MoveFeatures, NetworkScorer
from evenmatch.progress import Progress, ignore
from evenmatch.workshop.cluster import Executor, Shared, SideBySide, Work
from evenmatch.workshop.cluster.side_by_side import Lost
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.samples import answered, score_sides
from evenmatch.workshop.networks.sent import evaluator_of

SIDES = 200  #: of a part


class ScorerInParts:
    """Rates moves as `NetworkScorer` does, by the parts that an executor does.

    The executor is not closed: several splits are rated one after the other.
    """

    def __init__(
        self,
        executor: Executor,
        game_id: str,
        scale: str,
        networks: Sequence[Path],
        lost: Lost = ignore,
    ):
        """``networks`` are the one that rates, and those whose policies it listens to."""
        self._executor, self._lost = executor, lost
        self._game_id, self._scale = game_id, scale
        self._networks = tuple(Shared(path.read_bytes()) for path in networks)

    def of_dataset(
        self, dataset: Dataset, chosen: Sides, progress: Progress = ignore
    ) -> MoveFeatures:
        """Rate the own moves of sides of a dataset; ``progress`` hears of moves done and due."""
        counts = answered(dataset.games["plies"][chosen.games], chosen.sides)
        done: dict[str, int] = {}

        def started(key: str) -> Progress:
            def hears(moves: int, _due: int) -> None:
                done[key] = moves
                progress(sum(done.values()), int(counts.sum()))

            return hears

        parts = SideBySide(self._executor, started, self._lost)
        starts = range(0, max(len(counts), 1), SIDES)
        for at in starts:
            some = Sides(chosen.games[at : at + SIDES], chosen.sides[at : at + SIDES])
            parts.add_ready(str(at), self._work(str(dataset.folder.resolve()), some))
        found: dict[str, MoveFeatures] = {}
        while parts.busy:
            parts.begin()
            found |= {key: result["moves"] for key, result in parts.ended()}
        return joined([found[str(at)] for at in starts])

    def _work(self, folder: str, some: Sides) -> Work:
        """Return the work of a part."""
        return partial(rate_some, self._game_id, self._scale, self._networks, folder, some)


def rate_some(
    game_id: str,
    scale: str,
    networks: Sequence[Shared],
    folder: str,
    some: Sides,
    key: str,
    progress: Progress,
) -> dict[str, Any]:
    """Rate the moves of some sides, wherever this is."""
    scorer = _scorer(game_id, scale, tuple(network.value for network in networks))
    return {"moves": score_sides(scorer, _dataset(folder), some, progress)}


@lru_cache(maxsize=1)
def _scorer(game_id: str, scale: str, networks: tuple[bytes, ...]) -> NetworkScorer:
    network, *others = (evaluator_of(one, game_id) for one in networks)
    return NetworkScorer(network, scale, others)


@lru_cache(maxsize=1)
def _dataset(folder: str) -> Dataset:
    return Dataset.open(folder)


def joined(some: Sequence[MoveFeatures]) -> MoveFeatures:
    """Return the games of several as those of one."""
    names = some[0].columns
    columns = {name: np.concatenate([one.columns[name] for one in some]) for name in names}
    return MoveFeatures(columns, np.concatenate([one.counts for one in some]))
