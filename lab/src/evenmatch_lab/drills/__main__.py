"""Run drills: python -m evenmatch_lab.drills [NAME ...] [--quick] [--seed N] [--out FILE]."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from evenmatch.errors import EvenmatchError, UsageError, listed
from evenmatch.frontends.console import print_error
from evenmatch.network.processor import machine
from evenmatch_lab.drills.drill import Outcome, Task
from evenmatch_lab.drills.table import DRILLS
from evenmatch_lab.provenance import installed_code
from evenmatch_lab.result_files import ResultFile, today

COMMAND = "python -m evenmatch_lab.drills"
EXAMPLES = 5  #: of losses, that are printed


def main() -> int:
    """Run what the command line asks for; 1 if something was lost, 2 if that cannot be run."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Kill, fill, cut short and lie.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(DRILLS))
    parser.add_argument("--quick", action="store_true", help="a few times each, as in CI")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep the rows in a JSON file")
    asked = parser.parse_args()
    try:
        return run(asked.names or list(DRILLS), asked.quick, asked.seed, asked.out)
    except EvenmatchError as error:
        print_error(error)
        return 2


def run(names: list[str], quick: bool, seed: int, out: Path | None) -> int:
    """Run drills one after another, print a line for each; return the exit status."""
    unknown = [name for name in names if name not in DRILLS]
    if unknown:
        raise UsageError(f"no drill {unknown[0]!r}; there are: {listed(list(DRILLS))}")
    lost = 0
    for name in names:
        began = time.monotonic()
        outcome = drilled(name, quick, seed)
        seconds = time.monotonic() - began
        print(line(name, outcome, seconds), flush=True)
        for wrong in outcome.wrong[:EXAMPLES]:
            print(f"  {wrong}", flush=True)
        lost += len(outcome.wrong)
        if out is not None and not outcome.skipped:
            keep(out, name, outcome, seconds, quick, seed)
    return int(lost > 0)


def drilled(name: str, quick: bool, seed: int) -> Outcome:
    """Run one drill in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="evenmatch-drill-") as folder:
        outcome = DRILLS[name].run(Task(Path(folder), seed, quick))
    if not outcome.skipped:
        outcome.check(outcome.runs, "it never came to what the drill is of")
    return outcome


def line(name: str, outcome: Outcome, seconds: float) -> str:
    """Return what a drill has seen, in a line."""
    if outcome.skipped:
        return f"{name}: skipped, for {outcome.skipped}"
    seen = [f"{count:,} {what}" for what, count in outcome.seen.items()]
    told = [f"{outcome.runs:,} times", f"{len(outcome.wrong)} unexplained losses", *seen]
    return f"{name}: {', '.join(told)} ({seconds:.0f} s)"


def keep(out: Path, name: str, outcome: Outcome, seconds: float, quick: bool, seed: int) -> None:
    """Put a drill's row into a file of rows. UsageError if it cannot be written."""
    kept = ResultFile.read(out)
    kept.command = f"{COMMAND} --out {out.name}"
    row: dict[str, Any] = {"settings": {"seed": seed, "quick": quick}}
    row |= {
        "code": kept.keep(installed_code().reached_from("evenmatch_lab.drills.table", "DRILLS"))
    }
    row |= {"date": today(), "machine": machine(), "seconds": round(seconds)}
    row |= {"command": f"{COMMAND} {name}" + " --quick" * quick, "runs": outcome.runs}
    row |= {"losses": len(outcome.wrong), "seen": dict(outcome.seen)}
    kept.parts = {
        key: (kept.parts | {name: row})[key] for key in DRILLS if key in kept.parts | {name: row}
    }
    kept.left = [key for key in DRILLS if key not in kept.parts]
    kept.write(out)


if __name__ == "__main__":
    sys.exit(main())
