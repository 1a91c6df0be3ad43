"""Roughly how strong each held-out stranger is: `python -m evenmatch_lab.shared.stranger_ratings`.

Strangers meet yardsticks, a few of which have known ratings; the others are rated with the
strangers, by maximum a-posteriori Bradley-Terry with a wide normal prior. Called with a game, a
file to keep the games in and games for each yardstick; it continues what was begun, and prints a
table in Markdown.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from evenmatch.games import get_game
from evenmatch.opponents.rating_range import gnugo
from evenmatch.play.arena import play
from evenmatch_lab.pages import table
from evenmatch_lab.shared.opponents import OPENING_PLIES, either_side, row_of
from evenmatch_lab.shared.strangers import Stranger, strangers, within

PRIOR, WIDTH = 1500.0, 700.0  #: of ratings, mean and standard deviation
STEP = np.log(10) / 400
STOCKFISH = "engine:cmd=stockfish,option.Threads=1,option.Hash=4,nodes=1"


class Yardstick(NamedTuple):
    """A player that strangers meet."""

    spec: str
    rating: float | None = None  #: on the scale of the game's dial; None: found from its games
    games: float = 1.0  #: share of the usual number, for those that take long
    slow: bool = False  #: meets the other yardsticks alone


def _boards(random: float, mcts100: float, mcts300: float, full: float) -> tuple[Yardstick, ...]:
    return (
        Yardstick("random", random),
        Yardstick("mcts:sims=20"),
        Yardstick("mcts:sims=100", mcts100),
        Yardstick("mcts:sims=300", mcts300),
        Yardstick("mcts:sims=1500"),
        Yardstick("alphazero:random_root=0.2", full, 0.5),
    )


#: Known are the anchors of `evenmatch calibrate`, and `pikl` by its curve.
YARDSTICKS = {
    "connect4": _boards(721, 1535, 1719, 2039),
    "othello6": _boards(822, 1541, 1643, 2119),
    "othello": _boards(821, 1447, 1662, 2300),
    "go9": (Yardstick("random"), Yardstick(gnugo(0)), Yardstick(gnugo(10), 1800.0)),
    "chess": (
        Yardstick("random"),
        *(Yardstick(f"noisy:of={within(STOCKFISH)},share={share}") for share in (0.6, 0.3, 0.1)),
        Yardstick(STOCKFISH),
        Yardstick(STOCKFISH.replace("nodes=1", "nodes=300")),
        Yardstick(STOCKFISH.replace("nodes=1", "nodes=5000")),
        Yardstick("pikl:s=700", 984, slow=True),
        Yardstick("pikl:s=1500", 1547, slow=True),
        Yardstick("pikl:s=2100", 2026, slow=True),
    ),
}
PLIES = OPENING_PLIES | {"chess": 4}


def measure(game_id: str, path: Path, games: int) -> list[list]:
    """Play what is missing; return rows [spec, spec, wins, losses, draws] of all games."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    sticks, game = YARDSTICKS[game_id], get_game(game_id)
    free = [stick.spec for stick in sticks if stick.rating is None]
    for spec in (*free, *(one.spec for one in strangers(game_id, held_out=True))):
        if any(row[0] == spec for row in rows):
            continue
        rivals = [
            stick for stick in sticks if stick.spec != spec and (spec in free or not stick.slow)
        ]
        specs = [spec, *(rival.spec for rival in rivals)]
        pairings = [
            pairing
            for at, rival in enumerate(rivals, start=1)
            for pairing in either_side(0, at, 2 * round(games * rival.games / 2))
        ]
        played = play(specs, pairings, game, seed=1, openings=PLIES[game_id], at_once=32)
        with path.open("a") as file:
            for at, rival in enumerate(rivals, start=1):
                row = row_of(played, 0, at)
                rows.append([spec, rival.spec, *np.add(row["first"], row["second"]).tolist()])
                file.write(json.dumps(rows[-1]) + "\n")
    return rows


def rated(game_id: str, rows: Sequence[list]) -> dict[str, tuple[float, float]]:
    """Return (rating, standard deviation) by spec."""
    known = {one.spec: one.rating for one in YARDSTICKS[game_id] if one.rating is not None}
    free = list(dict.fromkeys(spec for row in rows for spec in row[:2] if spec not in known))
    column = {spec: at for at, spec in enumerate([*free, *known])}
    first, second = (np.array([column[row[side]] for row in rows]) for side in (0, 1))
    points = np.array([row[2] + row[4] / 2 for row in rows])
    count = np.array([sum(row[2:]) for row in rows])

    def loss(ratings):
        full = np.concatenate([ratings, list(known.values())])
        gap = STEP * (full[first] - full[second])
        likely = points * np.logaddexp(0, -gap) + (count - points) * np.logaddexp(0, gap)
        expected = 1 / (1 + np.exp(-gap))
        slope = STEP * (count * expected - points)
        gradient = np.zeros(len(full))
        np.add.at(gradient, first, slope)
        np.add.at(gradient, second, -slope)
        off = (ratings - PRIOR) / WIDTH
        return likely.sum() + (off**2).sum() / 2, gradient[: len(free)] + off / WIDTH

    best = minimize(loss, np.full(len(free), PRIOR), jac=True, method="BFGS").x
    full = np.concatenate([best, list(known.values())])
    expected = 1 / (1 + np.exp(-STEP * (full[first] - full[second])))
    told = np.full(len(full), 1 / WIDTH**2)
    for side in (first, second):
        np.add.at(told, side, STEP**2 * count * expected * (1 - expected))
    return {spec: (float(full[at]), float(told[at] ** -0.5)) for spec, at in column.items()}


def page(game_id: str, ratings: dict[str, tuple[float, float]], met: Sequence[Stranger]) -> str:
    """Write the strangers from the weakest to the strongest."""
    order = sorted((one for one in met if one.spec in ratings), key=lambda x: ratings[x.spec][0])
    rows = [
        (one.name, one.family, f"{rating:.0f} ± {2 * deviation:.0f}")
        for one in order
        for rating, deviation in [ratings[one.spec]]
    ]
    return table(("stranger", "family", "Elo"), rows, left=(0, 1))


if __name__ == "__main__":
    game_id, path, games = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    ratings = rated(game_id, measure(game_id, path, games))
    print(page(game_id, ratings, strangers(game_id, held_out=True)))
    for stick in YARDSTICKS[game_id]:
        print(f"{stick.spec}: {ratings[stick.spec][0]:.0f}")
