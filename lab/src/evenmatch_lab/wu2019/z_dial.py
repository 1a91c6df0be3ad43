"""Tables 1 and 2 and figures 1 to 4 of Wu et al. 2019, on Othello 8x8."""

from functools import partial

from evenmatch_lab.runner import Experiment, Part, digest
from evenmatch_lab.shared.opponents import OPENING_PLIES
from evenmatch_lab.wu2019.dial_games import (
    GAME,
    INF,
    SEED,
    USUAL,
    Candidates,
    Z,
    measure,
    measure_steps,
)
from evenmatch_lab.wu2019.dial_page import page, plot

SIMULATIONS, MORE_SIMULATIONS = 200, 400
GAMES, FEW_GAMES = 250, 100  # a point: at R_th = 0.1 as in the paper, and elsewhere
THRESHOLDS = (0.1, 0.05, 0.02, 0.25, 0.5, 0.0)
TOPS = (2, 3, 5)
COARSE = (INF, 2.0, 1.0, -1.0, -2.0, -INF)  # with more simulations
OF_TOPS = (2.0, 0.0, -2.0, -INF)
STEPS = (INF, 2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # each meets the next
QUICK = (INF, 2.0, 0.0, -2.0, -INF)


def parts(quick: bool) -> dict[str, Part]:
    """A few points of a threshold each, so that a part takes minutes; R_th = 0.1 first."""
    simulations, many, few = (8, 4, 4) if quick else (SIMULATIONS, GAMES, FEW_GAMES)
    by_key = {}

    def add(name: str, candidates: Candidates, groups, sims: int, games: int) -> None:
        for used in groups:
            key = f"{name}, z {used[0]:g} to {used[-1]:g}"
            settings = candidates._asdict() | {"z": [str(z) for z in used]}
            run = partial(measure, candidates, used, sims, games)
            by_key[key] = Part(settings | shared(sims, games), run)

    for r_th in THRESHOLDS[:2] if quick else THRESHOLDS:
        size, games = (3, many) if r_th == USUAL.r_th else (6, few)
        groups = [QUICK] if quick else in_groups(Z, size)
        add(f"R_th = {r_th}", Candidates(r_th), groups, simulations, games)
        if r_th == USUAL.r_th:
            by_key["steps"] = Part(
                {"z": [str(z) for z in STEPS]} | shared(simulations, few),
                partial(measure_steps, STEPS, simulations, few),
            )
            more = 2 * simulations if quick else MORE_SIMULATIONS
            groups = [QUICK] if quick else in_groups(COARSE, 3)
            add(f"{more} simulations", USUAL, groups, more, few)
    for top in TOPS[:1] if quick else TOPS:
        add(f"top {top}", Candidates(0.0, top), [OF_TOPS], simulations, few)
    return by_key


def in_groups(points: tuple[float, ...], size: int) -> list[tuple[float, ...]]:
    """Cut points into groups of ``size``; the last may have fewer."""
    return [points[at : at + size] for at in range(0, len(points), size)]


def shared(simulations: int, games: int) -> dict:
    """Return the settings that all parts have."""
    return {
        "simulations": simulations,
        "games": games,
        "openings": OPENING_PLIES[GAME],
        "seed": SEED,
        "network": digest(GAME),
    }


EXPERIMENT = Experiment(
    "z_dial",
    "Strength by index z and threshold ratio (Wu et al. 2019, tables 1-2, figures 1-4)",
    parts,
    page,
    plot,
)
