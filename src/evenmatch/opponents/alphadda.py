"""AlphaDDA (Fujita 2022): AlphaZero that evens out by the network's view of the game.

The paper writes values for the first player and multiplies by the own colour c; values here
are for the controller's side already, which is v_n * c_AlphaDDA in the paper's equations. (Eq. 4 is
printed without the colour; the authors' code has it there too.)

Each controller takes the published constants (``PAPER``), which were fitted to the authors'
networks, or those that `evenmatch experiment grid_search` fits to the networks here (``FITTED``).

With ``quirks`` a controller does what the authors' code did when its constants were fitted:
only the last two positions are ever averaged, whatever N_h says, and each simulation takes a
random root action with probability 0.2. Each class names what else. Not reproduced: the code
kept the two positions from one game to the next; its first visit below a node ignores the priors,
since its N(s) is the sum of the children's visits; its first simulation only expands the root,
which for AlphaDDA2 and 3 is one of hundreds; and its P_max for Connect Four is 0.99, where the
paper and we have 0.95.
"""

import math
from dataclasses import dataclass, replace

from evenmatch.opponents.controller import Controller, Mind, View, require
from evenmatch.search.plan import Plan, Rule


@dataclass(frozen=True, kw_only=True)
class AlphaDDA1Config:
    """Constants of AlphaDDA1 (paper, table 1)."""

    n_h: int  #: N_h, positions whose values are averaged
    a: float  #: A_sim, how steeply simulations fall with the value
    x0: float  #: B_sim0, the offset
    n_max: int  #: N_max, most simulations

    def __post_init__(self) -> None:
        require("n_h", self.n_h, 1, 1000)
        require("a", self.a, 0, 1000)
        require("x0", self.x0, -1000, 1000)
        require("n_max", self.n_max, 1, 10**6)


@dataclass(frozen=True, kw_only=True)
class AlphaDDA2Config:
    """Constants of AlphaDDA2 (paper, table 2)."""

    n_h: int  #: N_h, positions whose values are averaged
    a: float  #: A_drop, how steeply dropout rises with the value
    x0: float  #: P_drop0, the offset
    p_max: float = 0.95  #: P_max, most dropout

    def __post_init__(self) -> None:
        require("n_h", self.n_h, 1, 1000)
        require("a", self.a, 0, 1000)
        require("x0", self.x0, -1000, 1000)
        require("p_max", self.p_max, 0, 0.999)


@dataclass(frozen=True, kw_only=True)
class AlphaDDA3Config:
    """Constants of AlphaDDA3 (paper, table 3)."""

    n_h: int  #: N_h, positions whose values are averaged
    c: float  #: C, the exploration rate

    def __post_init__(self) -> None:
        require("n_h", self.n_h, 1, 1000)
        require("c", self.c, 0, 1000)


def simulations(mean_value: float, config: AlphaDDA1Config) -> int:
    """Return N_sim = min(ceil(10^(-A (v + X0))), N_max), at least 1; eqs. 2 and 3.

    ``mean_value`` is for the controller's side, in [-1, 1].
    """
    exponent = min(-config.a * (mean_value + config.x0), 9.0)
    return max(1, min(math.ceil(10**exponent), config.n_max))


def dropout(mean_value: float, config: AlphaDDA2Config) -> float:
    """Return P_drop = A (v + X0), kept within [0, P_max]; eqs. 4 and 5."""
    return min(max(config.a * (mean_value + config.x0), 0.0), config.p_max)


class ByValue(Controller):
    """Shared by all: what the mean of the last N_h values decides, eq. 1."""

    def __init__(self, n_h: int, base: Plan, quirks: bool):
        self.base = replace(base, random_root=0.2) if quirks else base
        self.quirks = quirks
        self.value_history = min(n_h, 2) if quirks else n_h

    @staticmethod
    def mean_value(view: View) -> float:
        """Return the mean of the values in view, for the controller's side; eq. 1."""
        return float(view.values.mean())


class AlphaDDA1(ByValue):
    """Fewer simulations the better it stands.

    Its further quirk: the first simulation only expands the root, so that one simulation plays
    the first legal action.
    """

    def __init__(self, config: AlphaDDA1Config, base: Plan, quirks: bool = False):
        super().__init__(config.n_h, base, quirks)
        self.config = config

    def simulations(self, view: View) -> int:
        """Return N_sim for the mean value."""
        return simulations(self.mean_value(view), self.config)

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan with N_sim simulations; under ``quirks`` one less, at least 1."""
        count = self.simulations(view)
        return replace(self.base, simulations=max(1, count - 1) if self.quirks else count)

    def choose(self, root, view, mind, rng):
        """Return the most visited action, or under ``quirks`` the first after one simulation."""
        if self.quirks and self.simulations(view) == 1:
            return int(root.legal.argmax()), mind
        return root.best, mind


class AlphaDDA2(ByValue):
    """A network damaged by more dropout the better it stands.

    Its further quirk: the mean value is judged by the network as damaged for the latest move.
    """

    def __init__(self, config: AlphaDDA2Config, base: Plan, quirks: bool = False):
        super().__init__(config.n_h, base, quirks)
        self.config = config
        self.game_bounds = {"value_dropout": (0.0, 1.0)}

    def value_dropout(self, mind: Mind) -> float:
        """Return the dropout of the latest move under ``quirks``, otherwise none."""
        return mind.game.get("value_dropout", 0.0)

    def observe(self, view: View, mind: Mind) -> Mind:
        """Keep P_drop for the judgement of the next move, under ``quirks``."""
        return mind.in_game(value_dropout=self.dropout(view)) if self.quirks else mind

    def dropout(self, view: View) -> float:
        """Return P_drop for the mean value."""
        return dropout(self.mean_value(view), self.config)

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan with P_drop of the head units ignored."""
        return replace(self.base, head_dropout=self.dropout(view))


class AlphaDDA3(ByValue):
    """A tree rule that seeks the opposite of the mean value.

    Eq. 6 is `balance_score` (search/rules.py), eq. 7 `backup_imbalance` (search/kernels.py).
    """

    def __init__(self, config: AlphaDDA3Config, base: Plan, quirks: bool = False):
        super().__init__(config.n_h, base, quirks)
        self.base = replace(self.base, rule=Rule.BALANCE, c_puct=config.c)

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan, to be searched for the opposite of the mean value."""
        return replace(self.base, balance=max(-1.0, min(self.mean_value(view), 1.0)))


#: Constants per game: the published ones (tables 1-3).
PAPER: dict[str, dict] = {
    "alphadda1": {
        "connect4": AlphaDDA1Config(n_h=3, a=2.0, x0=-1.4, n_max=200),
        "othello6": AlphaDDA1Config(n_h=4, a=1.4, x0=-1.6, n_max=200),
        "othello": AlphaDDA1Config(n_h=2, a=2.8, x0=-1.4, n_max=400),
    },
    "alphadda2": {
        "connect4": AlphaDDA2Config(n_h=1, a=10.0, x0=-0.2),
        "othello6": AlphaDDA2Config(n_h=4, a=5.0, x0=-0.5),
        "othello": AlphaDDA2Config(n_h=4, a=20.0, x0=-0.9),
    },
    "alphadda3": {
        "connect4": AlphaDDA3Config(n_h=5, c=1.25),
        "othello6": AlphaDDA3Config(n_h=1, c=0.75),
        "othello": AlphaDDA3Config(n_h=5, c=0.6),
    },
}
