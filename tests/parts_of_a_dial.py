"""Made-up parts of a dial, whose games and root visits are known."""

import numpy as np

from evenmatch_lab.wu2019.dial import Dial
from evenmatch_lab.wu2019.dial_games import CURVE, LINEAR, POWERS, Z

OPENINGS = 40


def settings(**others):
    """Return a part's settings."""
    return {"r_th": 0.1, "top": 0, "simulations": 200, "games": 2 * OPENINGS, "seed": 5} | {
        "openings": 6,
        **others,
    }


def row(fraction, openings=OPENINGS):
    """Return a point's games of pairs that are won or lost, ``fraction`` of them won."""
    won = round(fraction * openings)
    lost = openings - won
    return {
        "first": [won, lost, 0],
        "second": [won, lost, 0],
        "pairs": [lost, 0, 0, 0, won],
        "distinct": 2 * openings,
        "halves": [4] * won + [0] * lost,
    }


def part(z, fraction, **others):
    """Return a point's part; E_norm(z) is a logistic curve from -1 to 0."""
    return {
        "settings": settings(z=str(z), **others),
        "point": row(fraction) | {"own": e_norm(z)},
        "roots": {
            "positions": [30] * OPENINGS,
            "lowest": [-30.0] * OPENINGS,
            "e_norm": [e_norm(x) for x in CURVE],
            "powers": {
                str(k): {str(x): float(np.exp(k * e_norm(x))) for x in (*LINEAR, Z[-1])}
                for k in POWERS
            },
            "candidates": 2.5,
            "weak": 0.0,
            "most_visits": 139.0,
        },
    }


def dial(fractions):
    """Return a dial by the fractions won at each z."""
    return Dial({z: part(z, fraction) for z, fraction in fractions.items()})


def e_norm(z):
    """Return a made-up E_norm(z)."""
    return float(-1 / (1 + np.exp(1.2 * z)))


def expected(z, gap=900):
    """Return the fraction won where eq. 15 holds, ``gap`` Elo from z = inf to -inf."""
    elo = gap * (0.5 - 1 / (1 + np.exp(1.2 * z)))
    return 1 / (1 + 10 ** (-elo / 400))
