"""Figures of resigning and of draws in chess."""

from collections.abc import Iterator, Sequence
from typing import Any

from evenmatch_lab.figures.texts import table
from evenmatch_lab.ours.resignation_page import BANDS, FIT
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.resigning_turns import LOST

RAPID, FIDE, STRONGEST, SOON = "lichess-rapid", "fide", "2200 and more", 2  # SOON: own turns


def resignation(rows: Results) -> dict[str, str]:
    """When people and the model resign, by rating, and what the rule for draws accepts."""
    row, fit, others = rows[RAPID], rows[FIT], rows[FIDE]
    every, strongest = row["bands"]["all"], row["bands"][STRONGEST]["after"]
    soon = strongest["turns"].index(SOON)
    later, least, most = (round(-100 * x) for x in strongest["more"][soon])
    figures = {
        "table": table(["rating", *BANDS], _lines([row["bands"][band] for band in BANDS])),
        "turns": f"{fit['turns']:,}",
        "people": f"{fit['people']:,}",
        "lost": f"{every['lost']:,}",
        "resigned": f"{every['ratio']['resigned']:,}",
        "expected": f"{every['ratio']['expected']:,.0f}",
        "ratio": _ratio(every["ratio"]["ratio"]),
        "soon": f"{strongest['shown'][soon][0]:.0%}",
        "later": f"{later} points more ({most} to {least})",
        "above": f"{every['above'][0]:.0%}",
        "fide.gave_up": f"{others['bands']['all']['gave_up'][0]:.0%}",
        "fide.ratio": _ratio(others["bands"]["all"]["ratio"]["ratio"]),
        "fide.early": _ratio(others["early"]["ratio"], 1),
        "fide.sides": f"{others['settings']['sides']:,}",
    }
    for who, shares in row["doubts"].items():
        figures |= {f"{who}.{at}": f"{x:.1%}" for at, x in zip((10, 20), shares, strict=True)}
    for begin, draws in (("", row["draws"]), ("fide.", others["draws"])):
        for kind, found in draws.items():
            name = f"draws.{kind.replace(', ', '.').replace(' ', '_')}"
            share, low, high = found["accepts"]
            figures[f"{begin}{name}"] = f"{share:.1%}"
            figures[f"{begin}{name}.ci"] = f"{share:.0%} ({100 * low:.0f} to {100 * high:.0f})"
            figures[f"{begin}{name}.sides"] = f"{found['sides']:,}"
    return figures


def _lines(bands: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the lines of the table, with a column for each band."""
    after = [band["after"] for band in bands]
    yield ["lost games that end before mate", *(_share(band["gave_up"]) for band in bands)]
    begin = f"resign after falling to {LOST:.0%}: people"
    yield [begin, *(_share(band["shown"][-1]) for band in after)]
    yield ["... by how much more the model", *(_more(band["more"][-1]) for band in after)]
    half = "half of those who resign do so within: people, model (own turns)"
    yield [half, *(", ".join(map(str, band["half"])) for band in after)]
    ratios = [band["ratio"]["ratio"] for band in bands]
    each = [f"{x:.2f} ({low:.2f}-{high:.2f})" for x, low, high in ratios]
    yield ["resignations for each that the model expects", *each]
    at = [band["resigned at"] for band in bands]
    medians = [f"{x['people'][1]:.1%}, {x['model'][1]:.1%}" for x in at]
    yield ["chances then, median: people, model", *medians]


def _share(estimated: Sequence[float]) -> str:
    share, low, high = estimated
    return f"{share:.0%} ({100 * low:.0f}-{100 * high:.0f})"


def _more(estimated: Sequence[float]) -> str:
    more, low, high = (100 * x for x in estimated)
    return f"{more:+.0f} ({low:.0f} to {high:.0f})"


def _ratio(estimated: Sequence[float], digits: int = 2) -> str:
    ratio, low, high = (f"{x:.{digits}f}" for x in estimated)
    return f"{ratio}, {low} to {high}"
