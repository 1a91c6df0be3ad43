"""How good players of a rating are beside its people: what their moves lose, on an absolute scale.

In ACE's classes, on moves of people of split query, whom nothing was fitted to. Every player is
asked what it would do in the same positions, and Stockfish judges its moves and theirs. Where a
player loses as much as people of the class, its rating is true: that is shown where the difference
is equivalent to 0 within ``BOUND`` (``shared/equivalence.py``).

Positions come in batches, one draw for all: the first of all classes and players, then the second.
The bound was set when the first batch was judged and no other. So the test is on the second batch,
once all of it is judged; the first is shown beside it. Four batches were planned. Two cores had
time for two, which was decided before the second was begun, so the test can decide less.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.progress import Progress
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch_lab import pages
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import (
    BATCH,
    CLASSES,
    METHODS,
    SIMULATIONS,
    WIDTH,
    fitted,
    networks,
    only_folder,
)
from evenmatch_lab.shared.engine_losses import Judge, estimate, judge_settings, people, percent
from evenmatch_lab.shared.equivalence import (
    DIFFERENT,
    EQUIVALENT,
    UNDECIDED,
    Equivalence,
    compared,
    in_words,
)
from evenmatch_lab.shared.level_tables import PEOPLE, table
from evenmatch_lab.shared.positions import DrawnMoves, chosen, drawn_moves

BOUND = 0.01  #: of chances: one point
SEED = 22
RECORDED = 20_000  # moves of people by their games' evals
POSITIONS, BATCHES, PLANNED = 500, 2, 4  # positions of a class in a batch
QUICK = 3, 2, 50, 1, 4  # of each, recorded moves, players and simulations
AT_ONCE = 100  # positions a player thinks about side by side
AGENTS = {
    method: f"{method}:{'s' if method == 'pikl' else 'elo'}={{elo}}" for method in METHODS
} | {
    "ace, rating unknown": "ace:elo={elo},conditioned=off",
    "alphazero": f"alphazero:sims={SIMULATIONS},solve=off",
}


class Batch(NamedTuple):
    """Which positions are judged."""

    folder: Path
    band: tuple[int, int]  #: of ratings
    positions: int
    number: int  #: from 1

    @property
    def moves(self) -> DrawnMoves:
        """People's moves in them."""
        dataset, skip = Dataset.open(self.folder), (self.number - 1) * self.positions
        return drawn_moves(dataset, "query", self.band, self.positions, SEED, skip)

    def key(self, label: str, name: str) -> str:
        """Return the name of the part of a class and a player."""
        return f"{label}: {name}" + (f"{BATCH}{self.number}" if self.number > 1 else "")


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each batch and class one part for people and one for each player."""
    folder = only_folder(data, nets)
    positions, batches, recorded, most, sims = (
        QUICK if quick else (POSITIONS, BATCHES, RECORDED, len(AGENTS), SIMULATIONS)
    )
    by_key: dict[str, Part] = {}
    for number in range(1, 1 + batches):
        for label, lowest in CLASSES.items():
            batch = Batch(folder, (lowest, lowest + WIDTH), positions, number)
            settings = {
                "dataset": Dataset.open(folder).identity,
                "from": lowest,
                "positions": positions,
                "judge": judge_settings(),
                "seed": SEED,
                **({"batch": number} if number > 1 else {}),
            }
            base = batch.key(label, PEOPLE)
            work = partial(judge_people, batch, recorded)
            by_key[base] = Part({**settings, "recorded": recorded}, work)
            for agent, template in list(AGENTS.items())[:most]:
                spec = template.format(elo=lowest + WIDTH // 2)
                if sims != SIMULATIONS and agent != "human":
                    spec += f",sims={sims}"
                own = {"agent": spec, "networks": networks(spec), "fitted": fitted(spec)}
                part = Part(settings | own, partial(judge_agent, batch, spec, base), needs=(base,))
                by_key[batch.key(label, agent)] = part
    return by_key


def judge_people(batch: Batch, recorded: int, progress: Progress, done: Results) -> dict[str, Any]:
    """Return what people's moves lose, in the records and here, and all chances before them."""
    moves = batch.moves
    assert moves.people is not None
    with Judge() as judge:
        before = judge.worth(moves.states, progress)
        losses = judge.losses(moves.states, before, moves.actions, progress)
    lost = people(Dataset.open(batch.folder), "query", batch.band, recorded, SEED)
    return {
        "recorded": estimate(*lost),
        "moves": len(lost.losses),
        "movers": moves.people.tolist(),
        "before": [round(x, 5) for x in before.tolist()],
        **judged(moves, moves.actions, losses),
    }


