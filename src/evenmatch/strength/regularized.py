"""A person's policy, corrected by a search: KL-regularised search (Jacob et al. 2022, "piKL").

Of all policies pi the one with the highest E_pi[Q] - lambda KL(pi, P) is P(a) exp(Q(a) / lambda),
normalised: the moves that people of a rating make (P, from a policy that is told the rating), less
often where a search finds them to be worse (Q). lambda = inf is the policy itself, 0 the search.

Ours besides: P is P^(1/t). A policy that is as unsure as its data says blunders more than the
people it was learned from, each of whom is surer of one move. Two numbers can meet two conditions,
to lose by moves what people lose and to make moves as rare as theirs (``level_fit``).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.search.plan import Plan
from evenmatch.strength.controller import Controller, Root, View, require

LEAST, MOST = 0.02, 50.0  #: between which the prior temperature may be


@dataclass(frozen=True)
class Level:
    """The numbers of a rating."""

    lam: float  #: lambda
    t: float  #: prior temperature
    simulations: float  #: of a move, to be rounded


def values(root: Root) -> NDArray[np.float64]:
    """Return what each action [A] is taken to be worth: Q, and without visits the worst known.

    That is the least Q, or the network's value of the position if it is less: what was not tried
    was less promising, as far as priors and search knew.
    """
    tried = root.visits > 0
    if not tried.any():
        return np.full(len(root.visits), float(root.value))
    worst = min(float(root.value), root.means[tried].min())
    return np.where(tried, root.means, worst)


def regularized(
    priors: NDArray,
    worth: NDArray,
    legal: NDArray[np.bool_],
    temperature: float,
    prior_temperature: float = 1.0,
) -> NDArray[np.float64]:
    """Return P(a)^(1/t) exp(Q(a) / lambda), normalised over the legal actions [A]; lambda > 0."""
    chosen = np.flatnonzero(legal)
    logs = np.log(np.maximum(priors[chosen].astype(float), 1e-30)) / prior_temperature
    logs += worth[chosen] / temperature
    weights = np.exp(logs - logs.max())
    pi = np.zeros(len(priors))
    pi[chosen] = weights / weights.sum()
    return pi


class Regularized(Controller):
    """Draws its move from the corrected policy."""

    def __init__(self, temperature: float, base: Plan, prior_temperature: float = 1.0):
        """``temperature`` is lambda, in units of value; inf plays P^(1/``prior_temperature``)."""
        if math.isnan(temperature) or temperature <= 0:
            raise UsageError(f"lambda={temperature} is outside (0, inf]; choose one inside")
        require("t", prior_temperature, LEAST, MOST)
        self._temperature, self._prior_temperature = temperature, prior_temperature
        self._base = base

    def plan(self, view: View) -> Plan:
        """Return the one plan."""
        return self._base

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Return an action drawn with pi."""
        pi = regularized(
            root.priors, values(root), root.legal, self._temperature, self._prior_temperature
        )
        return int(rng.choice(len(pi), p=pi))
