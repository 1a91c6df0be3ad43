"""Networks that a policy learns from beside the moves of people, such as Maia's.

What a teacher thinks of a position says more than the one move that was played there: it has seen
many more games. Which of several teaches what is found from the moves themselves: for every rating
scale and rating the one that predicts them best. (Distillation: Hinton et al. 2015.)
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.training.recorded_positions import Batch


class Teachers:
    """Several networks, and which of them teaches the moves of whom."""

    def __init__(self, paths: Sequence[Path], game: Game):
        """``paths`` are networks of ``game``."""
        self._game = game
        self._networks = [NetworkEvaluator(path, game) for path in paths]
        self._of: dict[int, int] = {}  # cell -> teacher

    def choose(self, batches: Sequence[Batch]) -> None:
        """Let each cell of positions be taught by the network that predicts its moves best."""
        cells = np.concatenate([batch.cells for batch in batches])
        likelihoods = np.array(
            [
                np.concatenate([self._likelihood(network, batch) for batch in batches])
                for network in self._networks
            ]
        )
        sums = {int(cell): likelihoods[:, cells == cell].sum(1) for cell in np.unique(cells)}
        self._of = {cell: int(row.argmax()) for cell, row in sums.items()}
        self._usual = int(likelihoods.sum(1).argmax())

    def _likelihood(self, network: NetworkEvaluator, batch: Batch) -> NDArray[np.float64]:
        """Return the log of the chance of each move played [n]."""
        policy = self._said(network, batch.states)
        return np.log(np.maximum(policy[np.arange(len(policy)), batch.actions], 1e-6))

    def _said(self, network: NetworkEvaluator, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the policy of a network in positions, of legal moves alone; 0 where none is."""
        logits, legal = network.evaluate(states).logits, self._game.unclaimed_mask(states)
        most = logits.max(1, keepdims=True, where=legal, initial=np.finfo(np.float32).min)
        policy = np.exp(logits - most, where=legal, out=np.zeros_like(logits))
        return policy / np.maximum(policy.sum(1, keepdims=True), 1e-6)

    def policies(self, batches: Sequence[Batch]) -> list[NDArray[np.float32]]:
        """Return the policies [B, A] of the teachers of each batch; each sums to 1.

        Several batches at once are faster than one after the other.
        """
        cells = np.concatenate([batch.cells for batch in batches])
        states = np.concatenate([batch.states for batch in batches])
        teachers = np.array([self._of.get(int(cell), self._usual) for cell in cells])
        policy = np.zeros((len(teachers), self._game.num_actions), np.float32)
        for number, network in enumerate(self._networks):
            rows = np.flatnonzero(teachers == number)
            if len(rows):
                policy[rows] = self._said(network, states[rows])
        ends = np.cumsum([len(batch.cells) for batch in batches])
        return np.split(policy, ends[:-1])


def with_moves(
    policy: NDArray[np.float32], actions: NDArray[np.int64], share: float
) -> NDArray[np.float32]:
    """Return targets [B, A]: a ``share`` of them a teacher's policy, the rest the moves played."""
    targets = policy * np.float32(share)
    targets[np.arange(len(actions)), actions] += 1 - share
    return targets
