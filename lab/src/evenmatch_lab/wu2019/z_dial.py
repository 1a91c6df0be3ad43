"""Tables 1 and 2 and figures 1 to 4 of Wu et al. 2019, on Othello 8x8.

A player that draws its moves by visits to the power of z, above the threshold ratio R_th, meets
the same player with z = 0 and R_th = 0.1, 250 games a point as in the paper. Its root visits
give E_norm and the average number of candidates. The paper plays Go with about 260 visits of the
best move; here a move has ``SIMULATIONS``.
"""

import math
from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.arena import Pairing, play
from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore
from evenmatch.strength.analysis import (
    linear_fit,
    logistic_fit,
    mean_candidates,
    normalized_strength,
    strength_index,
)
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared.opponents import counted, interval, score_of

GAME, SIMULATIONS, GAMES_EACH, SEED = "othello", 200, 250, 5
INF = math.inf
Z = (INF, 2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0, -INF)
COARSE = (INF, 2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # for thresholds other than the first
LINEAR = [z for z in Z if abs(z) <= 2]
THRESHOLDS = (0.1, 0.0, 0.02, 0.05, 0.25, 0.5)
CURVE = [x / 4 for x in range(-20, 21)]  # where E_norm is drawn
BASELINE = "it"

#: Wu et al. 2019, table 1: win rate in percent and Elo relative to z = inf; table 2: H.
PAPER_RATES = (97.6, 94.4, 92.4, 91.2, 71.6, 50.0, 35.6, 21.6, 13.2, 12.4, 7.2)
PAPER_ELO = (0, -153, -210, -237, -483, -644, -747, -868, -971, -983, -1088)
PAPER_H = {0.02: 4.385, 0.05: 5.369, 0.1: 6.243, 0.25: 6.244, 0.5: 3.292}


def parts(quick: bool) -> dict[str, Part]:
    """One part a threshold ratio."""
    simulations, games = (8, 4) if quick else (SIMULATIONS, GAMES_EACH)
    by_key = {}
    for r_th in THRESHOLDS[:2] if quick else THRESHOLDS:
        used = COARSE if quick or r_th != THRESHOLDS[0] else Z
        settings = {
            "r_th": r_th,
            "z": [str(z) for z in used],
            "simulations": simulations,
            "games": games,
            "seed": SEED,
            "network": digest(GAME),
        }
        by_key[f"R_th = {r_th}"] = Part(settings, partial(measure, r_th, used, simulations, games))
    return by_key


def player(z: float, r_th: float, simulations: int) -> str:
    """Return the spec of a point."""
    return f"softmax:z={z},r_th={r_th},sims={simulations}"


def measure(
    r_th: float,
    used: tuple[float, ...],
    simulations: int,
    games: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play every z against the baseline, keeping the root visits of those with finite z."""
    players = [player(z, r_th, simulations) for z in used]
    entrants = [*players, player(0.0, 0.1, simulations)]
    last = len(players)
    pairings = [
        Pairing(*((p, last) if k % 2 == 0 else (last, p)))
        for p in range(last)
        for k in range(games)
    ]
    roots: list[np.ndarray] = []

    def watch(entrant, turns, mover):
        if entrant < last and math.isfinite(used[entrant]):
            roots.append(mover.last.visits.astype(np.int16))

    played = play(entrants, pairings, get_game(GAME), seed=SEED, progress=progress, watch=watch)
    points = []
    for p, z in enumerate(used):
        mine = [
            g.result if g.pairing.first == p else -g.result
            for g in played
            if p in (g.pairing.first, g.pairing.second)
        ]
        score = counted(mine)
        fit = BradleyTerry(anchors={BASELINE: 0.0}).fit(
            [PairingScore(first="z", second=BASELINE, score=score_of(score))]
        )
        elo = interval(fit["z"]) if players[p] != entrants[last] else [0.0, 0.0, 0.0]  # itself
        points.append({"z": str(z), "score": score, "elo": elo})
    visits = np.concatenate(roots)
    return {
        "points": points,
        "positions": len(visits),
        "candidates": mean_candidates(visits, r_th),
        "e_norm": [normalized_strength(visits, z, r_th) for z in CURVE],
        "e_norm_lowest": normalized_strength(visits, -INF, r_th),
        "mean_most_visits": float(visits.max(1).mean()),
    }


def elo_of(row: dict) -> dict[float, float]:
    """Return the Elo of the points against the baseline, by z; those without bound left out."""
    elo = {float(point["z"]): point["elo"][0] for point in row["points"]}
    return {z: x for z, x in elo.items() if x is not None}


def plot(results: dict, path: Path) -> None:
    """Draw figures 1 and 2, 3, and 4."""
    for axes in figure(path, 3):
        for row in results.values():
            elo = elo_of(row)
            inside = [z for z in elo if math.isfinite(z)]
            axes[0].plot(
                inside, [elo[z] for z in inside], "o-", ms=3, label=f"{row['settings']['r_th']}"
            )
        axes[0].set(title="figures 1, 2: Elo by z", xlabel="z", ylabel="Elo against z = 0")
        axes[0].legend(title="R_th", frameon=False, fontsize=8)
        ratios = sorted((row["settings"]["r_th"], row["candidates"]) for row in results.values())
        axes[1].plot(*zip(*ratios, strict=True), "o-")
        axes[1].set(
            title="figure 3: candidates by R_th", xlabel="R_th", ylabel="moves to choose among"
        )
        row = next(iter(results.values()))
        axes[2].plot(CURVE, row["e_norm"])
        axes[2].set(title="figure 4: E_norm, R_th = 0.1", xlabel="z", ylabel="E_norm")
        for axis in axes:
            axis.grid(alpha=0.3)


def page(results: dict) -> list[str]:
    """Write table 1, the fits, and table 2."""
    row = next(iter(results.values()))
    settings = row["settings"]
    lines = [
        f"Othello 8x8 in place of Go, {settings['simulations']} simulations a move (the most "
        f"visited move has {row['mean_most_visits']:.0f} on average, the paper's about 259), "
        f"{settings['games']} games a point, seed {settings['seed']}. Intervals are 95%.",
        "",
        "## Table 1: Elo by z, R_th = 0.1",
        "",
        "| z | win rate, paper | win rate, ours (draws half) | Elo above z = 0, paper "
        "| Elo, ours | interval, ours |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    even = PAPER_ELO[Z.index(0.0)]
    for point in row["points"]:
        z = float(point["z"])
        rate, elo = PAPER_RATES[Z.index(z)], PAPER_ELO[Z.index(z)]
        score = score_of(point["score"])
        mine, low, high = ("?" if x is None else f"{x:+.0f}" for x in point["elo"])
        between = f"{low} to {high}" if low != high else "itself"
        lines.append(
            f"| {z:g} | {rate}% | {score.fraction:.1%} | {elo - even:+d} | {mine} | {between} |"
        )
    lines += ["", *fit_lines(row), "", "## Table 2: H by threshold ratio", ""]
    lines += [
        "| R_th | paper: H | ours: H | E_norm(-inf) | Elo(-inf) - Elo(inf) | Elo(2) - Elo(-2) "
        "| candidates | positions |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    rows = sorted(results.values(), key=lambda row: row["settings"]["r_th"])
    return lines + [threshold_line(row) for row in rows]


def threshold_line(row: dict) -> str:
    """Write a threshold's line of table 2."""
    r_th, elo = row["settings"]["r_th"], elo_of(row)
    lowest = row["e_norm_lowest"]
    gap = elo[-INF] - elo[INF] if {-INF, INF} <= set(elo) else None
    span = elo[2.0] - elo[-2.0] if {-2.0, 2.0} <= set(elo) else None
    h = strength_index(gap, lowest) if gap and lowest else None
    numbers = [
        f"{x:.{digits}f}" if x is not None else "?" for x, digits in ((h, 2), (gap, 0), (span, 0))
    ]
    return (
        f"| {r_th} | {PAPER_H.get(r_th, '-')} | {numbers[0]} | {lowest:.2f} | {numbers[1]} | "
        f"{numbers[2]} | {row['candidates']:.2f} | {row['positions']} |"
    )


def span_text(row: dict) -> str:
    """Write Elo(2) - Elo(-2) with its 95% interval; both are measured against z = 0 alone."""
    ends = {float(point["z"]): point["elo"] for point in row["points"]}
    (high, *of_high), (low, *of_low) = ends[2.0], ends[-2.0]
    if None in (high, low, *of_high, *of_low):
        return "without bound"
    half = math.hypot((of_high[1] - of_high[0]) / 2, (of_low[1] - of_low[0]) / 2)
    return f"{high - low:.0f} ({high - low - half:.0f} to {high - low + half:.0f})"


def fit_lines(row: dict) -> list[str]:
    """Say how straight the dial is, and how near to what the visits foretell."""
    elo = elo_of(row)
    inside = np.array([z for z in LINEAR if z in elo])
    values = np.array([elo[z] for z in inside])
    if len(inside) < 3:
        return ["Too few points with bounded Elo for a fit."]
    line = linear_fit(inside, values)
    lines = [
        f"- Span over z in [-2, 2]: {span_text(row)} Elo (paper 830).",
        f"- Linear regression error: {line.error:.1f} Elo (paper 47.95), slope "
        f"{line.parameters[0]:.0f} Elo per z (paper 238, by the "
        "same fit to its table).",
    ]
    if {-INF, INF} <= set(elo):
        low, high = elo[-INF], elo[INF]
        curve = logistic_fit(inside, values, low, high)
        b0, b1 = curve.parameters
        expected = (
            high + (low - high) * np.interp(inside, CURVE, row["e_norm"]) / row["e_norm_lowest"]
        )
        lines += [
            f"- Logistic regression error: {curve.error:.1f} Elo, b0 {b0:.2f}, b1 {b1:.2f} (paper "
            "26.00, -0.25, 1.16).",
            f"- Elo as E_norm and H foretell it (eq. 15): mean error "
            f"{np.abs(values - expected).mean():.1f} Elo (paper 40.45).",
        ]
    return lines


EXPERIMENT = Experiment(
    "z_dial",
    "Strength by index z and threshold ratio (Wu et al. 2019, tables 1-2, figures 1-4)",
    parts,
    page,
    plot,
)
