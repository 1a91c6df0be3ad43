"""The test positions of Connect Four, judged exactly and compared with published scores.

python benchmarks/connect4_solver.py             judge the test positions, check, keep
python benchmarks/connect4_solver.py --fresh     forget what was kept and judge again
python benchmarks/connect4_solver.py --show 44   the judgement of one position
"""

import argparse
import sys
import time
from pathlib import Path

from connect4_judgements import CACHE, SETS, mismatches, optimal_moves, written
from connect4_search import Solver
from shared_folder import data_folder

from evenmatch.errors import UsageError


class _Progress:
    """Prints how far a file is, the rate and the time left; clears the line at the end."""

    def __init__(self):
        self.begin()

    def begin(self) -> None:
        self.started, self.printed, self.new = time.monotonic(), 0.0, 0

    def __call__(self, path: Path, done: int, of: int) -> None:
        self.new += 1
        now = time.monotonic()
        if now - self.printed < 1 and done < of:
            return
        self.printed, rate = now, self.new / (now - self.started)
        left = f"{rate:.1f}/s, {(of - done) / rate:.0f} s left"
        print(f"\r{path.name}: {done}/{of}, {left}   ", end="", file=sys.stderr, flush=True)
        if done == of:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)


def regenerate(folder: Path, cache: Path) -> int:
    """Judge the three files, print time and mismatches of each; returns the mismatches."""
    solver, progress, wrong = Solver(), _Progress(), 0
    solver.move_outcomes("112233")  # compile outside the timing
    for name in SETS:
        progress.begin()
        clock, nodes = time.process_time(), solver.nodes
        judgements = optimal_moves([folder / name], cache, progress, solver=solver)
        seconds, nodes = time.process_time() - clock, solver.nodes - nodes
        bad = mismatches(folder / name, judgements)
        wrong += len(bad)
        print(
            f"{name}: {len(judgements)} positions, {progress.new} judged now in {seconds:.1f} s "
            f"of one core ({nodes / 1e6:.1f} million nodes), {len(bad)} against the published score"
        )
        for moves in bad:
            print(f"  {moves}: {judgements[moves].outcome:+d}")
    return wrong


def main() -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Judge Connect Four positions exactly.")
    parser.add_argument("--data", type=Path, help="folder of the Test_L*_R1 files")
    parser.add_argument("--cache", type=Path, default=CACHE, help="file to read and write")
    parser.add_argument("--fresh", action="store_true", help="judge again what is in the cache")
    parser.add_argument("--show", metavar="MOVES", help="print one judgement and stop")
    options = parser.parse_args()
    try:
        if options.show is not None:
            print(written(Solver().move_outcomes(options.show)))
            return 0
        if options.fresh:
            options.cache.unlink(missing_ok=True)
        return 1 if regenerate(options.data or data_folder() / "connect4", options.cache) else 0
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
