"""``STYLE``: the row of the table of players that always plays equally strong."""

from __future__ import annotations

import math
from functools import partial

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.players.common_keys import NET, SIMS, SIMULATIONS
from evenmatch.players.player import Player
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind
from evenmatch.search import Plan
from evenmatch.strength import DIALS, STRONGEST, Styled, curve_of


def _style(game, games, networks, *, s, elo, sims, net) -> Player:
    number = _number_of_style(game, s, elo, net is not None or sims != SIMULATIONS.get(game.id))
    make = partial(Styled, number, Plan(simulations=sims))
    make()  # refuses bad values now
    return SearchPlayer(game, games, networks.evaluator(net), make)


def _number_of_style(game: Game, s: float | None, elo: float | None, changed: bool) -> float:
    """Return the style that plays at a rating; ``changed``: it is not the player that was rated."""
    if elo is None:
        return float(STRONGEST) if s is None else s
    if s is not None or changed:
        raise UsageError("elo sets the style; leave out s, sims and net")
    if not math.isfinite(elo):
        raise UsageError(f"elo={elo:g} is no rating; give a number")
    curve = curve_of(game.id, "style")
    if curve is None:
        known = DIALS.get(game.id)
        does = f"`evenmatch calibrate {game.id}` does that"
        other = "give s in its place"
        raise UsageError(
            f"style is not calibrated on {game.id}; "
            f"{does if known and known.player == 'style' else other}"
        )
    low, high = curve.range
    if not low <= elo <= high:
        inside = f"[{math.ceil(low)}, {math.floor(high)}]"
        raise UsageError(f"elo={elo:g} is outside {inside}; choose one inside")
    return curve.setting(elo)


STYLE = PlayerKind(
    "always equally strong, from random to full strength, by its rating in games (ours)",
    _style,
    {
        "elo": Key(
            float,
            None,
            "the rating it plays at, as `evenmatch calibrate` measured it",
            "none; s decides",
        ),
        "s": Key(
            float,
            None,
            f"its strength in steps: 0 is random, {STRONGEST} the most",
            str(STRONGEST),
        ),
        "sims": SIMS,
        "net": NET,
    },
)
