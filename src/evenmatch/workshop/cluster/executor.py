"""What does parts of work: its interface, and the simplest one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from evenmatch.progress import Progress

Work = Callable[[str, Progress], dict[str, Any]]  #: work(key, progress) does a part; picklable


@dataclass(frozen=True, eq=False)
class Shared:
    """Something large that the works of many parts hold: each machine of a cluster gets it once."""

    value: Any


class Ended(NamedTuple):
    """A part that is over: one of these."""

    key: str
    result: dict[str, Any] | None = None
    error: BaseException | None = None  #: what the part itself raised
    lost: str = ""  #: how the worker was lost that did it


class Executor(ABC):
    """Does parts, several at once where it can. A context manager: at its end all is ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def has_room(self) -> bool:
        """Return whether another part can begin."""

    @abstractmethod
    def begin(self, key: str, work: Work, progress: Progress) -> None:
        """Begin a part, of whose progress ``progress`` is to hear."""

    @abstractmethod
    def ended(self, wait: bool = True) -> Sequence[Ended]:
        """Wait until parts have ended, and return them; after a while none.

        Without ``wait`` return at once.
        """

    @abstractmethod
    def close(self) -> None:
        """End what still runs, whatever it does."""


class Here(Executor):
    """Does one part after the other, in this process; what a part raises is raised at once."""

    def __init__(self) -> None:
        self._begun: tuple[str, Work, Progress] | None = None

    def has_room(self) -> bool:
        """Return whether no part is to be done."""
        return self._begun is None

    def begin(self, key: str, work: Work, progress: Progress) -> None:
        """Take a part."""
        self._begun = key, work, progress

    def ended(self, wait: bool = True) -> Sequence[Ended]:
        """Do the part that was taken."""
        if self._begun is None:
            return []
        key, work, progress = self._begun
        self._begun = None
        return [Ended(key, work(key, progress))]

    def close(self) -> None:
        """Forget a part that was taken."""
        self._begun = None
