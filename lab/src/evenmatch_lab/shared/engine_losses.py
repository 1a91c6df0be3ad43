"""What moves lose in chances, as Stockfish judges them: a scale on which people of a rating stand.

A move's loss is how much smaller the mover's chances are after it than before, in [0, 1]; what
centipawns are worth is said in ``records/evals.py``. ``people`` has it from the evaluations
that games were recorded with, ``Judge`` from Stockfish here.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.chess import Chess
from evenmatch.opponents.engine_evals import (
    PAWN,
    SINCE,
    Engines,
    centipawns,
    counts_pawns_anew,
    engine_there,
)
from evenmatch.opponents.uci_program import engine_name
from evenmatch.progress import Progress, ignore
from evenmatch.ratings.score import normal_quantile
from evenmatch.records.record import MOST, chances
from evenmatch.workshop.datasets.dataset import NO_EVAL, Dataset
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.positions import band_turns

JUDGE, NODES = "stockfish", 20_000
START = 25
"""Centipawns that White is ahead by before the first move, which games have no eval of: what evals
say after the best first moves (medians of Lichess's rapid games: 33 after 1.e4, 25 after 1.c4, 23
after 1.Nf3)."""

Floats = NDArray[np.float64]


class Lost(NamedTuple):
    """What moves of people lose."""

    losses: Floats  #: [n]
    people: NDArray[np.int64]  #: [n] whose moves they are


def people(dataset: Dataset, split: str, band: tuple[float, float], most: int, seed: int) -> Lost:
    """Return what moves of people of a band of ratings lose by their games' evals.

    Counts moves with an eval before them and after; before the first move it is START, and mates
    have won. UsageError if no such game has evals.
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
    return engine_there(JUDGE)


def judge_name() -> str:
    """Return the judge's name and version, which belong to what it says.

    UsageError if it is not installed, or so old that ``PAWN`` is not its.
    """
    if not judge_there():
        raise UsageError(f"{JUDGE} is not installed; on Debian `apt install {JUDGE}`")
    name = engine_name(JUDGE)
    if not counts_pawns_anew(name):
        raise UsageError(f"{name} counts pawns otherwise; install {SINCE} or a newer one")
    return name


def judge_settings() -> list[Any]:
    """Return what the judge's words depend on; UsageError as ``judge_name``."""
    return [judge_name(), NODES, PAWN, START]


class Judge(Engines):
    """Stockfish, once for each core; for use in a ``with``. Equal positions get equal words.

    Raises UsageError where it is not installed.
    """

    def __init__(self) -> None:
        judge_name()  # refuses what is no judge
        super().__init__(JUDGE)
        self._known: dict[str, float] = {}

    def worth(self, states: NDArray[np.uint64], progress: Progress = ignore) -> Floats:
        """Return the chances [n] of the side to move in chess states [n, S]."""
        game = Chess()
        fens = [game.to_fen(state) for state in states]
        new = [fen for fen in dict.fromkeys(fens) if fen not in self._known]
        judged = self.map(_judged, new, progress)
        self._known.update(zip(new, judged, strict=True))
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


def _judged(engine: chess.engine.SimpleEngine, fen: str) -> float:
    return float(chances(centipawns(engine, chess.Board(fen), NODES, PAWN, object())))
