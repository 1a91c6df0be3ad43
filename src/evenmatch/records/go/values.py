"""What values of SGF properties mean: sizes, komi, results, years, comments on a game."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from evenmatch.ratings.scale import RANKS
from evenmatch.records.record import UNKNOWN_RESULT

DEFAULT_SIZE = 19  #: of a game of Go that does not say
MOST_SIZE = 52  #: the letters of both cases
MOST_KOMI = 400  #: points; more than all points of the board is an error
FRACTIONS = {"¼": " 1/4", "½": " 1/2", "¾": " 3/4", "\u2044": "/", "\u2212": "-"}
DIGITS = dict(zip("〇零一二三四五六七八九两兩", "0012345678922", strict=True))
LETTERS = str.maketrans(FRACTIONS | DIGITS)
CHINESE_FRACTION = re.compile(r"([248])分之(\d)")  #: its lower part first
PLACE = re.compile(
    r"(?P<first>\d{1,2})(?:\s*[:x*×,]\s*(?P<other>\d{1,2}))?\s*(?:路盤?|道|줄)?", re.A
)
KOMI = re.compile(
    r"(?:[黑黒흑]?(?:贴目|貼目|贴|貼|コミ出し|コミ|덤|komi)\s*[:=]?\s*)?"
    r"(?:(?P<number>[+-]?(?:\d{1,6}(?:[.,]\d{0,6})?|[.,]\d{1,6}))"
    r"(?:(?:\s+|\s*(?:又|と|and|-)\s*)(?P<top>\d)/(?P<below>[248]))?"
    r"|(?P<only>\d)/(?P<under>[248]))"
    r"\s*(?P<unit>子|stones?|目|집|점|点|moku|points?|pts?\.?|p|komi|コミ)?\s*(?P<half>半|반)?",
    re.ASCII,
)
NO_KOMI = ("none", "no komi", "无", "無", "なし", "コミなし", "不贴目", "不貼目", "无贴目")
STONES = re.compile(
    r"(?:让|讓|授|受|置|handicap|h)?\s*(?P<stones>\d{1,3})(?:\.0*)?"
    r"\s*(?:子|目|点|점|stones?|handicap)?局?",
    re.ASCII,
)
EVEN = (
    "", "-", "?", "no", "none", "even", "nigiri", "互先", "分先", "猜先", "호선", "先", "定先",
    "让先", "讓先", "정선", "无", "無", "なし",
)  # fmt: skip
"""Words for no handicap stones. By 定先 Black begins each game, which takes no stone."""
GO = ("", "1", "go", "围棋", "圍棋", "囲碁", "바둑", "baduk", "weiqi")
WON = re.compile(r"(b|w|black|white|黑|白)\s*(\+|wins?\b|胜|勝|中)")
DRAWN = ("0", "draw", "jigo", "tie", "和", "持碁")
YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")
WHOSE = re.compile(r"\b(?:human|target):(BW|WB|B|W)\b")
RATED = re.compile(r"\b([BW]):(\d{1,4})(?:@\d{4})?")


@lru_cache(maxsize=10_000)
def plain(text: str) -> str:
    """Return a value in small letters, with digits of ASCII for those of East Asia."""
    words = text.strip().lower()
    if words.isascii():
        return words
    words = "".join(FRACTIONS.get(letter, letter) for letter in words)
    words = unicodedata.normalize("NFKC", words).translate(LETTERS).strip()
    return CHINESE_FRACTION.sub(r"\2/\1", words)


def is_go(text: str) -> bool | None:
    """Return True if a game's number (GM) is that of Go, or missing; None for other games."""
    return True if plain(text) in GO else None


@lru_cache(maxsize=1000)
def size_of(text: str) -> int | None:
    """Return the size of a square board, such as ``19``, ``19:19`` or ``19路``; None if none."""
    words = plain(text)
    match = PLACE.fullmatch(words)
    if match is None or (match["other"] and int(match["other"]) != int(match["first"])):
        return None if words else DEFAULT_SIZE
    return int(match["first"]) if 1 <= int(match["first"]) <= MOST_SIZE else None


