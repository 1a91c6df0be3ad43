"""How long a start takes: `evenmatch --help`, the first move of a game, `evenmatch uci`.

    python benchmarks/startup.py                    all, medians of 10 starts
    python benchmarks/startup.py --game connect4 --opponent mcts1 --json FILE

The first move is that of the opponent in `evenmatch play othello --as second`, its output a
pipe: from the start of the process until the move is printed. `uciok` and `readyok` are what a
chess program waits for after `uci` and `isready`, from the start of the process too. One start of
each comes before and is not counted, so that compiled kernels and files are at hand, as after
`evenmatch warmup`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from evenmatch.network.artifact import SHIPPED, digest_of, shipped_path
from evenmatch.network.processor import machine
from evenmatch_lab.provenance import installed_code
from evenmatch_lab.result_files import made_by

COMMANDS = "evenmatch.frontends.cli"
PLAYED = re.compile(rb" plays \S+")


def evenmatch(*arguments: str) -> list[str]:
    """Return the command line that starts the evenmatch of this Python."""
    script = Path(sys.executable).parent / "evenmatch"
    start = [str(script)] if script.exists() else [sys.executable, "-m", "evenmatch"]
    return [*start, *arguments]


def help_seconds() -> float:
    """Return the seconds `evenmatch --help` takes."""
    start = time.perf_counter()
    subprocess.run(evenmatch("--help"), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def first_move_seconds(game: str, opponent: str | None) -> float:
    """Return the seconds until the opponent, moving first, has printed its move."""
    command = evenmatch("play", game, "--as", "second", "--seed", "1")
    command += ["--opponent", opponent] if opponent else []
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"EVENMATCH_STATE": folder}
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        try:
            return _until_played(process) - start
        finally:
            process.communicate(b"quit\n")


def _until_played(process: subprocess.Popen[bytes]) -> float:
    """Read lines until one tells a move; return when that was."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        if PLAYED.search(line):
            return time.perf_counter()
        lines.append(line.decode())
    sys.exit(f"no move came; evenmatch said: {' '.join(lines).strip()}")


def uci_seconds(answer: str) -> float:
    """Return the seconds until `evenmatch uci` has answered ``uciok``, or ``readyok``."""
    start = time.perf_counter()
    process = subprocess.Popen(
        evenmatch("uci"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"uci\nisready\n")
    process.stdin.flush()
    try:
        for line in process.stdout:
            if line.decode().strip() == answer:
                return time.perf_counter() - start
        sys.exit(f"evenmatch uci ended without {answer}")
    finally:
        process.communicate(b"quit\n")


def networks_of(game: str) -> dict[str, str]:
    """Return the digests of the networks that are loaded: the game's, and the UCI engine's."""
    return {name: digest_of(shipped_path(name)) for name in (game, "chess") if name in SHIPPED}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="othello")
    parser.add_argument("--opponent", metavar="SPEC", help="default: that of `evenmatch play`")
    parser.add_argument("--starts", type=int, default=10, metavar="N", help="medians of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the seconds there too")
    options = parser.parse_args()
    tasks = {
        "evenmatch --help": help_seconds,
        f"first move, {options.game}": lambda: first_move_seconds(options.game, options.opponent),
        "uciok": lambda: uci_seconds("uciok"),
        "readyok": lambda: uci_seconds("readyok"),
    }
    seconds = {}
    for name, task in tasks.items():
        task()
        times = sorted(task() for _ in range(options.starts))
        seconds[name] = {"median": median(times), "least": times[0], "most": times[-1]}
        print(f"{name}: {median(times):.2f} s ({times[0]:.2f} to {times[-1]:.2f})", flush=True)
    if options.json:
        made = made_by(installed_code().reached_from(COMMANDS, ""), networks_of(options.game))
        found = {"made": made, "machine": machine()} | seconds
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
