"""Networks as players use them: loaded once, with what they said of positions remembered."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.search import CachedEvaluator, Evaluator

if TYPE_CHECKING:
    from evenmatch.network.inference import NetworkEvaluator

_threads: int | None = None  # of networks loaded from now on


def use_threads(count: int | None) -> None:
    """Let the networks of players made from now on use ``count`` threads; None: all cores."""
    global _threads
    if count != _threads:
        _threads = count
        for loaded in (_load, _load_scores, network_of, strength_of):
            loaded.cache_clear()


def load_evaluator(
    game: Game, path: str | None = None, told: NDArray[np.float32] | None = None
) -> Evaluator:
    """Return the network evaluator of a game, the shipped one unless ``path`` names another.

    ``told`` [1, K] are conditions for its policy. All who ask the same share it. It begins without
    memories, so that what is played does not depend, by the rounding of other batches, on what was
    played before.
    """
    return _fresh(_load(game, path, None if told is None else told.tobytes()))


def load_scores(game: Game, column: int) -> Evaluator:
    """Return the evaluator of strength scores, likewise; ``column`` of the strength head."""
    return _fresh(_load_scores(game, column))


def _fresh(evaluator: CachedEvaluator) -> CachedEvaluator:
    evaluator.forget()
    return evaluator


@lru_cache(maxsize=8)
def _load(game: Game, path: str | None, told: bytes | None) -> CachedEvaluator:
    network = network_of(game, path)
    if told is None:
        return CachedEvaluator(network, game)
    from evenmatch.network.views import NetworkView

    return CachedEvaluator(NetworkView(network, np.frombuffer(told, np.float32)[None]), game)


@lru_cache(maxsize=8)
def _load_scores(game: Game, column: int) -> CachedEvaluator:
    from evenmatch.network.views import StrengthScores

    return CachedEvaluator(StrengthScores(strength_of(game), column), game)


@lru_cache(maxsize=8)
def network_of(game: Game, path: str | None = None) -> NetworkEvaluator:
    """Return the network of a game, the shipped one unless ``path`` names another or Leela's."""
    from evenmatch.network.artifact import shipped_path
    from evenmatch.network.imported import as_artifact
    from evenmatch.network.inference import NetworkEvaluator

    file = as_artifact(Path(path)) if path else shipped_path(game.id)
    return NetworkEvaluator(file, game, threads=_threads)


@lru_cache(maxsize=8)
def strength_of(game: Game) -> NetworkEvaluator:
    """Return the network that tells the strength of moves; UsageError if it is not of ``game``."""
    from evenmatch.network.artifact import shipped_path
    from evenmatch.network.inference import NetworkEvaluator

    if game.id != "chess":
        raise UsageError(f"strength is told from moves at chess alone, not {game.id}")
    return NetworkEvaluator(shipped_path("chess-strength"), game, threads=_threads)
