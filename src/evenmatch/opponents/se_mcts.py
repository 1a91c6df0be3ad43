"""SE-MCTS: a search that keeps to the strength score of people of a rating.

Chen et al. 2025, section 3.3. The search itself is the rule STRENGTH (eq. 6, ``search/rules.py``);
what is left is to set the target beta_t of every ply. The move is the most visited one. Targets
by the number of actions played are those of section 4.3. The authors' code halves the distance of
subtrees that are too weak; the paper does not, nor does ``Plan.weaker`` by default.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from evenmatch.errors import UsageError
from evenmatch.opponents.controller import Controller, Mind, View
from evenmatch.search.plan import DEPTHS, Plan, Rule

#: The paper's search; its C_puct grows with the logarithm of visits, by 0.04 at 800.
PAPER_PLAN = Plan(simulations=800, c_puct=1.25, c_1=2.0)


class StrengthSearch(Controller):
    """Searches toward the targets of one rating."""

    def __init__(self, targets: ArrayLike, base: Plan = PAPER_PLAN):
        """``targets`` [P] are the betas wanted of the actions at ply 0, 1, ...; then the last."""
        self._targets = np.asarray(targets, np.float64)
        if self._targets.ndim != 1 or not len(self._targets):
            raise UsageError("targets must be a row of betas, one for each ply; give one")
        self._base = base

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan with the targets of the actions from here on."""
        at = min(view.ply, len(self._targets) - 1)
        wanted = tuple(self._targets[at : at + DEPTHS].tolist())
        return replace(self._base, rule=Rule.STRENGTH, targets=wanted)
