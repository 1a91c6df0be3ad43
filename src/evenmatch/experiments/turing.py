"""An automatic Turing test, in place of ACE's experiment 3: a classifier of agents and people.

Agents of a class play themselves from the openings of people. A classifier is shown one side of a
game at a time: means and spreads, over the first ``LEAST_MOVES`` own moves after the opening, of
what the network knows of moves (``estimation/pooled.py``), but when they were played. Sides with
fewer moves are left out, of people and of agents: people resign where agents play on to the mate,
so that the length of a game would tell. The classifier learns four fifths of the games and is asked
about the rest, in turn; no person and no game is in both. 50% cannot be told apart. People against
people, parted by chance, say what chance does.
"""

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.arena import Pairing, play
from evenmatch.errors import UsageError
from evenmatch.estimation import MoveOutputs, NetworkScorer, PlayerGame
from evenmatch.estimation.pooled import PHASES, move_numbers
from evenmatch.estimation.scorer import answered
from evenmatch.experiments.agents import (
    CLASSES,
    OPENING,
    SIMULATIONS,
    WIDTH,
    fitted,
    networks,
    opening_lines,
)
from evenmatch.experiments.runner import Experiment, Part, Progress, Results
from evenmatch.games import get_game
from evenmatch.games.chess_policy import move_of_action
from evenmatch.network.strength_head import rank_logits
from evenmatch.players.engine_player import command_of, engine_name
from evenmatch.players.evaluators import strength_of
from evenmatch.records.dataset import Dataset, Sides, scale_names
from evenmatch.records.record import GameRecord

