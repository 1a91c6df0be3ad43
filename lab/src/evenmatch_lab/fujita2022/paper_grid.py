"""The paper's own grids (Fujita 2022, tables A2-A4), 40 games a point and opponent as there.

The experiment grid_search looks for what suits our networks; this one plays the published points,
all of them, as the authors' code did (``quirks=on``). That code never averages more than the last
two positions, so points with N_h from 2 on are one, and are played once.
"""

from functools import partial
from itertools import product

from evenmatch.games import get_game
from evenmatch.strength import PAPER
from evenmatch_lab.fujita2022.grid_search import measure
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import GAME_IDS, OPENING_PLIES, distinct_text

GAMES_EACH, SEED, AT_ONCE = 40, 8, 8  # points of a part
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
    """A few points of one grid a part, the quick games first."""
    rivals = opponents.specs(opponents.TUNING, quick)
    by_key = {}
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
                "network": digest(game_id),
            }
            key = f"{game_id}, {method}, points {start + 1} to {start + len(chosen)}"
            by_key[key] = Part(settings, partial(measure, game_id, settings, None))
    return by_key


def specs(game_id: str, method: str, quick: bool = False) -> list[str]:
    """Return the spec of every point of a grid."""
    grid = GRIDS[method][game_id]
    small = {"alphadda1": "", "alphadda2": ",sims=8", "alphadda3": ",sims=8"}[method]
    return [
        f"{method}:{','.join(f'{k}={v}' for k, v in zip(grid, values, strict=True))},quirks=on"
        + (small if quick else "")
        for values in product(*grid.values())
    ]


def published(game_id: str, method: str) -> str:
    """Return the spec of the point that the paper chose, N_h as the code has it."""
    config = PAPER[method][game_id]
    names = {"nh": "n_h", "nmax": "n_max"}
    numbers = {key: getattr(config, names.get(key, key)) for key in GRIDS[method][game_id]}
    numbers["nh"] = min(numbers["nh"], 2)
    return next(
        spec
        for spec in specs(game_id, method)
        if all(
            float(part.partition("=")[2]) == numbers[part.partition("=")[0]]
            for part in spec.partition(":")[2].split(",")
            if part.partition("=")[0] in numbers
        )
    )


def page(results: Results) -> list[str]:
    """Name the best points of each grid, and where the paper's own choice comes."""
    lines = [
        "D (eq. 11) is the sum over five opponents and both sides of |wins - losses|, here divided "
        "by the games against each opponent: 0 is even with all, 5 is all one-sided. The paper's "
        "choice is the point of its tables 1 to 3. Pairs of games start from the same random "
        "plies; the paper has no openings.",
        "",
        "| game | method | points played | best point | D / games | paper's choice | D / games "
        "| place | distinct games |",
        "|---|---|---:|---|---:|---|---:|---:|---|",
    ]
    lowest = []
    for game_id, method in product(GAME_IDS, GRIDS):
        mine = [row for key, row in results.items() if key.startswith(f"{game_id}, {method}, ")]
        ranked = sorted((d, spec) for row in mine for spec, d in row["ranked"])
        if not ranked:
            continue
        places = {spec: (place, d) for place, (d, spec) in enumerate(ranked, start=1)}
        chosen = published(game_id, method)
        place, d = places.get(chosen, ("not yet played", None))
        lowest.append(ranked[0][0])
        cells = [
            get_game(game_id).title,
            method,
            f"{len(ranked)} of {len(specs(game_id, method))}",
            f"`{ranked[0][1]}`",
            f"{ranked[0][0]:.2f}",
            f"`{chosen}`",
            "-" if d is None else f"{d:.2f}",
            str(place),
            distinct_text(row for part in mine for row in part["table"].values()),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if lowest:
        lines += [
            "",
            "What agrees with the paper, what does not, and why: the paper's grids are around what "
            "suited its networks. With ours, the most even of their points has a D / games of "
            f"{min(lowest):.2f} to {max(lowest):.2f}. The distinct games are those of each part's "
            "best point.",
        ]
    return lines


EXPERIMENT = Experiment(
    "paper_grid",
    "The published grids of AlphaDDA1-3 with our networks (Fujita 2022, tables A2-A4)",
    parts,
    page,
)
