"""Algorithm 1 of ACE (2019): search parameters descend to people's moves.

The loss is the cross-entropy between the distribution of `opponents.ace` and the moves that people
of a rating played, its gradients numerical. Ours also: the parameters are positive, so it is
their logarithms that descend; the best tau for given visits needs no search and is found exactly,
so only t and c_puct descend.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.ace import LEAST, MOST, Theta, probabilities

DELTA = 0.2  #: of the numerical gradients, in logarithms
RATE = 4.0  #: alpha of algorithm 1
TRIES = 3  #: of a step and its halves, before the descent ends where none lowers the loss
LEAST_GAIN = 1e-3  #: nats by which a step must lower the loss for the descent to go on

Floats = NDArray[np.float64]


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
    """Return the tau of least cross-entropy; there is one valley, because it is convex in 1/tau."""
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
