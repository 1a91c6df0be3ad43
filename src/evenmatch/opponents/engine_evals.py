"""Evaluations of positions by a chess engine, for games recorded without them."""

import re
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.chess import Chess
from evenmatch.network.processor import core_count
from evenmatch.opponents.gtp_program import command_of, ended_with
from evenmatch.opponents.uci_program import (
    FAILURES,
    end_engine,
    engine_name,
    start_engine,
    why_failed,
)
from evenmatch.progress import Progress, ignore

MATED = 10_000  #: centipawns of a mate; of one in n moves, n less
PAWN = 1.5
"""Centipawns of Lichess's evaluations that are one of Stockfish's from version ``SINCE`` on, where
100 have even chances to win. In 490 moves (split tune) win chances differ by 0.024 on average with
it and by 0.050 without; mean losses are 4.52% and 3.66%, and 4.57% by Lichess."""
SINCE = 15.1  #: version
PATIENCE = 30.0  #: most seconds for a position, which takes a small part of one

Item = TypeVar("Item")
Said = TypeVar("Said")


class EngineFailedError(UsageError):
    """An engine ended or does not answer during its work."""


def engine_there(cmd: str) -> bool:
    """Return whether an engine is installed, by its command."""
    return shutil.which(command_of(cmd)[0]) is not None


def counts_pawns_anew(name: str) -> bool:
    """Return whether an engine's centipawns are those of Stockfish from ``SINCE`` on.

    ``name`` is its own name with its version; without a version it is taken to be newer.
    """
    version = re.search(r"\d+(\.\d+)?", name)
    return version is None or float(version[0]) >= SINCE


class Engines:
    """Processes of an engine, one per core that may be used; a context manager."""

    def __init__(self, cmd: str) -> None:
        """Start them. UsageError if the command is of no engine."""
        self.name = engine_name(cmd)  #: its own name, with its version
        self._free: SimpleQueue[chess.engine.SimpleEngine] = SimpleQueue()
        self._count = core_count()
        with ExitStack() as started:  # ended if one of them does not start
            for _ in range(self._count):
                engine = start_engine(cmd)
                engine.patience = PATIENCE
                self._free.put(engine)
                started.callback(end_engine, engine)
            self._end = ended_with(self, started.pop_all().close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end()

    def map(
        self,
        work: Callable[[chess.engine.SimpleEngine, Item], Said],
        items: Sequence[Item],
        progress: Progress = ignore,
    ) -> list[Said]:
        """Do the work with each item and a free engine, and return the results in order."""

        def with_one(item: Item) -> Said:
            engine = self._free.get()
            try:
                return work(engine, item)
            finally:
                self._free.put(engine)

        pool = ThreadPoolExecutor(self._count)
        try:
            said = []
            for one in pool.map(with_one, items):
                said.append(one)
                progress(len(said), len(items))
            return said
        finally:
            pool.shutdown(cancel_futures=True)


class EngineEvals(Engines):
    """Evaluates games of chess as Lichess does, by ``nodes`` a position.

    The evaluations of a game depend neither on earlier games nor on the number of cores.
    """

    def __init__(self, cmd: str, nodes: int, progress: Progress = ignore) -> None:
        """``progress`` gets the numbers of games done and due. UsageError as `Engines`."""
        super().__init__(cmd)
        self.nodes, self._progress = nodes, progress
        self._pawn = PAWN if counts_pawns_anew(self.name) else 1.0

    def __call__(self, games: Sequence[NDArray[np.uint64]]) -> list[NDArray[np.float64]]:
        """Return the evaluation of each game's states [n, S] for White, [n] centipawns.

        A mate counts ``MATED`` minus the moves until it. EngineFailedError if the engine fails.
        """
        try:
            work = partial(_evaluated, nodes=self.nodes, pawn=self._pawn)
            return self.map(work, games, self._progress)
        except FAILURES as error:
            raise EngineFailedError(
                f"{self.name} failed ({why_failed(error)}); judge moves without it: --no-engine"
            ) from None


def _evaluated(
    engine: chess.engine.SimpleEngine, states: NDArray[np.uint64], nodes: int, pawn: float
) -> NDArray[np.float64]:
    rules, token = Chess(), object()  # a new game, so that nothing is known from another
    boards = [chess.Board(rules.to_fen(state)) for state in states]
    worth = [centipawns(engine, board, nodes, pawn, token) for board in boards]
    signs = [1 if board.turn == chess.WHITE else -1 for board in boards]
    return np.array(signs) * np.array(worth, float)


def centipawns(
    engine: chess.engine.SimpleEngine, board: chess.Board, nodes: int, pawn: float, game: object
) -> float:
    """Return the evaluation of a position for the side to move, by a search of ``nodes``.

    ``pawn`` of Lichess's centipawns are one of the engine's. Positions of one ``game`` may share
    what the engine found.
    """
    if board.is_game_over():
        return -MATED if board.is_checkmate() else 0
    limit, wanted = chess.engine.Limit(nodes=nodes), chess.engine.INFO_SCORE
    analysis = engine.analyse(board, limit, game=game, info=wanted)
    if "score" not in analysis:
        raise chess.engine.EngineError("it sent no score")
    score = analysis["score"].relative
    worth = score.score(mate_score=MATED)
    return worth if score.is_mate() else pawn * worth
