"""Figures of fuzzing: a row for each door."""

from typing import Any

from evenmatch_lab.figures.texts import table

HEADS = (
    "door", "command", "inputs", "accepted", "refused", "slowest, s", "MB grown", "finds", "mended",
)  # fmt: skip


def fuzzing(found: dict[str, Any]) -> dict[str, str]:
    """The table, and how many inputs and finds there were."""
    rows = found["rows"].values()
    lines = [
        [
            row["title"],
            f"`{row['command']}`",
            *(f"{row[name]:,}" for name in ("inputs", "accepted", "refused")),
            f"{row['slowest']:.2f}",
            f"{row['megabytes']:,}",
            f"{row['finds']:,}",
            f"{row['mended']:,}",
        ]
        for row in rows
    ]
    return {
        "table": table(HEADS, lines, left=(0, 1)),
        "inputs": f"{sum(row['inputs'] for row in rows):,}",
        "finds": f"{sum(row['finds'] for row in rows):,}",
    }
