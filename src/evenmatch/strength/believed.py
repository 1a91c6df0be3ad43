"""Playing at a believed rating: the numbers of a rated player follow the belief, move by move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evenmatch.errors import StateError
from evenmatch.ratings.belief import Belief
from evenmatch.search.plan import Plan
from evenmatch.strength.controller import Controller, Root, View


class AtBelief(Controller):
    """A controller of a rating, made anew whenever the mean of the belief has moved.

    A rating that is given is a belief that does not move. Whoever knows more of the wanted strength
    updates ``belief`` between moves; the next search and the next choice are of the new rating.
    """

    def __init__(self, make: Callable[[float], Controller], belief: Belief):
        """``make(rating)`` returns the controller of a rating."""
        self.belief = belief
        self._make = make
        self._rating = belief.mean
        self._inner = make(self._rating)

    @property
    def rating(self) -> float:
        """The rating that it plays at now."""
        return self._rating

    def _follow(self) -> None:
        if self.belief.mean != self._rating:
            rating = self.belief.mean
            self._inner = self._make(rating)  # may refuse it, and would again
            self._rating = rating

    def plan(self, view: View) -> Plan:
        """Return the plan of the rating believed in by now."""
        self._follow()
        return self._inner.plan(view)

    def look_again(self, root: Root) -> Plan | None:
        """Return what the controller of the rating wants."""
        return self._inner.look_again(root)

    def choose(self, root, rng):
        """Return the action of the controller of the rating."""
        return self._inner.choose(root, rng)

    def snapshot(self) -> dict[str, Any]:
        """Return the belief."""
        return {"belief": self.belief.to_json()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to such a belief."""
        if not isinstance(state, dict):
            raise StateError("the saved state of a rated player is damaged; start without it")
        self.belief.read_json(state.get("belief"))
        self._follow()
