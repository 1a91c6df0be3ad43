"""Write the golden files: ``python tests/golden/recording.py --out FOLDER [NAME ...]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ["EVENMATCH_PRECISION"] = "f32"  # before anything loads a network

import games
import transcripts

RECORDED = Path(__file__).parent / "recorded"
CPUINFO = Path("/proc/cpuinfo")


def _each(record: Callable[[str], Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: record(name) for name in names}


#: What each golden file holds, by its name.
RECORDINGS: dict[str, Callable[[], Any]] = {
    **{f"players-{game}": partial(games.record, game) for game in games.SPECS},
    **{f"learners-{game}": partial(games.record_learners, game) for game in games.LEARNERS},
    "uci": partial(_each, transcripts.uci, transcripts.UCI),
    "gtp": partial(_each, transcripts.gtp, transcripts.GTP),
    "terminal": partial(_each, transcripts.terminal, transcripts.TERMINAL),
    "estimates": partial(_each, transcripts.estimates, transcripts.ESTIMATES),
    "profile": transcripts.profile,
}


def kind() -> str:
    """Return what the last bit of a network's output depends on: vectors and OpenVINO's version."""
    flags = CPUINFO.read_text().split() if CPUINFO.exists() else []
    vectors = next((flag for flag in ("avx512f", "avx2") if flag in flags), "other vectors")
    return f"{platform.machine()}, {vectors}, f32, openvino {version('openvino')}"


def exists(name: str) -> bool:
    """Return whether there is a golden file of that name."""
    return (RECORDED / f"{name}.json").exists()


def golden(name: str) -> Any:
    """Return what was recorded under a name."""
    return json.loads((RECORDED / f"{name}.json").read_text())["recorded"]


def recorded_here(name: str) -> bool:
    """Return whether it was recorded on a machine of this kind."""
    return json.loads((RECORDED / f"{name}.json").read_text())["kind"] == kind()


def main() -> None:
    """Record what the command line names, everything by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECORDINGS))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.names or RECORDINGS:
        start = time.perf_counter()
        found = {"kind": kind(), "recorded": RECORDINGS[name]()}
        text = json.dumps(found, indent=0, ensure_ascii=False)
        (asked.out / f"{name}.json").write_text(text + "\n")
        print(f"{name}: {time.perf_counter() - start:.0f} s, {len(text):,} bytes", flush=True)


if __name__ == "__main__":
    main()
