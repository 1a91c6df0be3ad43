"""Table 4 of Fujita 2022: Elo of AlphaZero and four baselines, beside the paper's.

Every tournament has two games of each pair, one with each colour, from the same random opening.
(The paper has no openings. Without them AlphaZero and Minimax1, which do not choose at random,
repeat the same two games: fifty tournaments are then a sample of two.) The paper's Elo is
sequential with K = 8 from 1500 (eq. 17), updated after each tournament; beside it stands the
maximum-likelihood Elo. The 95% intervals are from tournaments drawn with replacement, since the
games from one opening are not independent. Where all games were won, draws would show no doubt:
there stands a bound.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import combinations
from math import inf, isfinite, isinf
from pathlib import Path

import numpy as np

from evenmatch.games import get_game
from evenmatch.play.arena import Played, distinct_games, round_robin
from evenmatch.progress import Progress
from evenmatch.ratings import (
    BradleyTerry,
    EloEstimate,
    PairingScore,
    Pentanomial,
    RatingTable,
    Score,
)
from evenmatch_lab.fujita2022.sequential_elo import SequentialElo
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import (
    GAME_IDS,
    OPENING_PLIES,
    bounded,
    elo_text,
    interval,
)

Round = dict[tuple[str, str], Score]
"""A tournament: (who moved first, who second) -> the score of that game, for the first."""

TOURNAMENTS, SEED = 50, 1
RESAMPLES = 2000  #: of the tournaments, for the intervals
QUICK = 2, 20  #: tournaments and resamples
PAPER = {
    "connect4": (1978, 1731, 1506, 1355, 930.6),
    "othello6": (1960, 1681, 1455, 1425, 979.5),
    "othello": (1970, 1618, 1534, 1422, 953.6),
}


def parts(quick: bool) -> dict[str, Part]:
    """One part a game."""
    agents = opponents.specs(opponents.TUNING, quick)
    tournaments, resamples = size(quick)
    return {
        game_id: Part(
            {
                "agents": agents,
                "network": digest(game_id),
                "openings": OPENING_PLIES[game_id],
                "seed": SEED,
                "tournaments": tournaments,
                "resamples": resamples,
            },
            partial(measure, game_id, agents, tournaments, resamples),
        )
        for game_id in GAME_IDS
    }


def size(quick: bool) -> tuple[int, int]:
    """Return how many tournaments are played, and how often they are drawn again."""
    return QUICK if quick else (TOURNAMENTS, RESAMPLES)


def measure(
    game_id: str,
    agents: dict[str, str],
    tournaments: int,
    resamples: int,
    progress: Progress,
    done: Results,
    seed: int = SEED,
) -> dict:
    """Play one game's tournaments and rate the agents."""
    played = round_robin(
        list(agents.values()),
        get_game(game_id),
        2 * tournaments,
        seed=seed,
        openings=OPENING_PLIES[game_id],
        progress=progress,
    )
    return rate(list(agents), rounds_of(list(agents), played, tournaments), resamples) | {
        "distinct": distinct_games(played),
        "games": len(played),
    }


def rounds_of(names: Sequence[str], played: Iterable[Played], tournaments: int) -> list[Round]:
    """Return the games of each tournament."""
    rounds: list[Round] = [{} for _ in range(tournaments)]
    for game in played:
        sides = names[game.pairing.first], names[game.pairing.second]
        rounds[game.pairing.opening][sides] = Score.from_outcomes([game.result])
    return rounds


def rate(names: Sequence[str], rounds: Sequence[Round], resamples: int) -> dict:
    """Return both kinds of Elo, with every pair's score and games."""
    drawn = [list(range(len(rounds))), *_draws(len(rounds), resamples)]
    tables = [BradleyTerry().fit(pairings([rounds[k] for k in some])) for some in drawn]
    sequential = [sequential_elo([rounds[k] for k in some]) for some in drawn]
    first, second = names[:2]
    total = added_up(rounds)
    met = list(combinations(names, 2))
    scores = {(a, b): total[a, b] + -total[b, a] for a, b in met}
    apart = [elo[first] - elo[second] for elo in sequential]
    return {
        "sequential": {name: round(sequential[0][name], 1) for name in names},
        "sequential_gap": ends([(gap, gap) for gap in apart], apart[0]),
        "likelihood": {name: rating(name, tables) for name in names},
        "gap": gap(pair_of(rounds, first, second), [t.difference(first, second) for t in tables]),
        "pairs": {f"{a} - {b}": [s.wins, s.losses, s.draws] for (a, b), s in scores.items()},
        "rounds": {f"{a} - {b}": in_letters(rounds, a, b) for a, b in met},
    }


def _draws(rounds: int, resamples: int) -> list[list[int]]:
    """Return ``resamples`` times as many tournaments, by number, drawn with replacement."""
    return np.random.default_rng(SEED).integers(0, rounds, (resamples, rounds)).tolist()


def added_up(rounds: Iterable[Round]) -> Round:
    """Return the scores of all rounds."""
    total: Round = {}
    for games in rounds:
        for sides, score in games.items():
            total[sides] = total.get(sides, Score()) + score
    return total


def pairings(rounds: Iterable[Round]) -> list[PairingScore]:
    """Return the scores of all rounds as a fit takes them: added up, which is quicker."""
    total = added_up(rounds)
    return [PairingScore(first=a, second=b, score=score) for (a, b), score in total.items()]


def sequential_elo(rounds: Iterable[Round]) -> dict[str, float]:
    """Return everybody's Elo after the rounds; eq. 17."""
    return SequentialElo().run([pairings([games]) for games in rounds])[-1]


