"""What the benchmarks share: how much to measure, the networks, the positions, a search."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from evenmatch.errors import NetworkError
from evenmatch.games import random_positions
from evenmatch.games.game import Game, States
from evenmatch.games.go import Go
from evenmatch.network.artifact import shipped_path
from evenmatch.network.imported import as_artifact
from evenmatch.search import Evaluator, Plan, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.bench.rows import Size
from evenmatch_lab.bench.timing import MeteredNetwork

BARE = "bare network"
ROOTS = 16  # at least so many positions are searched, one batch of trees after another
ROOT_PLIES = 6  # roots are positions after so many random plies: varied, none of them over yet


class Bench:
    """What the benchmarks share: how much to measure, and each game's network."""

    def __init__(self, size: Size, nets: Mapping[str, str | Path], games: Sequence[Game]):
        self.size = size
        self.nets = nets
        self.games = games

    def size_for(self, game: Game) -> Size:
        """Return how much is measured of a game: less of Go, whose network is slow."""
        return self.size.lighter if game.family == "go" else self.size

    @cached_property
    def _networks(self) -> dict[str, MeteredNetwork]:
        return {}

    def net(self, game: Game) -> Path | None:
        """Return the game's network file, None if there is none."""
        if game.id in self.nets:
            return as_artifact(Path(self.nets[game.id]))
        try:
            return shipped_path(game.id)
        except NetworkError:
            return None

    def network(self, game: Game) -> MeteredNetwork | None:
        """Return the game's network, None if there is none."""
        path = self.net(game)
        if path is not None and game.id not in self._networks:
            self._networks[game.id] = MeteredNetwork(path, game)
        return self._networks.get(game.id)


def no_network(game: Game) -> str:
    """Return the note of a row that needs a network that is not here."""
    return f"skipped: no network of {game.id} here; train one with `evenmatch train {game.id}`"


def roots(game: Game, batch: int) -> States:
    """Return positions [B, S] after some random plies."""
    return next(itertools.islice(random_positions(game, batch, seed=1), ROOT_PLIES, None))


def middles(game: Game, batch: int) -> States:
    """Return positions [B, S] to judge rules by: of Go after a third of its points are played."""
    if not isinstance(game, Go):
        return roots(game, batch)
    plies = random_positions(game, batch, seed=1)
    return game.as_roots(next(itertools.islice(plies, game.points // 3, None)))


def searching(
    game: Game,
    evaluator: Evaluator,
    states: States,
    plan: Plan,
    *,
    trees: int | None = None,
    leaves: int = 1,
) -> Callable[[], object]:
    """Return work: searches of ``states`` [n, S] from scratch, ``trees`` (or all) at once."""
    trees = trees or len(states)
    slots, seeds = np.arange(trees), seeds_from(1, trees)
    search = Search(game, evaluator, trees=trees, nodes=plan.simulations + 2, leaves=leaves)

    def work() -> None:
        for start in range(0, len(states), trees):
            search.plant(slots, states[start : start + trees], seeds)
            search.run(slots, plan)

    return work
