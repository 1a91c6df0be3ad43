"""A player that draws its moves from a policy conditioned on a rating, without a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.network.conditions import asked_rating
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.players.evaluators import Opened
from evenmatch.players.player import Player, Turns, grown, turn_seeds
from evenmatch.ratings.belief import Belief
from evenmatch.search import Request
from evenmatch.search.forest import seeds_from


class HumanPlayer(Player):
    """Plays each legal move as often as people of a rating do, as far as the network knows."""

    def __init__(
        self,
        game: Game,
        games: int,
        network: NetworkEvaluator | Opened,
        *,
        elo: float,
        scale: str | None,
        temperature: float,
    ):
        """``temperature`` sharpens the choice below 1; at 0 the likeliest move is played.

        UsageError for a rating beyond the network's knots, for another scale, or for a network
        that knows no ratings.
        """
        if not 0 <= temperature <= 10:
            raise UsageError(f"temperature={temperature:g} is outside [0, 10]; choose one inside")
        self._game, self._network, self._temperature = game, network, temperature
        asked_rating(elo, scale, network.card)  # refuses what is no rating
        self._scale = scale
        self._elo = elo
        self.beliefs = [Belief.certain(elo) for _ in range(games)]
        """By game, of the rating to play at; followed at every move."""
        self.games = games
        self._seeds = np.zeros(games, np.uint64)

    def resize(self, games):
        """Make room for the seeds of more games."""
        super().resize(games)
        self._seeds = grown(self._seeds, games)
        more = games - len(self.beliefs)
        self.beliefs += [Belief.certain(self._elo) for _ in range(more)]

    def begin(self, games, sides, seed):
        """Seed the games, each at the rating that was asked for."""
        self.reseed(games, seed)
        for game in games:
            self.beliefs[game] = Belief.certain(self._elo)

    def snapshot(self, game):
        """Return the belief of a game."""
        return {"belief": self.beliefs[game].to_json()}

    def restore(self, game, state):
        """Go back to such a belief."""
        self.beliefs[game].read_json(state.get("belief") if isinstance(state, dict) else None)

    def reseed(self, games, seed):
        """Draw otherwise from now on."""
        self._seeds[games] = seeds_from(seed, len(games))

    def choose(self, turns: Turns) -> NDArray[np.intp]:
        """Draw from the policy."""
        states = turns.states
        asked = [
            asked_rating(self.beliefs[game].mean, self._scale, self._network.card)
            for game in turns.games
        ]
        request = Request(
            ratings=np.array([one.rating for one in asked]),
            scales=np.array([one.scale for one in asked]),
        )
        with self._network.lock:
            logits = self._network.evaluate(states, request).logits.astype(np.float64)
        logits = np.where(self._game.legal_mask(states), logits, -np.inf)
        if self._temperature == 0:
            return logits.argmax(1)
        seeds = turn_seeds(self._seeds[turns.games], turns.plies)
        draws = [np.random.default_rng(int(s)).gumbel(size=logits.shape[1]) for s in seeds]
        return (logits / self._temperature + draws).argmax(1)  # a draw from the softmax
