"""Write the rows of a benchmark as a markdown table, on standard output.

python benchmarks/table.py > docs/results/bench.md
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from evenmatch_lab.bench import HEADS, NUMBERS, Row, cells

RESULTS = Path(__file__).parents[1] / "docs" / "results"
FILES = [RESULTS / f"bench{name}.json" for name in ("", "_chess", "_maia")]


def tables(rows: list[Row]) -> str:
    """Return rows as markdown tables, one a machine, which is named above it."""
    rule = ["---:" if head in NUMBERS else "---" for head in HEADS]
    lines: list[str] = []
    for machine in dict.fromkeys(row["machine"] for row in rows):
        own = [_line(cells(row)) for row in rows if row["machine"] == machine]
        lines += ["", machine, "", _line(HEADS), _line(rule), *own]
    return "\n".join(lines[1:]) + "\n"


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files = parser.parse_args().files or [path for path in FILES if path.exists()]
    rows = [json.loads(path.read_text()) for path in files]
    print(tables([row for part in rows for row in part]), end="")


if __name__ == "__main__":
    main()
