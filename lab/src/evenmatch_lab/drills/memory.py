"""Drills of memory that is not there: a large forest meets the limit of its process."""

from __future__ import annotations

from evenmatch_lab.drills import programs
from evenmatch_lab.drills.damaged import snapshot
from evenmatch_lab.drills.drill import Outcome, Task

MEGABYTE = 1 << 20
#: Matches whose forests take many gigabytes, and what their processes get, in megabytes.
CASES: tuple[tuple[str, str, int], ...] = (
    ("othello", "500", 1500),
    ("othello", "500", 2500),
    ("connect4", "1000", 1500),
    ("go9", "200", 2000),
    ("chess", "200", 2000),
    ("go", "64", 3000),
)
PLAYER = "alphazero:sims=2000000"


def forest(task: Task) -> Outcome:
    """Search forests that are larger than the memory that their process gets."""
    outcome, folder = Outcome(), task.folder
    (folder / "kept").write_text("as it was")
    before = snapshot(folder)
    for game, count, megabytes in CASES[: task.times(len(CASES), 1)]:
        words = ("match", PLAYER, "random", "--game", game, "-n", count)
        ended = programs.run(programs.command(*words), folder, memory=megabytes * MEGABYTE)
        outcome.runs += 1
        outcome.seen["refused in one line"] += ended.refused
        outcome.check(ended.refused, f"{' '.join(words)}: {ended}")
        outcome.check(snapshot(folder) == before, f"{' '.join(words)}: files have changed")
    return outcome