def rating(name: str, tables: Sequence[RatingTable]) -> list[float | None]:
    """Return a player's Elo by the first table, and its 95% interval by the others.

    For a player that its games bound to one side only, as if it won all, draws add nothing: they
    all show the same. Then the bound is the likelihood's, with games as independent.
    """
    found, *draws = (table[name] for table in tables)
    if not (isfinite(found.low) and isfinite(found.high)):
        return interval(found)
    return ends([reach(one) for one in draws], found.elo)


def gap(pairs: Pentanomial, gaps: Sequence[EloEstimate]) -> list[float | None]:
    """Return how far a player is above another, the first of ``gaps``, and its 95% interval.

    If all their games were won by one, the bound is that of the pairs between them.
    """
    found, *draws = gaps
    if 0 < pairs.fraction < 1:
        return ends([reach(one) for one in draws], found.elo)
    return bounded(found.elo, *pairs.elo_interval())


def reach(found: EloEstimate) -> tuple[float, float]:
    """Return the least and the greatest Elo that the games allow for a most likely one.

    Equal where the games bound it, otherwise infinite: where only virtual draws keep it finite.
    """
    least = -inf if isinf(found.low) else found.elo
    greatest = inf if isinf(found.high) else found.elo
    if isinf(least) == isinf(greatest):
        return least, greatest
    return (least, least) if isinf(least) else (greatest, greatest)


def ends(reaches: Sequence[tuple[float, float]], value: float) -> list[float | None]:
    """Return a value and its 95% interval, from the least and the greatest of each draw."""
    least, greatest = np.array(reaches).T
    low = np.quantile(least, 0.025, method="inverted_cdf")  # no means of finite and infinite
    high = np.quantile(greatest, 0.975, method="inverted_cdf")
    return bounded(value, low, high)


def pair_of(rounds: Iterable[Round], a: str, b: str) -> Pentanomial:
    """Return the pairs of games of two players, in the view of the first named."""
    return Pentanomial.from_outcomes(
        (_outcome(games[a, b]), -_outcome(games[b, a])) for games in rounds
    )


def in_letters(rounds: Iterable[Round], a: str, b: str) -> str:
    """Write the games of two players, such as "WL WD": ``a`` moving first, then second."""
    letters = {1: "W", -1: "L", 0: "D"}
    return " ".join(
        letters[_outcome(games[a, b])] + letters[-_outcome(games[b, a])] for games in rounds
    )


def _outcome(score: Score) -> int:
    return score.wins - score.losses


def plot(results: dict, path: Path) -> None:
    """Draw each agent's Elo beside the paper's, one panel a game."""
    names = list(opponents.TUNING)
    for axes in figure(path, len(results)):
        for axis, (game_id, row) in zip(axes, results.items(), strict=True):
            axis.plot(names, PAPER[game_id], "D", color="0.5", label="paper, sequential")
            axis.plot(names, [row["sequential"][n] for n in names], "o", label="ours, sequential")
            elo, low, high = zip(*(row["likelihood"][n] for n in names), strict=True)
            below = [0 if x is None else e - x for e, x in zip(elo, low, strict=True)]
            above = [0 if x is None else x - e for e, x in zip(elo, high, strict=True)]
            axis.errorbar(names, elo, (below, above), fmt="_", label="ours, likelihood, 95%")
            axis.set_title(get_game(game_id).title)
            axis.tick_params(axis="x", rotation=30)
            axis.grid(axis="y", alpha=0.3)
        axes[0].set_ylabel("Elo")
        axes[-1].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Set the paper's table beside ours."""
    heads = ["game", "AlphaZero above MCTS1, paper", "ours, sequential (95%)"]
    heads += ["ours, likelihood (95%)", "order, sequential", "order, likelihood"]
    lines = [table(heads, [summary(*item) for item in results.items()], left=(0, 4, 5))]
    for game_id, row in results.items():
        settings = row["settings"]
        lines += ["", f"## {get_game(game_id).title}", ""]
        lines += [
            f"{row['games']} games ({settings['tournaments']} tournaments; {row['distinct']} games "
            f"are distinct), openings of {settings['openings']} random plies, seed "
            f"{settings['seed']}, {settings['resamples']} draws, {row['seconds']:.0f} s",
            "",
        ]
        rows = [
            [
                name,
                f"`{settings['agents'][name]}`",
                f"{paper:.0f}",
                f"{row['sequential'][name]:.0f}",
                elo_text(row["likelihood"][name]),
            ]
            for name, paper in zip(opponents.TUNING, PAPER[game_id], strict=True)
        ]
        heads = ["agent", "", "paper", "ours, sequential", "ours, likelihood (95%)"]
        lines.append(table(heads, rows, left=(0, 1)))
        rows = [[pair, *counts] for pair, counts in row["pairs"].items()]
        lines += ["", table(["pair", "won", "lost", "drawn"], rows)]
    return lines


def summary(game_id: str, row: dict) -> list[str]:
    """Return the cells that say whether the gap and the order are the paper's."""
    names = list(opponents.TUNING)
    elo = {name: row["likelihood"][name][0] for name in names}
    orders = [sorted(names, key=lambda name: -by[name]) for by in (row["sequential"], elo)]
    return [
        get_game(game_id).title,
        f"{PAPER[game_id][0] - PAPER[game_id][1]:.0f}",
        elo_text(row["sequential_gap"]),
        elo_text(row["gap"]),
        *("the paper's" if order == names else " > ".join(order) for order in orders),
    ]


EXPERIMENT = Experiment(
    "elo_table",
    "Elo of AlphaZero and the baselines (Fujita 2022, table 4)",
    parts,
    page,
    plot,
)
