"""Made-up parts of a dial, whose games and root visits are known."""

import numpy as np

from evenmatch_lab.wu2019.dial_games import CURVE, LINEAR, POWERS, Z

OPENINGS = 40


def settings(**others):
    """Return a part's settings."""
    return {"r_th": 0.1, "top": 0, "simulations": 200, "games": 2 * OPENINGS, "seed": 5} | {
        "openings": 6,
        **others,
    }


def row(fraction):
    """Return a point's games of pairs that are won or lost, ``fraction`` of them won."""
    won = round(fraction * OPENINGS)
    lost = OPENINGS - won
    return {
        "first": [won, lost, 0],
        "second": [won, lost, 0],
        "pairs": [lost, 0, 0, 0, won],
        "distinct": 2 * OPENINGS,
        "halves": [4] * won + [0] * lost,
    }


def part(fractions, **others):
    """Return a part by the fractions won at each z; E_norm(z) is a logistic curve from -1 to 0."""
    shape = {z: -1 / (1 + np.exp(1.2 * z)) for z in Z}
    return {
        "settings": settings(**others),
        "points": [{"z": str(z), **row(x), "own": shape[z]} for z, x in fractions.items()],
        "positions": [30] * OPENINGS,
        "strengths": {str(z): [30 * shape[z]] * OPENINGS for z in Z},
        "e_norm": [-1 / (1 + np.exp(1.2 * z)) for z in CURVE],
        "powers": {
            str(k): {str(z): float(np.exp(k * shape[z])) for z in (*LINEAR, Z[-1])} for k in POWERS
        },
        "candidates": 2.5,
        "weak": 0.0,
        "most_visits": 139.0,
    }


def expected(z, gap=900):
    """Return the fraction won where eq. 15 holds, ``gap`` Elo from z = inf to -inf."""
    elo = gap * (0.5 - 1 / (1 + np.exp(1.2 * z)))
    return 1 / (1 + 10 ** (-elo / 400))
