"""Evaluators of the slow search: (position, seed) -> (logits [A], value).

Nothing here shares code with ``evenmatch``.
"""

import numpy as np
from oracle_games import SlowOthello, packed
from oracle_random import Xorshift


def slow_playout(position, rng):
    """The outcome of random play for the side to move."""
    player = position.player
    while actions := position.legal():
        forced_pass = isinstance(position, SlowOthello) and actions == [position.size**2]
        position = position.play(actions[0 if forced_pass else rng.below(len(actions))])
    return position.outcome() * (1 if position.player == player else -1)


def hash_evaluation(states, num_actions):
    """Logits [n, A] in [-2, 2), values, betas [n] in [-1, 1) that look random: they hang on states.

    Computed with integers alone, so that they do not depend on the size of the batch.
    """
    states = np.asarray(states, np.uint64)
    hashes = np.full(len(states), 0x9E3779B97F4A7C15, np.uint64)
    for word in range(states.shape[1]):
        hashes = _mixed_words(hashes ^ states[:, word])
    salts = _mixed_words(np.arange(1, num_actions + 3, dtype=np.uint64))
    draws = (_mixed_words(hashes[:, None] ^ salts) >> np.uint64(44)).astype(np.float32) / 2**20
    values, betas = draws[:, 0] * 2 - 1, draws[:, -1] * 2 - 1
    return np.ascontiguousarray(draws[:, 1:-1] * 4 - 2), values, betas


def _mixed_words(words):
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


class SlowHash:
    """The oracle's side of :func:`hash_evaluation`."""

    def __init__(self, num_actions):
        self.num_actions = num_actions

    def __call__(self, position, seed):
        logits, values, betas = hash_evaluation(packed([position]), self.num_actions)
        return logits[0], float(values[0]), float(betas[0])


class SlowRollout:
    """Equal logits and the outcome of one random game."""

    def __init__(self, num_actions):
        self.num_actions = num_actions

    def __call__(self, position, seed):
        return np.zeros(self.num_actions, np.float32), slow_playout(position, Xorshift(seed))