@lru_cache(maxsize=10_000)
def komi_of(text: str) -> float | None:
    """Return White's points, NaN if the text is empty, None if it cannot be read.

    Fox writes hundredths of points, 650, or of stones, of which each is two points: 375 is 7.5.
    Komi is a whole number of half points, so quarters are taken for stones. People write units and
    fractions: ``6.5 points``, ``6目半``, ``3 3/4``, ``黑贴3又3/4子``.
    """
    words = plain(text)
    if not words:
        return float("nan")
    if words in NO_KOMI:
        return 0.0
    match = KOMI.fullmatch(words)
    if match is None:
        return None
    komi = float((match["number"] or "0").replace(",", "."))
    if top := match["top"] or match["only"]:
        komi += int(top) / int(match["below"] or match["under"])
    komi += 0.5 if match["half"] else 0.0
    if match["unit"] and match["unit"][0] in "子s":
        komi *= 2
    elif abs(komi) >= 200 and komi == int(komi):
        komi /= 100
    if (4 * komi) % 2 == 1:
        komi *= 2
    return komi if 2 * komi == int(2 * komi) and abs(komi) <= MOST_KOMI else None


@lru_cache(maxsize=10_000)
def result_of(text: str) -> int:
    """Return 1 if Black won, -1 if White did, 0 for a draw, otherwise UNKNOWN_RESULT.

    ``B+3.5``, ``W+R``, ``B+T``, ``Draw``, ``Jigo`` and ``0`` are results, ``Void`` and ``?`` are
    not.
    """
    words = plain(text)
    if words in DRAWN:
        return 0
    match = WON.match(words)
    if match is None:
        return UNKNOWN_RESULT
    return 1 if match[1][0] in "b黑" else -1


@lru_cache(maxsize=10_000)
def year_of(text: str) -> int:
    """Return the first year of a date, 0 if it has none."""
    match = YEAR.search(text)
    return int(match[0]) if match else 0


@lru_cache(maxsize=1000)
def handicap_of(text: str) -> int | None:
    """Return how many handicap stones Black has, 0 for none; None if it cannot be read.

    People write words, too: ``让2子``, ``2 stones``, ``互先``, ``even``.
    """
    words = plain(text)
    if words in EVEN:
        return 0
    match = STONES.fullmatch(words)
    return int(match["stones"]) if match else None


@lru_cache(maxsize=1000)
def to_play_of(text: str) -> int | None:
    """Return 1 if Black is to play, -1 if White, 0 if it is not said, None if it is unreadable."""
    black, white = ("b", "black", "1", "黑", "黒"), ("w", "white", "2", "白")
    known = {"": 0} | dict.fromkeys(black, 1) | dict.fromkeys(white, -1)
    return known.get(plain(text))


class GameComment(NamedTuple):
    """What a comment on a game (GC) says of its players, where a collection writes it so."""

    people: tuple[bool, bool] = (True, True)
    """Whether Black's moves, and White's, are those of the person or rank that the game is of;
    ``human:B`` says that White is a bot, ``target:W`` that nothing is known of Black."""
    ratings: tuple[int, int] = (0, 0)  #: Black's and White's, of ``rating B:1824@2019``; 0: none


@lru_cache(maxsize=10_000)
def comment_of(text: str) -> GameComment:
    """Return what a comment on a game says of its players."""
    match = WHOSE.search(text)
    whose = match[1] if match else "BW"
    _, found, rest = text.partition("rating ")
    ratings = {side: int(number) for side, number in RATED.findall(rest)} if found else {}
    people = ("B" in whose, "W" in whose)
    return GameComment(people, (ratings.get("B", 0), ratings.get("W", 0)))


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
    """Return the number of a rank, 0 if the text has none, None if it cannot be read.

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
