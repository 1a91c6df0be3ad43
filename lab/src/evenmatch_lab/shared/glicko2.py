"""Glicko-2 (Glickman 2022, "Example of the Glicko-2 system"): ratings from results alone.

The usual system of chess sites, to compare with. One call is one rating period.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

SCALE = 173.7178  #: points of rating in one unit of mu
START, DEVIATION, VOLATILITY = 1500.0, 350.0, 0.06
TAU = 0.5  #: how fast the volatility may change
CLOSE = 1e-6


class Glicko(NamedTuple):
    """A rating, its standard deviation, and its volatility."""

    rating: float = START
    deviation: float = DEVIATION
    volatility: float = VOLATILITY


class Met(NamedTuple):
    """An opponent of a period, and the score against it: 0, 1/2 or 1."""

    rating: float
    deviation: float
    score: float


def after(player: Glicko, games: Sequence[Met], tau: float = TAU) -> Glicko:
    """Return a player after a rating period of some games (steps 2 to 8 of the paper)."""
    mu, phi = (player.rating - START) / SCALE, player.deviation / SCALE
    if not games:
        return player._replace(deviation=SCALE * math.hypot(phi, player.volatility))
    information = change = 0.0
    for game in games:
        flat = _g(game.deviation / SCALE)
        expected = 1 / (1 + math.exp(-flat * (mu - (game.rating - START) / SCALE)))
        information += flat**2 * expected * (1 - expected)
        change += flat * (game.score - expected)
    variance = 1 / information
    sigma = _volatility(player.volatility, phi, variance, variance * change, tau)
    before = math.hypot(phi, sigma)
    phi = 1 / math.sqrt(1 / before**2 + 1 / variance)
    return Glicko(START + SCALE * (mu + phi**2 * change), SCALE * phi, sigma)


def _g(phi: float) -> float:
    """Return how much an opponent of that deviation reveals (step 3)."""
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def _volatility(sigma: float, phi: float, variance: float, delta: float, tau: float) -> float:
    """Return the new volatility, by the Illinois algorithm (step 5)."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        grown = math.exp(x)
        spread = phi**2 + variance + grown
        return grown * (delta**2 - spread) / (2 * spread**2) - (x - start) / tau**2

    a = start
    if delta**2 > phi**2 + variance:
        b = math.log(delta**2 - phi**2 - variance)
    else:
        k = 1
        while f(start - k * tau) < 0:
            k += 1
        b = start - k * tau
    at_a, at_b = f(a), f(b)
    while abs(b - a) > CLOSE:
        c = a + (a - b) * at_a / (at_b - at_a)
        at_c = f(c)
        if at_c * at_b <= 0:
            a, at_a = b, at_b
        else:
            at_a /= 2
        b, at_b = c, at_c
    return math.exp(a / 2)
