"""The player seam, and the player without a tree or a network: random."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.search.forest import seeds_from

RESIGN = -1  #: what players of other programs choose in a game that they give up


@dataclass(frozen=True)
class Turns:
    """Positions of n games in which one player is to move."""

    games: NDArray[np.intp]  #: [n] which of the player's games
    plies: NDArray[np.intp]  #: [n] actions played so far in each
    history: NDArray[np.uint64]  #: [G, P + 1, S] every game's positions so far
    actions: NDArray[np.int32]  #: [G, P] every game's actions so far
    own: NDArray[np.bool_] | None = None
    """[G, P] whether its mover chose an action alone; None: all were. Players learn from no other,
    such as a hint that was followed."""

    @property
    def states(self) -> States:
        """The positions to move in, [n, S]."""
        return self.history[self.games, self.plies]


class Player(ABC):
    """Turns positions into actions, for games numbered from 0 to ``games - 1``.

    A number stands for one opponent: when a game ends and another begins under the same number,
    a player that learns goes on from what it learned. ``resize`` makes room for more games.
    """

    games: int = 1  #: how many games there is room for
    _free: list[int] | None = None  # games that nobody plays; None before the first is opened

    def open(self) -> int:
        """Return the number of a game that nobody plays; there is room for twice as many if none.

        What was learned of an earlier opponent of that number is forgotten. For players whose
        games come and go; others number theirs themselves.
        """
        if self._free is None:
            self._free = list(range(self.games))[::-1]
        if not self._free:
            games = self.games
            self.resize(2 * games)
            self._free = list(range(games, 2 * games))[::-1]
        game = self._free.pop()
        self.forget(game)
        return game

    def close(self, game: int) -> None:
        """Let others have the number of a game that was opened."""
        assert self._free is not None, "no game was opened"
        self._free.append(game)

    def resize(self, games: int) -> None:
        """Make room for ``games`` games, at least as many as there are; those go on."""
        self.games = games

    def begin(self, games: NDArray[np.intp], sides: NDArray[np.int8], seed: int) -> None:
        """Start new games [n]; ``sides`` [n] is 1 where this player moves first, else -1."""
        return None

    def reseed(self, games: NDArray[np.intp], seed: int) -> None:
        """Draw otherwise from now on in games [n] that go on; players without chance need not."""
        return None

    @abstractmethod
    def choose(self, turns: Turns) -> NDArray[np.intp]:
        """Return a legal action for each position, [n].

        Engines of others may give up, by RESIGN; no player here does.
        """

    def expects(self, at: int) -> float | None:
        """Return what a search found the game worth for its player, 0 to 1; None without one.

        ``at`` is the game's place among those that were asked for last.
        """
        return None

    def played_at(self, game: int) -> float | None:
        """Return the Elo that a game in progress was played at; see ``Controller.played_at``."""
        return None

    def finish(self, game: int, result: float | None) -> None:
        """Hear the result of a game for this player, in [-1, 1]; see ``Controller.finish``."""
        return None

    def remember(self, game: int) -> dict[str, Any] | None:
        """Return what was learned of the opponent of a game, as JSON values; None if nothing."""
        return None

    def recall(self, game: int, state: dict[str, Any]) -> None:
        """Go on from what ``remember`` returned, before ``begin``; StateError if it is foreign."""
        return None

    def forget(self, game: int) -> None:
        """Drop what was learned of the opponent of a game, before ``begin``."""
        return None

    def snapshot(self, game: int) -> dict[str, Any] | None:
        """Return what changed in a player within a game, as JSON values, for ``restore``.

        None if that is impossible: then going back means to begin again and play up to there.
        """
        return {}

    def restore(self, game: int, state: dict[str, Any]) -> None:
        """Go back to what ``snapshot`` returned in the same game; StateError if it is foreign."""
        return None

    def rebase(self, game: int, state: dict[str, Any] | None) -> None:
        """Let a game in progress go on as if it had begun from ``state``; None: from nothing."""
        return None


class RandomPlayer(Player):
    """A uniformly random legal action."""

    def __init__(self, game: Game, games: int):
        self._game, self.games = game, games
        self._seeds = np.zeros(games, np.uint64)

    def resize(self, games):
        """Make room for the seeds of more games."""
        super().resize(games)
        self._seeds = grown(self._seeds, games)

    def begin(self, games, sides, seed):
        """Seed the games."""
        self.reseed(games, seed)

    def reseed(self, games, seed):
        """Draw otherwise from now on."""
        self._seeds[games] = seeds_from(seed, len(games))

    def choose(self, turns):
        """Draw from the legal actions."""
        actions, counts, _ = self._game.examine(turns.states)
        words = turn_seeds(self._seeds[turns.games], turns.plies)
        picks = (words >> np.uint64(33)) % counts.astype(np.uint64)
        return actions[np.arange(len(actions)), picks.astype(np.intp)].astype(np.intp)


def grown(array: NDArray, rows: int) -> NDArray:
    """Return an array [rows, ...] that begins with the rows of ``array``; the rest is 0."""
    larger = np.zeros((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def turn_seeds(seeds: NDArray[np.uint64], plies: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return a non-zero random word [n] for each game's seed [n] and ply [n] (splitmix64)."""
    with np.errstate(over="ignore"):
        word = seeds + plies.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) | np.uint64(1)
