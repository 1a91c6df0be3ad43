"""The controller seam: what decides how the next search runs and which action is played.

A controller belongs to one game between two players. Before each search it gives a plan, after
it an action, after the game it hears the result. What it learned of the opponent is its own.
"""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError, UsageError, quoted
from evenmatch.search.plan import Plan


@dataclass(frozen=True)
class Reply:
    """The opponent's latest action, and what the network thought of its choices."""

    logits: NDArray[np.float32]  #: [A] policy logits of the position it moved in, -inf if illegal
    action: int
    by_rating: NDArray[np.float32] | None = None
    """[K, A] the same of the policies of people of each of `Controller.reply_ratings`."""


@dataclass(frozen=True)
class View:
    """What a controller sees before a search."""

    ply: int  #: actions played so far
    side: int  #: 1 if the controller's side moves first in the game, -1 if second
    values: NDArray[np.float32]
    """Network values of the latest positions, newest first, each for the controller's side.

    As many as :attr:`Controller.value_history` asks for, fewer near the start of the game;
    values[0] is the position about to be searched.
    """
    reply: Reply | None = None
    """The opponent's latest action, for controllers with :attr:`Controller.reads_replies`.

    None before its first action, and when the game began with moves that nobody chose.
    """


@dataclass(frozen=True)
class Root:
    """What a search found at the root of one tree; one row of RootStats."""

    visits: NDArray[np.int32]  #: [A] N(s, a)
    means: NDArray[np.float64]  #: [A] Q(s, a) for the side to move
    priors: NDArray[np.float32]  #: [A] P(s, a)
    legal: NDArray[np.bool_]  #: [A]
    value: float  #: the network's value of the root for the side to move
    best: int  #: the most visited action
    second: "Root | None" = None  #: the second look, if the controller asked for one


VERSION = 2  # of the states that controllers remember


class Controller(ABC):
    """Decides the plan before each search and the action after it."""

    value_history: int = 0  #: how many network values of past positions ``plan`` wants to see
    value_dropout: float = 0.0  #: share of head units to ignore in judging those positions
    reads_replies: bool = False  #: whether ``plan`` wants to see the opponent's latest action
    reply_ratings: tuple[float, ...] = ()  #: ratings whose policies it wants to see it by
    reply_scale: int = 0  #: which of the network's rating scales they are of

    @property
    def played_at(self) -> float | None:
        """The Elo that the moves of this game were played at, on average; None if none is known."""
        return None

    @abstractmethod
    def plan(self, view: View) -> Plan:
        """Return how the next search runs."""

    def look_again(self, root: Root) -> Plan | None:
        """Return a plan for one more search of the position, from a fresh tree; None for none.

        ``choose`` finds what it saw in ``root.second``.
        """
        return None

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Return the action to play; here the most visited one."""
        return root.best

    def snapshot(self) -> dict[str, Any]:
        """Return what ``plan`` and ``choose`` have changed in this game, as JSON numbers."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to what ``snapshot`` returned in the same game; StateError if it is foreign."""
        numbers_in(state, {})

    def finish(self, result: float | None) -> None:
        """Hear the result of the game for the controller's side, in [-1, 1].

        1 is a win, -1 a loss. A fraction is a game that was given up before it was lost. None is
        a game whose result says nothing of the opponent, such as one played by hints alone.
        """
        return None

    def remember(self) -> dict[str, Any] | None:
        """Return what was learned of the opponent, as JSON values; None if nothing ever is."""
        return None

    def recall(self, state: dict[str, Any]) -> None:
        """Go on from what ``remember`` returned; StateError if another kind wrote it."""
        raise StateError(
            f"{type(self).__name__} learns nothing from game to game; give it no state"
        )

    def rebase(self, state: dict[str, Any]) -> None:
        """Take ``state`` for what was known before this game, and keep what this game taught.

        So two games against one opponent may go on at once: whichever ends later adds to what the
        other taught. StateError as ``recall``.
        """
        self.recall(state)


class Fixed(Controller):
    """Always the same plan and the most visited action: plain AlphaZero (Fujita 2022, Play)."""

    def __init__(self, plan: Plan):
        self._plan = plan

    def plan(self, view: View) -> Plan:
        """Return the one plan."""
        return self._plan


