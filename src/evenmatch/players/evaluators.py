"""Networks as players use them: loaded once in a process, with one memory for each match."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from evenmatch.games.game import Game
from evenmatch.network.precision import Precision, precision
from evenmatch.search import CachedEvaluator, RolloutEvaluator

if TYPE_CHECKING:
    from evenmatch.network.inference import NetworkEvaluator

_threads: int | None = None  # of networks loaded from now on
_loading = threading.Lock()


def use_threads(count: int | None) -> None:
    """Let networks loaded from now on use ``count`` threads; None: all cores."""
    global _threads
    _threads = count


class Networks:
    """The networks of one match, or of whatever else is to share what was judged.

    All who ask for the same network share its memory of positions, whatever ratings they ask for.
    It begins empty, so that what is played does not depend, by the rounding of other batches, on
    what was played before.
    """

    def __init__(self, game: Game):
        self.game = game
        self.rollouts = RolloutEvaluator(game)  #: judges by random games, without a network
        self._evaluators: dict[str | None, CachedEvaluator] = {}
        self._lock = threading.Lock()

    def evaluator(self, path: str | None = None) -> CachedEvaluator:
        """Return an evaluator that remembers; the shipped network unless ``path`` names another."""
        with self._lock:
            if path not in self._evaluators:
                self._evaluators[path] = CachedEvaluator(self.network(path), self.game)
            return self._evaluators[path]

    def network(self, path: str | None = None) -> NetworkEvaluator:
        """Return the network itself."""
        return network_of(self.game, path)


def load_evaluator(game: Game, path: str | None = None) -> CachedEvaluator:
    """Return an evaluator that remembers, of a game's network; ``path`` as in `network_of`."""
    return Networks(game).evaluator(path)


def network_of(game: Game, path: str | None = None) -> NetworkEvaluator:
    """Return the network of a game, the shipped one unless ``path`` names another or Leela's.

    It is loaded once in a process. NetworkError if it cannot be used.
    """
    with _loading:
        return _network(game, path, _threads, precision())


@lru_cache(maxsize=16)  # all that ship, for each game that they serve, and some more
def _network(
    game: Game, path: str | None, threads: int | None, precision: Precision
) -> NetworkEvaluator:
    from evenmatch.network.artifact import shipped_path
    from evenmatch.network.imported import as_artifact
    from evenmatch.network.inference import NetworkEvaluator

    file = as_artifact(Path(path)) if path else shipped_path(game.id, game.family)
    return NetworkEvaluator(file, game, precision=precision, threads=threads)
