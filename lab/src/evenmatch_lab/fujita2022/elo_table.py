"""Table 4 of Fujita 2022: Elo of AlphaZero and four baselines, beside the paper's.

Every tournament has two games of each pair, one with each colour, from the same random opening.
(The paper has no openings. Without them AlphaZero and Minimax1, which do not choose at random,
repeat the same two games: fifty tournaments are then a sample of two.) The paper's Elo is
sequential with K = 8 from 1500 (eq. 17), updated after each tournament; beside it stands the
maximum-likelihood Elo. Its 95% intervals are from tournaments drawn with replacement, since the
games from one opening are not independent.
"""

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.arena import Played, distinct_games, round_robin
from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore, Score, SequentialElo
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import GAME_IDS, OPENING_PLIES

TOURNAMENTS, SEED = 50, 1
RESAMPLES = 200  #: of the tournaments, for the intervals
PAPER = {
    "connect4": (1978, 1731, 1506, 1355, 930.6),
    "othello6": (1960, 1681, 1455, 1425, 979.5),
    "othello": (1970, 1618, 1534, 1422, 953.6),
}


def parts(quick: bool) -> dict[str, Part]:
    """One part a game."""
    agents = opponents.specs(opponents.TUNING, quick)
    tournaments = 2 if quick else TOURNAMENTS
    return {
        game_id: Part(
            {
                "agents": agents,
                "network": digest(game_id),
                "openings": OPENING_PLIES[game_id],
                "seed": SEED,
                "tournaments": tournaments,
                "resamples": RESAMPLES,
            },
            partial(measure, game_id, agents, tournaments),
        )
        for game_id in GAME_IDS
    }


def measure(
    game_id: str, agents: dict[str, str], tournaments: int, progress: Progress, done: Results
) -> dict:
    """Play one game's tournaments and rate the agents."""
    played = round_robin(
        list(agents.values()),
        get_game(game_id),
        2 * tournaments,
        seed=SEED,
        openings=OPENING_PLIES[game_id],
        progress=progress,
    )
    return rate(list(agents), played, tournaments) | {
        "distinct": distinct_games(played),
        "games": len(played),
    }


def rate(names: list[str], played: list[Played], tournaments: int) -> dict:
    """Return both kinds of Elo and every pair's score."""
    rounds: list[list[PairingScore]] = [[] for _ in range(tournaments)]
    for game in played:
        first, second = names[game.pairing.first], names[game.pairing.second]
        score = Score.from_outcomes([game.result])
        rounds[game.pairing.opening].append(PairingScore(first=first, second=second, score=score))
    sequential = SequentialElo().run(rounds)[-1]
    elo = resampled(names, rounds)
    scores: dict[str, Score] = {}
    for pairing in (pairing for games in rounds for pairing in games):
        ahead = names.index(pairing.first) < names.index(pairing.second)
        pair = (pairing.first, pairing.second) if ahead else (pairing.second, pairing.first)
        key = " - ".join(pair)
        scores[key] = scores.get(key, Score()) + (pairing.score if ahead else -pairing.score)
    return {
        "sequential": {name: round(sequential[name], 1) for name in names},
        "likelihood": {name: ends(x) for name, x in zip(names, elo, strict=True)},
        "gap": ends(elo[0] - elo[1]),
        "pairs": {key: [s.wins, s.losses, s.draws] for key, s in scores.items()},
    }


def resampled(names: list[str], rounds: list[list[PairingScore]]) -> NDArray[np.float64]:
    """Return everybody's Elo [K, 1 + R]: by all tournaments, and by as many drawn with replacement.

    Scores of a pair add up before the fit, which is quicker and the same.
    """
    rng = np.random.default_rng(SEED)
    draws = rng.integers(0, len(rounds), (RESAMPLES, len(rounds)))
    tables = [BradleyTerry().fit(added_up(rounds))]
    tables += [BradleyTerry().fit(added_up([rounds[k] for k in drawn])) for drawn in draws]
    return np.array([[table[name].elo for table in tables] for name in names])


def added_up(rounds: list[list[PairingScore]]) -> list[PairingScore]:
    """Return the scores of all rounds, one for each pair and side."""
    scores: dict[tuple[str, str], Score] = {}
    for pairing in (pairing for games in rounds for pairing in games):
        sides = pairing.first, pairing.second
        scores[sides] = scores.get(sides, Score()) + pairing.score
    return [PairingScore(first=a, second=b, score=score) for (a, b), score in scores.items()]


