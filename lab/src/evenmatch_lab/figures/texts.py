"""How figures are written."""

import re
from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return a table in Markdown, columns to the right but for those of ``left``."""
    rules = ["---" if column in left else "---:" for column in range(len(heads))]
    lines = [_line(heads), f"|{'|'.join(rules)}|", *map(_line, rows)]
    return "\n".join(lines)


def rounded(number: float, digits: int, sign: str = "") -> str:
    """Write a number with so many decimals, never as a negative zero."""
    return f"{round(number, digits) + 0.0:{sign}.{digits}f}"


def whole(number: float | None) -> str:
    """Write a number without decimals; ``?`` for an end that nothing bounds."""
    return "?" if number is None else f"{number:,.0f}"


def span(numbers: Iterable[float], form: str) -> str:
    """Write the least and the most of some numbers in a format, once if they read alike."""
    low, *_, high = (format(number, form) for number in sorted([*numbers] * 2))
    return low if low == high else f"{low} to {high}"


def one_after_another(words: Sequence[str]) -> str:
    """Write words as a sentence lists them."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _line(cells: Sequence[str]) -> str:
    return re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join(cells)} |")
