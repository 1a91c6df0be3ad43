"""Networks as players use them: loaded once, with what they said of positions remembered."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game
from evenmatch.network.strength_head import BETA
from evenmatch.search import CachedEvaluator, Evaluator

if TYPE_CHECKING:
    from evenmatch.network.inference import NetworkEvaluator

_threads: int | None = None  # of networks loaded from now on


def use_threads(count: int | None) -> None:
    """Let the networks of players made from now on use ``count`` threads; None: all cores."""
    global _threads
    if count != _threads:
        _threads = count
        for loaded in (_load, _network):
            loaded.cache_clear()


def load_evaluator(
    game: Game, path: str | None = None, told: NDArray[np.float32] | None = None, column: int = BETA
) -> Evaluator:
    """Return the network evaluator of a game, the shipped one unless ``path`` names another.

    ``told`` [1, K] are conditions for its policy, ``column`` is that of its strength scores which
    beta is. All who ask the same share it. It begins without
    memories, so that what is played does not depend, by the rounding of other batches, on what was
    played before.
    """
    evaluator = _load(game, path, None if told is None else told.tobytes(), column)
    evaluator.forget()
    return evaluator


@lru_cache(maxsize=8)
def _load(game: Game, path: str | None, told: bytes | None, column: int) -> CachedEvaluator:
    network = network_of(game, path)
    if told is None and column == BETA:
        return CachedEvaluator(network, game)
    from evenmatch.network.views import NetworkView

    conditions = None if told is None else np.frombuffer(told, np.float32)[None]
    return CachedEvaluator(NetworkView(network, conditions, column), game)


def network_of(game: Game, path: str | None = None) -> NetworkEvaluator:
    """Return the network of a game, the shipped one unless ``path`` names another or Leela's."""
    return _network(game, path)


@lru_cache(maxsize=8)
def _network(game: Game, path: str | None) -> NetworkEvaluator:
    from evenmatch.network.artifact import shipped_path
    from evenmatch.network.imported import as_artifact
    from evenmatch.network.inference import NetworkEvaluator

    file = as_artifact(Path(path)) if path else shipped_path(game.id)
    return NetworkEvaluator(file, game, threads=_threads)
