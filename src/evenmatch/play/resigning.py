"""When the opponent of a session gives a game up, or takes a draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenmatch.games.catalog import game_info
from evenmatch.games.game import AreaGame
from evenmatch.opponents.resigning import accepts_draw, resign_chance
from evenmatch.opponents.table import parse_spec
from evenmatch.play.played_game import PlayedGame

BELOW = -0.9  #: the value, in [-1, 1], below which a position is lost
TURNS = 3  #: own turns in a row
SCALE = "lichess-rapid"  #: whose people ``resign_chance`` knows


def wants_to_resign(session: PlayedGame) -> bool:
    """Tell whether the opponent, about to move, would give the game up by what the network says.

    At Go it would when the game was lost at some turns in a row: never one that began from another
    position, which may be lost from the start. Elsewhere it would as people of its rating do.
    """
    if isinstance(session.game, AreaGame):
        return not (session.start or session.disputed) and has_lost(session)
    return as_people_do(session)


def has_lost(session: PlayedGame) -> bool:
    """Tell whether the game has been lost to the opponent for some turns."""
    chances = opponents_chances(session)
    return gives_up([2 * chance - 1 for chance in chances])


def gives_up(values: Sequence[float], below: float = BELOW, turns: int = TURNS) -> bool:
    """Tell whether a side gives up; ``values`` are its own at its turns so far, the latest last."""
    latest = values[-turns:]
    return len(latest) == turns and all(value < below for value in latest)


def as_people_do(session: PlayedGame) -> bool:
    """Tell whether people of the rating that the opponent has played at would resign."""
    scale = parse_spec(session.opponent)[1].get("scale")
    known = SCALE in game_info(session.game.id).scales and scale in (None, SCALE)
    rating = session.played_at if known else None
    if rating is None:
        return False
    chances = opponents_chances(session)
    if not chances:
        return False
    draw = np.random.default_rng([session.seed, session.ply]).random()
    return bool(draw < resign_chance(rating, chances))


def takes_a_draw(session: PlayedGame) -> bool:
    """Tell whether the opponent takes a draw: the game is dead even."""
    chances = opponents_chances(session)
    return bool(chances) and accepts_draw(chances, session.ply)


def opponents_chances(session: PlayedGame) -> list[float]:
    """Return the opponent's expected score, in [0, 1], at each of its turns so far.

    The last one is the present position, for either side to move; empty without a network.
    """
    values = session.values()
    if not values:
        return []
    movers = session.game.to_play(session.states)
    turns = [i for i, mover in enumerate(movers) if mover == -session.side or i == session.ply]
    return [(1 - values[i]) / 2 for i in turns]
