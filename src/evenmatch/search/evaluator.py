"""Evaluators: what judges the leaves of a search."""

from contextlib import nullcontext
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States


class Evaluation(NamedTuple):
    """What an evaluator says of n positions; arrays may be reused by its next call."""

    logits: NDArray[np.float32]  # [n, A] policy logits; those of illegal actions are ignored
    values: NDArray[np.float32]  # [n] expected outcome for the side to move, in [-1, 1]
    wdl: NDArray[np.float32] | None = None  # [n, 3] chances of a win, a draw and a loss
    scores: NDArray[np.float32] | None = None  # [n, K] all that the strength head says
    leads: NDArray[np.float32] | None = None  # [n] expected score of the side to move, in points
    ownership: NDArray[np.float32] | None = None  # [n, H*W] whose points will be, own ones 1


class Request(NamedTuple):
    """What is asked besides the positions, for each of n rows; None: as usual for all rows."""

    dropout: NDArray[np.float64] | None = None  # [n] share of the heads' units to ignore
    seeds: NDArray[np.uint64] | None = None  # [n] not 0; decide all that is random
    ratings: NDArray[np.float64] | None = None  # [n] of whose moves the policy is; 0: not known
    scales: NDArray[np.int32] | None = None  # [n] which of the network's scales they are of


NOTHING = Request()


class Evaluator(Protocol):
    """Judges positions of the one game it was made for."""

    def evaluate(self, states: States, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S].

        Seeds decide everything random, so that a tree searched among others is searched as it would
        be alone; they may be overwritten.
        """
        ...


class _Buffered:
    """Shared by the evaluators without a network: all-zero logits of any batch size."""

    def __init__(self, game: Game):
        self.game = game
        self._logits = np.zeros((0, game.num_actions), np.float32)
        self._values = np.zeros(0, np.float32)

    def _buffers(self, count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        if count > len(self._values):
            self._logits = np.zeros((count, self.game.num_actions), np.float32)
            self._values = np.zeros(count, np.float32)
        return self._logits[:count], self._values[:count]


class UniformEvaluator(_Buffered):
    """Every action equally likely, every position even: measures the search itself."""

    def evaluate(self, states, request=NOTHING):
        """Return zero logits and zero values."""
        return Evaluation(*self._buffers(len(states)))


class RolloutEvaluator(_Buffered):
    """Uniform priors and the outcome of one random playout: plain Monte Carlo tree search."""

    def evaluate(self, states, request=NOTHING):
        """Return zero logits and the outcomes of one playout from each position."""
        logits, values = self._buffers(len(states))
        seeds = request.seeds
        if seeds is None:
            seeds = np.arange(1, len(states) + 1, dtype=np.uint64)
        self.game.playout(states, seeds, values)
        return Evaluation(logits, values)


def evaluated(evaluator: Evaluator, states: States) -> Evaluation:
    """Return a copy of what an evaluator says, which no other thread's call overwrites."""
    with getattr(evaluator, "lock", None) or nullcontext():
        told = evaluator.evaluate(states)
        return told._replace(
            **{name: x.copy() for name, x in told._asdict().items() if x is not None}
        )
