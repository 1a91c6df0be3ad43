"""The grid search of Fujita 2022 (tables A2-A4), for the networks shipped here.

Every point of a grid meets the five tuning opponents; the metric is D of eq. 11. The paper plays 40
games per point and opponent, without openings. Here two games at a time start from the same random
plies; all points play a few games, the best of them more, and the best of those many new ones, so
that games are spent where they decide something and the winner is not the luckiest of many. None
begins with an opening of dda_tables, where the winners are reported. Othello 8x8, whose games take
several times as long, starts from the points that are best on 6x6, with twice their N_max as in the
paper, and plays half as many games. The grids are around what suits our networks; the paper's own
are in paper_grid. P_max is the paper's, not searched.

AlphaDDA1 has a finer grid, for its few simulations cost little, and needs it: with our networks
x0 = -1 leaves it winning against most and -0.9 losing. N_max is searched too, and the quirks are
always on: without them one simulation plays the network's first choice, which wins too much.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import product
from operator import itemgetter

from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch_lab.fujita2022 import dda_tables
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.imbalances import Drawn, by_sides, compared, d_in, d_per_game, drawn_d
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    Row,
    distinct_share,
    meet,
)

SEED = 4
Table = dict[str, Row]  #: by opponent

#: Method -> rung -> (games against each opponent, points that play).
RUNGS: dict[str, dict[str, tuple[int, int | None]]] = {
    "alphadda1": {"all": (8, None), "best": (40, 16), "final": (100, 6)},
    "alphadda2": {"all": (4, None), "best": (20, 6), "final": (60, 3)},
    "alphadda3": {"all": (4, None), "best": (20, 6), "final": (60, 3)},
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
    by_key: dict[str, Part] = {}
    for game_id, (method, grid) in product(GAME_IDS, GRIDS.items()):
        rivals = opponents.specs(opponents.tuning(quick), quick)
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
                "avoids": avoided(game_id),
                "network": digest(game_id),
            }
            key = f"{game_id}, {method}, {rung}"
            needs = () if before is None else (before,)
            by_key[key] = Part(settings, partial(measure, game_id, settings, before), needs)
            before = key
    return by_key


def avoided(game_id: str) -> dict[str, list[int]]:
    """Say which openings are avoided: those of so many games of ``dda_tables``, by its seed."""
    return {"openings of dda_tables": [dda_tables.GAMES_EACH[game_id], dda_tables.SEED]}


def specs(method: str, grid: dict[str, tuple], quick: bool):
    """Yield the spec of every point."""
    small = f",sims={FEW}" if quick and method != "alphadda1" else ""
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
        points = [spec for spec, _ in done[before]["ranked"][: settings["most"]]]
        if game_id == LARGE and before.startswith(SMALL):
            points = [enlarged(spec) for spec in points]
    tables = play_points(game_id, points, settings, progress)
    return ranked(tables)


def play_points(
    game_id: str, points: Sequence[str], settings: dict, progress: Progress
) -> dict[str, Table]:
    """Let points meet the opponents; return their tables by spec."""
    rivals, games, seed = (settings[key] for key in ("opponents", "games", "seed"))
    avoid = dda_tables.reported_openings(game_id)
    tables = meet(points, rivals, get_game(game_id), games, seed, progress, avoid)
    return dict(zip(points, tables, strict=True))


def ranked(tables: dict[str, Table]) -> dict:
    """Return all points with their D per game, the most even first, and the table of that one."""
    order = sorted(((spec, d_per_game(table)) for spec, table in tables.items()), key=itemgetter(1))
    return {"ranked": [[spec, round(d, 4)] for spec, d in order], "table": tables[order[0][0]]}


def paper_d(game_id: str, method: str, games: int) -> Drawn:
    """Return the paper's D per game against the tuning opponents, in so many games with each.

    From its tables 6 to 13.
    """
    return d_in(tuning_rows(game_id, method), games)


def tuning_rows(game_id: str, method: str) -> Table:
    """Return the paper's rows against the tuning opponents."""
    rows = dda_tables.paper_rows(game_id, method)
    return {name: rows[name] for name in opponents.TUNING}


def page(results: Results) -> list[str]:
    """Name the winners, then the rungs."""
    heads = ["game", "method", "best point", "D / games (95%)", "next best"]
    heads += ["the paper's in as many (95%)", "than the paper", "its distinct games"]
    rows = []
    for game_id, method in product(GAME_IDS, GRIDS):
        row = results.get(f"{game_id}, {method}, final")
        if row is None:
            continue
        order, paper = row["ranked"], tuning_rows(game_id, method)
        sign = compared(row["table"], paper, by_sides)
        rows.append(
            [
                get_game(game_id).title,
                method,
                f"`{order[0][0]}`",
                drawn_d(row["table"]).text(),
                order[1][1] if len(order) > 1 else "-",
                paper_d(game_id, method, row["settings"]["games"]).text(),
                {1: "less even", -1: "more even", 0: "undecided"}[sign],
                distinct_share(row["table"].values()),
            ]
        )
    lines = [table(heads, rows, left=(0, 1, 2, 6, 7))]
    for key, row in results.items():
        settings, points = row["settings"], len(row["ranked"])
        lines += [
            "",
            f"**{key}**: {points} points, {settings['games']} games with each opponent, openings "
            f"of {settings['openings']} plies, seed {settings['seed']}, {row['seconds']:.0f} s",
            "",
            table(
                ["best ten", "D / games"], [[f"`{s}`", f"{d:.3f}"] for s, d in row["ranked"][:10]]
            ),
        ]
    return lines


EXPERIMENT = Experiment(
    "grid_search",
    "Constants of AlphaDDA1-3 for our networks (Fujita 2022, tables A2-A4)",
    parts,
    page,
)
