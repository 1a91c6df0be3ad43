"""Controllers that believe something of their opponent's strength, and keep it between games."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.strength.controller import Controller, numbers_in

Floats = NDArray[np.float64]
LEAST_LOG = -1e6  #: below which no log weight is


class OpponentBelief(Controller):
    """A controller with a belief that the moves of a game change.

    What the moves of this game said is kept apart from what was known before it: a game may go on
    after another has taught more, or moves are taken back.
    """

    reads_replies = True

    def __init__(self, belief: Belief):
        self.belief = belief  #: of the opponent's strength, [L]
        self.games = 0  #: whose results were heard
        self._before = belief.log_weights.copy()  # this game
        self._said = np.zeros(len(belief.grid))  # by the moves of this game: log weights, at most 0

    def update(self, evidence: Floats) -> None:
        """Add what this game says of the strength: logs of how likely it is at each, [L]."""
        self._believe(self._said + evidence)

    def snapshot(self) -> dict[str, Any]:
        """Return what this game's moves said of the strength, as log weights.

        What was known before the game is not in it: it may be more when the game goes on.
        """
        return named("said", self._said)

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to what the moves had said then."""
        self._believe(np.array(numbers_in(state, bounds("said", len(self._said))), float))

    def rebase(self, state: dict[str, Any]) -> None:
        """Add what this game's moves said of the strength to the log weights of ``state``."""
        said = self._said
        self.recall(state)
        self._believe(said)

    def _begin_from(self, logs: Floats) -> None:
        """Take log weights [L] for what was known before this game."""
        self._before = logs
        self._believe(np.zeros(len(self._said)))

    def _believe(self, said: Floats) -> None:
        """Believe what was known before the game and what its moves ``said`` [L]."""
        self._said = np.maximum(said - said.max(), LEAST_LOG)
        self.belief.log_weights = self._before.copy()
        self.belief.update(self._said)


def named(word: str, numbers: Floats) -> dict[str, float]:
    """Return numbers [L] by the names that they have in files."""
    return {f"{word}{i}": float(x) for i, x in enumerate(numbers)}


def bounds(word: str, count: int) -> dict[str, tuple[float, float]]:
    """Return what so many numbers of such names lie between."""
    return {f"{word}{i}": (LEAST_LOG, 0.0) for i in range(count)}
