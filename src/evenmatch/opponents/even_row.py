"""``EVEN``: the row of ``even`` in the table of players, and how its controller is made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.conditions import rating_condition
from evenmatch.opponents.controller import require
from evenmatch.opponents.dials import DIALS, OF_PEOPLE, Curve, strength_dial
from evenmatch.opponents.even import AMONG_PEOPLE, Even, EvenConfig
from evenmatch.opponents.fitted import COURSES, LOST, SEEN
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.player import Player
from evenmatch.opponents.rated import requested_rating
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.opponents.spec import Key, PlayerKind

#: Standard deviation of the strength that a stranger is taken to have; at Go ten ranks.
UNSURE = {"elo": 700.0, "kyu": 1000.0}
#: That strength where the middle of the dial is far from 1500 or 5k.
FIRST = {"othello": 1800.0, "go9": 2300.0}
WIDER = 1000.0  #: how far beyond the dial a first guess may be, Elo


def first_guess(game_id: str) -> float:
    """Return the strength that a stranger is taken to have, in Elo, at Go as a rank's number."""
    return FIRST.get(game_id, requested_rating(game_id))


def _even(
    game: Game, networks: Networks, *, elo, rank, sims, net, curve: Curve | None, **numbers: Any
) -> Player:
    info = game_info(game.id)
    if game.id not in COURSES:
        raise UsageError(f"even is not fitted to {game.id}; it plays {', '.join(COURSES)}")
    if sims is not None:
        require("sims", sims, 1, 10**7)
    people = info.rated in OF_PEOPLE
    if net is not None and not people:
        raise UsageError(f"at {game.id} even goes by no network of people's moves; remove net")
    dial = strength_dial(game, networks, curve, sims, net)
    given = {key: value for key, value in numbers.items() if value is not None}
    given = {"unsure": UNSURE[info.written]} | (AMONG_PEOPLE if people else {}) | given
    known = elo is not None or rank is not None
    given["first"] = requested_rating(game.id, elo, rank) if known else first_guess(game.id)
    require(info.level, given["first"], dial.low - WIDER, dial.high + WIDER)
    ratings: tuple[float, ...] = ()
    scale, evaluator = 0, networks.evaluator(None)
    if people:
        evaluator = networks.evaluator_of_people(net)
        card = networks.of_people(net).card
        low, high = card.condition_knots[0], card.condition_knots[-1]
        ratings = tuple(float(knot) for knot in info.knots if low <= knot <= high)
        ratings = ratings or (float(low), float(high))
        scale = rating_condition(ratings[0], None, card).scale
    controller = Even(
        EvenConfig(**given),
        lru_cache(maxsize=512)(dial.at),
        (dial.low, dial.high),
        COURSES[game.id],
        SEEN[game.id],
        ratings,
        scale,
        info.rated_simulations if sims is None else sims,
        UNSURE[info.written],
        measured=sims is None and net is None,
        lost=LOST.get(game.id),
    )
    return SearchPlayer(game, evaluator, controller)


def _curve(game_id: str, values: Mapping[str, Any]) -> str:
    return DIALS[game_id].player if game_id in DIALS else ""


def _key(name: str, text: str) -> Key:
    among = f"; {AMONG_PEOPLE[name]:g} at chess and Go" if name in AMONG_PEOPLE else ""
    return Key(float, None, text, f"{getattr(EvenConfig(), name):g}{among}")


EVEN = PlayerKind(
    "plays as close a game as it can against anyone; on the screen it is Evenmatch (ours)",
    _even,
    {
        "elo": Key(
            float, None, "the strength it takes you to have at first", "1500; 1800 at Othello 8x8"
        ),
        "rank": Key(str, None, "at Go: the rank it takes you to have at first", "5k; 8k on 9x9"),
        "unsure": Key(
            float,
            None,
            "how far off that may be: a standard deviation, at Go in ranks / 100",
            "700; 1000 at Go",
        ),
        "moves": _key("moves", "how much your moves count for your strength, from 0 to 1"),
        "course": _key("course", "how much the course of the game counts for it, from 0 to 1"),
        "ahead": _key("ahead", "how far above your strength it begins, in standard deviations"),
        "steer": _key("steer", "how hard it plays to win a deficit of its own back"),
        "ease": _key("ease", "how far a lead of its own lowers its level, as a share of steer"),
        "give": _key("give", "share of a lead of its own that it aims to give back with a move"),
        "reserve": _key("reserve", "how much of a lead it keeps at first, in standard deviations"),
        "look": _key("look", "share of its looks at random moves where it gives a lead back"),
        "limit": _key("limit", "how far below even such a move may be"),
        "rare": _key("rare", "how readily it plays unusual moves for that"),
        "least": _key("least", "the share of a game, before its end, in which it steers no harder"),
        "slip": _key("slip", "share of your moves that are taken to be slips"),
        "fade": _key("fade", "share of what it learned that it keeps for the next game: 1 is all"),
        "sims": Key(int, None, "positions it looks at for a move", "fitted to the strength"),
        "net": Key(
            str,
            None,
            "at chess and Go: a network file of yours that knows people's ratings; what it takes "
            "your strength for is not fitted to it",
            "the one that ships",
        ),
    },
    _curve,
)
