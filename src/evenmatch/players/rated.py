"""``RATED``: players that play as people of a rating do; rows of the table of players."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.network.conditions import told_rating
from evenmatch.network.views import Scored
from evenmatch.players.evaluators import load_evaluator, network_of
from evenmatch.players.player import Player
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind, switch
from evenmatch.search import Plan
from evenmatch.strength.by_rating import number_at, row_at
from evenmatch.strength.controller import require
from evenmatch.strength.fitted import (
    ACE_THETAS,
    PIKL_LEVELS,
    RATED_SIMULATIONS,
    SA_R_TH,
    SA_Z,
    SE_C_1,
)
from evenmatch.strength.regularized import Regularized, plan_of
from evenmatch.strength.se_mcts import PAPER_PLAN, StrengthSearch
from evenmatch.strength.theta import LEAST, MOST, Theta, VisitTemperature
from evenmatch.strength.visit_softmax import VisitSoftmax

NET = Key(str, None, "network file instead of the shipped one")
_ELO = Key(float, 1500.0, "the rating")
_LICHESS_ELO = Key(float, 1500.0, "the rating, on the scale of lichess-rapid")
_SCALE = Key(str, None, "whose ratings (the network's first: lichess-rapid)")
_SIMS = Key(int, RATED_SIMULATIONS, "simulations per move")


def _chess_alone(game: Game) -> None:
    if game.id != "chess":
        raise UsageError(f"players of a rating play chess alone, not {game.id}; choose another")


def _human(game: Game, games: int, *, net, **settings) -> Player:
    from evenmatch.players.policy_player import HumanPlayer

    _chess_alone(game)

    return HumanPlayer(game, games, network_of(game, net), **settings)


def _se(game: Game, games: int, *, elo, scale, plain, told, c_1, weaker, sims, net) -> Player:
    from evenmatch.estimation.fitted import shipped_targets
    from evenmatch.network.strength_head import BETA, BETA_PLAIN

    _chess_alone(game)
    own = network_of(game).card.scales
    scales = network_of(game, net).card.scales if told else own
    conditions = told_rating(elo, scale, scales)
    targets = shipped_targets(scale or scales[0]).at(elo, plain)
    column = BETA_PLAIN if plain else BETA
    if c_1 is None:
        fitted = has_fitted_c_1(own[0], scale=scale, plain=plain, told=told, net=net)
        c_1 = number_at(SE_C_1, elo, logs=True) if fitted else PAPER_PLAN.c_1
    judge = load_evaluator(game, net, conditions if told else None, column)
    if net is not None:
        judge = Scored(judge, load_evaluator(game, column=column))
    plan = replace(PAPER_PLAN, simulations=sims, c_1=c_1, weaker=weaker)
    return SearchPlayer(game, games, judge, partial(StrengthSearch, targets, plan))


def has_fitted_c_1(
    first: str, *, c_1=None, scale=None, plain=False, told=False, net=None, **others
) -> bool:
    """Return whether `se` has the c_1 fitted to its rating; ``first`` is the scale of those."""
    return c_1 is None and net is None and not plain and not told and scale in (None, first)


def _sa(game: Game, games: int, *, elo, r_th, sims, net) -> Player:
    _chess_alone(game)
    told_rating(elo, None, network_of(game).card.scales)  # refuses what is no rating
    plan = replace(PAPER_PLAN, simulations=sims)
    make = partial(VisitSoftmax, number_at(SA_Z, elo), r_th, base=plan)
    make()  # refuses bad values now
    return SearchPlayer(game, games, load_evaluator(game, net), make)


def _ace(game: Game, games: int, *, elo, tau, t, c_puct, sims, net) -> Player:
    _chess_alone(game)
    network = network_of(game, net)
    given = (tau, t, c_puct)
    if net is not None and None in given:
        raise UsageError(
            "the parameters of a network of your own are not known; give tau, t and c_puct, "
            "which `evenmatch experiment theta_fit --net FILE` finds"
        )
    for key, value in zip(("tau", "t", "c_puct"), given, strict=True):
        if value is not None:
            require(key, value, LEAST, MOST)
    told = None
    if network.card.scales or net is None:
        told = told_rating(elo, None, network.card.scales)
    fitted = row_at(ACE_THETAS, elo).values
    theta = Theta(*(x if x is not None else y for x, y in zip(given, fitted, strict=True)))
    make = partial(VisitTemperature, theta, Plan(simulations=sims))
    return SearchPlayer(game, games, load_evaluator(game, net, told), make)


def _pikl(game: Game, games: int, *, elo, lam, t, sims, plain, net) -> Player:
    _chess_alone(game)
    network = network_of(game, net)
    if net is not None and None in (lam, t):
        raise UsageError("lam and t of a network of your own are not known; give both")
    if plain and None in (lam, t):
        raise UsageError("lam and t were not fitted with plain on; give both")
    told = told_rating(elo, None, network.card.scales)
    given = {"lam": lam, "t": t, "simulations": sims}
    level = replace(
        row_at(PIKL_LEVELS, elo), **{key: x for key, x in given.items() if x is not None}
    )
    simulations = round(level.simulations)
    plan = Plan(simulations=simulations) if plain else plan_of(simulations)
    make = partial(Regularized, level.lam, plan, level.t, plain)
    make()  # refuses bad values now
    return SearchPlayer(game, games, load_evaluator(game, net, told), make)


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
    "pikl": PlayerKind(
        "people's moves of a rating, corrected by a search to lose as much as theirs (piKL)",
        _pikl,
        {
            "elo": replace(_LICHESS_ELO, help=f"{_LICHESS_ELO.help}; above 2500 it plays as there"),
            "lam": Key(float, None, "lambda: the smaller, the more the search says (fitted)"),
            "t": Key(float, None, "temperature of the policy (fitted)"),
            "sims": Key(int, None, "simulations per move (fitted)"),
            "plain": Key(
                switch, False, "on: as it was before it minded lost and won positions; give lam, t"
            ),
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
            "c_1": Key(
                float,
                None,
                "weight of the distance to the score wanted (fitted; 2, the paper's, with "
                "another scale or network, plain or told)",
            ),
            "weaker": Key(float, PAPER_PLAN.weaker, "its factor if weaker (their code: 0.5)"),
            "sims": _SIMS,
            "net": Key(str, None, "network for policy and value, such as a Maia"),
        },
    ),
    "sa": PlayerKind(
        "softmax by visits, of a z that loses what people of a rating lose (SA-MCTS)",
        _sa,
        {
            "elo": _LICHESS_ELO,
            "r_th": Key(
                float, SA_R_TH, "least share of the most visits; z is set with the default"
            ),
            "sims": _SIMS,
            "net": Key(str, None, "network file; z is the shipped one's"),
        },
    ),
    "ace": PlayerKind(
        "a search whose parameters foresee the moves of people of a rating best (ACE)",
        _ace,
        {
            "elo": _LICHESS_ELO,
            "tau": Key(float, None, "temperature of the choice by visits (fitted to the rating)"),
            "t": Key(float, None, "temperature of the priors (fitted)"),
            "c_puct": Key(float, None, "exploration rate (fitted)"),
            "sims": _SIMS,
            "net": NET,
        },
    ),
}
