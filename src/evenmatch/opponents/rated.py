"""``RATED``: players that play as people do, by rating or rank; rows of the table of players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games.catalog import CATALOG, game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import human_policy_path
from evenmatch.network.card import BETA, BETA_PLAIN, Card
from evenmatch.network.combined import WithPolicy
from evenmatch.network.conditions import rating_condition
from evenmatch.network.inference import WithStrengthHead
from evenmatch.network.katago.profiles import YEAR_SCALE, rating_of
from evenmatch.opponents.ace import LEAST, MOST, Theta, VisitTemperature
from evenmatch.opponents.controller import require
from evenmatch.opponents.dials import Curve, setting_at
from evenmatch.opponents.fitted import CHESS, GO, LEVELS, levels_of, number_at, row_at
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.pikl import HumanPlayer, PiklParams, pikl_controller
from evenmatch.opponents.player import Player
from evenmatch.opponents.se_mcts import PAPER_PLAN, StrengthSearch
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.opponents.spec import NET, Key, PlayerKind, switch
from evenmatch.opponents.visit_softmax import VisitSoftmax
from evenmatch.ratings.scale import SCALES
from evenmatch.search import Evaluator, Plan

USUAL = {"elo": "1500", "kyu": "5k"}  #: the default level, as a scale writes it
TO_RATING = "fitted to the rating"
_ELO = Key(float, None, "at chess: the rating of the people it plays like", f"{USUAL['elo']}")
_LICHESS_ELO = replace(_ELO, help=f"{_ELO.help}, as Lichess has it at rapid")
_RANK = Key(str, None, "at Go: the rank of the people it plays like, such as 8k", USUAL["kyu"])
_SCALE = Key(
    str,
    None,
    "whose ratings: lichess-rapid or fide; ogs, kgs or fox; of KataGo's human network kgs, preaz "
    "(2016), or proyear, where the rank is a year",
    "of the rating or rank",
)
_NET_OF_PEOPLE = replace(
    NET, help="a network file of yours that knows people's ratings, such as Maia-3"
)
_SEARCH_NET = Key(
    str, None, "a network file that judges positions in its search", "the one of its moves"
)
OWN_NUMBERS = frozenset({"lam", "t", "sims", "plain", "net", "search_net"})
"""Keys that make ``pikl`` another player than that whose strength was measured."""
STRONGEST = 3900.0  #: the rank, 9d, by whose numbers professionals of a year play
SIMULATIONS = {info.game: info.rated_simulations for info in CATALOG.values()}
_SIMS = Key(int, SIMULATIONS, "positions it looks at for a move; chess is fitted with the default")


def _rated_only(game: Game, net: str | None = None) -> None:
    """Refuse a game without a player of ratings, unless a network of one's own may know some."""
    if net is None and not game_info(game.id).servers:
        known = ", ".join(info.game for info in CATALOG.values() if info.servers)
        raise UsageError(
            f"players of a rating play {known} alone, not {game.id}; choose another player"
        )


def requested_rating(
    game_id: str,
    elo: float | str | None = None,
    rank: str | None = None,
    scale: str | None = None,
) -> float:
    """Return the rating that ``elo`` or ``rank`` says, as the game has; by default the usual.

    A rank is a year if the ``scale`` is one of years. UsageError if it is none, or if what the game
    does not have is given.
    """
    info = game_info(game_id)
    if scale == YEAR_SCALE and rank is not None:
        return rating_of(rank, scale)
    given, other, wrong = (elo, rank, "rank") if info.level == "elo" else (rank, elo, "elo")
    usual = USUAL[info.written]
    if other is not None:
        raise UsageError(f"{wrong} is not for {game_id}; write {info.level}={usual}, for example")
    if isinstance(given, float | int):
        return float(given)
    return SCALES[info.written].read(usual if given is None else given)


def rating_and_card(
    game: Game,
    networks: Networks,
    elo: float | str | None,
    rank: str | None,
    net: str | None,
    scale: str | None = None,
) -> tuple[float, Card]:
    """Return the rating that a spec requests, and the card of the network that plays at it.

    UsageError if nothing here plays the game at a rating, or for a value that is not one.
    """
    _rated_only(game, net)
    rating = requested_rating(game.id, elo, rank, scale)
    return rating, networks.network(net or human_policy_path(game.id)).card


def _human(
    game: Game, networks: Networks, *, elo, rank, opponent, net, scale, temperature
) -> Player:
    _rated_only(game, net)
    rating, network = requested_rating(game.id, elo, rank, scale), networks.of_people(net)
    other = 0.0 if opponent is None else SCALES[game_info(game.id).written].read(opponent)
    return HumanPlayer(
        game, network, elo=rating, opponent=other, scale=scale, temperature=temperature
    )


