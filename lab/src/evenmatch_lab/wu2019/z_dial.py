"""Tables 1 and 2 and figures 1 to 4 of Wu et al. 2019, on Othello 8x8."""

from functools import partial
from itertools import pairwise

from evenmatch_lab.runner import Experiment, Part, digest
from evenmatch_lab.shared.opponents import OPENING_PLIES
from evenmatch_lab.wu2019.dial_games import (
    GAME,
    INF,
    SEED,
    USUAL,
    Candidates,
    measure,
    measure_step,
    specs_of,
    step_specs,
)
from evenmatch_lab.wu2019.dial_page import page, plot

SIMULATIONS, MORE_SIMULATIONS = 200, 400
GAMES, FEW_GAMES = 250, 100  # a point: at R_th = 0.1 as in the paper, and elsewhere
THRESHOLDS = (0.05, 0.25, 0.02, 0.5, 0.0)  # beside that of ``USUAL``
TOPS = (2, 3, 5)
ENDS = (2.0, -2.0, -INF, INF)  # the span is told as soon as the first two are there
INTEGER_Z, HALF_Z = (1.0, 0.0, -1.0), (1.5, 0.5, -0.5, -1.5)
OF_TOPS = (2.0, 0.0, -2.0, -INF)
STEPS = (INF, 2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # each meets the next


def parts(quick: bool) -> dict[str, Part]:
    """One part a point, so that a part takes minutes; what decides most comes first.

    z = inf is one player whatever R_th; z = 0 with R_th = 0.1 is the opponent itself.
    """
    simulations, many, few = (8, 4, 4) if quick else (SIMULATIONS, GAMES, FEW_GAMES)
    by_key = {}

    def add(name: str, candidates: Candidates, zs, sims: int, games: int) -> None:
        for z in zs:
            specs = specs_of(candidates, z, sims)
            settings = candidates._asdict() | {"z": str(z)} | shared(specs, sims, games)
            run = partial(measure, candidates, z, sims, games)
            by_key[f"{name}, z = {z:g}"] = Part(settings, run)

    usual = ENDS if quick else (*ENDS, *(z for z in (*INTEGER_Z, *HALF_Z) if z))
    add(f"R_th = {USUAL.r_th:g}", USUAL, usual, simulations, many)
    for z, lower in list(pairwise(STEPS))[: 1 if quick else None]:
        specs = step_specs(z, lower, simulations)
        by_key[f"step, z = {z:g} to {lower:g}"] = Part(
            {"z": str(z), "lower": str(lower)} | shared(specs, simulations, few),
            partial(measure_step, z, lower, simulations, few),
        )
    for zs in [ENDS[:-1]] if quick else (ENDS[:-1], INTEGER_Z, HALF_Z):
        for r_th in THRESHOLDS[:1] if quick else THRESHOLDS:
            add(f"R_th = {r_th:g}", Candidates(r_th), zs, simulations, few)
    for top in TOPS[:1] if quick else TOPS:
        add(f"top {top}", Candidates(0.0, top), OF_TOPS, simulations, few)
    more = 2 * simulations if quick else MORE_SIMULATIONS
    slower = ENDS if quick else (*ENDS, *(z for z in INTEGER_Z if z))
    add(f"{more} simulations", USUAL, slower, more, few)
    return by_key


def shared(specs: list[str], simulations: int, games: int) -> dict:
    """Return the settings that all parts have."""
    return {
        "players": specs,
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
