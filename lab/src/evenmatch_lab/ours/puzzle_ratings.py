"""An absolute scale for players of a rating: rated puzzles, and the Strategic Test Suite.

In place of ACE's experiment 2, whose test is on a web page for people. A puzzle is solved by all of
its moves, as on Lichess, where any other checkmate will do too. A player's puzzle rating is the one
under which as many puzzles are solved as were, chances being 1 / (1 + 10^((puzzle - player)/400)).
Puzzle ratings are a scale of their own: it is the order that is to be compared, and the distances.
All players solve the same puzzles, drawn from those of a file.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of
from evenmatch.players import make_player, parse_spec
from evenmatch.progress import Progress
from evenmatch.ratings.score import normal_quantile
from evenmatch.records.chess.puzzles import Exercise, Puzzle, read_puzzles, read_suite
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import METHODS, RATINGS, SIMULATIONS, fitted, networks
from evenmatch_lab.shared.positions import DrawnPositions

SEED = 13
PLAYERS = (
    *(f"{method}:elo={elo}" for method in METHODS for elo in RATINGS),
    f"alphazero:sims={SIMULATIONS},solve=off",
    f"alphazero:sims={SIMULATIONS}",
)
POSITIONS = 500  # of each file
AT_ONCE = 250  # positions a player thinks about side by side
QUICK = 4  # positions, and players


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each file one part for each player."""
    if nets:
        raise UsageError("puzzles are solved by the players that ship; leave out --net")
    by_key: dict[str, Part] = {}
    for path in data:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; give a file of puzzles (.csv) or a suite (.epd)")
        rated = path.suffix == ".csv"
        items: Sequence[Any] = read_puzzles(path) if rated else read_suite(path)
        order = np.random.default_rng(SEED).permutation(len(items))
        items = [items[i] for i in order[: QUICK if quick else POSITIONS]]
        work: Any = solve_puzzles if rated else play_suite
        for player in PLAYERS[:QUICK] if quick else PLAYERS:
            settings = {
                "player": player,
                "file": digest_of(path),
                "positions": len(items),
                "networks": networks(player),
                "fitted": fitted(player),
                "seed": SEED,
            }
            by_key[f"{path.stem}: {player}"] = Part(settings, partial(work, player, items))
    return by_key


# -- puzzles -------------------------------------------------------------------------------------


