"""Evidence of the opponent's strength that ``even`` has: fitted relations of a game. Ours.

`Course` says what a position is worth, `Seen` how strong players are whose moves look like a style,
`Lost` what the moves of players of a strength lose. `evenmatch experiment even_fit` fits them;
``fitted.py`` has their numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Root
from evenmatch.ratings.score import ELO_PER_LOGIT

Floats = NDArray[np.float64]
VARIANCE = (math.pi**2) / 3  #: of the logistic distribution: of X at the end of a game
MOST_VALUE = 0.98  #: values of the network count as no surer than this


@dataclass(frozen=True)
class Course:
    """What a position is worth between equal players: fitted to games of the dial's players.

    The log odds of the side to look from are v' exp(a + b t + c l + d t l) + side (e + f l), for
    v' = artanh(v) of the network's value v, the share t of the game that was played, the level
    l = (strength - 1500) / 500, and the side, 1 for the one that moved first in the game.
    """

    value: tuple[float, float, float, float]  #: a, b, c, d
    first: tuple[float, float]  #: e, f: what it is worth to have moved first
    plies: float  #: that a game is expected to have
    slope: float  #: how many of the plies left a played ply takes away, 0 to 1
    elo: float = ELO_PER_LOGIT  #: Elo of a log odds, by games of unequal players
    variance: float = VARIANCE  #: of X at the end of a game
    fewest: float = 4.0  #: plies left, at least

    def share(self, ply: int) -> float:
        """Return the share t of a game that is expected to be played after so many plies."""
        return ply / (ply + max(self.plies - self.slope * ply, self.fewest))

    def position(self, value: float, t: float, strength: float, side: int) -> float:
        """Return X, in log odds: those of equals are X / sqrt(1 - t)."""
        slope, first = self.line(t, strength, side)
        return (artanh(value) * slope + first) * math.sqrt(1 - t)

    def line(self, t: float, strength: float, side: int) -> tuple[float, float]:
        """Return what a unit of v' is worth, in log odds, and what the side is."""
        level = (strength - 1500) / 500
        a, b, c, d = self.value
        e, f = self.first
        return math.exp(a + b * t + level * (c + d * t)), side * (e + f * level)

    def value_at(self, x: float, t: float, strength: float, side: int) -> float:
        """Return the network's value of a position of this X between equal players."""
        slope, first = self.line(t, strength, side)
        return math.tanh((x / math.sqrt(1 - t) - first) / slope)


@dataclass(frozen=True)
class Seen:
    """How strong players are whose moves look like a style: fitted to many kinds of players.

    Strengths of players of a style are normal around a mean; a share of all players has any
    strength, whatever their moves look like. All styles are equally frequent, so that moves that
    look like all of them say nothing.
    """

    strengths: tuple[float, ...]  #: mean of the weakest style, ..., of the strongest: evenly spaced
    deviation: float  #: of strengths around it, Elo
    anyone: float  #: share of players of any strength

    def means(self, styles: int) -> Floats:
        """Return the mean strength of each of so many styles, [K]."""
        knots = np.linspace(0, styles - 1, len(self.strengths))
        return np.interp(np.arange(styles), knots, self.strengths)

    def evidence(self, styles: Floats, grid: Floats) -> Floats:
        """Return the log-likelihood [S] of strengths, by that of the styles [K]."""
        means = self.means(len(styles))
        kernel = np.exp(-(((grid[:, None] - means) / self.deviation) ** 2) / 2)  # [S, K]
        kernel = (1 - self.anyone) * kernel / kernel.sum(0) + self.anyone / len(grid)
        chances = np.exp(styles - styles.max())
        return np.log(kernel @ chances / chances.sum()) - np.log(kernel.mean(1))


@dataclass(frozen=True)
class Lost:
    """How much the moves of players of a strength lose, by the search of `even`.

    What a move loses is how much better its own search finds its position, as artanh of the best
    value, than it was after its own move before. The log of that is normal around a mean that falls
    with strength. It says as much of players who play unlike people, whom `Seen` misjudges.
    """

    mean: float  #: of the logs, at a strength of 1500
    slope: float  #: of that mean, for 1000 Elo
    spread: float  #: standard deviation of one move's log
    deviation: float  #: of players' strengths from what their moves lose, Elo
    begin: int = 20  #: plies after which moves count: in openings everybody loses little
    least: float = 0.05  #: what is added to a loss, whose log is taken
    open: float = 1.5  #: artanh of values beyond which a game is decided, and losses say little

    def log(self, root: Root, hoped: float, ply: int) -> float | None:
        """Return the log of what a reply lost; None where that says little.

        ``root`` is the search after it, ``hoped`` what the move before it was worth (`worth_of`),
        ``ply`` how many plies were played.
        """
        if abs(hoped) >= self.open or ply < self.begin or not root.visits[root.best]:
            return None
        loss = artanh(float(root.means[root.best])) - hoped
        return math.log(max(loss, 0.0) + self.least)

    def evidence(self, total: float, moves: float, grid: Floats) -> Floats:
        """Return the log-likelihood [S] of strengths, by the sum of so many moves' logs."""
        if moves <= 0:
            return np.zeros(len(grid))
        off = total / moves - self.mean - self.slope * (grid - 1500) / 1000
        variance = self.spread**2 / moves + (self.slope * self.deviation / 1000) ** 2
        return -(off**2) / (2 * variance)


def artanh(value: float) -> float:
    """Return artanh of a value of at most MOST_VALUE."""
    return math.atanh(max(-MOST_VALUE, min(value, MOST_VALUE)))


def worth_of(root: Root, action: int) -> float:
    """Return artanh of the value of an action by a search; without visits the least known."""
    if root.visits[action]:
        return artanh(float(root.means[action]))
    return artanh(float(root.means[root.visits > 0].min(initial=root.value)))
