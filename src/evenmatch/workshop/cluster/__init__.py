"""Work in independent parts: in this process, in others of this machine, or on many machines.

``side_by_side`` does parts by an executor, and ``executor`` chooses one of three:

* ``Here`` does one part after the other in this process.
* ``Processes`` does them in processes of this machine, each with cores to itself.
* ``RayTasks`` does them on a cluster of machines. It alone needs Ray, the extra ``cluster``.

What comes of a part is the same by each of them, but for the seconds, and for how a network rounds
on another kind of processor.
"""

from evenmatch.workshop.cluster.executor import Ended, Executor, Here, Shared, Work
from evenmatch.workshop.cluster.processes import Processes
from evenmatch.workshop.cluster.side_by_side import SideBySide, side_by_side

__all__ = [
    "Ended",
    "Executor",
    "Here",
    "Processes",
    "Shared",
    "SideBySide",
    "Work",
    "executor",
    "side_by_side",
]


def executor(cluster: str | None = None, jobs: int | None = None) -> Executor:
    """Return what does parts: on a ``cluster`` if one is named, else up to ``jobs`` at once here.

    Raises UsageError if there are fewer cores than jobs, or no such cluster; MissingExtraError if
    it takes Ray, and that is not installed.
    """
    if cluster is not None:
        from evenmatch.workshop.cluster.ray_tasks import RayTasks

        return RayTasks(cluster, jobs)
    return Here() if jobs is None or jobs == 1 else Processes(jobs)