def solve_puzzles(
    spec: str, puzzles: Sequence[Puzzle], progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a player solve puzzles; return what was solved and the rating."""
    solved = np.concatenate(
        [
            _told(progress, at, len(puzzles), solve(spec, puzzles[at : at + AT_ONCE]))
            for at in range(0, len(puzzles), AT_ONCE)
        ]
    )
    ratings = np.array([puzzle.rating for puzzle in puzzles], float)
    return {"solved": int(solved.sum()), "rating": [round(x) for x in rating_of(solved, ratings)]}


def _told(progress: Progress, at: int, due: int, found: NDArray) -> NDArray:
    progress(at + len(found), due)
    return found


def solve(spec: str, puzzles: Sequence[Puzzle]) -> NDArray[np.bool_]:
    """Return which puzzles a player solves, [n]."""
    count = len(puzzles)
    player = make_player(spec, get_game("chess"), count)
    lengths = np.array([len(puzzle.moves) for puzzle in puzzles])
    positions = DrawnPositions.of_fens([puzzle.fen for puzzle in puzzles], int(lengths.max()))
    sides = -positions.game.to_play(positions.states)  # the opponent moves first
    player.begin(np.arange(count), sides.astype(np.int8), SEED)
    solved = np.ones(count, np.bool_)
    for turn in range(int(lengths.max())):
        games = np.flatnonzero(solved & (turn < lengths))
        if not len(games):
            break
        wanted = np.array(
            [positions.read(g, puzzles[g].moves[turn]) for g in games.tolist()], np.intp
        )
        if turn % 2:
            chosen = positions.ask(player, games)
            wrong = (chosen != wanted) & ~_mates(positions, games, chosen)
            solved[games[wrong]] = False
            lengths[games[chosen != wanted]] = 0  # nothing is left to play
            games, wanted = games[chosen == wanted], wanted[chosen == wanted]
        if len(games):
            positions.push(games, wanted)
    return solved


def _mates(
    positions: DrawnPositions, games: NDArray[np.intp], chosen: NDArray
) -> NDArray[np.bool_]:
    after = positions.game.after(positions.states[games], chosen)
    over, values = positions.game.outcome(after)
    return over & (values != 0)


def rating_of(solved: NDArray[np.bool_], ratings: NDArray) -> tuple[float, float, float]:
    """Return the likeliest rating and its 95% interval.

    Where all puzzles were solved, or none, half a puzzle less or more was, for a finite rating.
    """
    from scipy.optimize import brentq

    wins = min(max(solved.sum(), 0.5), len(solved) - 0.5)

    def surplus(elo: float) -> float:
        return float(chances(elo, ratings).sum() - wins)

    elo = brentq(surplus, ratings.min() - 4000, ratings.max() + 4000)
    p = chances(elo, ratings)
    half = normal_quantile(0.95) * 400 / np.log(10) / np.sqrt((p * (1 - p)).sum())
    return elo, elo - half, elo + half


def chances(elo: float, ratings: NDArray) -> NDArray:
    """Return the chance to solve each puzzle."""
    return 1 / (1 + 10 ** ((ratings - elo) / 400))


# -- suites --------------------------------------------------------------------------------------


def play_suite(
    spec: str, exercises: Sequence[Exercise], progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a player choose a move in each position; return the points."""
    points = []
    for at in range(0, len(exercises), AT_ONCE):
        some = exercises[at : at + AT_ONCE]
        player = make_player(spec, get_game("chess"), len(some))
        positions = DrawnPositions.of_fens([exercise.fen for exercise in some], 1)
        games, sides = np.arange(len(some)), positions.game.to_play(positions.states)
        player.begin(games, sides.astype(np.int8), SEED)
        chosen = positions.ask(player, games)
        for game, exercise in enumerate(some):
            worth = {positions.read(game, word): n for word, n in exercise.points.items()}
            points.append(worth.get(int(chosen[game]), 0))
        progress(at + len(some), len(exercises))
    most = sum(max(exercise.points.values()) for exercise in exercises)
    return {"points": sum(points), "most": most}


def most_half(points: int, most: int, positions: int) -> float:
    """Return half of the 95% interval of points, were each position worth all or nothing.

    No points of positions that are worth as much spread more than that about the same mean.
    """
    return float(normal_quantile(0.95) * np.sqrt(points * (most - points) / positions))


def page(results: Results) -> list[str]:
    """Write a table for each file, and how well its order is that of the ratings."""
    files: dict[str, dict[str, dict[str, Any]]] = {}
    for key, row in results.items():
        name, _, player = key.partition(": ")
        files.setdefault(name, {})[player] = row
    lines = []
    for name, rows in files.items():
        solved = "solved" in next(iter(rows.values()))
        what = "solved | rating (95%)" if solved else "points (95%: at most +-) | of the most"
        lines += ["", f"## {name}", "", f"| player | {what} |", "|---|---:|---:|"]
        lines += [f"| {player} | {cells(row)} |" for player, row in rows.items()]
        if lines_of_orders := orders(rows):
            lines += ["", *lines_of_orders]
    return lines[1:]


def cells(row: dict[str, Any]) -> str:
    """Write what a player reached."""
    if "points" in row:
        half = most_half(row["points"], row["most"], row["settings"]["positions"])
        return f"{row['points']} ({half:.0f}) | {row['points'] / row['most']:.1%}"
    elo, low, high = row["rating"]
    return f"{row['solved']} of {row['settings']['positions']} | {elo} ({low} to {high})"


def orders(rows: dict[str, dict[str, Any]]) -> list[str]:
    """Write how far each method's players come in the order of their ratings."""
    from scipy.stats import spearmanr

    reached: dict[str, dict[float, int]] = {}
    for player, row in rows.items():
        method, values = parse_spec(player)
        if "elo" in values:
            what = "solved" if "solved" in row else "points"
            reached.setdefault(method, {})[values["elo"]] = row[what]
    return [
        f"Rank correlation of {method}'s {len(ratings)} ratings with what they reached: "
        f"{spearmanr(list(ratings), list(ratings.values())).statistic:.2f}.  "
        for method, ratings in reached.items()
        if len(set(ratings.values())) > 1
    ]


EXPERIMENT = Experiment(
    "puzzle_ratings",
    "Rated puzzles and test suites solved (ACE, in place of experiment 2)",
    parts,
    page,
    reads_games=True,
    data="rated puzzles (.csv, as Lichess's) and test suites (.epd); name each with --data FILE",
)
