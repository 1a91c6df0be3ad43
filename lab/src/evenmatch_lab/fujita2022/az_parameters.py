"""Figures 3A, 3B and 4 of Fujita 2022: AlphaZero's Elo by simulations, C_puct and dropout.

AlphaZero with one number changed plays 50 games against each of five opponents, as the paper's
does, and 6 on 8x8, where a game takes several times as long. Their Elo is fixed at what a round
robin among them gave (the paper's table 4). Two games at a time start from the same random plies,
as in elo_table: without openings, as in the paper, players that hardly choose at random repeat two
games 25 times, and points of one curve lay up to 400 Elo apart.
"""

from functools import partial
from itertools import pairwise
from pathlib import Path

from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore
from evenmatch.ratings.pentanomial import anchored_interval
from evenmatch_lab.fujita2022 import elo_table
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    both,
    bounded,
    elo_text,
    meet,
    pairs_of,
)

GAMES_EACH, SEED = {"connect4": 50, "othello6": 50, "othello": 6}, 3

#: Figure -> (the key of the spec, its values, the axis).
FIGURES = {
    "3A": ("sims", (1, 2, 5, 10, 20, 40, 80, 120, 160, 200, 300, 400), "simulations"),
    "3B": ("c_puct", (0.0, 0.25, 0.5, 1.0, 1.25, 2.0, 3.0, 4.0), "C_puct"),
    "4": ("dropout", (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95), "dropout"),
}


def parts(quick: bool) -> dict[str, Part]:
    """For each game a round robin of the opponents, then one part a figure."""
    tournaments, resamples = elo_table.size(quick)
    by_key: dict[str, Part] = {}
    for game_id in GAME_IDS:
        rivals = opponents.specs(opponents.tuning(quick), quick)
        games = 2 if quick else GAMES_EACH[game_id]
        shared = {"opponents": rivals, "network": digest(game_id), "seed": SEED}
        by_key[f"{game_id}, opponents"] = Part(
            shared
            | {"tournaments": tournaments, "resamples": resamples}
            | {"seed": elo_table.SEED, "openings": OPENING_PLIES[game_id]},
            partial(elo_table.measure, game_id, rivals, tournaments, resamples),
        )
        for name, (key, values, _) in FIGURES.items():
            used = values[-2:] if quick else values
            players = [player(key, value, quick) for value in used]
            by_key[f"{game_id}, figure {name}"] = Part(
                shared | {"players": players, "games": games, "openings": OPENING_PLIES[game_id]},
                partial(measure, game_id, players, used, rivals, games),
                (f"{game_id}, opponents",),
            )
    return by_key


def player(key: str, value: float, quick: bool) -> str:
    """Return AlphaZero's spec with one number changed."""
    values: dict[str, float] = {"sims": FEW} if quick else {}
    values[key] = min(value, FEW) if quick and key == "sims" else value
    return "alphazero:random_root=0.2," + ",".join(f"{k}={v}" for k, v in values.items())