def _se(
    game: Game, networks: Networks,
    *, elo, rank, scale, plain, conditioned, c_1, weaker, cap, sims, net,
) -> Player:  # fmt: skip
    from evenmatch.estimation.estimator_files import shipped_targets

    _rated_only(game)
    rating, people = requested_rating(game.id, elo, rank, scale), human_policy_path(game.id)
    card = networks.network(net if net and conditioned else people).card
    condition = rating_condition(rating, scale, card)  # refuses what is not a rating
    own = networks.network(people).card.scales
    first = own[0]
    if c_1 is None:
        fitted = bool(LEVELS.get(game.id) and LEVELS[game.id].se) and has_fitted_c_1(
            first, scale=scale, plain=plain, conditioned=conditioned, cap=cap, net=net
        )
        c_1 = number_at(LEVELS[game.id].se, rating, logs=True) if fitted else PAPER_PLAN.c_1
    if conditioned and not net and game_info(game.id).architecture == "katago":
        raise UsageError(
            "this network's strength head needs an input without a rating; remove conditioned=on"
        )
    strength = STRONGEST if scale == YEAR_SCALE else rating
    of_targets = scale if scale in own else None
    targets = shipped_targets(of_targets or game_info(game.id).scale_of(strength) or first)
    plan = replace(
        PAPER_PLAN, simulations=sims, weaker=weaker, cap=cap,
        score=BETA_PLAIN if plain else BETA, c_1=c_1,
    )  # fmt: skip
    if conditioned:
        plan = replace(plan, **condition._asdict())
    controller = StrengthSearch(targets.at(strength, plain), plan)
    judge: Evaluator = networks.evaluator_of_people(net)
    if net is not None:
        judge = WithStrengthHead(judge, networks.evaluator(people))
    return SearchPlayer(game, judge, controller)


def has_fitted_c_1(
    first: str, *, c_1=None, scale=None, plain=False, conditioned=False, cap=0.0, net=None, **others
) -> bool:
    """Return whether `se` has the c_1 fitted to its rating; ``first`` is the scale of those."""
    own = c_1 is None and net is None and not plain and not conditioned and not cap
    return own and scale in (None, first)


def _sa(game: Game, networks: Networks, *, elo, rank, r_th, sims, net) -> Player:
    rating, card = rating_and_card(game, networks, elo, rank, None)
    rating_condition(rating, None, card)  # refuses what is not a rating
    levels = levels_of(game.id, "sa")
    plan, ratio = replace(PAPER_PLAN, simulations=sims), levels.sa_r_th if r_th is None else r_th
    controller = VisitSoftmax(number_at(levels.sa, rating), ratio, base=plan)
    return SearchPlayer(game, networks.evaluator_of_people(net), controller)


def _ace(
    game: Game, networks: Networks, *, elo, rank, conditioned, tau, t, c_puct, sims, net
) -> Player:
    rating, card = rating_and_card(game, networks, elo, rank, net)
    given = (tau, t, c_puct)
    if net is not None and None in given:
        raise UsageError(
            "the parameters of a network of your own are not known; give tau, t and c_puct, "
            "which `evenmatch experiment theta_fit --net FILE` finds"
        )
    for key, value in zip(("tau", "t", "c_puct"), given, strict=True):
        if value is not None:
            require(key, value, LEAST, MOST)
    condition = {}
    if card.scales or net is None:
        condition = rating_condition(rating, None, card)._asdict()  # refuses what is not a rating
    fitted = given
    if None in given:
        levels = levels_of(game.id, "ace")
        fitted = row_at(levels.ace if conditioned else levels.ace_untold, rating).values
    theta = Theta(*(y if x is None else x for x, y in zip(given, fitted, strict=True)))
    plan = Plan(simulations=sims, **(condition if conditioned else {}))
    return SearchPlayer(game, networks.evaluator_of_people(net), VisitTemperature(theta, plan))