SEED = 14
PEOPLE = "people"
STOCKFISH, LEAST = "stockfish", 1350  # its lowest UCI_Elo, in version 15
AGENTS = {  # pikl, sa and ace know lichess-rapid's ratings alone
    "human": "human:elo={elo},scale={scale}",
    "pikl": "pikl:elo={elo}",
    "se": "se:elo={elo},scale={scale}",
    "sa": "sa:elo={elo}",
    "ace": "ace:elo={elo}",
    "alphazero": f"alphazero:sims={SIMULATIONS}",
    STOCKFISH: f"engine:cmd={STOCKFISH},elo={{engine_elo}},nodes=10000",
}
GAMES = 40  # of an agent with itself
QUICK = 3, 1  # games, agents
FOLDS, RIDGE = 5, 1.0
Z95 = 1.959964
LEAST_MOVES = 20  # own ones after the opening, of which the first so many are compared
PLACES = 2 + len(PHASES)  # last columns of ``move_numbers``: when in the game moves were


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each dataset and class one part for each agent, and one for people."""
    if nets:
        raise UsageError("the agents that ship are judged; leave out --net")
    games, most = QUICK if quick else (GAMES, len(AGENTS))
    agents = dict(list(AGENTS.items())[:most])
    engine = ""
    if STOCKFISH in agents and shutil.which(command_of(STOCKFISH)[0]) is None:
        del agents[STOCKFISH]
    elif STOCKFISH in agents:
        engine = engine_name(STOCKFISH)
    opened = [Dataset.open(folder) for folder in data]
    found: dict[str, Part] = {}
    for folder, name, dataset in zip(data, scale_names(opened), opened, strict=True):
        for label, lowest in CLASSES.items():
            elo = lowest + WIDTH // 2
            for agent, template in {**agents, PEOPLE: PEOPLE}.items():
                spec = template.format(elo=elo, scale=name, engine_elo=max(elo, LEAST))
                settings = {
                    "dataset": dataset.identity,
                    "networks": networks(),
                    "agent": spec,
                    "fitted": [] if agent == PEOPLE else fitted(spec),
                    "engine": engine if agent == STOCKFISH else "",
                    "from": lowest,
                    "games": games,
                    "moves": LEAST_MOVES,
                    "seed": SEED,
                }
                work = partial(judge, folder, name, lowest, spec, games)
                found[f"{name}, {label}: {agent}"] = Part(settings, work)
    return found


def judge(
    folder: Path,
    scale: str,
    lowest: int,
    spec: str,
    games: int,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return how many sides of games are told right, of people and of one agent.

    And how many sides of the agent's games are left out, for they have too few moves.
    """
    dataset = Dataset.open(folder)
    scorer = NetworkScorer(strength_of(get_game("chess")), scale)
    ranks, short = scorer.evaluator.card.ranks["count"], 0
    sides, people = draw(dataset, lowest, (4 if spec == PEOPLE else 2) * games)
    theirs = features(scorer.of_dataset(dataset, sides), ranks)
    if spec == PEOPLE:
        _, numbers = np.unique(people, return_inverse=True)
        agents = np.random.default_rng(SEED).permutation(numbers.max() + 1)[numbers] % 2 == 1
        right = told_right(theirs, agents, people)
    else:
        played = scorer(agent_games(dataset, sides, spec, games, progress))
        enough = long_enough(played.counts)
        own = features(played.games_only(enough), ranks)
        groups = np.concatenate([people, -1 - np.flatnonzero(enough) // 2])
        agents = np.arange(len(theirs) + len(own)) >= len(theirs)
        right = told_right(np.concatenate([theirs, own]), agents, groups)
        short = int((~enough).sum())
    counts = [[int(right[agents == a].sum()), int((agents == a).sum())] for a in (False, True)]
    return {"people_right": counts[0], "agent_right": counts[1], "left_out": short}


def draw(dataset: Dataset, lowest: int, most: int) -> tuple[Sides, NDArray[np.int64]]:
    """Draw sides of query players of a class, no game twice; return them and who played.

    All have ``LEAST_MOVES`` that can be compared.
    """
    every = dataset.select(split="query")
    rows = dataset.games[every.games]
    rating = rows["ratings"][np.arange(len(rows)), every.sides].astype(int)
    fits = (rating >= lowest) & (rating < lowest + WIDTH)
    fits &= long_enough(answered(rows["plies"], every.sides))
    at = np.random.default_rng(SEED).permutation(np.flatnonzero(fits))
    _, first = np.unique(every.games[at], return_index=True)
    at = np.sort(at[np.sort(first)][:most])
    if len(at) < FOLDS:
        raise UsageError(
            f"hardly any query games of players rated {lowest} have {LEAST_MOVES} moves after the "
            "opening; add games of some"
        )
    sides = Sides(every.games[at], every.sides[at])
    return sides, rows["players"][at, every.sides[at]].astype(np.int64)


def agent_games(
    dataset: Dataset, sides: Sides, spec: str, games: int, progress: Progress
) -> list[PlayerGame]:
    """Let an agent play itself, once from each opening; return both sides of its games."""
    lines = opening_lines(dataset, sides.games.tolist(), games)
    pairings = [Pairing(0, 1, number) for number in range(len(lines))]
    played = play(
        [spec, spec], pairings, get_game("chess"), seed=SEED, lines=lines, progress=progress
    )
    records = [record_of(one.actions) for one in played]
    return [PlayerGame(record, side) for record in records for side in (1, -1)]


def record_of(actions: Sequence[int]) -> GameRecord:
    """Return a game as records have it."""
    game = get_game("chess")
    state, moves = game.initial(), []
    for action in actions:
        moves.append(int(move_of_action(state[0], action)))
        state = game.after(state, np.array([action]))
    return GameRecord(game="chess", moves=np.array(moves, np.uint16), result=None)


def long_enough(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which sides have enough moves to compare; ``counts`` are of those answered."""
    return counts >= OPENING // 2 + LEAST_MOVES


def features(moves: MoveOutputs, ranks: int) -> NDArray[np.float64]:
    """Return means and spreads of what is known of the moves compared of each game, [G, 2 C].

    They are the first ``LEAST_MOVES`` after the opening. When they were played is not told.
    """
    late = moves.only(moves.places >= OPENING // 2).first(LEAST_MOVES)
    numbers = move_numbers(late, rank_logits(0, ranks), evals=False)[:, :-PLACES]
    counts = np.maximum(late.counts, 1)[:, None]
    means = late.sums(numbers) / counts
    spread = np.sqrt(np.maximum(late.sums(numbers**2) / counts - means**2, 0))
    return np.hstack([means, spread])


# -- the classifier ------------------------------------------------------------------------------


def told_right(
    rows: NDArray[np.float64], agents: NDArray[np.bool_], groups: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which rows [n, F] are told right by a classifier that never saw their group [n]."""
    _, numbers = np.unique(groups, return_inverse=True)
    folds = np.random.default_rng(SEED).permutation(numbers.max() + 1)[numbers] % FOLDS
    right = np.zeros(len(rows), np.bool_)
    for fold in range(FOLDS):
        learned, asked = folds != fold, folds == fold
        if asked.any():
            weights = logistic(rows[learned], agents[learned])
            right[asked] = (weights(rows[asked]) > 0) == agents[asked]
    return right


def logistic(rows: NDArray[np.float64], agents: NDArray[np.bool_]) -> Any:
    """Learn a logistic regression with a ridge, both kinds weighing the same; return its scores."""
    from scipy.optimize import minimize

    mean, deviation = rows.mean(0), rows.std(0)
    deviation = np.where(deviation > 1e-9, deviation, np.inf)

    def scaled(some: NDArray) -> NDArray:
        return np.hstack([(some - mean) / deviation, np.ones((len(some), 1))])

    x, sign = scaled(rows), np.where(agents, 1.0, -1.0)
    share = np.where(agents, agents.mean(), 1 - agents.mean())
    weight = 0.5 / np.maximum(share, 1e-9)

    def loss(w: NDArray) -> tuple[float, NDArray]:
        margin = sign * (x @ w)
        kept = np.append(w[:-1], 0)
        slope = -weight * sign / (1 + np.exp(np.clip(margin, -500, 500)))
        value = (weight * np.logaddexp(0, -margin)).sum() + RIDGE / 2 * kept @ kept
        return value, x.T @ slope + RIDGE * kept

    w = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x
    return lambda some: scaled(some) @ w


def balanced(a: int, n: int, b: int, m: int) -> tuple[float, float]:
    """Return the mean of two shares, a of n and b of m, and half of its 95% interval.

    Variances are those with half a success and half a failure more.
    """
    shares = (a + 0.5) / (n + 1), (b + 0.5) / (m + 1)
    variance = sum(p * (1 - p) / count for p, count in zip(shares, (n, m), strict=True)) / 4
    return (a / n + b / m) / 2, Z95 * variance**0.5


def page(results: Results) -> list[str]:
    """Write the table."""
    moves = next(iter(results.values()))["settings"]["moves"]
    lines = [
        "Sides of games told right, the mean of the agent's and the people's; intervals (95%) take "
        "sides as independent. 50%: not to be told apart. Stockfish is there if it is installed. "
        f"What is compared are the first {moves} own moves after the opening. People's games are "
        "drawn from those that have as many; sides of the agent's games that have fewer are left "
        "out.",
        "",
        "| | agent | told right | of people's | of the agent's | left out |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for key, row in results.items():
        (a, n), (b, m) = row["people_right"], row["agent_right"]
        agent, told = row["settings"]["agent"], "-"
        if n and m:
            middle, half = balanced(a, n, b, m)
            told = f"{middle:.1%} ({max(middle - half, 0):.1%} to {min(middle + half, 1):.1%})"
        lines.append(f"| {key} | {agent} | {told} | {a} of {n} | {b} of {m} | {row['left_out']} |")
    return lines


EXPERIMENT = Experiment(
    "turing",
    "A classifier's Turing test of players of a rating (ACE, in place of experiment 3)",
    parts,
    page,
    reads_games=True,
)
