"""Chess games from given positions on, side by side, for players to be asked what they would do."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.chess import Chess
from evenmatch.players import Player, Turns


class Positions:
    """Games that begin anywhere: n positions, and the moves played from there."""

    def __init__(self, states: NDArray[np.uint64], plies: NDArray[np.intp], most_moves: int):
        """``states`` [n, S] come after ``plies`` [n]; up to ``most_moves`` will be played."""
        self.game = Chess()
        self.plies = np.array(plies)
        shape = len(states), int(self.plies.max()) + most_moves
        self.history = np.repeat(states[:, None], shape[1] + 1, 1)
        self.actions = np.full(shape, -1, np.int32)

    @classmethod
    def of_fens(cls, fens: Sequence[str], most_moves: int) -> "Positions":
        """Read the positions."""
        states = np.stack([Chess().from_fen(fen) for fen in fens])
        return cls(states, np.array([_ply(fen) for fen in fens]), most_moves)

    @property
    def states(self) -> NDArray[np.uint64]:
        """The positions now, [n, S]."""
        return self.history[np.arange(len(self.plies)), self.plies]

    def push(self, games: NDArray[np.intp], actions: NDArray) -> None:
        """Play actions [k] in some games [k]."""
        plies = self.plies[games]
        self.actions[games, plies] = actions
        self.plies[games] += 1
        self.history[games, plies + 1] = self.game.after(self.history[games, plies], actions)

    def ask(self, player: Player, games: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return a player's actions in some games."""
        return player.choose(Turns(games, self.plies[games], self.history, self.actions))

    def read(self, game: int, word: str) -> int:
        """Return the action that a move in UCI is now."""
        return self.game.read_action(self.history[game, self.plies[game]], word)


def _ply(fen: str) -> int:
    words = fen.split()
    return 2 * (max(int(words[5]), 1) - 1) + (words[1] == "b")
