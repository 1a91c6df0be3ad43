"""Self-play: hundreds of games side by side, each move searched in one forest.

Shapes: G games side by side, P plies of a game, S words of a state, A actions.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.search import Evaluator, Plan, RootStats, Search, Unvisited
from evenmatch.search.forest import seeds_from
from evenmatch.search.root_noise import improved_policy
from evenmatch.workshop.training.presets import Preset


class Samples(NamedTuple):
    """Positions with what the search and the game made of them."""

    states: States  # [n, S]
    policies: NDArray[np.float16]  # [n, A] search probabilities pi
    outcomes: NDArray[np.float32]  # [n] result of the game for the side to move
    searched: NDArray[np.float32]  # [n] value of the search for the side to move


class SelfPlay:
    """Games in progress, played on by whichever network is current.

    A finished game hands out its positions and makes room for a new one. The whole state is
    plain arrays: :meth:`state_dict` and back loses nothing.
    """

    def __init__(self, game: Game, preset: Preset, seed: int | Sequence[int]):
        self.game = game
        self.preset = preset
        self.games_finished = 0
        self._rng = np.random.default_rng(seed)
        slots = preset.games
        self._states = game.initial(slots)  # [G, S]
        self._plies = np.zeros(slots, np.int32)  # [G] positions recorded
        shape = (slots, game.max_plies)
        self._past = np.zeros((*shape, game.state_words), np.uint64)
        self._policies = np.zeros((*shape, game.num_actions), np.float16)
        self._searched = np.zeros(shape, np.float32)
        self._open(np.arange(slots))

    def play(
        self, evaluator: Evaluator, progress: Callable[[int, int], None] = lambda done, due: None
    ) -> Samples:
        """Play until enough positions of finished games are in, and return those.

        ``progress`` is called after every move with the positions so far and those due.
        """
        search = Search(
            self.game, evaluator, trees=self.preset.games, nodes=self.preset.simulations + 2
        )
        finished: list[Samples] = []
        collected, games = 0, 0
        while not self._enough(collected, games):
            for samples in self._move(search):
                finished.append(samples)
                collected += len(samples.states)
                games += 1
            progress(collected, self.preset.positions or games)
        self.games_finished += games
        return Samples(*(np.concatenate(field) for field in zip(*finished, strict=True)))

    def _enough(self, positions: int, games: int) -> bool:
        if self.preset.positions:
            return positions >= self.preset.positions
        return games >= self.preset.games

    # -- one ply of every game ---------------------------------------------------------------

    def _move(self, search: Search) -> list[Samples]:
        """Search and play one action in every game; return those that ended."""
        slots = np.arange(self.preset.games)
        seeds = seeds_from(int(self._rng.integers(2**63)), len(slots))
        search.plant(slots, self._states, seeds)
        stats = search.run(slots, self._plan())
        policies = self._targets(stats)
        self._past[slots, self._plies] = self._states
        self._policies[slots, self._plies] = policies
        self._searched[slots, self._plies] = _value_of(stats, policies)
        self._plies += 1
        self._states = self.game.after(self._states, self._actions(stats))
        self._skip_forced()
        ended = np.nonzero(self.game.outcome(self._states)[0])[0]
        samples = [self._collect(int(slot)) for slot in ended]
        self._open(ended)
        return samples

    def _plan(self) -> Plan:
        preset = self.preset
        reduction = preset.unvisited_reduction
        return Plan(
            simulations=preset.simulations,
            c_puct=preset.c_puct,
            random_root=preset.random_root,
            considered=preset.considered,
            unvisited=Unvisited.CONSTANT if reduction is None else Unvisited.REDUCTION,
            unvisited_value=reduction or 0.0,
        )

    def _targets(self, stats: RootStats) -> NDArray[np.float32]:
        """Return the policy targets pi, [G, A]."""
        if self.preset.considered:
            return improved_policy(
                stats.visits, stats.means, stats.priors, stats.values, stats.legal
            )
        return (stats.visits / stats.visits.sum(1, keepdims=True)).astype(np.float32)

    def _actions(self, stats: RootStats) -> NDArray[np.intp]:
        """Return the most visited action, or in the opening one drawn by eq. 9, [G]."""
        best = stats.best()
        if self.preset.considered or not self.preset.opening_plies:
            return best
        scores = np.where(stats.legal, stats.visits / self.preset.tau, -np.inf)
        noise = self._rng.gumbel(size=scores.shape)  # argmax(x + Gumbel) draws from softmax(x)
        return np.where(self._plies <= self.preset.opening_plies, (scores + noise).argmax(1), best)

    def _skip_forced(self) -> None:
        """Play the only action wherever there is no choice: nothing to search or learn."""
        while True:
            actions, counts, _ = self.game.examine(self._states)
            forced = np.nonzero(counts == 1)[0]
            if not len(forced):
                return
            self._states[forced] = self.game.after(self._states[forced], actions[forced, 0])

    def _collect(self, slot: int) -> Samples:
        """Return the positions of a finished game with its outcome."""
        plies = self._plies[slot]
        end = self._states[slot : slot + 1]
        first_players = self.game.outcome(end)[1][0] * self.game.to_play(end)[0]
        past = self._past[slot, :plies].copy()
        return Samples(
            states=past,
            policies=self._policies[slot, :plies].copy(),
            outcomes=(first_players * self.game.to_play(past)).astype(np.float32),
            searched=self._searched[slot, :plies].copy(),
        )

    def _open(self, slots: NDArray[np.intp]) -> None:
        """Start new games, each after its own number of random plies, none already decided."""
        while len(slots):
            due = self._rng.integers(0, self.preset.random_plies + 1, len(slots))
            states = self.game.initial(len(slots))
            for ply in range(self.preset.random_plies):
                actions, counts, _ = self.game.examine(states)
                moving = (due > ply) & (counts > 0)
                picks = (self._rng.random(len(slots)) * counts).astype(np.intp)
                played = actions[np.arange(len(slots)), picks]
                states[moving] = self.game.after(states[moving], played[moving])
            self._states[slots] = states
            self._plies[slots] = 0
            self._skip_forced()
            slots = slots[self.game.outcome(self._states[slots])[0]]

    # -- checkpoints -------------------------------------------------------------------------

    def state_dict(self) -> dict:
        """Return everything needed to resume from here."""
        longest = int(self._plies.max(initial=0))
        return {
            "states": self._states.copy(),
            "plies": self._plies.copy(),
            "past": self._past[:, :longest].copy(),
            "policies": self._policies[:, :longest].copy(),
            "searched": self._searched[:, :longest].copy(),
            "games_finished": self.games_finished,
            "rng": self._rng.bit_generator.state,
        }

    def load_state_dict(self, state: dict) -> None:
        """Go on from a :meth:`state_dict`."""
        longest = state["past"].shape[1]
        self._states[:] = state["states"]
        self._plies[:] = state["plies"]
        self._past[:, :longest] = state["past"]
        self._policies[:, :longest] = state["policies"]
        self._searched[:, :longest] = state["searched"]
        self.games_finished = state["games_finished"]
        self._rng.bit_generator.state = state["rng"]


def _value_of(stats: RootStats, policies: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the position is worth when its policy target is played, [G]."""
    seen = stats.visits > 0
    weights = np.where(seen, policies, 0)
    total = weights.sum(1)
    mean = (weights * stats.means).sum(1) / np.maximum(total, 1e-9)
    return np.where(total > 0, mean, stats.values).astype(np.float32)
