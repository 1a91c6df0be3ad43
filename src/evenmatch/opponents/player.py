"""Players: how the turns of an opponent are decided. The one without a network: random."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.games.line import Line
from evenmatch.opponents.controller import NEW, LevelPath, Mind, Root, State

RESIGN = -1  #: the action of a program that gives its game up


@dataclass(frozen=True)
class Turn:
    """A position in which an opponent is to move, with all that its decision depends on."""

    line: Line  #: the game so far; the opponent is to move at its end
    side: int  #: the opponent's: 1 moves first, -1 second
    seed: int  #: of this opponent in this game, 64 bits; it decides all that is random
    mind: Mind = NEW
    tree: object = field(default=None, compare=False)
    """A `SearchTree` of this game alone, in which the search continues; None: a new tree."""


@dataclass(frozen=True)
class Decision:
    """What an opponent does in a turn."""

    action: int  #: or RESIGN
    mind: Mind  #: after the turn
    value: float | None = None  #: expected score of the mover, 0 to 1, by its search; None without
    root: Root | None = None  #: what the search found; None without one


class Player(ABC):
    """Decides turns. It keeps nothing of a game: games come and go in any order."""

    @abstractmethod
    def decide(self, turns: Sequence[Turn]) -> list[Decision]:
        """Return a decision for each turn. Programs may resign, by RESIGN; no other player does."""

    def learn(self, mind: Mind, result: float | None) -> State:
        """Return the memory after a game with this result; see `Controller.learn`."""
        return mind.memory

    def played_at(self, mind: Mind) -> float | None:
        """Return the mean Elo of a game's moves, None if unknown; see `Controller.played_at`."""
        return None

    def path(self, mind: Mind) -> LevelPath | None:
        """Return the levels of a game's moves, None if it follows nobody; see `Controller.path`."""
        return None

    def check(self, mind: Mind) -> None:
        """Raise StateError if a stored mind does not fit; players without one ignore it."""
        return None


class RandomPlayer(Player):
    """A uniformly random legal action."""

    def __init__(self, game: Game):
        self._game = game

    def decide(self, turns):
        """Draw from the legal actions."""
        actions, counts, _ = self._game.examine(states_of(turns))
        picks = (seeds_of(turns) >> np.uint64(33)) % counts.astype(np.uint64)
        chosen = actions[np.arange(len(actions)), picks.astype(np.intp)]
        return decisions(turns, chosen)


def decisions(turns: Sequence[Turn], actions: NDArray) -> list[Decision]:
    """Return the decisions of players that learn nothing."""
    return [Decision(int(action), turn.mind) for turn, action in zip(turns, actions, strict=True)]


def states_of(turns: Sequence[Turn]) -> States:
    """Return the positions to move in, [n, S]."""
    return np.array([turn.line.state for turn in turns])


def seeds_of(turns: Sequence[Turn]) -> NDArray[np.uint64]:
    """Return a non-zero random word for each turn, [n], by its seed and ply."""
    seeds = np.array([turn.seed for turn in turns], np.uint64)
    return turn_seeds(seeds, np.array([turn.line.ply for turn in turns]))


def turn_seeds(seeds: NDArray[np.uint64], plies: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return a non-zero random word [n] for each game's seed [n] and ply [n] (splitmix64)."""
    with np.errstate(over="ignore"):
        word = seeds + plies.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) | np.uint64(1)
