"""The games of a dial's points, and what is kept of them.

A point is a player that draws its moves by visits to the power of z among some candidates. It
meets the same player with z = 0 and R_th = 0.1. Two games at a time start from the same random
plies, with either side; every point has the same openings, so that they can be drawn again for all
points at once.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games import get_game
from evenmatch.play.arena import Played, play
from evenmatch.progress import Progress
from evenmatch_lab.runner import Results
from evenmatch_lab.shared.opponents import OPENING_PLIES, either_side, row_of
from evenmatch_lab.wu2019.analysis import (
    candidates_of,
    mean_candidates,
    mean_power,
    normalized_strength,
    relative_strengths,
)

GAME, SEED = "othello", 5  # in place of Go, unless parts name a game
INF = math.inf
Z = (INF, 2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0, -INF)
LINEAR = tuple(z for z in Z if abs(z) <= 2)
CURVE = tuple(x / 4 for x in range(-20, 21))  # where E_norm is drawn
POWERS = (-2.0, -1.0, -0.5, 0.5, 1.0)  # of R_i, beside its logarithm
WEAK = 0.1  # a candidate with less than this share of the most visits is weak


class Candidates(NamedTuple):
    """The moves that a point chooses among."""

    r_th: float
    top: int = 0

    def player(self, z: float, simulations: int) -> str:
        """Return the spec of a point."""
        return f"softmax:z={z},r_th={self.r_th},top={self.top},sims={simulations}"


#: The opponent of all points has z = 0 and these.
USUAL = Candidates(0.1)


def specs_of(candidates: Candidates, z: float, simulations: int) -> list[str]:
    """Return a point's spec and that of the opponent of all."""
    return [candidates.player(z, simulations), USUAL.player(0.0, simulations)]


def step_specs(z: float, lower: float, simulations: int) -> list[str]:
    """Return the specs of a point and the next."""
    return [USUAL.player(z, simulations), USUAL.player(lower, simulations)]


def game_of(settings: Mapping[str, Any]) -> str:
    """Return the game of a part, which its settings name if it is not the usual."""
    return settings.get("game", GAME)


def named(game_id: str) -> dict[str, str]:
    """Return what a part's settings say of its game."""
    return {} if game_id == GAME else {"game": game_id}


def measure(
    game_id: str,
    candidates: Candidates,
    z: float,
    simulations: int,
    games: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play a point against the opponent of all; keep what a bootstrap over openings needs.

    ``own`` is E_norm(z) at the positions that the point met itself.
    """
    specs = specs_of(candidates, z, simulations)
    roots: list[tuple[NDArray, NDArray]] = []

    def watch(entrant, games, decisions, player):
        if entrant == 0:
            visits = np.array([decision.root.visits for decision in decisions], np.int16)
            roots.append((np.array(games) // 2, visits))

    played = play(
        specs, either_side(0, 1, games), get_game(game_id), seed=SEED,
        openings=OPENING_PLIES[game_id], progress=progress, watch=watch,
    )  # fmt: skip
    openings, visits = (np.concatenate(part) for part in zip(*roots, strict=True))
    return {
        "point": row_of(played, 0, 1)
        | {"halves": halves(played, 0, 1)}
        | {"own": round(normalized_strength(visits, z, *candidates), 4)},
        "roots": of_roots(candidates, openings, visits, (games + 1) // 2),
    }


def halves(played: list[Played], player: int, opponent: int) -> list[int]:
    """Return how many half points each opening's two games gave ``player``, 0 to 4."""
    won: dict[int, int] = {}
    for one in played:
        if {one.pairing.first, one.pairing.second} == {player, opponent}:
            mine = one.result if one.pairing.first == player else -one.result
            won[one.pairing.opening] = won.get(one.pairing.opening, 0) + int(1 + mine)
    return [won[opening] for opening in sorted(won)]


def of_roots(candidates: Candidates, openings: NDArray, visits: NDArray, count: int) -> dict:
    """Return what is kept of root visits [P, A] in games from ``openings`` [P], of ``count``.

    ``positions`` [count] are how many there are, ``lowest`` [count] the sums of what eq. 6 says of
    them for z = -inf.
    """
    r_th, top = candidates
    visits = -np.sort(-visits, 1)[:, : (visits > 0).sum(1).max()]  # whichever moves they are
    weak = candidates_of(visits, r_th, top) & (visits < WEAK * visits.max(1, keepdims=True))
    lowest = relative_strengths(visits, -INF, r_th, top)
    return {
        "positions": np.bincount(openings, minlength=count).tolist(),
        "lowest": np.bincount(openings, lowest, count).round(2).tolist(),
        "e_norm": [round(normalized_strength(visits, z, r_th, top), 4) for z in CURVE],
        "powers": {
            str(k): {str(z): round(mean_power(visits, z, r_th, k), 4) for z in (*LINEAR, -INF)}
            for k in (POWERS if candidates == USUAL else ())
        },
        "candidates": mean_candidates(visits, r_th, top),
        "weak": float(weak.any(1).mean()),
        "most_visits": float(visits.max(1).mean()),
    }


def measure_step(
    game_id: str,
    z: float,
    lower: float,
    simulations: int,
    games: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Let a point meet the next, both with R_th = 0.1."""
    played = play(
        step_specs(z, lower, simulations),
        either_side(0, 1, games), get_game(game_id), seed=SEED,
        openings=OPENING_PLIES[game_id], progress=progress,
    )  # fmt: skip
    return {"point": row_of(played, 0, 1) | {"halves": halves(played, 0, 1)}}
