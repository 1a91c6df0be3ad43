"""``style``: plays in one of the styles of `search/styles.py`, from random to full strength."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Controller, Mind, Root, View, require
from evenmatch.search.plan import Plan
from evenmatch.search.styles import STRONGEST, between, policies


class Styled(Controller):
    """Plays in one style: draws from its policy, mixed with a search where the style has one."""

    def __init__(self, number: float, base: Plan):
        """``number`` is that of the style, from 0 to ``STRONGEST``; it may be fractional."""
        require("s", number, 0, STRONGEST)
        self.style = between(number)
        self._plan = base if self.style.search else replace(base, simulations=1)

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan; a style without a search asks the network alone."""
        return self._plan

    def policy(self, root: Root) -> NDArray[np.float64]:
        """Return how likely players of the style choose each action, [A]."""
        pi = policies(self.style, root.priors, root.visits, root.legal)
        return pi / pi.sum()

    def choose(self, root, view, mind, rng):
        """Draw a move as players of the style do."""
        pi = self.policy(root)
        return int(rng.choice(len(pi), p=pi)), mind
