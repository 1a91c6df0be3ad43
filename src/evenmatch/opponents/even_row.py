"""``EVEN``: the row of ``even`` in the table of players, and how its controllers are made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from evenmatch.errors import SpecError, UsageError, quoted
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.conditions import rating_condition
from evenmatch.opponents.dials import Curve
from evenmatch.opponents.even import (
    SEEN,
    EvenByRatings,
    EvenByStyles,
    EvenConfig,
    EvenPeopleConfig,
    Tuned,
    in_steps,
)
from evenmatch.opponents.fitted import ANSWERS, EVEN_ELO, LEVELS, STARTS, row_at
from evenmatch.opponents.networks import Networks, load_evaluator
from evenmatch.opponents.pikl import PiklParams, plan_of
from evenmatch.opponents.player import Player
from evenmatch.opponents.rated import rating_and_card
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.opponents.spec import (
    NET,
    PER_GAME,
    SIMS,
    SIMULATIONS,
    Key,
    PlayerKind,
    one_of,
    settings_of,
)
from evenmatch.search import Plan, Search
from evenmatch.search.styles import STRONGEST, STYLES

STARTS_LOOKS = 400  # simulations of each style's look at the start position


@lru_cache(maxsize=16)
def starts_of(game: Game, net: str | None) -> tuple[float, ...]:
    """Return `start_worths`: the stored ones of the shipped network, otherwise computed now."""
    known = STARTS.get(game.id) if net is None else None
    if known and digest_of(shipped_path(game.id, game.family)).startswith(known.network):
        return known.worths
    return start_worths(game, net)


def even_elo(game: Game) -> tuple[float, ...]:
    """Return what ``even`` plays at in each style; empty if it was not measured with its network.

    It is that of the game's network as it ships, and of the usual numbers.
    """
    known = EVEN_ELO.get(game.id)
    same = known and digest_of(shipped_path(game.id, game.family)).startswith(known.network)
    return known.elo if known and same else ()


@lru_cache(maxsize=8)
def start_worths(game: Game, net: str | None = None) -> tuple[float, ...]:
    """Return what the start is worth to the first player between two players of each style."""
    styles = np.arange(len(STYLES))
    search = Search(game, load_evaluator(game, net), trees=len(STYLES), nodes=STARTS_LOOKS)
    search.plant(styles, game.initial(len(STYLES)), 1 + styles)
    stats = search.run(styles, [style.plan(STARTS_LOOKS) for style in STYLES])
    return tuple(float(worth) for worth in (stats.priors * stats.means).sum(1))


#: Keys of ``even`` where people's moves are known, and where they are not.
OF_PEOPLE = ("elo", "rank", "unsure", "weight", "push", "steer", "lean", "rarity")
OF_STYLES = ("limit", "pull", "looks", "prior", "lift", "step", "floor", "answers")


def _even(game: Game, networks: Networks, *, sims, net, fade, by, curve, **given: Any) -> Player:
    people = by_people(game.id, by)
    wrong = next(
        (key for key in (OF_STYLES if people else OF_PEOPLE) if given[key] is not None), ""
    )
    if wrong:
        where = f"by={by}" if by else game.id
        both = game.id in ANSWERS and bool(game_info(game.id).servers)
        more = ", or add by=people" if both and not people else ""
        raise UsageError(f"{wrong} is not for {where}; leave it out{more}")
    own = {key: given[key] for key in (OF_PEOPLE if people else OF_STYLES)} | {"fade": fade}
    if people:
        return _by_ratings(game, networks, sims=sims, net=net, curve=curve, **own)
    return _by_styles(game, networks, sims=sims, net=net, **own)


def by_people(game_id: str, by: str | None = None) -> bool:
    """Return whether ``even`` follows ratings of people; otherwise it follows styles.

    UsageError if the game has none of what is asked for, ``by`` people or styles.
    """
    ways = {"people": bool(game_info(game_id).servers), "styles": game_id in ANSWERS}
    if by is None:
        return not ways["styles"] and ways["people"]
    if not ways[by]:
        raise UsageError(f"even knows no {by} of {game_id}; leave out by={by}")
    return by == "people"


def _curve(game_id: str, values: Mapping[str, Any]) -> str:
    own = {"net", "sims"} & values.keys()
    return "pikl" if not own and by_people(game_id, values.get("by")) else ""


def _by_ratings(
    game: Game, networks: Networks, *, sims, net, elo, rank, curve: Curve | None, **numbers: Any
) -> Player:
    info = game_info(game.id)
    first, card = rating_and_card(game, networks, elo, rank, net)
    condition = rating_condition(first, None, card)
    config = people_config(game.id, first, **numbers)
    knots = card.condition_knots
    grid = np.arange(knots[0], knots[-1] + 1, STEPS[info.written], dtype=float)
    levels, untuned = LEVELS.get(game.id), PiklParams(math.inf, 1.0, info.rated_simulations)
    # chess is played at no rating beyond its numbers; at Go two of a line stand for all ranks
    ends = [*levels.pikl] if levels and info.written == "elo" else grid
    low, high = curve.range if curve else (float(min(ends)), float(max(ends)))
    reach = in_steps(low), in_steps(high)

    def at(rating: float) -> Tuned:
        rating = curve.setting(rating) if curve else rating
        level = row_at(levels.pikl, rating) if levels else untuned
        plan = plan_of(round(level.simulations) if sims is None else sims)
        return Tuned(level.lam, level.t, replace(plan, rating=rating, scale=condition.scale))

    ratings = tuple(map(float, knots))
    controller = EvenByRatings(config, at, grid, ratings, condition.scale, reach)
    return SearchPlayer(game, networks.evaluator_of_people(net), controller)


def people_config(game_id: str, first: float, **numbers: float | None) -> EvenPeopleConfig:
    """Return the numbers of ``even`` among people; those of a game where none is given."""
    written = game_info(game_id).written
    given = {key: value for key, value in numbers.items() if value is not None}
    usual = {
        "horizon": HORIZONS.get(game_id, 80),
        "push": PUSHES.get(game_id, 0.0),
        "steer": STEERS.get(game_id, 0.0),
        "unsure": UNSURE[written],
    }
    return EvenPeopleConfig(first=first, elo=written == "elo", **usual | given)


STEPS = {"elo": 50, "kyu": 100}  #: of the ratings that are believed in
UNSURE = {"elo": 350.0, "kyu": 800.0}  #: how far off the first guess may be: at Go eight ranks
HORIZONS = {"chess": 250, "go9": 60, "go13": 120, "go": 200}  #: plies, as many as a game has
#: Found in trials: docs/notes/archive/even.md.
PUSHES = {"chess": 800.0, "go9": 2500.0}
STEERS = {"chess": 60.0}


def _by_styles(game: Game, networks: Networks, *, sims, net, answers, **numbers: Any) -> Player:
    config = styles_config(game.id, **numbers)
    usual = all(x is None for x in (sims, net, answers, *numbers.values()))
    base = Plan(simulations=SIMULATIONS[game.id] if sims is None else sims, random_root=0.1)
    used = settings_of(game, ANSWERS) if answers is None else _answers(answers)
    elo = even_elo(game) if usual else ()
    controller = EvenByStyles(config, used, base, starts_of(game, net), elo)
    return SearchPlayer(game, networks.evaluator(net), controller)


def styles_config(game_id: str, **numbers: Any) -> EvenConfig:
    """Return the numbers of ``even`` by styles; those of a game where none is given."""
    given = {key: value for key, value in numbers.items() if value is not None}
    usual = {"looks": LOOKS[game_id]} if game_id in LOOKS else {}
    return EvenConfig(**usual | given)


LOOKS = dict.fromkeys(("go9", "go13"), 3)  #: where more would take seconds a move


def _answers(text: str) -> tuple[float, ...]:
    """Read one style for each level, such as 0/0/1/2/2.5/3/4/6/7/7; SpecError if it is not."""
    try:
        styles = tuple(float(word) for word in text.split("/"))
    except ValueError:
        styles = ()
    if len(styles) != len(SEEN) or not all(0 <= style <= STRONGEST for style in styles):
        raise SpecError(
            f"answers={quoted(text)} is not {len(SEEN)} numbers from 0 to {STRONGEST} separated "
            "by /"
        )
    return styles


def _even_key(name: str, text: str) -> Key:
    """Return a key of ``even`` whose default is its configuration's."""
    usual = getattr(EvenConfig(), name)
    return Key(int if isinstance(usual, int) else float, None, text, f"{usual:g}")


