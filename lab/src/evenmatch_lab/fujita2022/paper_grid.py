"""The paper's own grids (Fujita 2022, tables A2-A4), 8 games a point and opponent (paper 40).

The experiment grid_search looks for what suits our networks; this one plays the published points,
all of them, as the authors' code did (``quirks=on``). That code never averages more than the last
two positions, so points with N_h from 2 on are one, and are played once.
"""

from functools import partial
from itertools import product

from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.strength import PAPER
from evenmatch_lab.fujita2022.grid_search import (
    D_TEXT,
    avoided,
    paper_d,
    play_points,
    ranked,
    tuning_rows,
)
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.imbalances import by_sides, compared, drawn_d
from evenmatch_lab.shared.opponents import GAME_IDS, OPENING_PLIES, distinct_text

GAMES_EACH, SEED, AT_ONCE = 8, 8, 8  # points of a part
ORDER = ("othello6", "connect4", "othello")  # the quickest first

#: Tables A2 to A4: method -> game -> key -> values; N_h up to 2, as the code has it.
GRIDS: dict[str, dict[str, dict[str, tuple]]] = {
    "alphadda3": {
        "connect4": {"nh": (1, 2), "c": (0.25, 0.5, 0.75, 1.0, 1.25)},
        "othello6": {"nh": (1, 2), "c": (0.25, 0.5, 0.6, 0.75, 0.9, 1.0)},
        "othello": {"nh": (1, 2), "c": (0.25, 0.5, 0.6, 0.75, 0.9, 1.0)},
    },
    "alphadda2": {
        "connect4": {
            "nh": (1, 2),
            "a": (0.5, 1, 5, 10, 20),
            "x0": (-0.9, -0.8, -0.6, -0.4, -0.2, 0.0),
        },
        "othello6": {"nh": (1, 2), "a": (1, 5, 10, 20), "x0": (-0.9, -0.8, -0.6, -0.5, -0.4)},
        "othello": {"nh": (1, 2), "a": (5, 10, 20, 40), "x0": (-0.9, -0.8, -0.6, -0.4)},
    },
    "alphadda1": {
        "connect4": {
            "nh": (1, 2),
            "a": (1.6, 2.0, 2.4),
            "x0": (-1.6, -1.5, -1.4, -1.3, -1.2),
            "nmax": (200, 300, 400),
        },
        "othello6": {
            "nh": (1, 2),
            "a": (1.4, 1.6, 2.0, 2.4),
            "x0": (-1.8, -1.6, -1.4, -1.2),
            "nmax": (200, 300, 400),
        },
        "othello": {
            "nh": (1, 2),
            "a": (1.6, 2.0, 2.4, 2.8),
            "x0": (-1.8, -1.6, -1.4, -1.2),
            "nmax": (400, 600),
        },
    },
}


def parts(quick: bool) -> dict[str, Part]:
    """A few points of one grid a part; those with the paper's choices and the quick games first."""
    rivals = opponents.specs(opponents.TUNING, quick)
    first: dict[str, Part] = {}
    rest: dict[str, Part] = {}
    for game_id, method in product(ORDER, GRIDS):
        points = specs(game_id, method, quick)[: 2 if quick else None]
        for start in range(0, len(points), AT_ONCE):
            chosen = points[start : start + AT_ONCE]
            settings = {
                "points": chosen,
                "opponents": rivals,
                "games": 2 if quick else GAMES_EACH,
                "openings": OPENING_PLIES[game_id],
                "seed": SEED,
                "avoids": avoided(game_id),
                "network": digest(game_id),
            }
            key = f"{game_id}, {method}, points {start + 1} to {start + len(chosen)}"
            by_key = first if published(game_id, method) in chosen else rest
            by_key[key] = Part(settings, partial(measure, game_id, method, settings))
    return first | rest


