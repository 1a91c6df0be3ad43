"""Parts side by side: those that wait for others wait, those that were lost are done again."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evenmatch.cluster.executor import Ended, Executor, Work
from evenmatch.errors import StateError
from evenmatch.progress import Progress, ignore

RETRIES = 3  #: times that a part is done again whose worker was lost

Lost = Callable[[str, str], None]  #: hears which part was lost, and how


def side_by_side(
    works: Mapping[str, Callable[[], Work | None]],
    executor: Executor,
    started: Callable[[str], Progress] = lambda key: ignore,
    late: Callable[[], bool] = lambda: False,
    lost: Lost = ignore,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Do parts by an executor, and yield each with its result as soon as it is there.

    ``works`` are asked for the work of a part when there is room for it, and may say None as long
    as it has to wait for others. Once it is ``late`` no more begin. A part whose worker was lost
    begins again, ``RETRIES`` times at most; then StateError is raised. What a part raises is raised
    here. The others are ended then, as when this is left early.
    """
    parts = _Parts(works, executor, started, lost)
    with executor:
        while parts.waiting or parts.running:
            if late():
                parts.waiting.clear()
            parts.begin()
            for part in sorted(executor.ended(), key=lambda part: part.error is not None):
                if parts.take(part):  # results first: nothing is lost when another part failed
                    yield part.key, part.result or {}


class _Parts:
    """The parts that wait, those that run, and how often each was lost."""

    def __init__(
        self,
        works: Mapping[str, Callable[[], Work | None]],
        executor: Executor,
        started: Callable[[str], Progress],
        lost: Lost,
    ):
        self.waiting = dict(works)
        self.running: dict[str, Callable[[], Work | None]] = {}
        self._executor, self._started, self._lost = executor, started, lost
        self._hears: dict[str, Progress] = {}
        self._losses: Counter[str] = Counter()

    def begin(self) -> None:
        """Begin as many parts as there is room for."""
        for key, ask in list(self.waiting.items()):
            if not self._executor.has_room():
                return
            work = ask()
            if work is not None:
                self.running[key] = self.waiting.pop(key)
                if key not in self._hears:
                    self._hears[key] = self._started(key)
                self._executor.begin(key, work, self._hears[key])

    def take(self, part: Ended) -> bool:
        """Take a part that is over; return whether it is done. Raises what it raised."""
        ask = self.running.pop(part.key)
        if part.error is not None:
            raise part.error
        if not part.lost:
            return True
        self._losses[part.key] += 1
        if self._losses[part.key] > RETRIES:
            times = self._losses[part.key]
            raise StateError(
                f"{part.key} was lost {times} times ({part.lost}); the same command goes on"
            )
        self._lost(part.key, part.lost)
        self.waiting = {part.key: ask, **self.waiting}
        return False
