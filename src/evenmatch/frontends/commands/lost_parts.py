"""Parts whose workers were lost: told of as it happens, and counted at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

from evenmatch.arena import Play, play
from evenmatch.arena_parts import InParts
from evenmatch.cluster import executor
from evenmatch.frontends import console


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
def games_by(jobs: int | None, cluster: str | None) -> Iterator[Play]:
    """Yield what plays games: this process, or parts side by side here or on a cluster.

    At the end it tells how many parts were lost and played again.
    """
    if cluster is None and jobs in (None, 1):
        yield play
        return
    lost = Lost()
    with InParts(executor(cluster, jobs), lost) as parts:
        yield parts
    lost.tell()
