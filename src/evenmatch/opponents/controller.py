"""Controllers: what decides how the next search runs and which action is played.

A controller is the numbers of a method, and has no state. What it knows of a game and of the
opponent is a ``Mind``, plain JSON data that comes with each turn and goes back with its decision.
So moves are taken back by taking the earlier mind, and a game is saved by writing it down.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError, UsageError
from evenmatch.search.plan import Plan

State = dict[str, Any]  #: JSON values by name: numbers, or rows of them
Bounds = Mapping[str, tuple[float, float] | tuple[float, float, int]]
"""For each name of a state the least and the greatest number; of a row also its length."""
NOTHING: Bounds = MappingProxyType({})


@dataclass(frozen=True)
class Mind:
    """What an opponent knows: plain JSON data, empty at first. It is replaced, never changed."""

    memory: State = field(default_factory=dict)  #: from earlier games against the same person
    game: State = field(default_factory=dict)  #: from this game

    def in_game(self, **changes: Any) -> Mind:
        """Return the mind with these entries of the game's state changed."""
        return replace(self, game={**self.game, **changes})


NEW = Mind()  #: of an opponent that knows nothing yet


@dataclass(frozen=True)
class Reply:
    """The opponent's latest action, and the network's policy where it was chosen."""

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

    None before its first action, and where the latest action was given, not chosen.
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


class LevelPath(NamedTuple):
    """The levels that an opponent which follows played at in a game, in Elo; at Go as ranks."""

    first: float  #: of its first move
    last: float  #: of its latest move
    person: float  #: the strength that it takes the other side to have
    behind: bool  #: whether ``last`` is above that by a deficit more than by doubt
    limit: int  #: -1 if ``last`` is the weakest that it can play, 1 if the strongest, otherwise 0


class Controller(ABC):
    """Decides the plan before each search and the action after it."""

    value_history: int = 0  #: how many network values of past positions ``plan`` wants to see
    reads_replies: bool = False  #: whether ``observe`` wants to see the opponent's latest action
    reply_ratings: tuple[float, ...] = ()  #: ratings whose policies it wants to see it by
    reply_scale: int = 0  #: which of the network's rating scales they are of
    memory_bounds: Bounds = (
        NOTHING  #: what its memory holds; empty: it learns nothing between games
    )
    game_bounds: Bounds = NOTHING  #: what its state within a game holds

    def value_dropout(self, mind: Mind) -> float:
        """Return the share of head units to ignore in judging past positions."""
        return 0.0

    def observe(self, view: View, mind: Mind) -> Mind:
        """Return the mind after a look at the position, before the search."""
        return mind

    @abstractmethod
    def plan(self, view: View, mind: Mind) -> Plan:
        """Return how the next search runs; ``mind`` is as ``observe`` returned it."""

    def choose(
        self, root: Root, view: View, mind: Mind, rng: np.random.Generator
    ) -> tuple[int, Mind]:
        """Return the action to play, here the most visited one, and the mind after the turn."""
        return root.best, mind

    def learn(self, mind: Mind, result: float | None) -> State:
        """Return the memory after a game with this result for the controller's side, in [-1, 1].

        1 is a win, -1 a loss. A fraction is a game that was resigned before it was lost. None is
        a game whose result says nothing of the opponent, such as one played by hints alone.
        ``mind.memory`` may be newer than the game: other games may have ended meanwhile.
        """
        return mind.memory

    def played_at(self, mind: Mind) -> float | None:
        """Return the mean Elo that this game's moves were played at; None if none is known."""
        return None

    def path(self, mind: Mind) -> LevelPath | None:
        """Return the levels of this game's moves; None before any, and if it follows nobody."""
        return None

    def check(self, mind: Mind) -> None:
        """Raise StateError if a mind that was stored is not of this method, or is damaged."""
        check_state(mind.memory, self.memory_bounds)
        check_state(mind.game, self.game_bounds)


