"""Work in parts, here, in processes or on a cluster: what does it, and a report of retries.

Modules import it late, since it loads the workshop.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from evenmatch.frontends import console
from evenmatch.play.arena import Play, play
from evenmatch.workshop.match_tasks import MatchTasks
from evenmatch.workshop.ray_tasks import executor
from evenmatch.workshop.tasks import Executor


class Retries:
    """Reports each part whose worker was lost and that is done again, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, part: str, how: str) -> None:
        """Report one."""
        self.count += 1
        console.note(f"{part} begins again: {how}")

    def tell(self) -> None:
        """Print the number of retries, if there were any."""
        if self.count:
            console.tell(f"{console.counted(self.count, 'lost part')} done again")


@contextmanager
def executed(jobs: int | None, cluster: str | None) -> Iterator[tuple[Executor | None, Retries]]:
    """Yield what does parts, None for this process, and what hears of those done again."""
    retries = Retries()
    if cluster is None and jobs in (None, 1):
        yield None, retries
        return
    with executor(cluster, jobs) as does:
        yield does, retries
    retries.tell()


@contextmanager
def arena(jobs: int | None, cluster: str | None) -> Iterator[Play]:
    """Yield what plays games: this process, or parts as by `executed`."""
    with executed(jobs, cluster) as (does, retries):
        yield play if does is None else MatchTasks(does, retries)
