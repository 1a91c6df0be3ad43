"""Timing: tasks run in turn, so that what else the machine does falls on all of them alike."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from evenmatch.games.game import Game, States
from evenmatch.network.backend import Backend, Slot
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.processor import Precision
from evenmatch.search import NOTHING


class Timing(NamedTuple):
    """What one timed task did."""

    done: int  #: evaluations, or whatever the task counts
    seconds: float
    network: float = 0.0  #: seconds of them in the network itself

    @property
    def rate(self) -> float:
        """What was done per second."""
        return self.done / self.seconds


TimedTask = Callable[[], Timing]


class Comparison(NamedTuple):
    """Medians over repetitions of two tasks run in turn."""

    rate: float  #: of the first
    share: float  #: of its time in the network
    peer_rate: float  #: of the second
    ratio: float  #: median of the repetitions' ratios, first to second


def repeat(task: TimedTask, seconds: float) -> Timing:
    """Run a task until it has taken this long; add up what it did."""
    samples = [task()]
    while sum(sample.seconds for sample in samples) < seconds:
        samples.append(task())
    return Timing(
        sum(sample.done for sample in samples),
        sum(sample.seconds for sample in samples),
        sum(sample.network for sample in samples),
    )


def measure(task: TimedTask, repetitions: int, seconds: float) -> Timing:
    """Return the repetition of median rate, after one unmeasured run."""
    task()
    samples = sorted((repeat(task, seconds) for _ in range(repetitions)), key=lambda s: s.rate)
    return samples[len(samples) // 2]


def compare(task: TimedTask, peer: TimedTask, repetitions: int, seconds: float) -> Comparison:
    """Run two tasks in turn, each ``seconds`` at least; which goes first alternates."""
    task(), peer()  # unmeasured: compiles, fills caches
    ours: list[Timing] = []
    theirs: list[Timing] = []
    for repetition in range(repetitions):
        for first in (True, False) if repetition % 2 == 0 else (False, True):
            (ours if first else theirs).append(repeat(task if first else peer, seconds))
    return Comparison(
        rate=median(sample.rate for sample in ours),
        share=median(sample.network / sample.seconds for sample in ours),
        peer_rate=median(sample.rate for sample in theirs),
        ratio=median(a.rate / b.rate for a, b in zip(ours, theirs, strict=True)),
    )


def timed(work: Callable[[], object], count: int) -> TimedTask:
    """Return a task that counts ``count`` each time it does some work."""

    def task() -> Timing:
        start = time.perf_counter()
        work()
        return Timing(count, time.perf_counter() - start)

    return task


class MeteredNetwork:
    """A network evaluator that counts positions and the seconds spent in inference alone.

    Encoding positions and copying results count as outside the network.
    """

    def __init__(self, path: Path, game: Game, precision: Precision = "auto"):
        self.game = game
        self.count = 0
        self.seconds = 0.0
        self.kept: list[States] | None = None  #: a list collects all positions judged
        self._evaluator = NetworkEvaluator(path, game, precision=precision)
        self.card = self._evaluator.card
        self._evaluator._backend = _MeteredBackend(self._evaluator._backend, self)

    def evaluate(self, states, request=NOTHING):
        """Evaluate, and count the positions."""
        self.count += len(states)
        if self.kept is not None:
            self.kept.append(states.copy())
        return self._evaluator.evaluate(states, request)

    def warm(self, batch: int) -> None:
        """Compile for all batches up to this one."""
        for size in range(1, min(batch, self._evaluator._backend.sizes[-1]) + 1):
            self._evaluator.evaluate(self.game.initial(size))

    def metered(self, work: Callable[[], object]) -> TimedTask:
        """Return a task that counts the positions some work evaluates."""

        def task() -> Timing:
            self.count, self.seconds = 0, 0.0
            start = time.perf_counter()
            work()
            return Timing(self.count, time.perf_counter() - start, self.seconds)

        return task

    def bare(self, states: States) -> TimedTask:
        """Return a task that evaluates a batch [B, S] and counts only time in the network."""
        task = self.metered(lambda: self.evaluate(states))

        def bare() -> Timing:
            sample = task()
            return Timing(sample.done, sample.network, sample.network)

        return bare

    def draw_kept(self, batch: int) -> States:
        """Return ``batch`` of the positions kept, at random, and stop keeping."""
        pool = np.concatenate(self.kept or [self.game.initial(1)])
        self.kept = None
        return pool[np.random.default_rng(0).integers(0, len(pool), batch)]


class _MeteredBackend:
    """A backend whose slots add their time to a meter."""

    def __init__(self, backend: Backend, meter: MeteredNetwork):
        self.sizes = backend.sizes
        self._backend, self._meter, self.lock = backend, meter, backend.lock

    def slot(self, size: int, dropout: bool) -> Slot:
        """Make a metered slot."""
        return _MeteredSlot(self._backend.slot(size, dropout), self._meter)


class _MeteredSlot:
    def __init__(self, slot: Slot, meter: MeteredNetwork):
        self.inputs, self.outputs, self.names = slot.inputs, slot.outputs, slot.names
        self._run, self._meter = slot.run, meter

    def run(self) -> None:
        start = time.perf_counter()
        self._run()
        self._meter.seconds += time.perf_counter() - start
