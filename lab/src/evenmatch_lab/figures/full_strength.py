"""Figures of the search at full strength at chess: what proofs add, what eight bits change."""

from evenmatch_lab.figures.texts import rounded, span
from evenmatch_lab.ours import eight_bits as bits
from evenmatch_lab.ours import proofs as proven
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.opponents import Row, added_up, pairs_of


def proofs(rows: Results) -> dict[str, str]:
    """Mates found and endings won, with proofs and without, and what that is worth in games."""
    figures = {}
    for short, name in (("on", "with proofs"), ("off", "without proofs")):
        for moves in proven.MATES:
            part = rows[f"mate in {moves}: {name}"]
            figures[f"{short}.mate{moves}"] = f"{part['solved']} of {part['of']}"
        for ending in proven.ENDINGS:
            part = rows[f"{ending}: {name}"]
            figures[f"{short}.{ending}"] = f"{part['won']} of {part['settings']['positions']}"
    return figures | {"elo": _elo(played(rows))}


def eight_bits(rows: Results) -> dict[str, str]:
    """How much of the first moves is the same, how far levels move, and what games say."""
    said = [rows[f"moves: {name}"]["int8"] for name in bits.NAMES]
    losses = [rows[f"levels: {label}"]["loses"][0] for label in bits.CLASSES]
    total = played(rows)
    return {
        "same": span((100 * one["same"][0] for one in said), ".1f") + "%",
        "cross_entropy": span((one["cross_entropy"][0] for one in said), "+.4f"),
        "foreseen": span((round(100 * one["foreseen"][0], 1) + 0.0 for one in said), "+.1f"),
        "value": span((one["value"][0] for one in said), ".3f"),
        "levels": span((100 * loss for loss in losses), "+.2f"),
        "elo": _elo(total),
        "games": f"{2 * pairs_of(total).pairs:,}",
    }


def played(rows: Results) -> Row:
    """Return the row of all games of an experiment's parts."""
    return added_up([part["row"] for key, part in rows.items() if key.startswith("games ")])


def _elo(row: Row) -> str:
    pairs = pairs_of(row)
    low, high = pairs.elo_interval()
    elo, least, most = (rounded(x, 0, "+") for x in (pairs.elo, low, high))
    return f"{elo} ({least} to {most})"