def judge_agent(
    batch: Batch, spec: str, base: str, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what a player's moves lose in the same positions."""
    moves = batch.moves
    actions = chosen(spec, moves, AT_ONCE, SEED + batch.number - 1, progress)
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


# -- the page ------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """Moves of a player in the positions of a class, of all batches that are done."""

    losses: NDArray[np.float64]  #: [n]
    theirs: NDArray[np.float64]  #: [n] what people's moves lose there
    movers: NDArray[np.int64]  #: [n] who these people are
    alike: int  #: moves that are people's

    @property
    def against_people(self) -> Equivalence:
        """How what it loses more than people stands to ``BOUND``."""
        return compared(self.losses - self.theirs, self.movers, BOUND)


ByClass = dict[str, dict[str, Judged]]  #: what is judged by class and player


def by_class(results: Results) -> ByClass:
    """Return what is judged by class and player, all batches together."""
    return {
        label: {name: joined(own) for name, own in rows.items()}
        for label, rows in batches_by_class(results).items()
    }


def known_before(results: Results) -> ByClass:
    """Return what the first batch says, which was judged before the bound was set."""
    return by_class({key: row for key, row in results.items() if BATCH not in key})


def tested(results: Results) -> ByClass:
    """Return what the later batches say, of each class and player that all are judged of."""
    later = batches_by_class({key: row for key, row in results.items() if BATCH in key})
    quick = any(row["settings"]["positions"] < POSITIONS for row in results.values())
    planned = (QUICK[1] if quick else BATCHES) - 1
    found = {
        label: {name: joined(own) for name, own in rows.items() if len(own) == planned}
        for label, rows in later.items()
    }
    return {label: rows for label, rows in found.items() if rows.keys() - {PEOPLE}}


def batches_by_class(results: Results) -> dict[str, dict[str, list[Judged]]]:
    """Return the batches judged by class and player."""
    found: dict[str, dict[str, list[Judged]]] = {}
    for key, row in results.items():
        label, name, number = cells_of(key)
        base = results[f"{label}: {PEOPLE}{number}"]
        each = Judged(
            np.array(row["losses"]),
            np.array(base["losses"]),
            np.array(base["movers"]),
            row["alike"],
        )
        found.setdefault(label, {}).setdefault(name, []).append(each)
    return found


def joined(batches: Sequence[Judged]) -> Judged:
    """Put batches together."""
    losses, theirs, movers = (
        np.concatenate(column) for column in list(zip(*batches, strict=True))[:3]
    )
    return Judged(losses, theirs, movers, sum(one.alike for one in batches))


def cells_of(key: str) -> tuple[str, str, str]:
    """Return class, player and what names the batch of a part."""
    label, _, name = key.partition(": ")
    name, batch, number = name.partition(BATCH)
    return label, name, batch + number


def page(results: Results) -> list[str]:
    """Write tables, players by classes: what they lose, and whether that is what people do."""
    found, first, new = by_class(results), known_before(results), tested(results)
    names = list(dict.fromkeys(name for rows in found.values() for name in rows))
    players = [name for name in names if name != PEOPLE]
    records = [results[f"{label}: {PEOPLE}"] for label in found]
    recorded = [f"{percent(row['recorded'])} ({row['moves']} moves)" for row in records]
    lines = [
        pages.table(["", *found], [["in the records, by the games' evals", *recorded]]),
        "",
        "In the same positions (more than people's moves; alike):",
        "",
        *table(found, names, cell),
        "",
        "## Is it what people lose?",
        "",
    ]
    if new:
        lines += [*table(new, [name for name in players if any(name in r for r in new.values())],
                         verdict), ""]  # fmt: skip
        again = [f"{both} of {people}" for both, people in map(partial(met_again, results), new)]
        lines += [pages.table(["", *new], [["people of the first batch too", *again]]), ""]
    return [
        *lines,
        "### By the first batch, which was known when the bound was set",
        "",
        *table(first, players, inside),
    ]


def met_again(results: Results, label: str) -> tuple[int, int]:
    """Return how many of the people of a class's test were in the first batch too, and all."""
    known, *later = (
        set(row["movers"])
        for key, row in results.items()
        if key.partition(BATCH)[0] == f"{label}: {PEOPLE}"
    )
    new = set().union(*later)
    return len(known & new), len(new)


def cell(name: str, own: Judged) -> str:
    """Write what a player loses, and how that compares with people."""
    text = percent(estimate(own.losses, own.movers))
    if name == PEOPLE:
        return text
    gap = percent(estimate(own.losses - own.theirs, own.movers), "+")
    return f"{text} ({gap}; {own.alike / len(own.losses):.0%})"


def verdict(name: str, own: Judged) -> str:
    """Write how far from people's a player's loss is, and what that shows."""
    found = own.against_people
    return f"{percent((found.mean, found.half), '+')}: {in_words(found, '1 point', 'positions')}"


def inside(name: str, own: Judged) -> str:
    """Write how far from people's a player's loss is, and where its interval lies."""
    found = own.against_people
    where = {
        EQUIVALENT: "inside the bound",
        DIFFERENT: "not inside; the 95% interval leaves out 0",
        UNDECIDED: "not inside",
    }[found.verdict]
    return f"{percent((found.mean, found.half), '+')}: {where}"


def plot(results: Results, path: Path) -> None:
    """Draw what players lose by rating, people's line thick."""
    found = by_class(results)
    for axes in figure(path, 1, width=6.5):
        for name in dict.fromkeys(name for rows in found.values() for name in rows):
            own = {label: rows[name] for label, rows in found.items() if name in rows}
            ratings = [CLASSES[label] + WIDTH / 2 for label in own]
            rows = [estimate(one.losses, one.movers) for one in own.values()]
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
