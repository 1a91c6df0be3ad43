"""Write the rows of a benchmark as a markdown table, on standard output.

python benchmarks/table.py > docs/results/bench.md
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenmatch_lab.bench import HEADS, NUMBERS, Row, cells
from evenmatch_lab.provenance import DIGITS
from evenmatch_lab.standing import listed

RESULTS = Path(__file__).parents[1] / "docs" / "results"
KINDS = "", "_memory", "_chess", "_maia", "_precision", "_go"
FILES = [RESULTS / f"bench{kind}.json" for kind in KINDS]


def page(files: Sequence[Path]) -> str:
    """Return what made some files, and their rows."""
    found = {path.name: json.loads(path.read_text()) for path in files}
    origins = "\n".join(origin(name, part["made"]) for name, part in found.items())
    rows = tables([row for part in found.values() for row in part["rows"]])
    return f"{origins}\n\n{rows}"


def tables(rows: list[Row]) -> str:
    """Return rows as markdown tables, one a machine, which is named above it."""
    rule = ["---:" if head in NUMBERS else "---" for head in HEADS]
    lines: list[str] = []
    for machine in dict.fromkeys(row["machine"] for row in rows):
        own = [_line(cells(row)) for row in rows if row["machine"] == machine]
        lines += ["", machine, "", _line(HEADS), _line(rule), *own]
    return "\n".join(lines[1:]) + "\n"


def origin(name: str, made: dict[str, Any]) -> str:
    """Say what made a file."""
    networks = listed([digest[:DIGITS] for digest in made["networks"].values()])
    return f"- `{name}`: {made['date']}; networks {networks}; code `{made['code']}`"


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files = parser.parse_args().files or [path for path in FILES if path.exists()]
    print(page(files), end="")


if __name__ == "__main__":
    main()
