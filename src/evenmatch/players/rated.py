"""``RATED``: players that play as people of a rating do; rows of the table of players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from evenmatch.domains import DOMAINS, domain_of
from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.network.conditions import asked_rating
from evenmatch.network.scored import Scored
from evenmatch.players.evaluators import Networks
from evenmatch.players.player import Player
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind, switch
from evenmatch.ratings.belief import Belief
from evenmatch.search import Evaluator, Plan
from evenmatch.strength.believed import AtBelief
from evenmatch.strength.constants import (
    ACE_THETAS,
    ACE_UNTOLD_THETAS,
    PIKL_LEVELS,
    RATED_SIMULATIONS,
    SA_R_TH,
    SA_Z,
    SE_C_1,
)
from evenmatch.strength.controller import Controller, require
from evenmatch.strength.interpolation import number_at, row_at
from evenmatch.strength.regularized import Regularized, plan_of
from evenmatch.strength.se_mcts import PAPER_PLAN, StrengthSearch
from evenmatch.strength.theta import LEAST, MOST, Theta, VisitTemperature
from evenmatch.strength.visit_softmax import VisitSoftmax

TO_RATING = "fitted to the rating"
NET = Key(str, None, "a network file of yours", "the one that ships")
_ELO = Key(float, 1500.0, "the rating of the people it plays like")
_LICHESS_ELO = Key(
    float, 1500.0, "the rating of the people it plays like, as Lichess has it at rapid"
)
_SCALE = Key(str, None, "whose ratings: lichess-rapid or fide", "lichess-rapid")
_SIMS = Key(
    int, RATED_SIMULATIONS, "positions it looks at for a move; it was fitted with the default"
)


def _rated_only(game: Game) -> None:
    """Refuse a game without a player of ratings."""
    if domain_of(game.id).rated is None:
        known = ", ".join(domain.game for domain in DOMAINS.values() if domain.rated)
        raise UsageError(
            f"players of a rating play {known} alone, not {game.id}; choose another player"
        )


def _human(game: Game, games: int, networks: Networks, *, net, **settings) -> Player:
    from evenmatch.players.policy_player import HumanPlayer

    _rated_only(game)
    return HumanPlayer(game, games, networks.network(net), **settings)


def _se(
    game: Game, games: int, networks: Networks, *, elo, scale, plain, told, c_1, weaker, cap, sims,
    net,
) -> Player:  # fmt: skip
    from evenmatch.estimation.estimator_files import shipped_targets
    from evenmatch.network.strength_head import BETA, BETA_PLAIN

    _rated_only(game)
    own = networks.network().card.scales
    card = networks.network(net if told else None).card
    asked_rating(elo, scale, card)  # refuses what is no rating
    fitted = has_fitted_c_1(own[0], c_1=c_1, scale=scale, plain=plain, told=told, cap=cap, net=net)
    curves = shipped_targets(scale or own[0])
    base = replace(
        PAPER_PLAN, simulations=sims, weaker=weaker, cap=cap,
        score=BETA_PLAIN if plain else BETA, c_1=PAPER_PLAN.c_1 if c_1 is None else c_1,
    )  # fmt: skip

    def at(rating: float) -> Controller:
        plan = replace(base, c_1=number_at(SE_C_1, rating, logs=True)) if fitted else base
        if told:
            plan = replace(plan, **asked_rating(rating, scale, card)._asdict())
        return StrengthSearch(curves.at(rating, plain), plan)

    judge: Evaluator = networks.evaluator(net)
    if net is not None:
        judge = Scored(judge, networks.evaluator())
    return SearchPlayer(game, games, judge, believing(at, elo))


def believing(at: Callable[[float], Controller], elo: float) -> Callable[[], Controller]:
    """Return a factory of controllers that begin with the belief that ``elo`` is wanted.

    ``at(rating)`` returns the controller of a rating. Bad values are refused now.
    """
    at(elo)
    return lambda: AtBelief(at, Belief.certain(elo))


def has_fitted_c_1(
    first: str, *, c_1=None, scale=None, plain=False, told=False, cap=0.0, net=None, **others
) -> bool:
    """Return whether `se` has the c_1 fitted to its rating; ``first`` is the scale of those."""
    own = c_1 is None and net is None and not plain and not told and not cap
    return own and scale in (None, first)


def _sa(game: Game, games: int, networks: Networks, *, elo, r_th, sims, net) -> Player:
    _rated_only(game)
    asked_rating(elo, None, networks.network().card)  # refuses what is no rating
    plan = replace(PAPER_PLAN, simulations=sims)

    def at(rating: float) -> Controller:
        return VisitSoftmax(number_at(SA_Z, rating), r_th, base=plan)

    return SearchPlayer(game, games, networks.evaluator(net), believing(at, elo))


def _ace(
    game: Game, games: int, networks: Networks, *, elo, told, tau, t, c_puct, sims, net
) -> Player:
    _rated_only(game)
    card = networks.network(net).card
    given = (tau, t, c_puct)
    if net is not None and None in given:
        raise UsageError(
            "the parameters of a network of your own are not known; give tau, t and c_puct, "
            "which `evenmatch experiment theta_fit --net FILE` finds"
        )
    for key, value in zip(("tau", "t", "c_puct"), given, strict=True):
        if value is not None:
            require(key, value, LEAST, MOST)
    thetas = ACE_THETAS if told else ACE_UNTOLD_THETAS

    def at(rating: float) -> Controller:
        asked = {}
        if card.scales or net is None:
            asked = asked_rating(rating, None, card)._asdict()  # refuses what is no rating
        if not told:
            asked = {}
        fitted = row_at(thetas, rating).values
        theta = Theta(*(x if x is not None else y for x, y in zip(given, fitted, strict=True)))
        return VisitTemperature(theta, Plan(simulations=sims, **asked))

    return SearchPlayer(game, games, networks.evaluator(net), believing(at, elo))


def _pikl(game: Game, games: int, networks: Networks, *, elo, lam, t, sims, plain, net) -> Player:
    _rated_only(game)
    card = networks.network(net).card
    if net is not None and None in (lam, t):
        raise UsageError("lam and t of a network of your own are not known; give both")
    if plain and None in (lam, t):
        raise UsageError("lam and t were not fitted with plain on; give both")
    given = {"lam": lam, "t": t, "simulations": sims}
    given = {key: value for key, value in given.items() if value is not None}

    def at(rating: float) -> Controller:
        level = replace(row_at(PIKL_LEVELS, rating), **given)
        simulations = round(level.simulations)
        plan = Plan(simulations=simulations) if plain else plan_of(simulations)
        plan = replace(plan, **asked_rating(rating, None, card)._asdict())
        return Regularized(level.lam, plan, level.t, plain)

    return SearchPlayer(game, games, networks.evaluator(net), believing(at, elo))


RATED: dict[str, PlayerKind] = {
    "human": PlayerKind(
        "people's moves of a rating as often as they make them; its strength is not set",
        _human,
        {
            "elo": _ELO,
            "scale": _SCALE,
            "temperature": Key(
                float, 1.0, "1: as varied as people; below: more often their usual moves; 0: always"
            ),
            "net": NET,
        },
    ),
    "pikl": PlayerKind(
        "people's moves of a rating, checked by a search to err as much as they do (piKL)",
        _pikl,
        {
            "elo": replace(_LICHESS_ELO, help=f"{_LICHESS_ELO.help} (1100 to 2500)"),
            "lam": Key(float, None, "the less, the more the search decides (lambda)", TO_RATING),
            "t": Key(
                float, None, "above 1: rarer moves more often; below 1: usual ones", TO_RATING
            ),
            "sims": Key(int, None, "positions it looks at for a move", TO_RATING),
            "plain": Key(
                switch, False, "on: as before it minded pieces when lost or won; give lam and t"
            ),
            "net": NET,
        },
    ),
    "se": PlayerKind(
        "a search for moves neither stronger nor weaker than those of people of a rating (SE-MCTS)",
        _se,
        {
            "elo": _ELO,
            "scale": _SCALE,
            "plain": Key(switch, False, "on: judges strength by the paper's SE, not SE_inf"),
            "told": Key(switch, False, "on: looks first at moves that people of the rating make"),
            "c_1": Key(
                float,
                None,
                "how strictly it keeps to the rating's strength (c_1)",
                "fitted to the rating; 2 with scale, net, plain, told or cap",
            ),
            "weaker": Key(
                float,
                PAPER_PLAN.weaker,
                "the same for moves that are too weak: below 1 is less strict",
            ),
            "cap": Key(
                float,
                0.0,
                "strengths farther off than this, in scores, are all as far (0: none); 2.5 is the "
                "distance of the outer ranks",
            ),
            "sims": _SIMS,
            "net": Key(
                str,
                None,
                "a network file that chooses the moves, such as a Maia",
                "the one that ships",
            ),
        },
    ),
    "sa": PlayerKind(
        "a dial of strength set so that it errs as much as people of a rating (SA-MCTS)",
        _sa,
        {
            "elo": _LICHESS_ELO,
            "r_th": Key(
                float,
                SA_R_TH,
                "moves it thought about less than this share of the best are never played",
            ),
            "sims": _SIMS,
            "net": Key(
                str, None, "a network file; its strength was not fitted", "the one that ships"
            ),
        },
    ),
    "ace": PlayerKind(
        "a search set to guess the moves of people of a rating best (ACE)",
        _ace,
        {
            "elo": _LICHESS_ELO,
            "told": Key(
                switch, True, "off: as published, its network knows no rating and numbers alone do"
            ),
            "tau": Key(
                float, None, "above 1: more varied moves; below 1: the best (tau)", TO_RATING
            ),
            "t": Key(float, None, "above 1: looks at rarer moves too (t)", TO_RATING),
            "c_puct": Key(float, None, "how readily it tries other moves (C_puct)", TO_RATING),
            "sims": _SIMS,
            "net": NET,
        },
    ),
}
