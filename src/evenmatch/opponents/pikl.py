"""A person's policy, corrected by a search: KL-regularised search (Jacob et al. 2022, "piKL").

The policy pi that maximises E_pi[Q] - lambda KL(pi, P) is P(a) exp(Q(a) / lambda),
normalised: the moves that people of a rating make (P, of a policy conditioned on it), less
often where a search finds them to be worse (Q). lambda = inf is the policy itself, 0 the search.

Our addition: P is P^(1/t). A policy that is as unsure as its data says blunders more than the
people it was learned from, each of whom is surer of one move. Two numbers can meet two conditions,
to lose by moves what people lose and to make moves as rare as theirs (``level_fit``).

Where a game is nearly lost or won all values are near -1 or 1, and Q would say next to nothing
of a piece given away. Three things keep that from happening, and change nothing at value 0:

- Q is read as the angle arcsin(Q). A step of Q counts 1 / sqrt(1 - Q^2) times as much, by which
  differences between shares are as clear near 0 and 1 as in the middle.
- P is P^(1 / t^(1 - v^2)), v the position's value. t > 1 makes up for what Q makes more likely,
  and the less Q can say, the less there is to make up for.
- In the tree a move without visits counts as its position does so far, not as a draw. A side that
  is lost would try every move once before it looks at any reply.


A player that draws its moves from a policy conditioned on a rating, without a search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.network.card import Card
from evenmatch.network.conditions import rating_condition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.opponents.controller import Controller, Mind, Root, View, require
from evenmatch.opponents.networks import Opened
from evenmatch.opponents.player import Player, decisions, seeds_of, states_of
from evenmatch.search import Request
from evenmatch.search.plan import Plan, Unvisited

LEAST, MOST = 0.02, 50.0  #: between which the prior temperature may be


@dataclass(frozen=True)
class PiklParams:
    """The numbers of a rating."""

    lam: float  #: lambda
    t: float  #: prior temperature
    simulations: float  #: of a move, to be rounded
    slips: float = 0.0  #: share of moves that are random legal ones


def plan_of(simulations: int) -> Plan:
    """Return how the tree is searched."""
    return Plan(simulations=simulations, unvisited=Unvisited.REDUCTION, unvisited_value=0.0)


def values(root: Root) -> NDArray[np.float64]:
    """Return what each action [A] is taken to be worth: Q, and without visits the worst known.

    That is the least Q, or the network's value of the position if it is less: what was not tried
    was less promising, as far as priors and search knew.
    """
    tried = root.visits > 0
    if not tried.any():
        return np.full(len(root.visits), float(root.value))
    worst = min(float(root.value), root.means[tried].min())
    return np.where(tried, root.means, worst)


def regularized(
    priors: NDArray,
    worth: NDArray,
    legal: NDArray[np.bool_],
    temperature: float,
    prior_temperature: float = 1.0,
) -> NDArray[np.float64]:
    """Return P(a)^(1/t) exp(Q(a) / lambda), normalised over the legal actions [A]; lambda > 0."""
    chosen = np.flatnonzero(legal)
    logs = np.log(np.maximum(priors[chosen].astype(float), 1e-30)) / prior_temperature
    logs += worth[chosen] / temperature
    weights = np.exp(logs - logs.max())
    pi = np.zeros(len(priors))
    pi[chosen] = weights / weights.sum()
    return pi


def corrected(
    root: Root, temperature: float, prior_temperature: float, plain: bool = False
) -> NDArray[np.float64]:
    """Return P(a)^(1 / t^(1 - v^2)) exp(arcsin(Q(a)) / lambda), normalised over the actions [A].

    ``plain`` leaves Q and t as they are, which says little in positions that are lost or won.
    """
    worth, t = values(root), prior_temperature
    if not plain:
        worth = np.arcsin(np.clip(worth, -1, 1))
        t **= 1 - np.clip(root.value, -1, 1) ** 2
    return regularized(root.priors, worth, root.legal, temperature, t)


class Regularized(Controller):
    """Draws its move from the corrected policy."""

    def __init__(
        self,
        temperature: float,
        base: Plan,
        prior_temperature: float = 1.0,
        plain: bool = False,
        slips: float = 0.0,
    ):
        """``temperature`` is lambda, in units of value at 0; ``slips`` is the share of moves that
        are random legal ones; the others as ``corrected`` has them.

        With inf the policy alone is played.
        """
        if math.isnan(temperature) or temperature <= 0:
            raise UsageError(f"lambda={temperature} is outside (0, inf]; choose one inside")
        require("t", prior_temperature, LEAST, MOST)
        require("slips", slips, 0, 1)
        self.temperature, self.prior_temperature = temperature, prior_temperature
        self.slips = slips
        self._base, self._plain = base, plain

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the one plan."""
        return self._base

    def choose(self, root, view, mind, rng):
        """Return an action drawn with pi."""
        pi = self.policy(root)
        return int(rng.choice(len(pi), p=pi)), mind

    def policy(self, root: Root) -> NDArray[np.float64]:
        """Return how often each action [A] is played: the corrected policy, with its slips."""
        pi = corrected(root, self.temperature, self.prior_temperature, self._plain)
        if not self.slips:
            return pi
        return (1 - self.slips) * pi + self.slips * root.legal / root.legal.sum()


def pikl_controller(
    params: PiklParams,
    setting: float,
    card: Card,
    *,
    plain: bool = False,
    scale: str | None = None,
) -> Regularized:
    """Return the controller of ``pikl`` with some numbers, as people of a setting of the dial.

    Beyond the ratings that the network knows the people are those of the nearest. ``scale``: whose
    rating the setting is; None: as `rating_condition` has it.
    """
    simulations, knots = round(params.simulations), card.condition_knots
    people = setting if scale is not None else min(max(setting, knots[0]), knots[-1])
    plan = Plan(simulations=simulations) if plain else plan_of(simulations)
    plan = replace(plan, **rating_condition(people, scale, card)._asdict())
    return Regularized(params.lam, plan, params.t, plain, params.slips)


class HumanPlayer(Player):
    """Plays each legal move as often as people of a rating do, as far as the network knows."""

    def __init__(
        self,
        game: Game,
        network: NetworkEvaluator | Opened,
        *,
        elo: float,
        opponent: float = 0.0,
        scale: str | None,
        temperature: float,
    ):
        """``temperature`` sharpens the choice below 1; at 0 the most likely move is played.

        ``opponent`` is the other side's rating; 0: as strong. UsageError for a rating beyond the
        network's knots, for another scale, or for a network that knows no ratings, or not those of
        opponents.
        """
        if not 0 <= temperature <= 10:
            raise UsageError(f"temperature={temperature:g} is outside [0, 10]; choose one inside")
        self._game, self._network, self._temperature = game, network, temperature
        self._condition = rating_condition(elo, scale, network.card)
        self._opponent = opponent
        if opponent:
            if not network.card.both_ratings:
                raise UsageError("this network knows one rating, the mover's; remove opponent")
            rating_condition(opponent, scale, network.card)  # refuses what is not a rating

    def decide(self, turns):
        """Draw from the policy."""
        states, (rating, scale) = states_of(turns), self._condition
        request = Request(
            ratings=np.full(len(turns), float(rating)),
            scales=np.full(len(turns), scale),
            opponents=np.full(len(turns), self._opponent),
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
