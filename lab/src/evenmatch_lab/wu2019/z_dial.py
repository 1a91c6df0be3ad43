"""Tables 1 and 2 and figures 1 to 4 of Wu et al. 2019, on Othello 8x8 and on Go."""

from functools import partial
from itertools import pairwise
from typing import NamedTuple

from evenmatch_lab.runner import Experiment, Part, digest
from evenmatch_lab.shared.opponents import FEW, OPENING_PLIES
from evenmatch_lab.wu2019.dial_games import (
    GAME,
    INF,
    SEED,
    USUAL,
    Candidates,
    measure,
    measure_step,
    named,
    specs_of,
    step_specs,
)
from evenmatch_lab.wu2019.dial_page import page, plot

#: The span is told as soon as the first two are there.
ENDS: tuple[float, ...] = (2.0, -2.0, -INF, INF)
INTEGER_Z, HALF_Z = (1.0, 0.0, -1.0), (1.5, 0.5, -0.5, -1.5)
OF_TOPS: tuple[float, ...] = (2.0, 0.0, -2.0, -INF)


class Size(NamedTuple):
    """How much is played on a game."""

    simulations: int  #: a move
    longer: int  #: simulations of a longer search
    games: int  #: a point at the threshold ratio of ``USUAL``: 250 in the paper
    end_games: int  #: a point elsewhere of ``ENDS``, between which H and the span lie
    few_games: int  #: a step, and a point of a longer search that lies within the dial
    fewest: int  #: a point elsewhere that lies within the dial: what matters are its visits
    half_z: tuple[float, ...] = HALF_Z  #: beside ``ENDS`` and ``INTEGER_Z``
    thresholds: tuple[float, ...] = (0.05, 0.25, 0.02, 0.5, 0.0)  #: beside that of ``USUAL``
    tops: tuple[int, ...] = (2, 3, 5)
    steps: tuple[float, ...] = (INF, 2.0, 1.0, 0.0, -1.0, -2.0, -INF)  #: each meets the next


#: By game. Games of Go take longer, so that there are fewer. On 19x19 there is table 1 alone.
SIZES = {
    GAME: Size(200, 400, 250, 120, 40, 16),
    "go9": Size(100, 200, 60, 24, 24, 8),
    "go": Size(32, 0, 8, 0, 0, 0, half_z=(), thresholds=(), tops=(), steps=()),
}


def parts(quick: bool, game_id: str = GAME) -> dict[str, Part]:
    """One part a point, so that a part takes minutes; what decides most comes first.

    z = inf is one player whatever R_th; z = 0 with R_th = 0.1 is the opponent itself.
    """
    size, ends, of_tops = SIZES[game_id], ENDS, OF_TOPS
    if quick:
        ends, of_tops = ENDS[:2], OF_TOPS[:2]
        steps, thresholds, tops = size.steps[:2], size.thresholds[:1], size.tops[:1]
        longer = 2 * FEW * bool(size.longer)
        size = Size(FEW, longer, *(2,) * 4, (), thresholds, tops, steps)
    by_key = {}

    def add(name: str, candidates: Candidates, zs, sims: int, games: int) -> None:
        for z in zs:
            specs = specs_of(candidates, z, sims)
            settings = candidates._asdict() | {"z": str(z)} | shared(game_id, specs, sims, games)
            run = partial(measure, game_id, candidates, z, sims, games)
            by_key[f"{name}, z = {z:g}"] = Part(settings, run)

    simulations, few = size.simulations, size.few_games
    usual = ENDS if quick else (*ENDS, *(z for z in (*INTEGER_Z, *size.half_z) if z))
    add(f"R_th = {USUAL.r_th:g}", USUAL, usual, simulations, size.games)
    for z, lower in pairwise(size.steps):
        specs = step_specs(z, lower, simulations)
        by_key[f"step, z = {z:g} to {lower:g}"] = Part(
            {"z": str(z), "lower": str(lower)} | shared(game_id, specs, simulations, few),
            partial(measure_step, game_id, z, lower, simulations, few),
        )
    for zs in [ends] if quick else (ENDS[:-1], INTEGER_Z, size.half_z):
        for r_th in size.thresholds:
            games = size.end_games if zs == ENDS[:-1] else size.fewest
            add(f"R_th = {r_th:g}", Candidates(r_th), zs, simulations, games)
    for top in size.tops:
        add(f"top {top}", Candidates(0.0, top), of_tops, simulations, size.fewest)
    within = () if quick else tuple(z for z in INTEGER_Z if z)
    if size.longer:
        add(f"{size.longer} simulations", USUAL, ends, size.longer, size.end_games)
        add(f"{size.longer} simulations", USUAL, within, size.longer, few)
    return by_key


def shared(game_id: str, specs: list[str], simulations: int, games: int) -> dict:
    """Return the settings that all parts have."""
    return named(game_id) | {
        "players": specs,
        "simulations": simulations,
        "games": games,
        "openings": OPENING_PLIES[game_id],
        "seed": SEED,
        "network": digest(game_id),
    }


EXPERIMENT = Experiment(
    "z_dial",
    "Strength by index z and threshold ratio (Wu et al. 2019, tables 1-2, figures 1-4)",
    parts,
    page,
    plot,
    games=("go9", "go"),
)