def check_controller(make, actions: int = 7, seed: int = 0) -> None:
    """Raise AssertionError where a controller breaks the seam.

    ``make()`` returns a new controller. Feeds it random views and roots over a few games and
    checks that plans are plans, actions legal, and equal inputs give equal answers.
    """
    for game in range(3):
        one, two = make(), make()
        known = one.remember()  # before the game
        rng = np.random.default_rng(seed + game)
        for ply in range(30):
            count = min(ply + 1, max(one.value_history, 0))
            values = rng.uniform(-1, 1, count).astype(np.float32)
            view = View(ply, 1 if game % 2 else -1, values, _random_reply(rng, actions, one))
            two = _gone_back(make, one, known)
            plans = one.plan(view), two.plan(view)
            assert isinstance(plans[0], Plan), "plan() did not return a Plan"
            assert plans[0] == plans[1], "equal histories gave different plans"
            root = _random_root(rng, actions)
            again = one.look_again(root), two.look_again(root)
            assert again[0] == again[1], "equal roots gave different second plans"
            if again[0] is not None:
                root = replace(root, second=_random_root(rng, actions, root.legal))
            draws = [c.choose(root, np.random.default_rng(ply)) for c in (one, two)]
            assert draws[0] == draws[1], "equal random numbers gave different actions"
            assert root.legal[draws[0]], "chose an illegal action"
        one.finish(1.0), two.finish(1.0)
        learned = one.remember()
        if learned is not None:
            assert json.loads(json.dumps(learned)) == learned, "state is not made of JSON values"
            other = make()
            other.recall(learned)
            assert other.remember() == learned, "recall() and remember() differ"
            other.rebase(learned)
            assert _alike(other.remember(), learned), "rebase() added what no game taught"
            one.rebase(learned)
            one.finish(None)
            assert one.remember()["games"] == learned["games"], "no result counted as one"


def _gone_back(make, one: Controller, known: dict[str, Any] | None) -> Controller:
    """Return a new controller that recalls what was known before, where ``one`` is in its game."""
    again = make()
    if known is not None:
        again.recall(known)
    again.restore(json.loads(json.dumps(one.snapshot())))
    assert again.snapshot() == one.snapshot(), "restore() and snapshot() differ"
    return again


def _alike(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Tell whether two states are the same but for rounding."""
    return a.keys() == b.keys() and all(
        np.isclose(a[key], b[key]) if isinstance(a[key], float) else a[key] == b[key] for key in a
    )


def _random_reply(rng: np.random.Generator, actions: int, reader: Controller) -> Reply:
    logits = rng.normal(size=actions).astype(np.float32)
    logits[rng.random(actions) < 0.3] = -np.inf
    action = int(rng.integers(actions))
    logits[action] = 0
    tilts = rng.normal(size=(len(reader.reply_ratings), actions)).astype(np.float32)
    return Reply(logits, action, logits + tilts if len(tilts) else None)


def _random_root(rng: np.random.Generator, actions: int, legal=None) -> Root:
    if legal is None:
        legal = rng.random(actions) < 0.7
        legal[rng.integers(actions)] = True
    visits = np.where(legal, rng.integers(0, 50, actions), 0).astype(np.int32)
    priors = np.where(legal, rng.random(actions), 0).astype(np.float32)
    means = np.where(visits > 0, rng.uniform(-1, 1, actions), 0)
    best = int(np.where(legal, visits, -1).argmax())
    return Root(visits, means, priors / priors.sum(), legal, float(rng.uniform(-1, 1)), best)


def require(name: str, value: float, low: float, high: float) -> None:
    """Raise UsageError with the allowed range if ``value`` is outside [low, high] or NaN."""
    if not low <= value <= high:
        raise UsageError(f"{name}={value} is outside [{low:g}, {high:g}]; choose one inside")


def learned(state: dict[str, Any], kind: str, numbers: dict[str, tuple[float, float]]) -> list:
    """Return the numbers of a state that ``kind`` wrote, each within its bounds; else StateError.

    Such a state is ``{"kind": kind, "version": VERSION, **numbers}``.
    """
    if not isinstance(state, dict) or state.get("kind") != kind:
        other = quoted(str(state.get("kind") if isinstance(state, dict) else state))
        raise StateError(f"the saved state is of {other}, not of {kind!r}; start without it")
    if state.get("version") != VERSION:
        raise StateError(
            f"the saved state of {kind} has version {quoted(str(state.get('version')))}, "
            f"this evenmatch reads {VERSION}; start without it"
        )
    return numbers_in(state, numbers, f" of {kind}")


def numbers_in(
    state: dict[str, Any], numbers: dict[str, tuple[float, float]], whose: str = ""
) -> list:
    """Return the numbers of a state, each within its bounds; StateError if one is not."""
    for name, (low, high) in numbers.items():
        value = state.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise StateError(f"the saved state{whose} has no number {name!r}; start without it")
        if not low <= value <= high:
            raise StateError(
                f"the saved state{whose} has {name}={value}, outside [{low:g}, {high:g}]; "
                "start without it"
            )
    return [state[name] for name in numbers]
