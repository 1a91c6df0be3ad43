"""Run benchmarks and write their rows to a file."""

import argparse
import json
import sys
from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.console import print_error
from evenmatch_lab.bench.suites import SUITES, run


def main() -> int:
    """Run what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evenmatch_lab.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="too short to say much; for tests")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=", ".join(SUITES))
    parser.add_argument("--game", nargs="+", default=[], metavar="NAME", help="all by default")
    parser.add_argument("--net", action="append", default=[], metavar="GAME=FILE")
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON rows; else on the output")
    asked = parser.parse_args()
    nets = dict(pair.split("=", 1) for pair in asked.net if "=" in pair)
    if len(nets) != len(asked.net):
        parser.error("write --net GAME=FILE, each game once")
    try:
        rows = run(asked.quick, _tell, nets=nets, only=asked.only, games=asked.game)
    except EvenmatchError as error:
        print_error(error)
        return 2
    text = json.dumps(rows, indent=1, allow_nan=False) + "\n"
    if asked.out:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(text)
    else:
        print(text, end="")
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
