"""Beliefs about strength: weights on a grid of ratings, moved by evidence.

Everything that estimates strength holds one: `even` of its opponent's level, the estimator of
people's ratings, and players of a rating of the rating that they play at. Evidence is the logarithm
of how likely it is at each rating of the grid, up to a constant; independent pieces add up.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import StateError

Floats = NDArray[np.float64]


class Belief:
    """What is believed of one strength, or of n: log weights [S] or [n, S] on a grid [S]."""

    def __init__(self, grid: ArrayLike, prior: ArrayLike | None = None):
        """``grid`` [S] are evenly spaced, increasing ratings; ``prior`` log weights, 0 if None."""
        self.grid: Floats = np.asarray(grid, np.float64)
        self.prior: Floats = np.zeros(len(self.grid)) if prior is None else np.asarray(prior, float)
        self.log_weights: Floats = _at_most_0(self.prior)  #: of the weights; the greatest is 0

    @classmethod
    def certain(cls, rating: float) -> Belief:
        """Return the belief that a strength is exactly this."""
        return cls([rating])

    def update(self, evidence: ArrayLike) -> None:
        """Add evidence: logs of how likely it is at each rating, of the shape of the weights."""
        self.log_weights = _at_most_0(self.log_weights + np.asarray(evidence, float))

    def fade(self, kept: float) -> None:
        """Keep a share of what was learned, from 0 to 1; the rest goes back to the prior."""
        self.log_weights = _at_most_0(self.prior + kept * (self.log_weights - self.prior))

    @property
    def probabilities(self) -> Floats:
        """The probability of each rating, [S] or [n, S]."""
        weights = np.exp(self.log_weights)
        return weights / weights.sum(-1, keepdims=True)

    @property
    def mean(self) -> Any:
        """The expected rating, a number or [n]."""
        mean = self.probabilities @ self.grid
        return float(mean) if mean.ndim == 0 else mean

    @property
    def deviation(self) -> float:
        """The standard deviation of one strength."""
        return math.sqrt(float(self.probabilities @ (self.grid - self.mean) ** 2))

    def interval(self, level: float = 0.95) -> Floats:
        """Return the ratings [2] or [n, 2] with equal chances below and above, ``level`` between.

        A weight is spread over its cell: half a step of the grid to either side.
        """
        tail = (1 - level) / 2
        step = self.grid[1] - self.grid[0] if len(self.grid) > 1 else 0.0
        ends = np.append(self.grid - step / 2, self.grid[-1] + step / 2)
        chances = np.atleast_2d(self.probabilities)
        below = np.hstack([np.zeros((len(chances), 1)), chances.cumsum(1)])
        bounds = np.array([np.interp((tail, 1 - tail), row, ends) for row in below]).reshape(-1, 2)
        return bounds[0] if self.log_weights.ndim == 1 else bounds

    def to_json(self) -> dict[str, Any]:
        """Return the weights as JSON values; the grid is whose belief it is."""
        return {"logs": self.log_weights.tolist()}

    def read_json(self, state: Any) -> None:
        """Take the weights that `to_json` gave on the same grid; StateError if they are not."""
        logs = state.get("logs") if isinstance(state, dict) else None
        fits = isinstance(logs, list) and len(logs) == len(self.grid)
        if not fits or not all(map(_is_number, logs or [])):
            raise StateError("the saved belief does not fit its ratings; start without it")
        self.log_weights = _at_most_0(np.array(logs, float))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _at_most_0(logs: Floats) -> Floats:
    """Return log weights moved so that the greatest is 0."""
    return logs - logs.max(-1, keepdims=True)
