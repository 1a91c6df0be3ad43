"""The dial of Wu et al. 2019 at Go, on a foreign scale: each z against some levels of GNU Go.

The points are those of ``z_dial`` with R_th = 0.1, as many simulations and openings of the same
kind. There the opponent is the same player with z = 0; here it is another program. On 19x19 a game
takes minutes of a core, so that fewer are played.
"""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.games import get_game
from evenmatch.opponents.rating_range import gnugo
from evenmatch.play.arena import play
from evenmatch.progress import Progress
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared.intervals import elo_text, quantiles
from evenmatch_lab.shared.opponents import (
    OPENING_PLIES,
    distinct_share,
    either_side,
    pairs_of,
    row_of,
)
from evenmatch_lab.shared.scored_ends import program
from evenmatch_lab.wu2019.dial import elo_of_draws, openings_drawn
from evenmatch_lab.wu2019.dial_games import INF, USUAL, halves
from evenmatch_lab.wu2019.z_dial import SIZES as DIALS

SEED = 12
STRONG, WEAK = 2.0, -2.0  # z, between which the span is told


class Size(NamedTuple):
    """How much is played on a game."""

    games: int  #: a point
    levels: tuple[int, ...]  #: of GNU Go
    zs: tuple[float, ...]


SIZES = {
    "go9": Size(24, (10, 1), (2.0, -2.0, 0.0, INF, -INF, 1.0, -1.0)),
    "go": Size(6, (10,), (2.0, -2.0)),
}


def parts(quick: bool) -> dict[str, Part]:
    """One part a point and level."""
    by_key = {}
    sizes = {"go9": Size(2, (0,), (STRONG, WEAK))} if quick else SIZES
    for game_id, (games, levels, zs) in sizes.items():
        simulations = 4 if quick else DIALS[game_id].simulations
        for z in zs:
            for level in levels:
                specs = [USUAL.player(z, simulations), gnugo(level)]
                settings = {
                    "game": game_id,
                    "players": specs,
                    "z": str(z),
                    "level": level,
                    "simulations": simulations,
                    "games": games,
                    "openings": OPENING_PLIES[game_id],
                    "seed": SEED,
                    "network": digest(game_id),
                }
                by_key[f"{game_id}, z = {z:g}, GNU Go {level}"] = Part(
                    settings, partial(measure, game_id, specs, games)
                )
    return by_key


def measure(
    game_id: str, specs: list[str], games: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a point meet a level."""
    played = play(
        specs, either_side(0, 1, games), get_game(game_id), seed=SEED,
        openings=OPENING_PLIES[game_id], progress=progress,
    )  # fmt: skip
    return {
        "program": program(specs[1].partition("cmd=")[2]),
        "point": row_of(played, 0, 1) | {"halves": halves(played, 0, 1)},
    }


def points(results: Results, game_id: str) -> dict[int, dict[float, dict[str, Any]]]:
    """Return the rows of a game by level and z, the strongest z first, of what is done."""
    found: dict[int, dict[float, dict[str, Any]]] = {}
    for part in results.values():
        settings = part["settings"]
        if settings["game"] == game_id:
            found.setdefault(settings["level"], {})[float(settings["z"])] = part["point"]
    return {level: dict(sorted(found[level].items(), reverse=True)) for level in sorted(found)}


def plot(results: Results, path: Path) -> None:
    """Draw Elo against each level by z, one panel a game."""
    for axes in figure(path, len(SIZES), width=9):
        for axis, game_id in zip(axes, SIZES, strict=True):
            for level, rows in points(results, game_id).items():
                elo = {z: pairs_of(row).elo for z, row in rows.items()}
                told = {z: x for z, x in elo.items() if np.isfinite(z) and np.isfinite(x)}
                ends = np.array([pairs_of(rows[z]).elo_interval() for z in told]).reshape(-1, 2)
                values = np.array(list(told.values()))
                reach = np.clip(np.abs(ends.T - values), 0, 1000)
                label = f"level {level}"
                axis.errorbar(list(told), values, reach, fmt="o-", ms=3, capsize=2, label=label)
            title = f"{get_game(game_id).title}: Elo against GNU Go"
            axis.set(title=title, xlabel="z", ylabel="Elo")
            axis.grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write the scores of each z, and the span between two, by level."""
    lines = []
    for game_id in SIZES:
        by_level = points(results, game_id)
        if by_level:
            lines += [*game_lines(results, game_id, by_level), ""]
    return lines[:-1]


def game_lines(results: Results, game_id: str, by_level: dict) -> list[str]:
    """Write one game's tables."""
    first = next(part for part in results.values() if part["settings"]["game"] == game_id)
    settings = first["settings"]
    heads = [f"{what}, level {level}" for level in by_level for what in ("score", "Elo")]
    rows = [
        [f"{z:g}", *(cell for rows in by_level.values() for cell in point_cells(rows.get(z)))]
        for z in sorted({z for rows in by_level.values() for z in rows}, reverse=True)
    ]
    spans = [[level, span_text(rows)] for level, rows in by_level.items()]
    distinct = distinct_share(row for rows in by_level.values() for row in rows.values())
    return [
        f"## {get_game(game_id).title}",
        "",
        f"{first['program']}, {settings['simulations']} simulations, {settings['games']} games "
        f"per point, openings of {settings['openings']} plies, seed {settings['seed']}; distinct "
        f"games: {distinct}",
        "",
        table(["z", *heads], rows, left=()),
        "",
        table(["level", f"Elo of z = {STRONG:g} above z = {WEAK:g} (95%)"], spans),
    ]


def point_cells(row: dict[str, Any] | None) -> list[str]:
    """Write a point's score and Elo; - where it is not there."""
    if row is None:
        return ["-", "-"]
    pairs = pairs_of(row)
    low, high = pairs.interval()
    score = f"{pairs.fraction:.1%} ({low:.1%} to {high:.1%})"
    return [score, elo_text(pairs.elo, pairs.elo_interval())]


def span_text(rows: dict[float, dict[str, Any]]) -> str:
    """Write how far z = 2 and z = -2 are apart by their games with a level."""
    if not {STRONG, WEAK} <= set(rows):
        return "-"
    strong, weak = (pairs_of(rows[z]) for z in (STRONG, WEAK))
    gap = strong.elo - weak.elo
    if not np.isfinite(gap):
        return "unknown: one has a bound alone"
    draws = openings_drawn(len(rows[STRONG]["halves"]))
    with np.errstate(invalid="ignore"):
        drawn = elo_of_draws(draws, rows[STRONG]["halves"]) - elo_of_draws(
            draws, rows[WEAK]["halves"]
        )
    return elo_text(gap, quantiles(drawn))


EXPERIMENT = Experiment(
    "z_levels",
    "The index z against GNU Go's levels (Wu et al. 2019, on a foreign scale)",
    parts,
    page,
    plot,
)
