"""Search parameters tuned to people's moves: ACE ("Playing chess at a human desired level", 2019).

Theta = (tau, t, c_puct) of section 3, whose equations have no numbers: after a search with priors
p_i^(1/t) / sum_j p_j^(1/t) and exploration c_puct a move is drawn with probability
N_i^(1/tau) / sum_j N_j^(1/tau). Algorithm 1, which fits theta to
people's moves, is in the laboratory (`evenmatch experiment theta_fit`).

Our addition: ``OFFSET`` is added to all visits, as Leela's engine can do, because a move that a
person played and the search never tried would have an infinite loss.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Controller, Mind, View, require
from evenmatch.search.plan import Plan

OFFSET = 0.5  #: added to the visits of every legal action
LEAST, MOST = 0.02, 50.0  #: between which the parameters stay

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

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the one plan."""
        return self._plan

    def choose(self, root, view, mind, rng):
        """Return an action drawn by visits."""
        pi = probabilities(root.visits, root.legal, self.theta.temperature)
        return int(rng.choice(len(pi), p=pi)), mind
