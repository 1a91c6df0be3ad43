"""The grid search of Fujita 2022 (tables A2-A4), for the networks shipped here.

Every point of a grid meets the five tuning opponents; the metric is D of eq. 11. The paper plays
40 games a point and opponent, without openings. Here two games at a time start from the same random
plies; all points play a few games, the best of them more, and the best of those many new ones, so
that games are spent where they decide something and the winner is not the luckiest of many. Othello
8x8, whose games take several times as long, starts from the points that are best on 6x6, with twice
their N_max as in the paper, and plays half as many games. The grids are around what suits our
networks; the paper's own are in paper_grid. P_max is the paper's, not searched.

AlphaDDA1 has a finer grid, for its few simulations cost little, and needs it: with our networks
x0 = -1 leaves it winning against most and -0.9 losing. N_max is searched too, and the quirks are
always on: without them one simulation plays the network's first choice, which wins too much.
"""

import re
from functools import partial
from itertools import product

from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import (
    GAME_IDS,
    OPENING_PLIES,
    distinct_text,
    meet,
    metric_d,
)

SEED = 4
#: Method -> rung -> (games against each opponent, points that play).
RUNGS: dict[str, dict[str, tuple[int, int | None]]] = {
    "alphadda1": {"all": (12, None), "best": (60, 24), "final": (200, 6)},
    "alphadda2": {"all": (4, None), "best": (20, 8), "final": (100, 3)},
    "alphadda3": {"all": (4, None), "best": (20, 8), "final": (100, 3)},
}
LARGE, SMALL = "othello", "othello6"  # the large game's first rung is the small game's

#: Method -> key -> values tried.
GRIDS: dict[str, dict[str, tuple]] = {
    "alphadda1": {
        "nh": (1, 2),  # with quirks 2 is the most
        "a": (2.0, 4.0, 10.0),
        "x0": (-1.0, -0.99, -0.98, -0.97, -0.96, -0.95, -0.9, -0.85, -0.8),
        "nmax": (5, 10, 25, 100, 200),
        "quirks": ("on",),
    },
    "alphadda2": {
        "nh": (1, 2, 4),
        "a": (1, 5, 20),
        "x0": (-0.9, -0.5, -0.2, 0.0, 0.2, 0.5),
    },
    "alphadda3": {
        "nh": (1, 2, 3, 5),
        "c": (0.25, 0.5, 0.75, 1.0, 1.25),
    },
}


def parts(quick: bool) -> dict[str, Part]:
    """For each game and method one part a rung."""
    rivals = opponents.specs(opponents.TUNING, quick)
    by_key: dict[str, Part] = {}
    for game_id, (method, grid) in product(GAME_IDS, GRIDS.items()):
        points = list(specs(method, grid, quick))
        before = None
        for i, (rung, (most_games, most)) in enumerate(RUNGS[method].items()):
            games = most_games // 2 if game_id == LARGE else most_games
            if game_id == LARGE and before is None:
                before = f"{SMALL}, {method}, {rung}"
                continue
            settings = {
                "points": points[:2] if quick else points,
                "opponents": rivals,
                "games": 2 if quick else games,
                "most": most,
                "openings": OPENING_PLIES[game_id],
                "seed": SEED + i,
                "network": digest(game_id),
            }
            key = f"{game_id}, {method}, {rung}"
            needs = () if before is None else (before,)
            by_key[key] = Part(settings, partial(measure, game_id, settings, before), needs)
            before = key
    return by_key


def specs(method: str, grid: dict[str, tuple], quick: bool):
    """Yield the spec of every point."""
    small = ",sims=8" if quick and method != "alphadda1" else ""
    for values in product(*grid.values()):
        chosen = ",".join(f"{k}={v}" for k, v in zip(grid, values, strict=True))
        yield f"{method}:{chosen}{small}"


def enlarged(spec: str) -> str:
    """Return a point with twice its N_max, if it names one."""
    return re.sub(r"nmax=(\d+)", lambda found: f"nmax={2 * int(found[1])}", spec)


def measure(
    game_id: str,
    settings: dict,
    before: str | None,
    progress: Progress,
    done: Results,
) -> dict:
    """Play a rung: all points, or the best of the rung before."""
    points = settings["points"]
    if before is not None:
        ranked = done[before]["ranked"]
        points = [spec for spec, _ in ranked[: settings["most"]]]
        if game_id == LARGE and before.startswith(SMALL):
            points = [enlarged(spec) for spec in points]
    games, seed = settings["games"], settings["seed"]
    tables = meet(points, settings["opponents"], get_game(game_id), games, seed, progress)
    ranked = sorted(
        ((spec, metric_d(table) / games) for spec, table in zip(points, tables, strict=True)),
        key=lambda pair: pair[1],
    )
    best = dict(zip(points, tables, strict=True))[ranked[0][0]]
    return {"ranked": [[spec, round(d, 4)] for spec, d in ranked], "table": best}


def page(results: dict) -> list[str]:
    """Name the winners, then the rungs."""
    lines = [
        "D (eq. 11) is the sum over five opponents and both sides of |wins - losses|, here divided "
        "by the games against each opponent: 0 is even with all, 5 is all one-sided. Two games "
        "at a time start from the same random plies, with either side; the paper has no openings.",
        "",
        "| game | method | best point | D / games | next best | its games |",
        "|---|---|---|---:|---:|---|",
    ]
    for game_id, method in product(GAME_IDS, GRIDS):
        row = results.get(f"{game_id}, {method}, final")
        if row is None:
            continue
        ranked, games = row["ranked"], distinct_text(row["table"].values())
        spec, d = ranked[0]
        after = ranked[1][1] if len(ranked) > 1 else "-"
        lines.append(
            f"| {get_game(game_id).title} | {method} | `{spec}` | {d:.2f} | {after} | {games} |"
        )
    for key, row in results.items():
        settings = row["settings"]
        lines += [
            "",
            f"**{key}**: {len(row['ranked'])} points, {settings['games']} games against each "
            f"opponent, openings of {settings['openings']} plies, seed {settings['seed']}, "
            f"{row['seconds']:.0f} s. Best ten:",
            "",
        ]
        lines += [f"- `{spec}`: {d:.3f}" for spec, d in row["ranked"][:10]]
    return lines


EXPERIMENT = Experiment(
    "grid_search",
    "Constants of AlphaDDA1-3 for our networks (Fujita 2022, tables A2-A4)",
    parts,
    page,
)
