"""How fast recorded games are read: ours and python-chess's reader, in turn, in one run.

    python benchmarks/records.py GAMES.pgn.zst [--games N] [--json FILE]

Both read the same games, decompression included, from memory: python-chess by
``chess.pgn.read_game``, which finds the moves too; ours as batches of arrays, as records one
by one, and into a dataset on disk. The numbers are medians over the rounds of games a second of
processor time (which other programs on the machine hardly change) and of wall time; ratios are
to python-chess. Kernels are compiled before the clock starts.
"""

import argparse
import io
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import chess.pgn
import zstandard

from evenmatch.records.chess.pgn import PgnReader, read_games
from evenmatch.records.streams import Stream
from evenmatch.workshop.datasets.build import build
from evenmatch_lab.provenance import code_of_script
from evenmatch_lab.result_files import made_by

PEER = "python-chess read_game"
BLOCK = 1 << 20


def first_games(path: Path, most: int) -> bytes:
    """Return the text of the first ``most`` games of a file."""
    text = b""
    with Stream(path) as stream:
        while text.count(b"\n[Event ") < most and (block := stream.read(BLOCK)):
            text += block
    ends = [0]
    while len(ends) <= most and (end := text.find(b"\n[Event ", ends[-1] + 1)) >= 0:
        ends.append(end)
    return text[: ends[-1] + 1] if len(ends) > most else text


def peer(path: Path, folder: Path) -> int:
    games = 0
    with path.open("rb") as packed:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed))
        while chess.pgn.read_game(text) is not None:
            games += 1
    return games


def batches(path: Path, folder: Path) -> int:
    with PgnReader(path) as reader:
        return sum(batch.count for batch in reader.batches())


def records(path: Path, folder: Path) -> int:
    return sum(1 for _ in read_games(path))


def dataset(path: Path, folder: Path) -> int:
    return len(build([path], folder / f"dataset-{time.monotonic_ns()}"))


def rates(task: Callable[[Path, Path], int], path: Path, folder: Path) -> tuple[float, float]:
    """Return games a second of processor time and of wall time."""
    wall, processor = time.perf_counter(), time.process_time()
    games = task(path, folder)
    return games / (time.process_time() - processor), games / (time.perf_counter() - wall)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="for python-chess")
    parser.add_argument("--times", type=int, default=30, metavar="N", help="as many for ours")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="medians of these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    options = parser.parse_args()
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = folder / "few.pgn.zst", folder / "many.pgn.zst"
        few.write_bytes(zstandard.compress(first_games(options.file, options.games)))
        text = first_games(options.file, options.games * options.times)
        many.write_bytes(zstandard.compress(text))
        tasks = {
            PEER: (peer, few), "batches": (batches, many), "records": (records, many),
            "dataset": (dataset, many),
        }  # fmt: skip
        for task, _ in list(tasks.values())[1:]:
            task(few, folder)
        found = {name: [] for name in tasks}
        for _ in range(options.rounds):
            for name, (task, path) in tasks.items():
                found[name].append(rates(task, path, folder))
    report(found, options.json)


def report(found: dict[str, list[tuple[float, float]]], path: Path | None) -> None:
    """Print the rates and ratios; say how busy the machine was."""
    rows = {}
    for name, pairs in found.items():
        processor, wall = (median(numbers) for numbers in zip(*pairs, strict=True))
        ratios = [
            (pair[0] / other[0], pair[1] / other[1])
            for pair, other in zip(pairs, found[PEER], strict=True)
        ]
        by_processor, by_wall = (median(numbers) for numbers in zip(*ratios, strict=True))
        rows[name] = {
            "games_per_processor_second": processor, "ratio_by_processor": by_processor,
            "games_per_second": wall, "ratio": by_wall,
        }  # fmt: skip
        print(
            f"{name:<24}{processor:>10,.0f} games/s of processor time, {by_processor:6.1f} times; "
            f"{wall:>10,.0f} games/s by the clock, {by_wall:6.1f} times"
        )
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"load of the machine: {load:.1f} on {os.cpu_count()} cores", file=sys.stderr)
    if path:
        made = made_by(code_of_script(__file__, "main"), {})
        path.write_text(json.dumps({"made": made, "load": load, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