def specs(game_id: str, method: str, quick: bool = False) -> list[str]:
    """Return the spec of every point of a grid; ``quick`` ones search little."""
    grid = GRIDS[method][game_id]
    if quick and "nmax" in grid:
        grid = grid | {"nmax": (8,)}
    small = "" if method == "alphadda1" or not quick else ",sims=8"
    return [spec(method, dict(zip(grid, v, strict=True))) + small for v in product(*grid.values())]


def spec(method: str, values: dict[str, float]) -> str:
    """Return the spec of a point, played as the authors' code does."""
    return f"{method}:{','.join(f'{k}={v}' for k, v in values.items())},quirks=on"


def published(game_id: str, method: str) -> str:
    """Return the spec of the point that the paper chose, N_h as the code has it."""
    config = PAPER[method][game_id]
    names = {"nh": "n_h", "nmax": "n_max"}
    chosen = {}
    for key, values in GRIDS[method][game_id].items():
        number = getattr(config, names.get(key, key))
        number = min(number, 2) if key == "nh" else number
        chosen[key] = next(value for value in values if value == number)
    return spec(method, chosen)


def measure(game_id: str, method: str, settings: dict, progress: Progress, done: Results) -> dict:
    """Play some points; keep the tables of the best and of the paper's choice, if it is there."""
    tables = play_points(game_id, settings["points"], settings, progress)
    chosen = published(game_id, method)
    return ranked(tables) | ({"chosen": tables[chosen]} if chosen in tables else {})


def page(results: Results) -> list[str]:
    """Name the best points of each grid, and where the paper's own choice comes."""
    lines = [
        f"{D_TEXT} The paper's choice is the point of its tables 1 to 3; its shares there, with "
        "its networks, are those of its tables 6 to 13.",
        "",
        "| game | method | points played | best point | D / games | paper's choice "
        "| D / games (95%) | the paper's in as many (95%) | place | distinct games |",
        "|---|---|---:|---|---:|---|---:|---:|---:|---|",
    ]
    found: dict[int, list[str]] = {}
    for game_id, method in product(GAME_IDS, GRIDS):
        mine = [row for key, row in results.items() if key.startswith(f"{game_id}, {method}, ")]
        order = sorted((d, spec) for row in mine for spec, d in row["ranked"])
        if not order:
            continue
        title, chosen = get_game(game_id).title, published(game_id, method)
        games = mine[0]["settings"]["games"]
        tables = [row["chosen"] for row in mine if "chosen" in row]
        place, ours, theirs = "not yet played", "-", paper_d(game_id, method, games)
        if tables:
            place = str(1 + [name for _, name in order].index(chosen))
            at_choice = drawn_d(tables[0])
            ours = at_choice.text()
            found.setdefault(
                compared(tables[0], tuning_rows(game_id, method), by_sides), []
            ).append(f"{method} on {title}")
        cells = [
            title,
            method,
            f"{len(order)} of {len(specs(game_id, method))}",
            f"`{order[0][1]}`",
            f"{order[0][0]:.2f}",
            f"`{chosen}`",
            ours,
            theirs.text(),
            place,
            distinct_text(row for part in mine for row in part["table"].values()),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, "", *verdict_lines(found)]


def verdict_lines(found: dict[int, list[str]]) -> list[str]:
    """Say where the paper's choice is as even as in the paper; ``found`` are names by sign of D."""
    kinds = {0: "not told from the paper's", 1: "less even than there", -1: "more even than there"}
    texts = [f"{kind}: {', '.join(found[sign])}" for sign, kind in kinds.items() if sign in found]
    return [
        "What agrees with the paper, what does not, and why: at the paper's own choice ours are "
        f"{'; '.join(texts) or 'not yet played'}. The paper's grids were made for its "
        "networks. The least D of a grid is biased low, for it is the luckiest of many at few "
        "games. The distinct games are those of each part's best point.",
    ]


EXPERIMENT = Experiment(
    "paper_grid",
    "The published grids of AlphaDDA1-3 with our networks (Fujita 2022, tables A2-A4)",
    parts,
    page,
)
