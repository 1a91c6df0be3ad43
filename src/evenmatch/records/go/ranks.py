"""Ranks of Go as numbers: ``5k``, ``3d``, ``7p``, ``1d?``, ``12 kyu``, ``9段``, ``3級``.

The numbers are those of `ratings.scale.RANKS`, which also writes them: one kyu or dan is a step of
100, so that they fit where other games have Elo.
"""

import re
from functools import lru_cache

from evenmatch.ratings.scale import RANKS

KYU, DAN, PRO = "k", "d", "p"
RANK = re.compile(
    r"(?P<pro>pro(?:fessional)?\s*|p\s*(?=\d+\s*d(?:an)?\b)|职业|職業|プロ)?"
    r"(?P<number>\d{1,2}|[初一二三四五六七八九十]{1,3})\s*[-.]?\s*"
    r"(?P<kind>k(?:yu)?|gup|d(?:an)?|p(?:ro)?|段|[级級급]|단)(?:\s*(?P<after>pro|p))?"
    r"\s*[?*]*"
)
KINDS = {
    "k": KYU,
    "g": KYU,
    "级": KYU,
    "級": KYU,
    "급": KYU,
    "d": DAN,
    "段": DAN,
    "단": DAN,
    "p": PRO,
}
NUMERALS = {letter: number for number, letter in enumerate("初一二三四五六七八九十")}
NONE = ("", "-", "?", "nr", "none", "unknown", "0")


@lru_cache(maxsize=10_000)
def rank_number(text: str) -> int | None:
    """Return the number of a rank, 0 if the text tells of none, None if it cannot be read.

    A question mark behind it, as KGS writes ranks it is not sure of, changes nothing.
    """
    words = text.strip().lower()
    if words in NONE:
        return 0
    match = RANK.fullmatch(words)
    if match is None:
        return None
    kind = PRO if match["pro"] or match["after"] else KINDS[match["kind"][0]]
    number = _numeral(match["number"])
    if number is None or not 1 <= number <= (30 if kind == KYU else 9):
        return None
    return int(RANKS.read(f"{number}{kind}"))


def _numeral(text: str) -> int | None:
    """Return the number of digits, or of Chinese numerals up to 30; 初, the first, is 1."""
    if text.isascii():
        return int(text)
    if text == "初":
        return 1
    tens, found, ones = text.partition("十")
    if not found:
        return NUMERALS.get(text)  # None for digits of other scripts
    if "初" in text or "十" in ones or any(one and one not in NUMERALS for one in (tens, ones)):
        return None
    return 10 * NUMERALS.get(tens, 1) + NUMERALS.get(ones, 0)
