"""What games of area supply besides: two passes end them, and the larger area wins, as in Go."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States


class AreaGame(Game):
    """A game whose score people agree on: komi, area, dead stones. P points, row by row."""

    stars: tuple[int, ...]  #: points that boards mark

    @abstractmethod
    def beginning(self, komi: float | None = None, handicap: int | None = None) -> str:
        """Return the text, for `read_position`, of a start with handicap stones and a komi.

        It is empty for the usual start. Raises UsageError for a komi or a number of stones that the
        game does not have.
        """

    @abstractmethod
    def passed_out(self, state: NDArray[np.uint64]) -> bool:
        """Tell whether two passes ended the game in ``state`` [S]."""

    @abstractmethod
    def owners(self, states: States) -> NDArray[np.int8]:
        """Return whose area each point is, [B, P]: 1 first player's, -1 second's, 0 neither's."""

    @abstractmethod
    def without(self, states: States, points: NDArray[np.intp]) -> States:
        """Return positions [B, S] with stones taken off, to count area; not to be played on."""

    @abstractmethod
    def komi_of(self, states: States) -> NDArray[np.float64]:
        """Return the points that the second player gets, for handicap stones too, [B]."""

    @abstractmethod
    def captures(self, states: States) -> NDArray[np.int64]:
        """Return how many stones the first and the second player have captured, [B, 2]."""
