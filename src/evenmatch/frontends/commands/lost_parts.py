"""Parts whose workers were lost: told of as it happens, and counted at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

from evenmatch.frontends import console
from evenmatch.play.arena import Play, play
from evenmatch.workshop.arena_parts import InParts
from evenmatch.workshop.cluster import Executor, executor


class Lost:
    """Hears of parts that are done again."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, part: str, how: str) -> None:
        """Tell of one."""
        self.count += 1
        console.note(f"{part} begins again: {how}")

    def tell(self) -> None:
        """Say how many there were, if any."""
        if self.count:
            console.tell(f"{console.counted(self.count, 'lost part')} done again")


@contextmanager
def parts_by(jobs: int | None, cluster: str | None) -> Iterator[tuple[Executor | None, Lost]]:
    """Yield what does parts, None for this process, and who hears of those that are lost.

    At the end it tells how many were.
    """
    lost = Lost()
    if cluster is None and jobs in (None, 1):
        yield None, lost
        return
    with executor(cluster, jobs) as does:
        yield does, lost
    lost.tell()


@contextmanager
def games_by(jobs: int | None, cluster: str | None) -> Iterator[Play]:
    """Yield what plays games: this process, or parts as by `parts_by`."""
    with parts_by(jobs, cluster) as (does, lost):
        yield play if does is None else InParts(does, lost)
