"""Parts side by side: those that wait for others wait, those that were lost are done again."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evenmatch.errors import StateError
from evenmatch.progress import Progress, ignore
from evenmatch.workshop.cluster.executor import Ended, Executor, Work

RETRIES = 3  #: times that a part is done again whose worker was lost

Ask = Callable[[], Work | None]  #: returns the work of a part, None while it has to wait
Lost = Callable[[str, str], None]  #: hears which part was lost, and how


def side_by_side(
    works: Mapping[str, Ask],
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
    parts = SideBySide(executor, started, lost)
    for key, ask in works.items():
        parts.add(key, ask)
    with executor:
        while parts.busy:
            if late():
                parts.waiting.clear()
            parts.begin()
            yield from parts.ended()


class SideBySide:
    """Parts that wait, and those that run, by an executor; lost ones begin again.

    ``side_by_side`` does a fixed list of them. Whoever gives new parts while others run, `add`s
    them here, and asks for what `ended`.
    """

    def __init__(
        self,
        executor: Executor,
        started: Callable[[str], Progress] = lambda key: ignore,
        lost: Lost = ignore,
    ):
        self.waiting: dict[str, Ask] = {}
        self._running: dict[str, Ask] = {}
        self._executor, self._started, self._lost = executor, started, lost
        self._hears: dict[str, Progress] = {}
        self._losses: Counter[str] = Counter()

    @property
    def busy(self) -> bool:
        """Return whether any part waits or runs."""
        return bool(self.waiting or self._running)

    def __contains__(self, key: str) -> bool:
        """Return whether a part waits or runs."""
        return key in self.waiting or key in self._running

    def add(self, key: str, ask: Ask) -> None:
        """Let a part wait for its turn. One of its name may have been done before."""
        self.waiting[key] = ask

    def add_ready(self, key: str, work: Work) -> None:
        """Let a part wait for its turn alone: all that it needs is there."""
        self.add(key, lambda: work)

    def begin(self) -> None:
        """Begin as many parts as there is room for."""
        for key, ask in list(self.waiting.items()):
            if not self._executor.has_room():
                return
            work = ask()
            if work is not None:
                self._running[key] = self.waiting.pop(key)
                if key not in self._hears:
                    self._hears[key] = self._started(key)
                self._executor.begin(key, work, self._hears[key])

    def ended(self, wait: bool = True) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield parts that are done, with their results; wait a while for them unless told not to.

        What a part raised is raised here; StateError for one that was lost too often.
        """
        for part in sorted(self._executor.ended(wait), key=lambda part: part.error is not None):
            if self._take(part):  # results first: nothing is lost when another part failed
                yield part.key, part.result or {}

    def _take(self, part: Ended) -> bool:
        """Take a part that is over; return whether it is done. Raises what it raised."""
        ask = self._running.pop(part.key)
        if part.error is not None:
            raise part.error
        if not part.lost:
            del self._losses[part.key]
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
