"""Evaluators: they judge the leaves of a search.

`CachedEvaluator` remembers what another evaluator said: a search meets again many positions that
the search before it judged, and games of one match share their openings. A hit saves the network
call for that position.
"""

import threading
from contextlib import nullcontext
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.game import Game, States


class Evaluation(NamedTuple):
    """What an evaluator says of n positions; arrays may be reused by its next call."""

    logits: NDArray[np.float32]  # [n, A] policy logits; those of illegal actions are ignored
    values: NDArray[np.float32]  # [n] expected outcome for the side to move, in [-1, 1]
    wdl: NDArray[np.float32] | None = None  # [n, 3] chances of a win, a draw and a loss
    scores: NDArray[np.float32] | None = None  # [n, K] all that the strength head says
    leads: NDArray[np.float32] | None = None  # [n] expected score of the side to move, in points
    ownership: NDArray[np.float32] | None = None  # [n, H*W] whose points will be, own ones 1


class Request(NamedTuple):
    """Inputs of an evaluation beside the positions, one per row [n]; None: the default."""

    dropout: NDArray[np.float64] | None = None  # [n] share of the heads' units to ignore
    seeds: NDArray[np.uint64] | None = None  # [n] not 0; decide all that is random
    ratings: NDArray[np.float64] | None = None  # [n] of whose moves the policy is; 0: not known
    scales: NDArray[np.int32] | None = None  # [n] which of the network's scales they are of
    opponents: NDArray[np.float64] | None = None  # [n] ratings of the other side; 0: as ratings


NOTHING = Request()


class Evaluator(Protocol):
    """Judges positions of the one game it was made for."""

    def evaluate(self, states: States, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S].

        Seeds decide everything random, so that a tree searched among others is searched as it would
        be alone; they may be overwritten.
        """
        ...


class _Buffered:
    """Shared by the evaluators without a network: all-zero logits of any batch size."""

    def __init__(self, game: Game):
        self.game = game
        self._logits = np.zeros((0, game.num_actions), np.float32)
        self._values = np.zeros(0, np.float32)

    def _buffers(self, count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        if count > len(self._values):
            self._logits = np.zeros((count, self.game.num_actions), np.float32)
            self._values = np.zeros(count, np.float32)
        return self._logits[:count], self._values[:count]


class UniformEvaluator(_Buffered):
    """Every action equally likely, every position even: measures the search itself."""

    def evaluate(self, states, request=NOTHING):
        """Return zero logits and zero values."""
        return Evaluation(*self._buffers(len(states)))


class RolloutEvaluator(_Buffered):
    """Uniform priors and the outcome of one random playout: plain Monte Carlo tree search."""

    def evaluate(self, states, request=NOTHING):
        """Return zero logits and the outcomes of one playout from each position."""
        logits, values = self._buffers(len(states))
        seeds = request.seeds
        if seeds is None:
            seeds = np.arange(1, len(states) + 1, dtype=np.uint64)
        self.game.playout(states, seeds, values)
        return Evaluation(logits, values)


def evaluated(evaluator: Evaluator, states: States) -> Evaluation:
    """Return a copy of what an evaluator says, which no other thread's call overwrites."""
    with getattr(evaluator, "lock", None) or nullcontext():
        reply = evaluator.evaluate(states)
        return reply._replace(
            **{name: x.copy() for name, x in reply._asdict().items() if x is not None}
        )


POSITIONS = 1 << 19  #: most that are remembered; the oldest make room
MEMORY = 400 << 20  #: bytes that they may take: fewer where a game has many actions
FORGOTTEN = ("ownership",)  #: fields of Evaluation as large as a board, which no search reads
ODD = np.uint64(0x9E3779B97F4A7C15)  #: spreads 32 bits over 64
UNCONDITIONED = np.uint64(0)  #: the key of rows that name no rating


