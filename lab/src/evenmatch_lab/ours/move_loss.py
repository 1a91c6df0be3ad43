"""How good players of a rating are beside its people: what their moves lose, on an absolute scale.

In ACE's classes, on moves of people of split query, whom nothing was fitted to. Every player is
asked what it would do in the same positions, and Stockfish judges its moves and theirs. Where a
player loses as much as people of the class, its rating is true.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import (
    CLASSES,
    METHODS,
    SIMULATIONS,
    WIDTH,
    fitted,
    networks,
    only_folder,
)
from evenmatch_lab.shared.engine_losses import Judge, estimate, judge_settings, people, percent
from evenmatch_lab.shared.positions import DrawnMoves, chosen, drawn_moves

SEED = 22
PEOPLE = "people"
RECORDED = 20_000  # moves of people by their games' evals
POSITIONS = 500  # of a class
QUICK = 6, 50, 1, 4  # of each, players and simulations
AT_ONCE = 100  # positions a player thinks about side by side
AGENTS = {method: f"{method}:elo={{elo}}" for method in METHODS} | {
    "alphazero": f"alphazero:sims={SIMULATIONS}"
}


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each class one part for people and one for each player."""
    folder = only_folder(data, nets)
    positions, recorded, most, sims = (
        QUICK if quick else (POSITIONS, RECORDED, len(AGENTS), SIMULATIONS)
    )
    by_key: dict[str, Part] = {}
    for label, lowest in CLASSES.items():
        settings = {
            "dataset": Dataset.open(folder).identity,
            "from": lowest,
            "positions": positions,
            "judge": judge_settings(),
            "seed": SEED,
        }
        base = f"{label}: {PEOPLE}"
        band = lowest, lowest + WIDTH
        work = partial(judge_people, folder, band, positions, recorded)
        by_key[base] = Part({**settings, "recorded": recorded}, work)
        for agent, template in list(AGENTS.items())[:most]:
            spec = template.format(elo=lowest + WIDTH // 2)
            if sims != SIMULATIONS and agent != "human":
                spec += f",sims={sims}"
            own = {"agent": spec, "networks": networks(spec), "fitted": fitted(spec)}
            work = partial(judge_agent, folder, band, positions, spec, base)
            by_key[f"{label}: {agent}"] = Part({**settings, **own}, work, needs=(base,))
    return by_key


def judge_people(
    folder: Path,
    band: tuple[int, int],
    positions: int,
    recorded: int,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return what people's moves lose, in the records and here, and all chances before them."""
    dataset = Dataset.open(folder)
    moves = drawn_moves(dataset, "query", band, positions, SEED)
    assert moves.people is not None
    with Judge() as judge:
        before = judge.chances(moves.states, progress)
        losses = judge.losses(moves.states, before, moves.actions, progress)
    lost = people(dataset, "query", band, recorded, SEED)
    return {
        "recorded": estimate(*lost),
        "moves": len(lost.losses),
        "movers": moves.people.tolist(),
        "before": [round(x, 5) for x in before.tolist()],
        **judged(moves, moves.actions, losses),
    }


def judge_agent(
    folder: Path,
    band: tuple[int, int],
    positions: int,
    spec: str,
    base: str,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return what a player's moves lose in the same positions."""
    moves = drawn_moves(Dataset.open(folder), "query", band, positions, SEED)
    actions = chosen(spec, moves, AT_ONCE, SEED, progress)
    with Judge() as judge:
        before = np.array(done[base]["before"])
        losses = judge.losses(moves.states, before, actions, progress)
    return judged(moves, actions, losses)


def judged(moves: DrawnMoves, actions: NDArray, losses: NDArray[np.float64]) -> dict[str, Any]:
    """Return the results of moves: what each loses, and how many are people's."""
    return {
        "losses": [round(x, 5) for x in losses.tolist()],
        "alike": int((actions == moves.actions).sum()),
    }


def page(results: Results) -> list[str]:
    """Write a table: players by classes."""
    settings = next(iter(results.values()))["settings"]
    labels, names = (list(dict.fromkeys(x)) for x in zip(*map(cells_of, results), strict=True))
    recorded = [
        "{} ({} moves)".format(percent(row["recorded"]), row["moves"])
        for row in (results[f"{label}: {PEOPLE}"] for label in labels)
    ]
    lines = [
        f"Chances that a move loses, in percent, on {settings['positions']} positions of a class, "
        "with 95% intervals (by the jackknife over people), by "
        f"{settings['judge'][0]} ({settings['judge'][1]} nodes); in "
        "brackets how much more than people's moves in the same positions, and how many moves are "
        "the people's. In "
        f"the records, by the games' evals, people lose {', '.join(recorded)}.",
        "",
        f"| | {' | '.join(labels)} |",
        "|---|" + "---:|" * len(labels),
    ]
    for name in names:
        cells = [
            cell(results[f"{label}: {name}"], results[f"{label}: {PEOPLE}"]) for label in labels
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def cells_of(key: str) -> tuple[str, str]:
    """Return class and player of a part."""
    label, _, name = key.partition(": ")
    return label, name


def cell(row: dict[str, Any], base: dict[str, Any]) -> str:
    """Write what a player loses, and how that compares with people."""
    losses, movers = np.array(row["losses"]), np.array(base["movers"])
    text = percent(estimate(losses, movers))
    if row is base:
        return text
    alike = f"{row['alike'] / len(losses):.0%}"
    return f"{text} ({percent(estimate(losses - base['losses'], movers), '+')}; {alike})"


def plot(results: Results, path: Path) -> None:
    """Draw what players lose by rating, people's line thick."""
    labels, names = (list(dict.fromkeys(x)) for x in zip(*map(cells_of, results), strict=True))
    ratings = [CLASSES[label] + WIDTH / 2 for label in labels]
    for axes in figure(path, 1, width=6.5):
        for name in names:
            rows = [
                estimate(
                    np.array(results[f"{label}: {name}"]["losses"]),
                    np.array(results[f"{label}: {PEOPLE}"]["movers"]),
                )
                for label in labels
            ]
            means, halves = 100 * np.array(rows).T
            style = {"lw": 3, "color": "black"} if name == PEOPLE else {"lw": 1.2}
            axes[0].errorbar(ratings, means, halves, fmt="o-", capsize=3, label=name, **style)
        axes[0].set(xlabel="rating", ylabel="chances a move loses, percent", ylim=(0, None))
        axes[0].grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "move_loss",
    "How much players of a rating lose by their moves, beside its people",
    parts,
    page,
    plot,
    reads_games=True,
)
