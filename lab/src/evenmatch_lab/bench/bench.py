"""A case, and how it becomes a row; the networks and positions that cases share."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.errors import NetworkError
from evenmatch.games import random_positions
from evenmatch.games.game import Game, States
from evenmatch.games.go import Go
from evenmatch.network.artifact import shipped_path
from evenmatch.network.imported import as_artifact
from evenmatch.network.processor import Precision
from evenmatch.search import Evaluator, Plan, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.bench.rows import Row, Size, row
from evenmatch_lab.bench.timing import MeteredNetwork, TimedTask, compare, measure

BARE = "bare network"
ROOT_PLIES = 6  # roots are positions after so many random plies: varied, none of them over yet


class Rival(NamedTuple):
    """What a case is compared with, ready to be timed."""

    name: str  #: with its version, if it is another program
    task: TimedTask
    note: str = ""  #: what it does, if that needs saying


@dataclass(frozen=True)
class Case:
    """Something to time, alone or beside a rival; it becomes one row."""

    benchmark: str
    game: Game
    batch: int
    task: TimedTask | None = None  #: None: nothing is timed, the note says why
    rival: Rival | None = None
    note: str = ""
    more: Callable[[float], Row] | None = None  #: fields of the row by the rate, once it is timed
    extra: Row = field(default_factory=dict)  #: fields of the row that are known already
    metered: bool = False  #: whether the row has the task's share of time in the network

    def measured(self, size: Size) -> Row:
        """Return the row of the case."""
        numbers: dict[str, Any] = {"note": self.note, **self.extra}
        if self.task is not None and self.rival is None:
            numbers["rate"] = measure(self.task, size.repetitions, size.seconds).rate
        elif self.task is not None and self.rival is not None:
            result = compare(self.task, self.rival.task, size.repetitions, size.seconds)
            numbers |= result._asdict() | {"peer": self.rival.name}
            if not self.metered:
                del numbers["share"]
            if self.rival.note:
                numbers["note"] += f"; theirs: {self.rival.note}"
        if self.more and self.task is not None:
            numbers |= self.more(numbers["rate"])
        return row(self.benchmark, self.game.id, self.batch, **numbers)


class Bench:
    """What the benchmarks share: how much to measure, and each game's network."""

    def __init__(self, size: Size, nets: Mapping[str, str | Path], games: Sequence[Game]):
        self.size = size
        self.nets = nets
        self.games = games
        self._networks: dict[tuple[Path, Precision], MeteredNetwork] = {}

    def size_for(self, game: Game) -> Size:
        """Return how much is measured of a game: less of Go, whose network is slow."""
        return self.size.lighter if game.family == "go" else self.size

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
        return None if path is None else self.open(path, game)

    def open(self, path: Path, game: Game, precision: Precision = "auto") -> MeteredNetwork:
        """Return a network, loaded once."""
        if (path, precision) not in self._networks:
            self._networks[path, precision] = MeteredNetwork(path, game, precision)
        return self._networks[path, precision]


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
