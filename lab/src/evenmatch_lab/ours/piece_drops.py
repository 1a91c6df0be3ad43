"""How often moves drop pieces, by the state of the game: players of a rating beside its people.

In ACE's classes, in positions where people of split query were to move, as many of each state as
there are up to a limit. The state is the mover's chance before the move, by the games' evals. In
lost positions the people are those who play on when lost, so that players are compared with the
very people who were there. What a move drops is said in ``captures.py``.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.chess.actions import actions_of_moves
from evenmatch.progress import Progress
from evenmatch.records.dataset import NO_EVAL, Dataset
from evenmatch.records.evals import chances
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import CLASSES, WIDTH, fitted, networks, only_folder, still_open
from evenmatch_lab.shared.captures import drops
from evenmatch_lab.shared.engine_losses import estimate, percent
from evenmatch_lab.shared.positions import DrawnMoves, band_turns, chosen

SEED = 23
SPLIT = "query"
PEOPLE = "people"
STATES = {"lost": 0.1, "worse": 0.35, "level": 0.65, "better": 0.9, "won": 1.0}
"""The mover's chance is below this, and not below that of the state before."""
POINTS = 5, 3  #: a move drops as many or more
POSITIONS = 1500  # of a class and state
QUICK = 3, 1, 4  # of each, players, and simulations, which players have of themselves else
AT_ONCE = 100  # positions a player thinks about side by side
AGENTS = {
    "pikl": "pikl:elo={elo}",
    "pikl before": "pikl:elo={elo},{before}",
    "human": "human:elo={elo}",
}
#: Of ``pikl`` before it minded lost and won positions, the numbers fitted then.
BEFORE = {
    "D": "plain=on,lam=0.9336,t=1.0909,sims=100",
    "B": "plain=on,lam=0.2175,t=1.22,sims=100",
    "Expert": "plain=on,lam=0.067,t=1.4028,sims=100",
    "Grandmaster": "plain=on,lam=0.0434,t=1.308,sims=400",
}
EVERY = "all"  #: classes together


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each class one part for people and one for each player."""
    folder = only_folder(data, nets)
    positions, most, sims = QUICK if quick else (POSITIONS, len(AGENTS), None)
    by_key: dict[str, Part] = {}
    for label, lowest in CLASSES.items():
        settings = {
            "dataset": Dataset.open(folder).identity,
            "from": lowest,
            "positions": positions,
            "seed": SEED,
        }
        band = lowest, lowest + WIDTH
        by_key[f"{label}: {PEOPLE}"] = Part(settings, partial(of_people, folder, band, positions))
        for agent, template in list(AGENTS.items())[:most]:
            spec = template.format(elo=lowest + WIDTH // 2, before=BEFORE.get(label))
            if sims:
                spec += f",sims={sims}"
            own = {"agent": spec, "networks": networks(spec), "fitted": fitted(spec)}
            work = partial(of_agent, folder, band, positions, spec)
            by_key[f"{label}: {agent}"] = Part({**settings, **own}, work)
    return by_key


def of_people(
    folder: Path, band: tuple[int, int], positions: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what people's moves drop, and whose they are."""
    by_state = {}
    for state, moves in in_states(Dataset.open(folder), SPLIT, band, positions).items():
        assert moves.people is not None
        by_state[state] = {"movers": moves.people.tolist(), **dropped(moves, moves.actions)}
    return {"states": by_state}


