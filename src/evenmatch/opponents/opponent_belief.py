"""Controllers that estimate their opponent's strength from moves, and keep it between games."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Controller, Mind
from evenmatch.ratings.belief import Belief

Floats = NDArray[np.float64]
LEAST_LOG = -1e6  #: below which no log weight is


class OpponentBelief(Controller):
    """A controller with a belief that the moves of a game change.

    The evidence of this game's moves (``said`` in the game's state) is kept apart from what was
    known before it (``logs`` in the memory): another game may teach more in between, or moves are
    taken back.
    """

    reads_replies = True
    first: dict[str, Any]  #: the game's state before the first move

    def __init__(self, grid: Floats, prior: Floats):
        """``grid`` [L] are the strengths, ``prior`` [L] log weights before any move."""
        self.grid, self.prior = grid, prior
        row = (LEAST_LOG, 0.0, len(grid))
        self.memory_bounds = {"games": (0, 10**9), "logs": row}
        self.game_bounds = {"said": row}
        self.first = {"said": [0.0] * len(grid)}

    def state(self, mind: Mind) -> dict[str, Any]:
        """Return the game's state; at first that before any move."""
        return mind.game or self.first

    def belief(self, mind: Mind) -> Belief:
        """Return what is believed of the opponent's strength: earlier games and this one."""
        belief = Belief(self.grid, self.prior)
        if mind.memory:
            belief.log_weights = np.array(mind.memory["logs"], float)
        belief.update(self.state(mind)["said"])
        return belief

    def with_evidence(self, mind: Mind, evidence: Floats) -> Mind:
        """Return the mind after more evidence: logs of how likely it is at each strength, [L]."""
        said = np.array(self.state(mind)["said"], float) + evidence
        said = np.maximum(said - said.max(), LEAST_LOG)
        return Mind(mind.memory, self.state(mind) | {"said": said.tolist()})

    def remembered(self, belief: Belief, games: int, fade: float) -> dict[str, Any]:
        """Return a memory of so many results; ``fade`` is the share of the belief that is kept."""
        belief.fade(fade)
        return {"games": games, "logs": np.maximum(belief.log_weights, LEAST_LOG).tolist()}
