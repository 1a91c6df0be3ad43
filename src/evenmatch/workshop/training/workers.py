"""Self-play by workers side by side: in this process, in others of this machine, or on a cluster.

A worker is a `SelfPlay` with games and a seed of its own. It plays on in parts
(`evenmatch.workshop.tasks`): a part takes its state and a network, and returns positions and
its next state. So a part that is lost is played again, move by move, and it does not matter where.

- *In order* every worker plays its share of an iteration. The positions of all are taken in the
  order of the workers. Such a run ends in the same bytes wherever its parts were played.
- *Freely* the learner takes positions as they come, and waits for no single worker. A worker that
  is done continues at once with the latest network, while the learner learns. Once the positions of
  another iteration are there, no worker begins a part until the learner takes them, so that the
  learner is not buried. Such runs differ.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.game import Game, States
from evenmatch.network.inference import DeviceName, NetworkEvaluator
from evenmatch.progress import Progress, ignore
from evenmatch.search import NOTHING
from evenmatch.workshop.networks.sent import evaluator_from_bytes
from evenmatch.workshop.tasks import Executor, InlineExecutor, Shared, TaskPool, Work
from evenmatch.workshop.training.presets import Preset
from evenmatch.workshop.training.self_play import Samples, SelfPlay

PIECES = 2  #: parts in which a worker plays its share of an iteration, if it plays freely
OFTEN = 0.25  #: seconds of learning between two looks at the workers

Hears = Callable[[int, int, float], None]  #: hears positions so far, those due, those a second


@dataclass
class Worker:
    """A worker, as it was after its last part."""

    share: Preset  #: what it plays of an iteration
    seed: int | tuple[int, int]
    state: dict[str, Any] | None = None  #: None before the first part
    playing: int = 0  #: positions so far of the part in progress


class Delivery(NamedTuple):
    """Positions of a part."""

    worker: str
    iteration: int  #: how many iterations its network had learned
    games: int  #: that were finished in it
    evaluations: int
    samples: Samples


class Workers:
    """Self-play by ``count`` workers, whose parts an executor does.

    :meth:`state_dict` and back loses nothing but parts in progress, which are played again. A
    context manager: at its end all parts are ended.
    """

    def __init__(
        self,
        game: Game,
        preset: Preset,
        seed: int,
        *,
        count: int = 1,
        free: bool = False,
        device: DeviceName = "auto",
        executor: Executor | None = None,
    ):
        self.games_finished = 0
        self.lost = 0  #: parts that were lost, and played again
        self._game, self._preset, self._device, self._free = game, preset, device, free
        if count > preset.games:
            raise UsageError(
                f"{count} workers share {preset.games} games; ask for {preset.games} at most, or "
                "for another preset"
            )
        parts = count * PIECES if free else count
        self._workers = {
            f"worker {number}": Worker(
                share_of(preset, parts, count, number), seed if count == 1 else (seed, number)
            )
            for number in range(1, 1 + count)
        }
        self._delivered: list[Delivery] = []
        self._network, self._iteration = Shared(b""), 0
        self._executor = executor or InlineExecutor()
        self._parts = TaskPool(self._executor, self._progress_of, self._lose)
        self._looked = 0.0
        self._tell: Callable[[], None] = ignore

    def __enter__(self) -> "Workers":
        self._executor.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.__exit__(*error)

    def play(self, network: bytes, iteration: int, hears: Hears = ignore) -> list[Delivery]:
        """Return the positions of an iteration. Parts that begin from now on have this network.

        ``network`` is its file, after ``iteration`` iterations.
        """
        self._network, self._iteration = Shared(network), iteration
        start, before = time.perf_counter(), self._positions

        def tell() -> None:
            now = self._positions + sum(worker.playing for worker in self._workers.values())
            rate = (now - before) / (time.perf_counter() - start)
            hears(now, max(now, self._preset.positions), max(rate, 0.0))

        self._tell = tell
        if not self._free:
            self._add_parts()
        while not self._enough():
            self._step()
        self._tell = ignore
        delivered, self._delivered = self._delivered, []
        if self._free:
            return delivered
        return sorted(delivered, key=lambda one: list(self._workers).index(one.worker))

    def look(self) -> None:
        """Let workers that are done continue while the learner learns, if they play freely."""
        if self._free and time.monotonic() - self._looked >= OFTEN:
            self._looked = time.monotonic()
            self._step(wait=False)

    # -- parts -------------------------------------------------------------------------------

    @property
    def _positions(self) -> int:
        """How many positions were delivered for this iteration."""
        return sum(len(one.samples.states) for one in self._delivered)

    def _enough(self) -> bool:
        if not self._free:
            return not self._parts.busy
        if self._preset.positions:
            return self._positions >= self._preset.positions
        return len(self._delivered) >= len(self._workers)

    def _step(self, wait: bool = True) -> None:
        """Begin the parts that there is room for, and take those that are done."""
        if self._free and not self._enough():
            self._add_parts()
        self._parts.start()
        for key, result in self._parts.collect(wait):
            worker = self._workers[key]
            worker.state, worker.playing = result["state"], 0
            self.games_finished += result["games"]
            values = (result[name] for name in Delivery._fields[1:])
            self._delivered.append(Delivery(key, *values))

    def _add_parts(self) -> None:
        """Let every worker that has nothing to do play on."""
        for key in self._workers:
            if key not in self._parts:
                self._parts.add_late(key, partial(self._work, key))

    def _work(self, key: str) -> Work:
        """Return a worker's next part, with the latest network."""
        worker = self._workers[key]
        return partial(
            play_on, self._game.id, worker.share, self._device, self._network, self._iteration,
            worker.seed, worker.state,
        )  # fmt: skip

    def _progress_of(self, key: str) -> Progress:
        """Return what hears of the progress of a worker's parts."""

        def progress(done: int, _due: int) -> None:
            self._workers[key].playing = done
            self._tell()

        return progress

    def _lose(self, key: str, _how: str) -> None:
        """Count a part that was lost: the worker plays it again."""
        self._workers[key].playing = 0
        self.lost += 1

    # -- checkpoints -------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return everything needed to resume from here."""
        return {
            "workers": [worker.state for worker in self._workers.values()],
            "delivered": [(*one[:-1], one.samples._asdict()) for one in self._delivered],
            "games_finished": self.games_finished,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state_dict`."""
        for worker, its_own in zip(self._workers.values(), state["workers"], strict=True):
            worker.state = its_own
        self._delivered = [
            Delivery(worker, iteration, games, evaluations, Samples(**samples))
            for worker, iteration, games, evaluations, samples in state["delivered"]
        ]
        self.games_finished = state["games_finished"]


def share_of(preset: Preset, parts: int, workers: int, number: int) -> Preset:
    """Return what worker ``number`` (from 1) plays: its share of the games and of the positions.

    The games of all workers are those of the preset; their positions are some more, by rounding.
    """
    first = number <= preset.games % workers  # the first ones have one more
    return replace(
        preset,
        games=preset.games // workers + first,
        positions=math.ceil(preset.positions / parts),
    )


def joined(some: Sequence[Samples]) -> Samples:
    """Return positions as one."""
    return Samples(*(np.concatenate(field) for field in zip(*some, strict=True)))


# -- a part, wherever it is played -----------------------------------------------------------------


def play_on(
    game_id: str,
    preset: Preset,
    device: DeviceName,
    network: Shared,
    iteration: int,
    seed: int | tuple[int, int],
    state: dict[str, Any] | None,
    key: str,
    progress: Progress,
) -> dict[str, Any]:
    """Play on from a worker's state; return its positions, its next state, and what it took."""
    play = SelfPlay(get_game(game_id), preset, seed)
    if state is not None:
        play.load_state_dict(state)
    evaluator = Counted(evaluator_from_bytes(network.value, game_id, device))
    before = play.games_finished
    samples = play.play(evaluator, progress)
    return {
        "samples": samples,
        "state": play.state_dict(),
        "games": play.games_finished - before,
        "evaluations": evaluator.count,
        "iteration": iteration,
    }


class Counted:
    """An evaluator that counts what passes through it."""

    def __init__(self, evaluator: NetworkEvaluator):
        self._evaluator = evaluator
        self.count = 0

    def evaluate(self, states: States, request: Any = NOTHING) -> Any:
        """Evaluate, and count the positions."""
        self.count += len(states)
        return self._evaluator.evaluate(states, request)