class CachedEvaluator:
    """Asks another evaluator about positions it does not remember.

    A position is remembered with the ratings that were asked for, so searches at many ratings share
    one memory. Ownership is not kept; ask the ``source`` for it.

    Only for evaluators that always say the same of a position; where it depends a little on the
    batch, as rounding in networks does, the first cached evaluation is reused. Calls with head
    dropout are passed on, unremembered. Memory grows up to ``positions`` times a state
    and its results (by default 170 MB for Othello 8x8, 250 MB for chess). Threads may share it.
    """

    def __init__(self, evaluator: Evaluator, game: Game, positions: int | None = None):
        positions = positions or room_for(game)
        self.source = evaluator  #: which is asked about what is not remembered
        self._lock = getattr(evaluator, "lock", None) or threading.RLock()
        self._game = game
        self._states = np.zeros((positions, game.search_words), np.uint64)
        self._table = _HashTable(positions)
        self._results: dict[str, NDArray] = {}  # of the remembered positions: fields of Evaluation
        self.requested = self.judged = 0  #: positions requested, and those that were not remembered

    def evaluate(self, states: States, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S] as the evaluator beneath would."""
        if states.shape[1] != self._states.shape[1]:
            states = self._game.as_roots(states)
        with self._lock:
            return self._evaluate(states, request)

    def _evaluate(self, states: States, request: Request) -> Evaluation:
        self.requested += len(states)
        damaged = request.dropout is not None and request.dropout.any()
        if damaged or not len(states) or 2 * len(states) > len(self._states):
            self.judged += len(states)
            return _copied(self.source.evaluate(states, request))
        try:
            places, fresh = self._table.find(
                states, condition_keys(request, len(states)), self._states
            )
            if len(fresh):
                self._judge(states[fresh], _rows(request, fresh), places[fresh])
        except BaseException:  # places may be taken whose results are not there
            self.forget()
            raise
        return Evaluation(**{name: kept[places] for name, kept in self._results.items()})

    def forget(self) -> None:
        """Forget all positions."""
        self._table = _HashTable(len(self._states))

    def _judge(self, states: States, request: Request, places: NDArray[np.intp]) -> None:
        """Fill ``places`` [m] with what the evaluator says of ``states`` [m, S]."""
        self.judged += len(states)
        judged = self.source.evaluate(states, request)._asdict()
        given = {
            name: array
            for name, array in judged.items()
            if array is not None and name not in FORGOTTEN
        }
        if not self._results:
            count = len(self._states)
            self._results = {
                name: np.zeros((count, *array.shape[1:]), array.dtype)
                for name, array in given.items()
            }
        for name, array in given.items():
            self._results[name][places] = array


def condition_keys(request: Request, count: int) -> NDArray[np.uint64]:
    """Return a key [n] per row, distinct for each rating, scale and rating of the opponent."""
    if request.ratings is None:
        return np.zeros(count, np.uint64)
    bits = request.ratings.astype(np.float32).view(np.uint32).astype(np.uint64)
    scales = np.zeros(count, np.uint64) if request.scales is None else request.scales
    words = (bits << np.uint64(8)) | (scales.astype(np.uint64) + np.uint64(1))
    if request.opponents is not None:
        others = request.opponents.astype(np.float32).view(np.uint32).astype(np.uint64)
        words ^= others * ODD  # 0 where it is not known
    return np.where(request.ratings > 0, words, UNCONDITIONED)


def _rows(request: Request, rows: NDArray[np.intp]) -> Request:
    """Return what some rows ask, of what is remembered with a position."""
    kept = {name: getattr(request, name) for name in ("ratings", "scales", "opponents")}
    return Request(**{name: None if x is None else x[rows] for name, x in kept.items()})


def _copied(evaluation: Evaluation) -> Evaluation:
    given = {name: x.copy() for name, x in evaluation._asdict().items() if x is not None}
    return Evaluation(**given)


def room_for(game: Game) -> int:
    """Return how many positions of a game are remembered by default, a power of two."""
    size = 8 * game.search_words + 4 * (game.num_actions + 2)
    return min(POSITIONS, 1 << (MEMORY // size).bit_length() - 1)


class _HashTable:
    """Which place holds which position: places are filled in turn, a hash finds them again."""

    def __init__(self, positions: int):
        buckets = 2 << (positions - 1).bit_length()
        # all begin as zeros, which take no memory before they are written
        self._place_of = np.zeros(buckets, np.int64)  # [buckets] 1 + place, 0 for none
        self._bucket_of = np.zeros(positions, np.int64)  # [positions] bucket that leads there
        self._keys = np.zeros(positions, np.uint64)  # [positions] of the conditions
        self._used = np.zeros(positions, np.int64)  # [positions] latest call that used the place
        self._clock = np.zeros(2, np.int64)  # this call's number, the next place to fill
        self._room = np.zeros((2, 0), np.intp)

    def find(
        self, states: States, keys: NDArray[np.uint64], known: States
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the place of each row of ``states`` [n], and the rows that are new there."""
        if len(states) > self._room.shape[1]:
            self._room = np.zeros((2, len(states)), np.intp)
        places, fresh = self._room[:, : len(states)]
        count = look_up(
            states,
            keys,
            known,
            self._keys,
            self._place_of,
            self._bucket_of,
            self._used,
            self._clock,
            places,
            fresh,
        )
        return places, fresh[:count]


@inlined
def hashed(states, i, key):
    """Return a 64-bit hash of row i and the key of its condition."""
    word = np.uint64(0x9E3779B97F4A7C15) ^ key
    for j in range(states.shape[1]):
        word = (word ^ states[i, j]) * np.uint64(0xD6E8FEB86659FD93)
        word ^= word >> np.uint64(32)
    return word


@inlined
def equal(a, i, b, j):
    """Return whether row i of ``a`` is row j of ``b``."""
    differ = np.uint64(0)
    for k in range(a.shape[1]):
        differ |= a[i, k] ^ b[j, k]
    return differ == np.uint64(0)


@kernel
def look_up(states, keys, known, known_keys, place_of, bucket_of, used, clock, places, fresh):
    """Find or make a place for each row of ``states``; shapes as in :class:`_HashTable`.

    Returns how many rows are ``fresh``. A place used in this call is not given away in it, so
    there must be more places than rows.
    """
    clock[0] += 1
    new = 0
    for i in range(len(states)):
        bucket = np.int64(hashed(states, i, keys[i]) & np.uint64(len(place_of) - 1))
        place = place_of[bucket] - 1
        if place < 0 or known_keys[place] != keys[i] or not equal(states, i, known, place):
            place = clock[1]
            while used[place] == clock[0]:
                place = (place + 1) % len(used)
            clock[1] = (place + 1) % len(used)
            left = bucket_of[place]
            if place_of[left] == 1 + place:
                place_of[left] = 0
            place_of[bucket] = 1 + place
            bucket_of[place] = bucket
            known_keys[place] = keys[i]
            for j in range(states.shape[1]):
                known[place, j] = states[i, j]
            fresh[new] = i
            new += 1
        used[place] = clock[0]
        places[i] = place
    return new
