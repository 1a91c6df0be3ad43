"""Search parameters tuned to people's moves: ACE ("Playing chess at a human desired level", 2019).

Theta = (tau, t, c_puct) of section 3: after a search with priors p^(1/t) and exploration c_puct a
move is drawn with probability N_i^(1/tau) / sum_j N_j^(1/tau). Algorithm 1 descends the
cross-entropy between this distribution and the moves that people of a rating played, by numerical
gradients.

Ours besides: the parameters are positive, so it is their logarithms that descend; the best tau for
given visits needs no search and is found exactly, so only t and c_puct descend; and ``OFFSET`` is
added to all visits, as Leela's engine can do, for a move that a person played and the search never
tried would cost infinitely much.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.search.plan import Plan
from evenmatch.strength.controller import Controller, Root, View, require

OFFSET = 0.5  #: added to the visits of every legal action
LEAST, MOST = 0.02, 50.0  #: between which the parameters stay
DELTA = 0.2  #: of the numerical gradients, in logarithms
RATE = 4.0  #: alpha of algorithm 1
TRIES = 3  #: of a step and its halves, before the descent ends where none lowers the loss
LEAST_GAIN = 1e-3  #: nats by which a step must lower the loss for the descent to go on

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Theta:
    """The three parameters, all positive.

    By default visits and priors are as they are, and ``c_puct`` is about the default of Leela's
    engine, whose search the paper tunes: 1.745. The paper names no values, and ``Plan`` has 1.25.
    """

    temperature: float = 1.0  #: tau, of the choice by visits
    prior_temperature: float = 1.0  #: t, of the priors
    c_puct: float = 1.75

    def __post_init__(self) -> None:
        for name in ("temperature", "prior_temperature", "c_puct"):
            require(name, getattr(self, name), LEAST, MOST)

    @property
    def values(self) -> tuple[float, float, float]:
        """Tau, t and c_puct."""
        return self.temperature, self.prior_temperature, self.c_puct

    @property
    def logs(self) -> Floats:
        """Their logarithms, [3]."""
        return np.log(self.values)

    @classmethod
    def of_logs(cls, logs: Floats) -> "Theta":
        """Return the parameters with these logarithms [3], cut to what they may be."""
        return cls(*np.clip(np.exp(logs), LEAST, MOST).tolist())

    def plan(self, base: Plan) -> Plan:
        """Return ``base`` with these parameters of the search."""
        return replace(base, prior_temperature=self.prior_temperature, c_puct=self.c_puct)


def probabilities(visits: NDArray, legal: NDArray[np.bool_], temperature: float) -> Floats:
    """Return the distribution over actions [..., A] after searches with these visits [..., A]."""
    powers = np.where(legal, np.log(visits + OFFSET), -np.inf) / temperature
    weights = np.exp(powers - powers.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


class VisitTemperature(Controller):
    """Searches and draws as theta says."""

    def __init__(self, theta: Theta, base: Plan | None = None):
        self.theta = theta
        self._plan = theta.plan(base or Plan())

    def plan(self, view: View) -> Plan:
        """Return the one plan."""
        return self._plan

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Return an action drawn by visits."""
        pi = probabilities(root.visits, root.legal, self.theta.temperature)
        return int(rng.choice(len(pi), p=pi))


# -- tuning --------------------------------------------------------------------------------------


class Searched(NamedTuple):
    """What searches of n positions found."""

    visits: NDArray  # [n, A]
    legal: NDArray[np.bool_]  # [n, A]


class Step(NamedTuple):
    """A point of the descent."""

    theta: Theta
    loss: float
    gradient: Floats  # [2] of the loss by the logarithms of t and c_puct


def cross_entropy(found: Searched, actions: NDArray, temperature: float) -> float:
    """Return the mean cross-entropy between the distribution and the actions played [n]."""
    pi = probabilities(found.visits, found.legal, temperature)
    return float(-np.log(np.maximum(pi[np.arange(len(actions)), actions], 1e-300)).mean())


def best_temperature(found: Searched, actions: NDArray) -> float:
    """Return the tau of least cross-entropy; there is one valley, for it is convex in 1/tau."""
    from scipy.optimize import minimize_scalar

    def loss(log: float) -> float:
        return cross_entropy(found, actions, float(np.exp(log)))

    found_at = minimize_scalar(loss, bounds=np.log([LEAST, MOST]), method="bounded")
    return float(np.exp(found_at.x))


def descend(
    search: Callable[[Theta], Searched], actions: NDArray, start: Theta, tolerance: float = 5e-3
) -> Iterator[Step]:
    """Yield ``start`` and what follows by algorithm 1, until the gradient is about 0.

    ``search`` looks at all positions under a theta, with the same random numbers every time, and
    ``actions`` [n] were played there. A step along the negative gradient is halved until it lowers
    the loss; one that lowers it by less than ``LEAST_GAIN`` is not taken, and ends the descent.
    """
    here = _step(search, actions, *_fitted(search, actions, start))
    yield here
    while np.abs(here.gradient).max() > tolerance:
        for halving in range(TRIES):
            step = np.append(0, RATE * 0.5**halving * here.gradient)
            theta, loss = _fitted(search, actions, Theta.of_logs(here.theta.logs - step))
            if loss < here.loss:
                break
        else:
            return
        if here.loss - loss < LEAST_GAIN:
            return
        here = _step(search, actions, theta, loss)
        yield here


def _step(search: Callable[[Theta], Searched], actions: NDArray, theta: Theta, loss: float) -> Step:
    """Return a fitted theta and its loss with the gradient, by searches a little on either side."""
    gradient = []
    for parameter in (1, 2):
        aside = DELTA * np.eye(3)[parameter]
        low, high = (
            _fitted(search, actions, Theta.of_logs(theta.logs + sign * aside))[1]
            for sign in (-1, 1)
        )
        gradient.append((high - low) / (2 * DELTA))
    return Step(theta, loss, np.array(gradient))


def _fitted(
    search: Callable[[Theta], Searched], actions: NDArray, theta: Theta
) -> tuple[Theta, float]:
    """Search, and return theta with the temperature that fits best, and the loss."""
    searched = search(theta)
    theta = replace(theta, temperature=best_temperature(searched, actions))
    return theta, cross_entropy(searched, actions, theta.temperature)
