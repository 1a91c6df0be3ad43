"""AlphaDDA (Fujita 2022): AlphaZero that evens out by the network's view of the game.

The paper writes values for the first player and multiplies by the own colour c; values here
are for the controller's side already, which is v_n * c_AlphaDDA in the paper's equations.
"""

import math
from dataclasses import dataclass, replace

from evenmatch.search.plan import Plan
from evenmatch.strength.controller import Controller, View, require


@dataclass(frozen=True, kw_only=True)
class AlphaDDA1Config:
    """Constants of AlphaDDA1; defaults per game are in ``ALPHADDA1`` (paper, table 1)."""

    n_h: int  #: N_h, positions whose values are averaged
    a: float  #: A_sim, how steeply simulations fall with the value
    x0: float  #: B_sim0, the offset
    n_max: int  #: N_max, most simulations

    def __post_init__(self) -> None:
        require("n_h", self.n_h, 1, 1000)
        require("a", self.a, 0, 1000)
        require("x0", self.x0, -1000, 1000)
        require("n_max", self.n_max, 1, 10**6)


ALPHADDA1 = {
    "connect4": AlphaDDA1Config(n_h=3, a=2.0, x0=-1.4, n_max=200),
    "othello6": AlphaDDA1Config(n_h=4, a=1.4, x0=-1.6, n_max=200),
    "othello": AlphaDDA1Config(n_h=2, a=2.8, x0=-1.4, n_max=400),
}


def simulations(mean_value: float, config: AlphaDDA1Config) -> int:
    """Return N_sim = min(ceil(10^(-A (v + X0))), N_max), at least 1; eqs. 2 and 3.

    ``mean_value`` is for the controller's side, in [-1, 1].
    """
    exponent = min(-config.a * (mean_value + config.x0), 9.0)
    return max(1, min(math.ceil(10**exponent), config.n_max))


class AlphaDDA1(Controller):
    """Fewer simulations the better it stands.

    With ``quirks`` it does what the authors' code did when the constants were fitted: only the
    last two positions are ever averaged, whatever N_h says; the first simulation only expands
    the root, so that one simulation plays the first legal action; and each simulation takes
    a random root action with probability 0.2. Two things are not reproduced: the code kept the
    two positions from one game to the next, and its first visit below a node ignores the
    priors, since its N(s) is the sum of the children's visits.
    """

    def __init__(self, config: AlphaDDA1Config, base: Plan, quirks: bool = False):
        self.config = config
        self.base = replace(base, random_root=0.2) if quirks else base
        self.quirks = quirks
        self.value_history = min(config.n_h, 2) if quirks else config.n_h
        self._first_legal = False

    def plan(self, view: View) -> Plan:
        """Return the base plan with N_sim simulations for the mean value, eq. 1."""
        count = simulations(float(view.values.mean()), self.config)
        if self.quirks:
            self._first_legal = count == 1
            count = max(1, count - 1)
        return replace(self.base, simulations=count)

    def choose(self, root, rng):
        """Return the most visited action, or under ``quirks`` the first after one simulation."""
        return int(root.legal.argmax()) if self._first_legal else root.best