def ends(elo: NDArray[np.float64]) -> list[float]:
    """Return the Elo by all tournaments, and the ends of its 95% interval."""
    low, high = np.quantile(elo[1:], (0.025, 0.975))
    return [round(float(x), 1) for x in (elo[0], low, high)]


def plot(results: dict, path: Path) -> None:
    """Draw each agent's Elo beside the paper's, one panel a game."""
    names = list(opponents.TUNING)
    for axes in figure(path, len(results)):
        for axis, (game_id, row) in zip(axes, results.items(), strict=True):
            axis.plot(names, PAPER[game_id], "D", color="0.5", label="paper, sequential")
            axis.plot(names, [row["sequential"][n] for n in names], "o", label="ours, sequential")
            elo, low, high = zip(*(row["likelihood"][n] for n in names), strict=True)
            below = [e - x for e, x in zip(elo, low, strict=True)]
            above = [x - e for e, x in zip(elo, high, strict=True)]
            axis.errorbar(names, elo, (below, above), fmt="_", label="ours, likelihood, 95%")
            axis.set_title(get_game(game_id).title)
            axis.tick_params(axis="x", rotation=30)
            axis.grid(axis="y", alpha=0.3)
        axes[0].set_ylabel("Elo")
        axes[-1].legend(frameon=False, fontsize=8)


def page(results: dict) -> list[str]:
    """Set the paper's table beside ours."""
    lines = [
        "Sequential Elo is the paper's (K = 8, from 1500); beside it the maximum-likelihood Elo "
        "with its 95% interval by tournaments drawn with replacement, relative to a mean of 1500; "
        "half a virtual draw a player and opponent keeps it finite. The paper has no openings.",
    ]
    for game_id, row in results.items():
        settings = row["settings"]
        lines += ["", f"## {get_game(game_id).title}", ""]
        lines += [
            f"{row['games']} games ({settings['tournaments']} tournaments; {row['distinct']} games "
            f"are distinct), openings of {settings['openings']} random plies, seed "
            f"{settings['seed']}, {row['seconds']:.0f} s. Agents: "
            + ", ".join(f"{name} = `{spec}`" for name, spec in settings["agents"].items())
            + ".",
            "",
            "| agent | paper | ours, sequential | ours, likelihood (95%) |",
            "|---|---:|---:|---:|",
        ]
        for name, paper in zip(opponents.TUNING, PAPER[game_id], strict=True):
            elo, low, high = (f"{x:.0f}" for x in row["likelihood"][name])
            ours = f"{row['sequential'][name]:.0f}"
            lines.append(f"| {name} | {paper:.0f} | {ours} | {elo} ({low} to {high}) |")
        lines += ["", *gap_lines(game_id, row), ""]
        lines += ["| pair | won | lost | drawn |", "|---|---:|---:|---:|"]
        lines += [f"| {pair} | {w} | {lost} | {d} |" for pair, (w, lost, d) in row["pairs"].items()]
    return lines


def gap_lines(game_id: str, row: dict) -> list[str]:
    """Say whether the gap and the order are the paper's."""
    names = list(opponents.TUNING)
    paper = PAPER[game_id][0] - PAPER[game_id][1]
    ours = row["sequential"]["AlphaZero"] - row["sequential"]["MCTS1"]
    gap, low, high = (f"{x:.0f}" for x in row["gap"])
    orders = {
        "likelihood": sorted(names, key=lambda name: -row["likelihood"][name][0]),
        "sequential": sorted(names, key=lambda name: -row["sequential"][name]),
    }
    lines = [
        f"AlphaZero above MCTS1: paper {paper:.0f}, ours {ours:.0f} sequential, "
        f"{gap} ({low} to {high}) by likelihood.",
    ]
    for kind, order in orders.items():
        verdict = "the paper's" if order == names else "**not** the paper's"
        lines.append(f"Order by {kind}: {' > '.join(order)} ({verdict}).")
    return lines


EXPERIMENT = Experiment(
    "elo_table",
    "Elo of AlphaZero and the baselines (Fujita 2022, table 4)",
    parts,
    page,
    plot,
)
