"""Judged positions of Connect Four: read from files, judged exactly, kept in a cache.

Outcomes are 1, 0, -1 (win, draw, loss) for the side to move. Positions are the moves that lead
to them, columns counted from 1, as in the files; actions are 0..6 from the left.
"""

import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from connect4_search import COLUMNS, Solver

from evenmatch.errors import UsageError

CACHE = Path(__file__).parent / "data" / "connect4_optimal_moves.json"
SETS = ("Test_L1_R1", "Test_L2_R1", "Test_L3_R1")
ABOUT = {
    "made_by": "python benchmarks/connect4_solver.py, evenmatch's own exact solver",
    "what": "moves that lead to a position (columns from 1) -> outcome of each column's move, "
    "left to right, for the side to move: + win, = draw, - loss, . full column",
}
SIGNS = {1: "+", 0: "=", -1: "-"}


class Judgement(NamedTuple):
    """What is known of a position: all outcomes are for the side to move."""

    outcome: int  # 1, 0 or -1
    optimal: int  # bit a is set if action a keeps the outcome
    outcomes: dict[int, int]  # of each legal action

    @classmethod
    def of(cls, outcomes: dict[int, int]) -> "Judgement":
        """Judge a position that is not over by the outcomes of its actions."""
        best = max(outcomes.values())
        return cls(best, sum(1 << a for a, value in outcomes.items() if value == best), outcomes)


def load_positions(path: Path | str) -> list[tuple[str, int]]:
    """Read a file of `moves score` lines; the score's sign is the outcome.

    Raises:
        UsageError: the file is absent or a line is not of that form.
    """
    try:
        lines = Path(path).read_text().splitlines()
    except FileNotFoundError:
        raise UsageError(f"no file {path}: name the data folder in EVENMATCH_DATA") from None
    positions = []
    for number, line in enumerate(lines, 1):
        try:
            moves, score = line.split()
            positions.append((moves, int(score)))
        except ValueError:
            raise UsageError(f"{path}, line {number}: write `moves score`, not {line!r}") from None
    return positions


def written(outcomes: dict[int, int]) -> str:
    """Write the outcome of each column's move, left to right; see `ABOUT`."""
    return "".join(SIGNS[outcomes[a]] if a in outcomes else "." for a in range(COLUMNS))


def _read(text: str) -> dict[int, int]:
    return {a: "-=+".index(sign) - 1 for a, sign in enumerate(text) if sign != "."}


def read_cache(cache: Path | str = CACHE) -> dict[str, Judgement]:
    """Return the judgements kept, by moves; none if there is no such file."""
    path = Path(cache)
    kept = json.loads(path.read_text())["outcomes"] if path.exists() else {}
    return {moves: Judgement.of(_read(text)) for moves, text in kept.items()}


def write_cache(judgements: dict[str, Judgement], cache: Path | str = CACHE) -> None:
    """Write the file whole, or leave the old one."""
    path = Path(cache)
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {moves: written(judgement.outcomes) for moves, judgement in judgements.items()}
    part = path.with_suffix(".part")
    part.write_text(json.dumps({**ABOUT, "outcomes": kept}, indent=0) + "\n")
    part.replace(path)


def optimal_moves(
    paths: Iterable[Path | str],
    cache: Path | str = CACHE,
    progress: Callable[[Path, int, int], None] | None = None,
    save_every: float = 10.0,
    solver: Solver | None = None,
) -> dict[str, Judgement]:
    """Judge the positions of the files, and keep the judgements in the cache.

    Args:
        paths: files that `load_positions` reads.
        cache: judgements found here are not made again; it is saved every `save_every`
            seconds and at the end, so that a run that was stopped goes on where it was.
        progress: called after each new judgement with the file, how many of it are judged,
            and how many there are.
        solver: who judges, by default a new one.

    Returns:
        The judgement of each position of the files, by its moves.
    """
    judgements, asked, saved, new = read_cache(cache), [], time.monotonic(), 0
    solver = solver or Solver()
    for path in map(Path, paths):
        positions = [moves for moves, _ in load_positions(path)]
        asked += positions
        todo = [moves for moves in positions if moves not in judgements]
        for number, moves in enumerate(todo, 1):
            judgements[moves] = Judgement.of(solver.move_outcomes(moves))
            new += 1
            if progress:
                progress(path, len(positions) - len(todo) + number, len(positions))
            if time.monotonic() - saved > save_every:
                write_cache(judgements, cache)
                saved = time.monotonic()
    if new:
        write_cache(judgements, cache)
    return {moves: judgements[moves] for moves in asked}


def mismatches(path: Path | str, judgements: dict[str, Judgement]) -> list[str]:
    """Return the positions of the file whose outcome is not the sign of the published score."""
    published = load_positions(path)
    return [moves for moves, score in published if judgements[moves].outcome != np.sign(score)]
