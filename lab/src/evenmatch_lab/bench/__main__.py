"""Run benchmarks and write their rows to a file, with what made them."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.console import print_error
from evenmatch.network.artifact import SHIPPED, digest_of, shipped_path
from evenmatch_lab.bench.rows import Row
from evenmatch_lab.bench.suites import SUITES, run
from evenmatch_lab.runner import commit, today, write


def main() -> int:
    """Run what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evenmatch_lab.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="too short to say much; for tests")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=", ".join(SUITES))
    parser.add_argument("--game", nargs="+", default=[], metavar="NAME", help="all by default")
    parser.add_argument("--net", action="append", default=[], metavar="GAME=FILE")
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON rows; by default the output")
    options = parser.parse_args()
    nets = dict(pair.split("=", 1) for pair in options.net if "=" in pair)
    if len(nets) != len(options.net):
        parser.error("write --net GAME=FILE, each game once")
    try:
        rows = run(options.quick, _tell, nets=nets, only=options.only, games=options.game)
    except EvenmatchError as error:
        print_error(error)
        return 2
    if options.out:
        made = {"date": today(), "commit": commit(), "networks": networks(rows, nets)}
        found = {"made": made, "rows": rows}
        write(options.out, json.dumps(found, indent=1, allow_nan=False) + "\n")
    else:
        print(json.dumps(rows, indent=1, allow_nan=False))
    return 0


def networks(rows: Sequence[Row], nets: dict[str, str]) -> dict[str, str]:
    """Return the digests of the networks of the games that were measured."""
    games = [game for game in SHIPPED | nets if any(row["game"] == game for row in rows)]
    return {game: digest_of(nets.get(game) or shipped_path(game)) for game in games}


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
