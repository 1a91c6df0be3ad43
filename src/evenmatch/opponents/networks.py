"""Networks as players use them: loaded once in a process, with one memory for each match."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.games.go import Go
from evenmatch.games.go.state import words_of
from evenmatch.network.artifact import human_policy_path
from evenmatch.network.inference import network_of
from evenmatch.search import CachedEvaluator, Evaluation, Request, RolloutEvaluator
from evenmatch.search.evaluator import NOTHING

if TYPE_CHECKING:
    from evenmatch.network.inference import NetworkEvaluator

LEAST_CHANCE = 0.01  #: of the base network's policy, for a move that opens a handicap game
OPENS = 2  #: moves of White's that open it


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
        self._of_people: dict[str | None, CachedEvaluator] = {}
        self._lock = threading.Lock()

    def evaluator(self, path: str | None = None) -> CachedEvaluator:
        """Return an evaluator that remembers; the shipped network unless ``path`` names another."""
        with self._lock:
            if path not in self._evaluators:
                self._evaluators[path] = CachedEvaluator(self.network(path), self.game)
            return self._evaluators[path]

    def evaluator_of_people(self, net: str | None = None) -> CachedEvaluator:
        """Return an evaluator that remembers, of what `of_people` returns."""
        path = human_policy_path(self.game.id)
        if net is not None or not isinstance(self.game, Go):
            return self.evaluator(net or path)
        with self._lock:
            if path not in self._of_people:
                self._of_people[path] = CachedEvaluator(self.of_people(), self.game)
            return self._of_people[path]

    def of_people(self, net: str | None = None) -> NetworkEvaluator | Opened:
        """Return what players of people's moves ask: ``net``, otherwise the network that ships."""
        network = self.network(net or human_policy_path(self.game.id))
        if net is None and isinstance(self.game, Go):
            return Opened(network, self.network(), self.game)
        return network

    def network(self, path: str | None = None) -> NetworkEvaluator:
        """Return the network itself."""
        return network_of(self.game, path)


class Opened:
    """A network of people's moves at Go that knows how White opens a handicap game.

    It learned from hardly any, and gives moves there that people do not play. So White's first
    moves after handicap stones are none that the base network gives less than LEAST_CHANCE.
    """

    def __init__(self, people: NetworkEvaluator, base: NetworkEvaluator, game: Go):
        self._people, self._base, self._game = people, base, game
        self.card, self.lock = people.card, people.lock

    def evaluate(self, states: States, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S], with no chance for moves that open no handicap game."""
        with self.lock:
            judged = self._people.evaluate(states, request)
            rows = np.flatnonzero(opens_handicap(self._game, states))
            legal = self._game.legal_mask(states[rows])
            going = legal.any(1)  # a search may ask about a game that is over
            rows, legal = rows[going], legal[going]
            if not len(rows):
                return judged
            logits = judged.logits.copy()
        with self._base.lock:
            base = self._base.evaluate(states[rows]).logits.astype(float)
        base[~legal] = -np.inf
        chances = np.exp(base - base.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        hardly = chances < np.minimum(LEAST_CHANCE, chances.max(1, keepdims=True))
        logits[rows] = np.where(hardly, LEAST_LOGIT, logits[rows])
        return judged._replace(logits=logits)


LEAST_LOGIT = -1e4  #: of a move that is not played


def opens_handicap(game: Go, states: States) -> NDArray[np.bool_]:
    """Tell of positions [n, S] whether White opens a handicap game: Black is stones ahead, [n]."""
    words = words_of(game.points)
    black, white = (
        np.bitwise_count(states[:, side * words : (side + 1) * words]).sum(1, dtype=np.int64)
        for side in (0, 1)
    )
    return (game.to_play(states) < 0) & (white < OPENS) & (black > white + 1)


def load_evaluator(game: Game, path: str | None = None) -> CachedEvaluator:
    """Return an evaluator that remembers, of a game's network; ``path`` as in `network_of`."""
    return Networks(game).evaluator(path)
