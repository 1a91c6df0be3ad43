"""Why a theta that foresees people's moves does not play at their strength: ACE's two sides.

ACE fits (tau, t, c_puct) to how likely people's moves are. Here the same searches are judged by
both: what people's moves cost in nats, and by Stockfish what the player's moves lose. From the
theta fitted, tau alone is turned down, which plays the best moves more often.

The positions are the first of those on which ``theta_fit`` is judged: of split candidate, to whom
nothing was fitted. A player's loss is an expectation over its moves; of those that neither policy
nor search find worth a thought one stands for all (``level_fit.judged``).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.games import get_game
from evenmatch.network.conditions import asked_rating
from evenmatch.players.evaluators import network_of
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset
from evenmatch.search import Plan
from evenmatch.strength.levels import CHESS
from evenmatch.strength.theta import LEAST, Theta, probabilities
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import CLASSES, SIMULATIONS, WIDTH, networks, only_folder
from evenmatch_lab.shared.engine_losses import Judge, judge_settings, percent
from evenmatch_lab.shared.level_numbers import Seen, judged, logs_of, search
from evenmatch_lab.shared.positions import drawn_moves

SEED = 12  # theta_fit's
POSITIONS = 200
QUICK = 6, 4  # positions, simulations
FACTORS = (1.0, 0.5, 0.25)  #: of the tau fitted
RARE = 0.1  #: a player's rare moves are those of less than this chance
BASES = {"ace": CHESS.ace, "ace, rating unknown": CHESS.ace_untold}

Floats = NDArray[np.float64]


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each class a part of each player."""
    folder = only_folder(data, nets)
    positions, sims = QUICK if quick else (POSITIONS, SIMULATIONS)
    by_key: dict[str, Part] = {}
    for label, lowest in CLASSES.items():
        for name, thetas in BASES.items():
            theta, told = thetas[lowest + WIDTH // 2], thetas is CHESS.ace
            settings = {
                "dataset": Dataset.open(folder).identity,
                "networks": networks("ace"),
                "judge": judge_settings(),
                "from": lowest,
                "theta": theta.values,
                "told": told,
                "factors": FACTORS,
                "rare": RARE,
                "positions": positions,
                "simulations": sims,
                "seed": SEED,
            }
            work = partial(look, folder, lowest, positions, sims, theta, told)
            by_key[f"{name}: {label}"] = Part(settings, work)
    return by_key


def look(
    folder: Path,
    lowest: int,
    positions: int,
    sims: int,
    theta: Theta,
    told: bool,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return what moves cost and lose under theta and smaller tau, and which of them are rare."""
    band = lowest, lowest + WIDTH
    moves = drawn_moves(Dataset.open(folder), "candidate", band, positions, SEED)
    plan = theta.plan(Plan(simulations=sims))
    if told:
        card = network_of(get_game("chess")).card
        plan = replace(plan, **asked_rating(lowest + WIDTH / 2, None, card)._asdict())
    roots = search(moves, plan, progress)
    with Judge() as judge:
        seen = Seen(moves, roots, judged(judge, moves, roots, progress))
    assert moves.people is not None
    theirs, rows = seen.of(moves.actions), np.arange(len(roots))
    tried = []
    for factor in FACTORS:
        tau = max(theta.temperature * factor, LEAST)
        pis = np.array([probabilities(root.visits, root.legal, tau) for root in roots])
        nats = -logs_of(pis[rows, moves.actions]).mean()
        more = seen.estimate((pis * seen.losses).sum(1) - theirs)
        tried.append([round(tau, 4), round(float(nats), 4), *more])
        if factor == FACTORS[0]:
            parted = split_by_chance(pis, seen.losses, moves.actions)
    return {
        "people": seen.estimate(theirs),
        "movers": [len(rows), len(np.unique(moves.people))],
        "tried": tried,
        "rare_moves": parted,
    }


def split_by_chance(pis: Floats, losses: Floats, actions: NDArray) -> list[list[float]]:
    """Return the share of moves that are rare by a player's chances ``pis`` [n, A], and their part.

    Two rows, of the player's moves and of the ``actions`` [n] of people: the share, and what is
    lost by them of all that is lost, in chances a move; ``losses`` [n, A] are of all moves.
    """
    rare, rows = pis < RARE, np.arange(len(actions))
    own = (pis * rare).sum(1).mean(), (pis * rare * losses).sum(1).mean()
    people = rare[rows, actions], rare[rows, actions] * losses[rows, actions]
    return [[round(float(x), 5) for x in (own)], [round(float(x.mean()), 5) for x in people]]


def page(results: Results) -> list[str]:
    """Write a table of players and classes, and what their rare moves lose."""
    settings = next(iter(results.values()))["settings"]
    heads = ["theta fitted", *(f"tau times {factor:g}" for factor in FACTORS[1:])]
    lines = [
        "People's moves by nats (the fewer, the better they are foreseen), and how many points of "
        "chances a move loses more than people's in the same positions, with 95% intervals (by "
        f"the jackknife over people), by {settings['judge'][0]} ({settings['judge'][1]} nodes). "
        "From left to right tau alone is turned down.",
        "",
        f"| | positions (people) | people lose | {' | '.join(heads)} |",
        "|---|---:|---:|" + "---:|" * len(heads),
    ]
    for key, row in results.items():
        n, people = row["movers"]
        cells = [f"{nats:.2f} nats, {percent(more, '+')}" for _, nats, *more in row["tried"]]
        lines.append(f"| {key} | {n} ({people}) | {percent(row['people'])} | {' | '.join(cells)} |")
    lines += [
        "",
        f"Rare moves are those that the player makes with a chance below {settings['rare']:.0%}. "
        "How many of its moves they are, and of people's; and how much of what a move loses is "
        "lost by them, in points of chances. These have no intervals: what single people's moves "
        "add to them was not kept.",
        "",
        "| | its rare moves | people's | lost by its | lost by people's |",
        "|---|---:|---:|---:|---:|",
    ]
    for key, row in results.items():
        (own, lost), (theirs, lost_theirs) = row["rare_moves"]
        lines.append(
            f"| {key} | {own:.0%} | {theirs:.0%} | {100 * lost:.2f} | {100 * lost_theirs:.2f} |"
        )
    return [*lines, "", "## What agrees, what does not, and why", "", *findings(results)]


def findings(results: Results) -> list[str]:
    """Say what turning tau down costs and gains, and in how many rows more is lost for sure."""
    lines = []
    for key, row in results.items():
        first, last = row["tried"][0], row["tried"][-1]
        lines.append(
            f"- {key}: with tau times {FACTORS[-1]:g} people's moves cost "
            f"{last[1] - first[1]:+.2f} nats, and what a move loses changes by "
            f"{100 * (last[2] - first[2]):+.2f} points, by the estimates."
        )
    for number, factor in enumerate(FACTORS):
        gaps = [row["tried"][number][2:] for row in results.values()]
        more, less = (sum(sign * gap > half for gap, half in gaps) for sign in (1, -1))
        lines.append(
            f"- With {f'tau times {factor:g}' if number else 'the theta fitted'} a move loses more "
            f"than people's with its whole interval in {more} of {len(gaps)} rows, and less in "
            f"{less}."
        )
    return [
        *lines,
        "",
        "Theta is fitted to nats alone, so nothing makes a class lose what its people lose. The "
        "paper reports no loss per move, and its network was another, Leela's.",
    ]


EXPERIMENT = Experiment(
    "theta_loss",
    "What ACE's parameters foresee, and what they lose",
    parts,
    page,
    reads_games=True,
)
