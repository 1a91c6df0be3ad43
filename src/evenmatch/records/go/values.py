"""What values of SGF properties mean: sizes, komi, results, years, comments on a game."""

import re
from functools import lru_cache
from typing import NamedTuple

from evenmatch.records.record import UNKNOWN_RESULT

DEFAULT_SIZE = 19  #: of a game of Go that does not say
MOST_SIZE = 52  #: the letters of both cases
MOST_KOMI = 400  #: points; more than all points of the board is an error
NUMBER = re.compile(r"[+-]?(\d{1,6}([.,]\d{0,6})?|[.,]\d{1,6})")
WON = re.compile(r"(b|w|black|white|黑|白)\s*(\+|wins?\b|胜|勝|中)")
DRAWN = ("0", "draw", "jigo", "tie", "和", "持碁")
YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")
WHOSE = re.compile(r"\b(?:human|target):(BW|WB|B|W)\b")
RATED = re.compile(r"\b([BW]):(\d{1,4})(?:@\d{4})?")
RULES = {
    "japanese": "japanese", "jp": "japanese", "日本": "japanese", "korean": "korean",
    "chinese": "chinese", "cn": "chinese", "中国": "chinese", "aga": "aga", "bga": "aga",
    "french": "aga", "nz": "new-zealand", "new zealand": "new-zealand", "ing": "ing",
    "goe": "ing", "tromp-taylor": "tromp-taylor", "tromp taylor": "tromp-taylor",
}  # fmt: skip


def is_go(text: str) -> bool | None:
    """Return True if a game's number (GM) is that of Go, or none is told; None for other games."""
    return True if text.strip() in ("", "1") else None


@lru_cache(maxsize=1000)
def size_of(text: str) -> int | None:
    """Return the size of a square board, such as ``19`` or ``19:19``; None if it is none."""
    match = re.fullmatch(r"(\d{1,2})(?::(\d{1,2}))?", text.strip(), re.ASCII)
    if match is None or (match[2] and int(match[2]) != int(match[1])):
        return None if text.strip() else DEFAULT_SIZE
    return int(match[1]) if 1 <= int(match[1]) <= MOST_SIZE else None


@lru_cache(maxsize=10_000)
def komi_of(text: str) -> float | None:
    """Return White's points, NaN if the text is empty, None if it cannot be read.

    Fox writes hundredths of points, 650, or of stones, of which each is two points: 375 is 7.5.
    Komi is a whole number of half points, so quarters are taken for stones.
    """
    words = text.strip()
    if not words:
        return float("nan")
    if not words.isascii() or NUMBER.fullmatch(words) is None:
        return None
    komi = float(words.replace(",", "."))
    if abs(komi) >= 200 and komi == int(komi):
        komi /= 100
    if (4 * komi) % 2 == 1:
        komi *= 2
    return komi if 2 * komi == int(2 * komi) and abs(komi) <= MOST_KOMI else None


@lru_cache(maxsize=10_000)
def result_of(text: str) -> int:
    """Return 1 if Black won, -1 if White did, 0 for a draw, else UNKNOWN_RESULT.

    ``B+3.5``, ``W+R``, ``B+T``, ``Draw``, ``Jigo`` and ``0`` tell it; ``Void`` and ``?`` do not.
    """
    words = text.strip().lower()
    if words in DRAWN:
        return 0
    match = WON.match(words)
    if match is None:
        return UNKNOWN_RESULT
    return 1 if match[1][0] in "b黑" else -1


@lru_cache(maxsize=10_000)
def year_of(text: str) -> int:
    """Return the first year of a date, 0 if it tells none."""
    match = YEAR.search(text)
    return int(match[0]) if match else 0


@lru_cache(maxsize=1000)
def handicap_of(text: str) -> int | None:
    """Return how many handicap stones Black has, 0 for none; None if it cannot be read."""
    words = text.strip() or "0"
    return int(words) if re.fullmatch(r"\d{1,3}", words, re.ASCII) else None


@lru_cache(maxsize=1000)
def to_play_of(text: str) -> int | None:
    """Return 1 if Black is to play, -1 if White, 0 if it is not said, None if it is unreadable."""
    words = text.strip().lower()
    known = {"": 0, "b": 1, "black": 1, "1": 1, "w": -1, "white": -1, "2": -1}
    return known.get(words)


@lru_cache(maxsize=1000)
def rules_of(text: str) -> str:
    """Return the name of the rules, empty if they are not known."""
    return RULES.get(text.strip().lower().removesuffix(" rules"), "")


def bonus_of(rules: str, stones: int) -> int:
    """Return the points that White gets for so many handicap stones, by the rules' name.

    OGS writes a handicap of one where Black plays first with a komi of 0.5; by its Chinese rules
    White gets a point for that too, as the results of its games show.
    """
    return {"chinese": stones, "aga": max(stones - 1, 0)}.get(rules, 0)


class GameComment(NamedTuple):
    """What a comment on a game (GC) tells of its players, where a collection writes it so."""

    people: tuple[bool, bool] = (True, True)
    """Whether Black's moves, and White's, are those of the person or rank that the game is of;
    ``human:B`` says that White is a bot, ``target:W`` that nothing is known of Black."""
    ratings: tuple[int, int] = (0, 0)  #: Black's and White's, of ``rating B:1824@2019``; 0: none


@lru_cache(maxsize=10_000)
def comment_of(text: str) -> GameComment:
    """Return what a comment on a game tells of its players."""
    match = WHOSE.search(text)
    whose = match[1] if match else "BW"
    _, found, rest = text.partition("rating ")
    ratings = {side: int(number) for side, number in RATED.findall(rest)} if found else {}
    people = ("B" in whose, "W" in whose)
    return GameComment(people, (ratings.get("B", 0), ratings.get("W", 0)))
