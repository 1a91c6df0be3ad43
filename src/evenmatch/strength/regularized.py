"""A person's policy, corrected by a search: KL-regularised search (Jacob et al. 2022, "piKL").

Of all policies pi the one with the highest E_pi[Q] - lambda KL(pi, P) is P(a) exp(Q(a) / lambda),
normalised: the moves that people of a rating make (P, from a policy that is told the rating), less
often where a search finds them to be worse (Q). lambda = inf is the policy itself, 0 the search.
"""

import math

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.search.plan import Plan
from evenmatch.strength.controller import Controller, Root, View


def values(root: Root) -> NDArray[np.float64]:
    """Return what each action [A] is taken to be worth: those without visits as the worst tried.

    They were less promising than what was tried, as far as priors and search knew.
    """
    tried = root.visits > 0
    if not tried.any():
        return np.full(len(root.visits), float(root.value))
    worst = min(float(root.value), root.means[tried].min())
    return np.where(tried, root.means, worst)


def regularized(
    priors: NDArray, worth: NDArray, legal: NDArray[np.bool_], temperature: float
) -> NDArray[np.float64]:
    """Return P(a) exp(Q(a) / lambda), normalised over the legal actions [A]; lambda > 0."""
    chosen = np.flatnonzero(legal)
    logs = np.log(np.maximum(priors[chosen], 1e-30)) + worth[chosen] / temperature
    weights = np.exp(logs - logs.max())
    pi = np.zeros(len(priors))
    pi[chosen] = weights / weights.sum()
    return pi


class Regularized(Controller):
    """Draws its move from the corrected policy."""

    def __init__(self, temperature: float, base: Plan):
        """``temperature`` is lambda, in units of value; inf plays the policy."""
        if math.isnan(temperature) or temperature <= 0:
            raise UsageError(f"lambda={temperature} is outside (0, inf]; choose one inside")
        self._temperature = temperature
        self._base = base

    def plan(self, view: View) -> Plan:
        """Return the one plan."""
        return self._base

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Return an action drawn with pi."""
        pi = regularized(root.priors, values(root), root.legal, self._temperature)
        return int(rng.choice(len(pi), p=pi))