def of_agent(
    folder: Path,
    band: tuple[int, int],
    positions: int,
    spec: str,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return what a player's moves drop in the same positions."""
    by_state = {}
    for state, moves in in_states(Dataset.open(folder), SPLIT, band, positions).items():
        by_state[state] = dropped(moves, chosen(spec, moves, AT_ONCE, SEED, progress))
    return {"states": by_state}


def in_states(
    dataset: Dataset, split: str, band: tuple[float, float], most: int
) -> dict[str, DrawnMoves]:
    """Draw up to ``most`` moves of people of a band in each state that there is.

    UsageError if there are no moves, or none with an eval before it.
    """
    games, plies = band_turns(dataset, split, band)
    evals = dataset.evals_after(games, plies - 1).astype(int)
    known = evals != NO_EVAL
    games, plies, evals = games[known], plies[known], evals[known]
    own = np.digitize(chances(np.where(plies % 2 == 0, evals, -evals)), list(STATES.values())[:-1])
    by_state = {}
    for number, state in enumerate(STATES):
        rows = np.flatnonzero(own == number)
        rows = np.random.default_rng((SEED, number)).permutation(rows)[:most]
        before = dataset.states(games[rows], plies[rows])
        going = still_open(before.states)
        states, at = before.states[going], rows[going]
        if len(at):
            people = dataset.games["players"][games[at], plies[at] % 2].astype(np.int64)
            actions = actions_of_moves(states, before.moves[going])
            by_state[state] = DrawnMoves(states, plies[at], actions, people)
    return by_state


def dropped(moves: DrawnMoves, actions: NDArray[np.int64]) -> dict[str, Any]:
    """Return which actions [n] drop the least of POINTS or more, and how much."""
    each = drops(moves.states)[np.arange(len(actions)), actions]
    at = np.flatnonzero(each >= min(POINTS))
    return {"at": at.tolist(), "points": each[at].tolist()}


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table for each number of points: states of classes by players."""
    settings = next(iter(results.values()))["settings"]
    labels, names = (list(dict.fromkeys(x)) for x in zip(*map(cells_of, results), strict=True))
    low, *others = STATES.values()
    lines = [
        f"Moves that drop pieces, in percent, on up to {settings['positions']} positions of a "
        "class and state, with 95% intervals (by the jackknife over people). In brackets: the "
        "difference from people's moves in the same positions. A move drops as many points as the "
        "best legal move is worth more, once both sides have captured all they want to (pawn 1, "
        "knight and bishop 3, rook 5, queen 9). The state is the mover's chance by the games' "
        "evals: "
        f"lost below {low:.0%}, then below {', '.join(f'{x:.0%}' for x in others)}.",
    ]
    for points in POINTS:
        lines += ["", f"Drops of {points} points or more:", ""]
        lines += [f"| class | state | positions | {' | '.join(names)} |"]
        lines += ["|---|---|---:|" + "---:|" * len(names)]
        for label in [*labels, EVERY]:
            members = labels if label == EVERY else [label]
            for state in STATES:
                cells = [cell(results, members, name, state, points) for name in names]
                count = len(pooled(results, members, PEOPLE, state, points)[1])
                if count:
                    lines.append(f"| {label} | {state} | {count} | {' | '.join(cells)} |")
    return lines


def cells_of(key: str) -> tuple[str, str]:
    """Return class and player of a part."""
    label, _, name = key.partition(": ")
    return label, name


def pooled(
    results: Results, labels: Sequence[str], name: str, state: str, points: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return whether moves drop as much, [n], 1 or 0, and who was to move, [n], in some classes."""
    fell, movers = [np.empty(0)], [np.empty(0, np.int64)]
    for label in labels:
        people = results[f"{label}: {PEOPLE}"]["states"].get(state)
        row = results.get(f"{label}: {name}")
        if people is None or row is None:
            continue
        dropped, each = row["states"][state], np.zeros(len(people["movers"]))
        each[np.array(dropped["at"], int)] = np.array(dropped["points"]) >= points
        fell.append(each)
        movers.append(np.array(people["movers"]))
    return np.concatenate(fell), np.concatenate(movers)


def cell(results: Results, labels: Sequence[str], name: str, state: str, points: int) -> str:
    """Write how often a player drops as much, and how that compares with people."""
    fell, movers = pooled(results, labels, name, state, points)
    theirs, _ = pooled(results, labels, PEOPLE, state, points)
    if len(fell) != len(theirs) or not len(fell):
        return ""
    text = percent(estimate(fell, movers)) if fell.any() else f"none of {len(fell)}"
    if name == PEOPLE or not (fell.any() or theirs.any()):
        return text
    return f"{text} ({percent(estimate(fell - theirs, movers), '+')})"


def plot(results: Results, path: Path) -> None:
    """Draw how often the most points are dropped in each state, people's line thick."""
    labels, names = (list(dict.fromkeys(x)) for x in zip(*map(cells_of, results), strict=True))
    for axes in figure(path, len(labels), width=3.2 * len(labels)):
        for label, each in zip(labels, axes, strict=True):
            for shift, name in enumerate(names):
                shares = [pooled(results, [label], name, state, POINTS[0]) for state in STATES]
                at = [k for k, (fell, _) in enumerate(shares) if len(fell)]
                rows = [estimate(*shares[k]) for k in at]
                means, halves = 100 * np.array(rows).reshape(-1, 2).T
                style = {"lw": 3, "color": "black"} if name == PEOPLE else {"lw": 1.2}
                x = np.array(at) + 0.06 * shift
                each.errorbar(x, means, halves, fmt="o-", capsize=2, label=name, **style)
            each.set(title=label, xticks=range(len(STATES)), ylim=(0, None))
            each.set_xticklabels(STATES)
            each.grid(alpha=0.3)
        axes[0].set(ylabel=f"moves that drop {POINTS[0]} points or more, percent")
        axes[-1].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "piece_drops",
    "How often moves drop pieces, by the state of the game",
    parts,
    page,
    plot,
    reads_games=True,
)
