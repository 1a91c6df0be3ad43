"""Write the rows of a benchmark as a markdown table, on standard output.

python benchmarks/table.py [docs/results/bench.json] > docs/results/bench.md
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from evenmatch.frontends.bench import HEADS, NUMBERS, Row, cells

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "bench.json"


def table(rows: list[Row]) -> str:
    """Return rows as a markdown table, with the machine above it."""
    machines = dict.fromkeys(row["machine"] for row in rows)
    rule = ["---:" if head in NUMBERS else "---" for head in HEADS]
    lines = ["; ".join(machines), "", _line(HEADS), _line(rule)]
    return "\n".join([*lines, *(_line(cells(row)) for row in rows)]) + "\n"


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="?", type=Path, default=RESULTS, metavar="FILE")
    print(table(json.loads(parser.parse_args().rows.read_text())), end="")


if __name__ == "__main__":
    main()
