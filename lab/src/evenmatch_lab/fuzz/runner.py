"""Children that run inputs of a door, and what they found."""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from evenmatch_lab.fuzz.door import RIGHT, Kind, Verdict

EACH = 2500  #: inputs of one child
SHOWN = 20  #: finds of a door that are told in full


@dataclass
class Found:
    """What became of the inputs of a door."""

    door: str
    seed: int
    inputs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0  #: seconds
    megabytes: int = 0  #: by which a process grew at most
    seconds: float = 0.0
    finds: list[dict[str, Any]] = field(default_factory=list)

    def add(self, number: int, verdict: Verdict, megabytes: int = 0) -> None:
        """Count an input."""
        self.inputs += 1
        self.kinds[verdict.kind] += 1
        self.slowest = max(self.slowest, verdict.seconds)
        self.megabytes = max(self.megabytes, megabytes)
        if verdict.kind not in RIGHT and len(self.finds) < SHOWN:
            self.finds.append({"number": number, "kind": verdict.kind, "told": verdict.told})

    @property
    def wrong(self) -> int:
        """How many inputs were finds."""
        return self.inputs - sum(self.kinds[kind] for kind in RIGHT)

    def row(self) -> dict[str, Any]:
        """Return what a result file keeps."""
        return {
            "inputs": self.inputs,
            "seed": self.seed,
            "accepted": self.kinds["accepted"],
            "refused": self.kinds["refused"],
            "finds": self.wrong,
            "slowest": round(self.slowest, 3),
            "megabytes": self.megabytes,
            "seconds": round(self.seconds),
        }


def fuzz(
    door: str,
    inputs: int,
    seed: int,
    tell: Callable[[Found], None] = lambda found: None,
    first: int = 0,
) -> Found:
    """Run inputs of a door in children; a new one begins after each that ends early."""
    found, begun = Found(door, seed), time.monotonic()
    due = first
    while due < first + inputs:
        due = _child(found, door, seed, due, min(EACH, first + inputs - due))
        found.seconds = time.monotonic() - begun
        tell(found)
    return found


def _child(found: Found, door: str, seed: int, first: int, count: int) -> int:
    """Run one child; return the number of the next input."""
    command = [sys.executable, "-m", "evenmatch_lab.fuzz.child", door, str(seed), str(first)]
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        child = subprocess.Popen(
            [*command, str(count)], stdout=subprocess.PIPE, stderr=errors, text=True
        )
        begun, ended = -1, first - 1
        for line in _lines(child):
            if "begun" in line:
                begun = line["begun"]
                continue
            ended = line.pop("number")
            megabytes = line.pop("megabytes")
            found.add(ended, Verdict(**line), megabytes)
        code = child.wait()
        errors.seek(0)
        told = errors.read()[-4000:]
    if code == 0:
        return ended + 1
    if begun <= ended:
        raise RuntimeError(f"the door {door} cannot be opened:\n{told}")
    kind: Kind = "hang" if "Timeout (" in told else "crash"
    found.add(begun, Verdict(kind, 0.0, f"exit code {code}\n{told}"))
    return begun + 1


def _lines(child: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert child.stdout is not None
    for line in child.stdout:
        try:
            yield json.loads(line)
        except ValueError:  # the last line of a process that died
            return