def _pikl(
    game: Game, networks: Networks,
    *, elo, rank, s, scale, lam, t, sims, plain, net, search_net, curve: Curve | None,
) -> Player:  # fmt: skip
    if scale is not None and game_info(game.id).written == "elo":
        raise UsageError(f"scale is for Go; leave it out at {game.id}, or choose human")
    setting, card = rating_and_card(game, networks, elo, rank, net, scale)
    if game_info(game.id).architecture == "katago" and not card.scales:
        raise UsageError(
            "this network knows no ranks; give it as search_net (--search-net), and one of "
            "people's moves as net"
        )
    if plain and None in (lam, t):
        raise UsageError("lam and t were not fitted with plain on; give both")
    given = {"lam": lam, "t": t, "simulations": sims}
    given = {key: value for key, value in given.items() if value is not None}
    if s is not None:
        setting = _pikl_setting(game.id, elo, rank, s)
    elif game_info(game.id).written == "elo" and not (net or search_net or plain or given):
        setting = setting_at(game.id, "pikl", setting, curve)
    else:
        rating_condition(setting, scale, card)  # refuses what is not a rating
    fitted = PiklParams(1.0, 1.0, SIMULATIONS[game.id])  # with lam and t given, whatever the game
    if not {"lam", "t"} <= given.keys():
        strength = STRONGEST if scale == YEAR_SCALE else setting
        fitted = row_at(levels_of(game.id, "pikl").pikl, strength)
    controller = pikl_controller(replace(fitted, **given), setting, card, plain=plain, scale=scale)
    judge: Evaluator = networks.evaluator_of_people(net)
    if search_net is not None:
        judge = WithPolicy(networks.evaluator(search_net), judge)
    return SearchPlayer(game, judge, controller)


def _pikl_setting(game_id: str, elo: float | None, rank: str | None, s: float) -> float:
    """Return the setting ``s`` of the dial; UsageError if it has none such."""
    info = game_info(game_id)
    if elo is not None or rank is not None or info.written != "elo":
        raise UsageError(f"s is a setting of the dial, at chess; leave out s or {info.level}")
    fitted = levels_of(game_id, "pikl").pikl
    if not min(fitted) <= s <= max(fitted):
        raise UsageError(
            f"s={s:g} is outside [{min(fitted):g}, {max(fitted):g}]; choose one inside"
        )
    return s


def _pikl_curve(game_id: str, values: Mapping[str, Any]) -> str:
    of_games = game_info(game_id).written == "elo"
    return "pikl" if of_games and not {"s", *OWN_NUMBERS} & values.keys() else ""


RATED: dict[str, PlayerKind] = {
    "human": PlayerKind(
        "people's moves of a rating as often as they make them; its strength is not set",
        _human,
        {
            "elo": _ELO,
            "rank": _RANK,
            "opponent": Key(
                str,
                None,
                "the rating or rank of its opponent, if the network knows both",
                "as its own",
            ),
            "scale": _SCALE,
            "temperature": Key(
                float, 1.0, "1: as varied as people; below: more often their usual moves; 0: always"
            ),
            "net": _NET_OF_PEOPLE,
        },
    ),
    "pikl": PlayerKind(
        "people's moves, checked by a search to err as much as they do (piKL)",
        _pikl,
        {
            "elo": Key(
                float,
                None,
                "at chess: the rating it plays at in games; with numbers of its own, such as sims, "
                "the rating of the people it plays like",
                USUAL["elo"],
            ),
            "rank": _RANK,
            "s": Key(
                float,
                None,
                "at chess, in place of elo: its setting; from 700 to 2500 it errs as people of "
                "this Lichess rating",
                "none; elo decides",
            ),
            "scale": replace(
                _SCALE,
                help="at Go: whose ranks: ogs, kgs or fox; of KataGo's human network kgs, preaz "
                "(2016), or proyear, where the rank is a year",
                usual="of the rank",
            ),
            "lam": Key(float, None, "the less, the more the search decides (lambda)", TO_RATING),
            "t": Key(
                float, None, "above 1: rarer moves more often; below 1: usual ones", TO_RATING
            ),
            "sims": Key(int, None, "positions it looks at for a move", TO_RATING),
            "plain": Key(
                switch,
                False,
                "on: the formula alone, which drops more pieces when lost or won; give lam and t",
            ),
            "net": _NET_OF_PEOPLE,
            "search_net": _SEARCH_NET,
        },
        _pikl_curve,
    ),
    "se": PlayerKind(
        "a search for moves neither stronger nor weaker than those of people of a rating (SE-MCTS)",
        _se,
        {
            "elo": _ELO,
            "rank": _RANK,
            "scale": _SCALE,
            "plain": Key(switch, False, "on: judges strength by the paper's SE, not SE_inf"),
            "conditioned": Key(
                switch, False, "on: looks first at moves that people of the rating make"
            ),
            "c_1": Key(
                float,
                None,
                "how strictly it keeps to the rating's strength (c_1)",
                "fitted to the rating at chess; 2 at Go, and with scale, net, plain, conditioned "
                "or cap",
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
        "a dial of strength, at chess set to err as much as people of a rating (SA-MCTS)",
        _sa,
        {
            "elo": _LICHESS_ELO,
            "rank": _RANK,
            "r_th": Key(
                float,
                None,
                "moves it thought about less than this share of the best are never played",
                f"{CHESS.sa_r_th:g} at chess, {GO.sa_r_th:g} at Go",
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
            "rank": _RANK,
            "conditioned": Key(
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
