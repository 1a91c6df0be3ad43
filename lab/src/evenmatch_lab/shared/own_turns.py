"""What a network thinks of recorded games at the turns of one of its sides, to the end."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.chess import Chess
from evenmatch.network.artifact import shipped_path
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress
from evenmatch.records.dataset import NO_EVAL, Dataset, Sides
from evenmatch.records.evals import chances
from evenmatch.records.record import Speed

BLOCK = 4096

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class OwnTurns:
    """K turns of N sides, those of a side together and in order.

    The last row of a side is the position at the end of the game, whoever is to move. A chance is
    the network's expected score of the side, from 0 to 1.
    """

    side: Ints  #: [K] number of the side, from 0
    plies: Ints  #: [K] moves played before
    chances: Floats  #: [K]
    evals: Floats  #: [K] chances by the record's evals; NaN where there is none
    own: Flags  #: [K] whether the side is to move
    over: Flags  #: [K] whether the game is over on the board
    last: Flags  #: [K] whether the row is the last of its side
    results: Ints  #: [N] of the side: 1, 0 or -1
    ratings: Ints  #: [N]
    people: Ints  #: [N]
    increments: Ints  #: [N] seconds; -1 where the time control is unknown

    @property
    def lengths(self) -> Ints:
        """Return how many plies each game has, [N]."""
        return self.plies[self.last]

    @property
    def ended_on_board(self) -> Flags:
        """Return which games ended on the board: by mate, stalemate or a rule; [N]."""
        return self.over[self.last]

    @property
    def gave_up(self) -> Flags:
        """Return which sides lost without a mate: by resignation, on time, by leaving; [N]."""
        return (self.results == -1) & ~self.ended_on_board

    @property
    def agreed(self) -> Flags:
        """Return which games were drawn without need: most by agreement; [N]."""
        return (self.results == 0) & ~self.ended_on_board

    def before(self, turns: int, values: NDArray, missing: float) -> Floats:
        """Return ``values`` [K] of so many own turns before; ``missing`` before the first."""
        shifted = np.full(len(values), float(missing))
        same = self.side[turns:] == self.side[: len(self.side) - turns]
        shifted[turns:][same] = values[: len(values) - turns][same]
        return shifted


def judge(dataset: Dataset, split: str, most: int, seed: int, progress: Progress) -> OwnTurns:
    """Let the shipped network judge up to ``most`` sides of a split, drawn by chance.

    Of classical games alone where there are some: people play these to the end, or resign.
    Raises UsageError if there are no sides.
    """
    sides = dataset.select(split=split, speed=Speed.classical)
    if not len(sides.games):
        sides = dataset.select(split=split)
    if not len(sides.games):
        raise UsageError(f"no games of players in split {split}; add games of some")
    kept = np.sort(np.random.default_rng(seed).permutation(len(sides.games))[:most])
    sides = Sides(sides.games[kept], sides.sides[kept])
    number, plies = _turns(dataset, sides)
    values, over = _values(dataset, sides.games[number], plies, progress)
    own = plies % 2 == sides.sides[number]
    sign = np.where(sides.sides == 0, 1, -1)
    evals = dataset.evals_after(sides.games[number], plies - 1)
    by_evals = chances(np.where(evals == NO_EVAL, np.nan, evals.astype(float) * sign[number]))
    rows = dataset.games[sides.games]
    return OwnTurns(
        side=number,
        plies=plies,
        chances=(1 + np.where(own, values, -values)) / 2,
        evals=by_evals,
        own=own,
        over=over,
        last=np.append(number[1:] != number[:-1], True),
        results=rows["result"].astype(np.int64) * sign,
        ratings=rows["ratings"][np.arange(len(rows)), sides.sides].astype(np.int64),
        people=rows["players"][np.arange(len(rows)), sides.sides].astype(np.int64),
        increments=_increments(dataset)[rows["time_control"]],
    )


def _turns(dataset: Dataset, sides: Sides) -> tuple[Ints, Ints]:
    """Return the number of the side and the ply of all turns and ends."""
    count, ends = len(sides.games), dataset.games["plies"][sides.games].astype(np.int64)
    _, plies = dataset.turns(sides)
    number = np.repeat(np.arange(count), (ends - sides.sides + 1) // 2)
    number, plies = np.append(number, np.arange(count)), np.append(plies, ends)
    order = np.lexsort((plies, number))
    return number[order], plies[order]


def _values(dataset: Dataset, games: Ints, plies: Ints, progress: Progress) -> tuple[Floats, Flags]:
    """Return the network's values [K] for whoever is to move, and where the game is over [K]."""
    net = NetworkEvaluator(shipped_path("chess"), get_game("chess"))
    values, over = np.empty(len(games)), np.empty(len(games), np.bool_)
    for at in range(0, len(games), BLOCK):
        rows = slice(at, at + BLOCK)
        states = dataset.states(games[rows], plies[rows]).states
        values[rows] = net.evaluate(states).values
        over[rows], ended = Chess().outcome(states)
        values[rows] = np.where(over[rows], ended, values[rows])
        progress(min(at + BLOCK, len(games)), len(games))
    return values, over


def _increments(dataset: Dataset) -> Ints:
    """Return the seconds added after each move, by number of the time control."""
    told = [text.partition("+")[2] for text in dataset.time_controls]
    known = [int(text) if text.isdecimal() else -1 for text in told]
    return np.array(known, np.int64)