class Fixed(Controller):
    """Always the same plan and the most visited action: plain AlphaZero (Fujita 2022, Play)."""

    def __init__(self, plan: Plan):
        self._plan = plan

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the one plan."""
        return self._plan


def require(name: str, value: float, low: float, high: float) -> None:
    """Raise UsageError with the allowed range if ``value`` is outside [low, high] or NaN."""
    if not low <= value <= high:
        raise UsageError(f"{name}={value} is outside [{low:g}, {high:g}]; choose one inside")


def check_state(state: Any, bounds: Bounds) -> None:
    """Raise StateError unless a state has exactly the numbers of ``bounds``, or is empty."""
    if not isinstance(state, dict):
        raise StateError("the saved state is damaged; start without it")
    if not state:
        return
    if state.keys() != bounds.keys():
        unknown = ", ".join(sorted(map(str, state.keys() ^ bounds.keys())))
        raise StateError(f"the saved state has other entries ({unknown}); start without it")
    for name, (low, high, *length) in bounds.items():
        numbers = state[name] if length else [state[name]]
        if not isinstance(numbers, list) or (length and len(numbers) != length[0]):
            raise StateError(f"the saved state has no {name} of this length; start without it")
        for number in numbers:
            if type(number) not in (int, float) or not low <= number <= high:
                raise StateError(
                    f"the saved state has a {name} outside [{low:g}, {high:g}]; start without it"
                )


def check_controller(make: Callable[[], Controller], actions: int = 7, seed: int = 0) -> None:
    """Raise AssertionError where a controller breaks the contract.

    ``make()`` returns a new controller. Feeds it random views and roots over a few games, one
    after another against one opponent, and checks that plans are plans and actions legal, that
    equal inputs give equal answers, and that minds are JSON values which ``check`` accepts.
    """
    mind = NEW
    for game in range(3):
        mind = replace(mind, game={})
        rng = np.random.default_rng(seed + game)
        for ply in range(30):
            controller, again = make(), make()
            mind, stored = _stored(controller, mind), _stored(again, mind)
            count = min(ply + 1, max(controller.value_history, 0))
            values = rng.uniform(-1, 1, count).astype(np.float32)
            reply = _random_reply(rng, actions, controller)
            view = View(ply, 1 if game % 2 else -1, values, reply)
            root = _random_root(rng, actions)
            before = mind
            mind, plan, action = _turn(controller, view, mind, root, ply)
            assert before == stored, "a mind was changed in place"
            assert isinstance(plan, Plan), "plan() did not return a Plan"
            assert root.legal[action], "chose an illegal action"
            same = _turn(again, view, stored, root, ply)
            assert same == (mind, plan, action), "equal minds and inputs gave different answers"
        controller = make()
        memory = controller.learn(mind, 1.0)
        assert memory == controller.learn(mind, 1.0), "learn() gave two memories of one game"
        if memory:
            unread = controller.learn(mind, None)
            assert unread.get("games") == mind.memory.get("games", 0), "no result counted as one"
        mind = _stored(controller, replace(mind, memory=memory))


def _turn(
    controller: Controller, view: View, mind: Mind, root: Root, seed: int
) -> tuple[Mind, Plan, int]:
    mind = controller.observe(view, mind)
    plan = controller.plan(view, mind)
    action, mind = controller.choose(root, view, mind, np.random.default_rng(seed))
    return mind, plan, action


def _stored(controller: Controller, mind: Mind) -> Mind:
    """Return a mind as it comes back from a disk."""
    memory, game = json.loads(json.dumps([mind.memory, mind.game]))
    assert (memory, game) == (mind.memory, mind.game), "a mind is not made of JSON values"
    mind = Mind(memory, game)
    controller.check(mind)
    return mind


def _random_reply(rng: np.random.Generator, actions: int, reader: Controller) -> Reply | None:
    if not reader.reads_replies:
        return None
    logits = rng.normal(size=actions).astype(np.float32)
    logits[rng.random(actions) < 0.3] = -np.inf
    action = int(rng.integers(actions))
    logits[action] = 0
    tilts = rng.normal(size=(len(reader.reply_ratings), actions)).astype(np.float32)
    return Reply(logits, action, logits + tilts if len(tilts) else None)


def _random_root(rng: np.random.Generator, actions: int) -> Root:
    legal = rng.random(actions) < 0.7
    legal[rng.integers(actions)] = True
    visits = np.where(legal, rng.integers(0, 50, actions), 0).astype(np.int32)
    priors = np.where(legal, rng.random(actions), 0).astype(np.float32)
    means = np.where(visits > 0, rng.uniform(-1, 1, actions), 0)
    best = int(np.where(legal, visits, -1).argmax())
    return Root(visits, means, priors / priors.sum(), legal, float(rng.uniform(-1, 1)), best)
