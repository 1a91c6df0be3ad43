"""Plan: plain data that says how the next search of one tree runs."""

import math
from dataclasses import astuple, dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError


class Rule(IntEnum):
    """How a tree selects an action and opens a leaf (formulas in search/rules.py)."""

    PUCT = 0  #: AlphaZero's, Fujita 2022 eq. 8
    UCT = 1  #: plain UCT, Fujita 2022 eq. 12
    BALANCE = 2  #: AlphaDDA3: seeks the value ``-balance``, Fujita 2022 eqs. 6 and 7
    STRENGTH = 3  #: SE-MCTS: keeps to subtrees of a wanted mean beta, Chen et al. 2025 eq. 6


class Unvisited(IntEnum):
    """What an action without visits is taken to be worth to the side to move."""

    CONSTANT = 0  #: the number ``unvisited_value``
    REDUCTION = 1  #: the node's mean value less ``unvisited_value * sqrt(visited prior)``


class Scaling(IntEnum):
    """Among which nodes the distance to the wanted strength is rescaled to 0 to 1."""

    TREE = 0  #: all of the tree, Chen et al. 2025, section 3.3
    SIBLINGS = 1  #: the actions of one position


class Solve(IntEnum):
    """Whether outcomes that are known for certain are proven upwards (search/solver.py)."""

    NEVER = 0
    SETTLE = 1  #: yes; all further simulations follow the action that decides the root
    ANALYSE = 2  #: yes; further simulations go where the outcome is not known yet


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the next search of one tree runs. Defaults are Fujita 2022, table A1."""

    simulations: int = 200  #: N_sim: descents, counted with the visits a reused tree brings
    rule: Rule = Rule.PUCT
    c_puct: float = 1.25  #: C_puct of eq. 8, or C of eq. 12 under UCT and of eq. 6 under BALANCE
    open_at: int = 1  #: N_open: a leaf gets children when it has this many visits
    unvisited: Unvisited = Unvisited.CONSTANT
    unvisited_value: float = 0.0  #: see Unvisited
    prior_temperature: float = 1.0  #: priors are softmax(logits / this)
    head_dropout: float = 0.0  #: P_drop of eq. 4: share of head units ignored, in [0, 1)
    rating: float = 0.0  #: of the people whose moves the priors predict; 0: unknown
    scale: int = 0  #: which of the network's rating scales that is on
    balance: float = 0.0  #: mean value v of eq. 7 for the side to move at the root, in [-1, 1]
    targets: tuple[float, ...] = ()
    """beta_t of STRENGTH, wanted of the actions at depth 1, 2, ...; deeper ones want the last."""
    score: int = 0  #: which of the network's strength scores is beta: 0 SE_inf's, 1 SE's
    c_1: float = 2.0  #: weight of the normalised distance to the target in eq. 6 [2.0]
    weaker: float = 1.0  #: factor of the distance where a subtree is weaker than wanted [code: 0.5]
    cap: float = 0.0  #: distances above this count as this, so that outliers do not count; 0: none
    scaling: Scaling = Scaling.TREE  #: see Scaling
    own_actions: int = 0  #: 1: the strength of a subtree is that of its mover's actions alone
    random_root: float = 0.0  #: epsilon: share of simulations that take a random root action
    noise_fraction: float = 0.0  #: share of Dirichlet noise in the root's priors
    noise_alpha: float = 1.0  #: concentration of that noise
    considered: int = 0  #: m of Gumbel sequential halving at the root; 0 turns it off
    solve: Solve = Solve.NEVER  #: see Solve; for the rules PUCT and UCT

    def __post_init__(self) -> None:
        for name in WHOLE:
            if not isinstance(getattr(self, name), int | np.integer):
                raise UsageError(f"{name}={getattr(self, name)} is not a whole number; give an int")
        Rule(self.rule), Unvisited(self.unvisited), Scaling(self.scaling), Solve(self.solve)
        if self.rule == Rule.STRENGTH and not self.targets:
            raise UsageError("the rule STRENGTH needs targets; give a beta for each depth")
        if self.solve and (self.rule not in (Rule.PUCT, Rule.UCT) or self.considered):
            raise UsageError("proofs go with the rules PUCT and UCT alone; leave solve out here")
        if not all(map(math.isfinite, self.targets)):
            raise UsageError(f"targets={self.targets} are not all finite; give finite numbers")
        for name, low, high in _LIMITS:
            value = getattr(self, name)
            if not (math.isfinite(value) and low <= value <= high):
                raise UsageError(
                    f"{name}={value} is outside [{low:g}, {high:g}]; choose one inside"
                )


WHOLE = (
    "simulations", "open_at", "considered", "rule", "unvisited", "scale", "score", "scaling",
    "own_actions", "solve",
)  # fmt: skip
_LIMITS = (
    ("simulations", 1, 10**7),
    ("rating", 0, 1e5),
    ("scale", 0, 127),
    ("score", 0, 1),
    ("c_puct", 0, 1e6),
    ("open_at", 1, 10**6),
    ("unvisited_value", -10, 10),
    ("prior_temperature", 1e-3, 1e3),
    ("head_dropout", 0, 0.999),
    ("balance", -1, 1),
    ("c_1", 0, 1e6),
    ("weaker", 0, 1e6),
    ("cap", 0, 1e6),
    ("own_actions", 0, 1),
    ("solve", 0, 2),
    ("random_root", 0, 1),
    ("noise_fraction", 0, 1),
    ("noise_alpha", 1e-3, 1e3),
    ("considered", 0, 10**4),
)


DEPTHS = 64  #: how many targets kernels know; the others are those of the last depth


def _kept_as(default: object) -> tuple:
    if isinstance(default, tuple):
        return np.float64, (DEPTHS,)
    return (np.float64,) if isinstance(default, float) else (np.int32,)


#: One tree's plan as the kernels read it: a record with the fields of Plan.
PLAN = np.dtype([(field.name, *_kept_as(field.default)) for field in fields(Plan)], align=True)


def as_records(plans: list[Plan]) -> NDArray:
    """Return the plans as an array [n] of PLAN records."""
    return np.array([tuple(map(_kept, astuple(plan))) for plan in plans], PLAN)


def _kept(value: object) -> object:
    """A field's value as the record has it: targets up to DEPTHS, the last repeated."""
    if not isinstance(value, tuple):
        return value
    last = value[-1] if value else 0.0
    return value[:DEPTHS] + (last,) * (DEPTHS - len(value))
