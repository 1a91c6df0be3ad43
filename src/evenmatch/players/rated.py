"""``RATED``: players that play as people of a rating do; rows of the table of players."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from evenmatch.games.game import Game
from evenmatch.players.evaluators import network_of, strength_of
from evenmatch.players.player import Player
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind, switch
from evenmatch.search import CachedEvaluator
from evenmatch.strength.se_mcts import PAPER_PLAN, StrengthSearch

NET = Key(str, None, "network file instead of the shipped one")
_ELO = Key(float, 1500.0, "the rating")
_SCALE = Key(str, None, "whose ratings (the network's first: lichess-rapid)")


def _human(game: Game, games: int, *, net, **settings) -> Player:
    from evenmatch.players.policy_player import HumanPlayer

    return HumanPlayer(game, games, network_of(game, net), **settings)


def _se(game: Game, games: int, *, elo, scale, plain, told, c_1, weaker, sims, net) -> Player:
    from evenmatch.estimation.fitted import shipped_targets
    from evenmatch.network.conditions import told_rating
    from evenmatch.network.strength_head import BETA, BETA_PLAIN
    from evenmatch.network.views import NetworkView

    network, strength = network_of(game, net), strength_of(game)
    scales = network.card.scales if told else strength.card.scales
    conditions = told_rating(elo, scale, scales)
    targets = shipped_targets(scale or scales[0]).at(elo, plain)
    column = BETA_PLAIN if plain else BETA
    view = NetworkView(network, conditions if told else None, strength, column)
    plan = replace(PAPER_PLAN, simulations=sims, c_1=c_1, weaker=weaker)
    return SearchPlayer(
        game, games, CachedEvaluator(view, game), partial(StrengthSearch, targets, plan)
    )


RATED: dict[str, PlayerKind] = {
    "human": PlayerKind(
        "the moves of people of a rating, drawn from the policy without a search",
        _human,
        {
            "elo": _ELO,
            "scale": _SCALE,
            "temperature": Key(float, 1.0, "below 1: likelier moves oftener; 0: the likeliest"),
            "net": NET,
        },
    ),
    "se": PlayerKind(
        "a search that keeps to the strength score of people of a rating (SE-MCTS)",
        _se,
        {
            "elo": _ELO,
            "scale": _SCALE,
            "plain": Key(switch, False, "on: the score of SE instead of SE_inf"),
            "told": Key(switch, False, "on: the policy is told the rating"),
            "c_1": Key(float, PAPER_PLAN.c_1, "weight of the distance to the score wanted"),
            "weaker": Key(float, PAPER_PLAN.weaker, "its factor if weaker (their code: 0.5)"),
            "sims": Key(int, PAPER_PLAN.simulations, "simulations per move"),
            "net": Key(str, None, "network for policy and value, such as a Maia"),
        },
    ),
}
