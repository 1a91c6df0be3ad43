"""Moves rated by a network: its strength head on the positions after them.

As in training (Chen et al. 2025, section 3.2) a move is shown as the position after it. The last
move of a game, which nobody answered, is left out there and here.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.estimation.estimator import PlayerGame
from evenmatch.estimation.outputs import MoveOutputs
from evenmatch.games.chess_policy import actions_of_moves
from evenmatch.games.game import Game
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.dataset import Dataset, Sides

BLOCK = 4096  #: positions replayed at once


class NetworkScorer:
    """Rates the moves of chess games; rows are all that the strength head says, beta first."""

    def __init__(self, evaluator: NetworkEvaluator):
        """NetworkError if the network has no strength head."""
        self.evaluator = evaluator
        self.game: Game = evaluator.game
        if not evaluator.card.ranks:
            raise NetworkError(
                "this network has no strength head; train one with `evenmatch train chess --data`"
            )

    def __call__(self, games: Sequence[PlayerGame]) -> MoveOutputs:
        """Rate the players' own moves in records of games."""
        states = [_after_own_moves(self.game, one) for one in games]
        counts = np.array([len(rows) for rows in states], np.int64)
        return MoveOutputs(self.rate(np.concatenate(states)) if states else _nothing(), counts)

    def of_dataset(
        self,
        dataset: Dataset,
        chosen: Sides,
        progress: Callable[[int, int], None] = lambda done, due: None,
    ) -> MoveOutputs:
        """Rate the own moves of sides of a dataset; ``progress`` hears of moves done and due."""
        counts = answered(dataset.games["plies"][chosen.games], chosen.sides)
        games = np.repeat(chosen.games, counts)
        number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        plies = 2 * number + np.repeat(chosen.sides, counts) + 1
        rated = []
        for at in range(0, len(games), BLOCK):
            part = slice(at, at + BLOCK)
            rated.append(self.rate(dataset.states(games[part], plies[part]).states))
            progress(min(at + BLOCK, len(games)), len(games))
        return MoveOutputs(np.concatenate(rated) if rated else _nothing(), counts)

    def rate(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return what the strength head says of positions [n, S] just moved to, [n, K]."""
        self.evaluator.evaluate(states)
        assert self.evaluator.strength is not None, "the card tells of a strength head"
        return self.evaluator.strength.copy()


def answered(plies: NDArray, sides: NDArray) -> NDArray[np.int64]:
    """Return how many own moves of a side (0 moves first) have a reply, in games of ``plies``."""
    return np.maximum(plies.astype(np.int64) - sides, 0) // 2


def _nothing() -> NDArray[np.float32]:
    return np.zeros((0, 1), np.float32)


def _after_own_moves(game: Game, one: PlayerGame) -> NDArray[np.uint64]:
    """Return the positions after a player's answered moves, [n, S]."""
    state, kept = game.initial(), []
    first = 0 if one.side == 1 else 1
    for ply, move in enumerate(one.record.moves[:-1]):
        state = game.after(state, actions_of_moves(state, np.array([move])))
        if ply % 2 == first:
            kept.append(state)
    return np.concatenate(kept) if kept else game.initial(0)