def measure(
    game_id: str,
    players: list[str],
    values: tuple[float, ...],
    rivals: dict[str, str],
    games: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play every variant against the opponents and rate it with theirs fixed."""
    tables = meet(players, rivals, get_game(game_id), games, SEED, progress)
    known = done[f"{game_id}, opponents"]["likelihood"]
    anchors = {name: elo[0] for name, elo in known.items()}
    points = []
    for value, by_name in zip(values, tables, strict=True):
        pairings = [
            PairingScore(first="it", second=name, score=both(sides))
            for name, sides in by_name.items()
        ]
        elo = BradleyTerry(anchors=anchors).fit(pairings)["it"].elo
        met = {anchors[name]: pairs_of(sides) for name, sides in by_name.items()}
        ends = bounded(elo, *anchored_interval(met, elo))
        points.append({"value": value, "elo": ends, "table": by_name})
    return {"points": points}


def plot(results: dict, path: Path) -> None:
    """Draw Elo against each number, one panel a figure, one line a game."""
    for axes in figure(path, len(FIGURES)):
        for axis, (name, (_, _, label)) in zip(axes, FIGURES.items(), strict=True):
            for game_id in GAME_IDS:
                points = results[f"{game_id}, figure {name}"]["points"]
                elo = [point["elo"][0] for point in points]
                bounds = [
                    [x if x is not None else e for x in p["elo"][1:]]
                    for p, e in zip(points, elo, strict=True)
                ]
                below = [e - low for e, (low, _) in zip(elo, bounds, strict=True)]
                above = [high - e for e, (_, high) in zip(elo, bounds, strict=True)]
                x = [point["value"] for point in points]
                axis.errorbar(
                    x, elo, (below, above), marker="o", capsize=2, label=get_game(game_id).title
                )
            axis.set_title(f"figure {name}")
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        axes[0].set_xscale("log")
        axes[0].set_ylabel("Elo")
        axes[-1].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write what Elo does by parameter, then all points."""
    heads = ["game", "Elo from the least to the most simulations", "steps down"]
    heads += ["from the least to the most dropout", "steps up"]
    heads += ["lowest and highest with C_puct above 0", "not shown to be above Random"]
    lines = [table(heads, [summary(results, game_id) for game_id in GAME_IDS])]
    for game_id in GAME_IDS:
        known = results[f"{game_id}, opponents"]["likelihood"]
        rows = [[name, elo_text(elo)] for name, elo in known.items()]
        lines += ["", f"## {get_game(game_id).title}", "", table(["opponent", "Elo (95%)"], rows)]
        for name, (_, _, label) in FIGURES.items():
            row = results[f"{game_id}, figure {name}"]
            games = row["settings"]["games"]
            lines += ["", f"Figure {name}: {games} games with each, {row['seconds']:.0f} s", ""]
            rows = [[point["value"], elo_text(point["elo"])] for point in row["points"]]
            lines.append(table([label, "Elo (95%)"], rows, left=()))
    return lines


def summary(results: Results, game_id: str) -> list[str]:
    """Return the cells that set a game beside what the paper says of its figures."""
    points = {name: results[f"{game_id}, figure {name}"]["points"] for name in FIGURES}
    random = results[f"{game_id}, opponents"]["likelihood"]["Random"]
    c_puct = [point for point in points["3B"] if point["value"] != 0]
    lowest, highest = (extreme(c_puct, key=_elo) for extreme in (min, max))
    every = [point for some in points.values() for point in some]
    weak = sum(not _apart(random, point["elo"]) for point in every)
    ends = f"{_elo(lowest):.0f} and {_elo(highest):.0f}"
    apart = " (apart)" if _apart(lowest["elo"], highest["elo"]) else " (not apart)"
    changes = [*_change(points["3A"]), *_change(points["4"])]
    return [get_game(game_id).title, *changes, ends + apart, f"{weak} of {len(every)}"]


def _change(points: list[dict]) -> list[str]:
    """Return what Elo does from the first to the last point, and its steps the other way."""
    first, last = points[0], points[-1]
    low, high = sorted((first, last), key=_elo)
    steps = [_elo(b) - _elo(a) for a, b in pairwise(points)]
    sign = 1 if _elo(last) > _elo(first) else -1
    apart = "apart" if _apart(low["elo"], high["elo"]) else "not apart"
    other = sum(sign * step < 0 for step in steps)
    return [f"{_elo(last) - _elo(first):+.0f} ({apart})", f"{other} of {len(steps)}"]


def _apart(low: list[float | None], high: list[float | None]) -> bool:
    """Whether an Elo is shown to be below another: their intervals do not meet."""
    return low[2] is not None and high[1] is not None and low[2] < high[1]


def _elo(point: dict) -> float:
    return point["elo"][0]


EXPERIMENT = Experiment(
    "az_parameters",
    "AlphaZero's Elo by its parameters (Fujita 2022, figures 3A, 3B and 4)",
    parts,
    page,
    plot,
)