def _people_key(name: str, text: str) -> Key:
    """Return a key of ``even`` among people, by its configuration."""
    usual = getattr(EvenPeopleConfig(first=0), name)
    return Key(float, None, f"at chess and Go: {text}", f"{usual:g}")


EVEN = PlayerKind(
    "as close a game as it can against anyone, on the screen Evenmatch (ours)",
    _even,
    {
        "by": Key(
            one_of("people", "styles"),
            None,
            "whose strengths it follows; keys at chess and Go need people on 9x9 and 13x13",
            "people at chess and Go on 19x19, otherwise styles",
        ),
        "elo": Key(float, None, "at chess: the rating it takes you to have at first", "1500"),
        "rank": Key(str, None, "at Go: the rank it takes you to have at first", "5k"),
        "unsure": Key(
            float,
            None,
            "at chess and Go: how far off that may be, in Elo or hundredths of a rank",
            "350 at chess, 800 at Go",
        ),
        "weight": _people_key("weight", "how much your moves count for your rating, from 0 to 1"),
        "push": Key(
            float,
            None,
            "at chess and Go: how far below your rating it plays when won, above when lost",
            "800 at chess, 2500 on 9x9 Go, otherwise 0",
        ),
        "steer": Key(
            float,
            None,
            "at chess and Go: how far that grows with every move of a game that stays so",
            "60 at chess, otherwise 0",
        ),
        "lean": _people_key(
            "lean", "how much of a lead of yours, or its own, it aims to give back with a move"
        ),
        "rarity": _people_key(
            "rarity",
            "the rarest move it plays for that, of people as strong as it plays: 0.05 is 1 in 20",
        ),
        "limit": _even_key(
            "limit",
            "the most it gives away with one move: 0 is nothing, 1 goes from even to lost",
        ),
        "pull": _even_key(
            "pull", "how much of a lead of yours it tries to win back at once: 1 is all"
        ),
        "looks": Key(
            int,
            None,
            "looks at each move to see what it is worth against you",
            f"{EvenConfig().looks}; {LOOKS['go9']} at Go",
        ),
        "prior": _even_key(
            "prior",
            "how strong it takes you to be before you move: more is stronger, 0 no assumption",
        ),
        "lift": _even_key(
            "lift", "how far above your strength it begins, in steps of its eight strengths"
        ),
        "fade": Key(
            float,
            None,
            "how much of what your moves showed it keeps for the next game: 1 is all",
            f"{EvenConfig().fade:g}; at chess and Go {EvenPeopleConfig(first=0).fade:g}",
        ),
        "step": _even_key(
            "step", "strengths it goes up after losing to you and down after winning; 0: none"
        ),
        "floor": _even_key("floor", "the least such step, after many games"),
        "answers": Key(
            str,
            None,
            "the strength (0 to 7) it answers each of ten levels of yours with, as 0/1/2/...",
            PER_GAME,
        ),
        "sims": replace(
            SIMS, default=None, usual="fitted to the rating; by styles as many as alphazero"
        ),
        "net": NET,
    },
    _curve,
)
