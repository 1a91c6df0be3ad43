"""What moves lose in chances, as Stockfish judges them: a scale on which people of a rating stand.

A move's loss is how much smaller the mover's chances are after it than before, in [0, 1]; what
centipawns are worth is said in ``records/evals.py``. ``people`` has it from the evaluations
that games were recorded with, ``Judge`` from Stockfish here.
"""

import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Any, NamedTuple

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.chess import Chess
from evenmatch.players.commands import command_of
from evenmatch.players.engine_player import end_engine, engine_name, start_engine
from evenmatch.progress import Progress, ignore
from evenmatch.ratings.score import normal_quantile
from evenmatch.records.dataset import NO_EVAL, Dataset
from evenmatch.records.evals import MOST, chances
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.positions import band_turns

JUDGE, NODES = "stockfish", 20_000
PAWN = 1.5
"""Centipawns of the games' evals that are one of Stockfish's from version 15.1 on, where 100 have
even chances to win. Of 490 moves (split tune) chances differ by 0.024 on average with it, by 0.050
without, and mean losses are 4.52% and 3.66% where the evals say 4.57%."""
OLDEST = 15.1  #: version
START = 25
"""Centipawns that White is ahead by before the first move, which games have no eval of: what evals
say after the best first moves (medians of Lichess's rapid games: 33 after 1.e4, 25 after 1.c4, 23
after 1.Nf3)."""
BATCH = 256  #: positions between two words of progress

Floats = NDArray[np.float64]


class Lost(NamedTuple):
    """What moves of people lose."""

    losses: Floats  #: [n]
    people: NDArray[np.int64]  #: [n] whose moves they are


def people(dataset: Dataset, split: str, band: tuple[float, float], most: int, seed: int) -> Lost:
    """Return what moves of people of a band of ratings lose by their games' evals.

    Of moves with an eval before them and after; before the first move it is START, and mates have
    won. UsageError if no such game has evals.
    """
    games, plies = band_turns(dataset, split, band)
    kept = np.random.default_rng(seed).permutation(len(games))[:most]
    games, plies = games[kept], plies[kept]
    after, before = dataset.evals_after(games, plies), dataset.evals_after(games, plies - 1)
    before[(plies == 0) & (after != NO_EVAL)] = START
    mates = np.flatnonzero((after == NO_EVAL) & (before != NO_EVAL))
    mates = mates[mated(dataset.states(games[mates], plies[mates] + 1).states)]
    after[mates] = np.where(plies[mates] % 2 == 0, MOST, -MOST)
    known = (after != NO_EVAL) & (before != NO_EVAL)
    if not known.any():
        raise UsageError("the games have no evals; build the dataset from games that have some")
    games, sides = games[known], plies[known] % 2
    gained = chances(after[known]) - chances(before[known])  # by White
    who = dataset.games["players"][games, sides].astype(np.int64)
    return Lost(np.maximum(np.where(sides == 0, -gained, gained), 0), who)


def mated(states: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return in which chess states [n, S] the side to move is checkmated."""
    over, values = Chess().outcome(states)
    return over & (values < 0)


def estimate(each: Floats, people: NDArray[np.int64] | None = None) -> list[float]:
    """Return the mean of moves [n] and half its 95% interval.

    Moves are independent of each other, or those of different ``people`` [n] are.
    """
    if people is None:
        half = normal_quantile(0.95) * each.std() / len(each) ** 0.5
    else:
        half = np.ptp(cluster_mean(each, people).interval) / 2
    return [round(float(x), 5) for x in (each.mean(), half)]


def percent(estimated: Sequence[float], sign: str = "", digits: int = 2) -> str:
    """Write a mean and half its interval in percent, without the sign of percent."""
    mean, half = (100 * x for x in estimated)
    return f"{mean:{sign}.{digits}f} ± {half:.{digits}f}"


def judge_there() -> bool:
    """Return whether the judge is installed."""
    return shutil.which(command_of(JUDGE)[0]) is not None


def judge_name() -> str:
    """Return the judge's name and version, which belong to what it says.

    UsageError if it is not installed, or so old that ``PAWN`` is not its.
    """
    if not judge_there():
        raise UsageError(f"{JUDGE} is not installed; on Debian `apt install {JUDGE}`")
    name = engine_name(JUDGE)
    version = re.search(r"\d+(\.\d+)?", name)
    if version and float(version[0]) < OLDEST:
        raise UsageError(f"{name} counts pawns otherwise; install {OLDEST} or a newer one")
    return name


def judge_settings() -> list[Any]:
    """Return what the judge's words depend on; UsageError as ``judge_name``."""
    return [judge_name(), NODES, PAWN, START]


class Judge:
    """Stockfish, once for each core; for use in a ``with``. Equal positions get equal words.

    Raises UsageError where it is not installed.
    """

    def __init__(self) -> None:
        judge_name()  # refuses what is no judge
        self._engines = []
        with ExitStack() as started:  # ended if one of them does not start
            for _ in range(os.cpu_count() or 1):
                self._engines.append(start_engine(JUDGE))
                started.callback(end_engine, self._engines[-1])
            self._end = started.pop_all().close
        self._known: dict[str, float] = {}

    def __enter__(self) -> "Judge":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end()

    def worth(self, states: NDArray[np.uint64], progress: Progress = ignore) -> Floats:
        """Return the chances [n] of the side to move in chess states [n, S]."""
        game = Chess()
        fens = [game.to_fen(state) for state in states]
        new = [fen for fen in dict.fromkeys(fens) if fen not in self._known]
        count = len(self._engines)
        with ThreadPoolExecutor(count) as pool:
            for at in range(0, len(new), BATCH):
                shares = [new[at + k : at + BATCH : count] for k in range(count)]
                for judged in pool.map(_judge_all, self._engines, shares):
                    self._known.update(judged)
                progress(min(at + BATCH, len(new)), len(new))
        return np.array([self._known[fen] for fen in fens])

    def losses(
        self,
        states: NDArray[np.uint64],
        before: Floats,
        actions: NDArray[np.int64],
        progress: Progress = ignore,
    ) -> Floats:
        """Return what actions [n] lose in states [n, S] whose chances ``before`` [n] are known."""
        after = self.worth(Chess().after(states, actions), progress)
        return np.maximum(before - (1 - after), 0)


def _judge_all(engine: chess.engine.SimpleEngine, fens: list[str]) -> dict[str, float]:
    return {fen: _judged(engine, chess.Board(fen)) for fen in fens}


def _judged(engine: chess.engine.SimpleEngine, board: chess.Board) -> float:
    if board.is_game_over():
        return float(chances(-MOST if board.is_checkmate() else 0))
    analysis = engine.analyse(board, chess.engine.Limit(nodes=NODES), game=object())
    score = analysis["score"].relative.score(mate_score=MOST)
    return float(chances(PAWN * score))
