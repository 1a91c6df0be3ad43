"""A player that draws its moves from a policy conditioned on a rating, without a search."""

from __future__ import annotations

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.network.conditions import asked_rating
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.opponents.networks import Opened
from evenmatch.opponents.player import Player, decisions, seeds_of, states_of
from evenmatch.search import Request


class HumanPlayer(Player):
    """Plays each legal move as often as people of a rating do, as far as the network knows."""

    def __init__(
        self,
        game: Game,
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
        self._condition = asked_rating(elo, scale, network.card)

    def decide(self, turns):
        """Draw from the policy."""
        states, (rating, scale) = states_of(turns), self._condition
        request = Request(
            ratings=np.full(len(turns), float(rating)), scales=np.full(len(turns), scale)
        )
        with self._network.lock:
            logits = self._network.evaluate(states, request).logits.astype(np.float64)
        logits = np.where(self._game.legal_mask(states), logits, -np.inf)
        if self._temperature == 0:
            return decisions(turns, logits.argmax(1))
        draws = [
            np.random.default_rng(int(s)).gumbel(size=logits.shape[1]) for s in seeds_of(turns)
        ]
        # the largest of logits with Gumbel noise is a draw from their softmax
        return decisions(turns, (logits / self._temperature + draws).argmax(1))
