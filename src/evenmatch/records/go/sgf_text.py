"""Values of SGF properties as text, both ways: escapes, line breaks, encodings.

A backslash takes the meaning off the letter behind it; before a line break it takes the break away.
Every other line break is a space in *simple text*, such as names, and a break in comments.
"""

import codecs
import math
import re
from collections.abc import Iterable
from functools import lru_cache

ROWS: dict[str, tuple[tuple[int, int, int, float], ...]] = {
    "gb18030": ((0xB0, 0xD7, 0xA1, 0.93), (0xD8, 0xF7, 0xA1, 0.05), (0xA1, 0xA9, 0xA1, 0.01)),
    "big5hkscs": ((0xA4, 0xC6, 0x40, 0.95), (0xC9, 0xF9, 0x40, 0.03), (0xA1, 0xA3, 0x40, 0.01)),
    "cp932": (
        (0x82, 0x83, 0x40, 0.40), (0x88, 0x98, 0x40, 0.53), (0x99, 0xEA, 0x40, 0.04),
        (0x81, 0x81, 0x40, 0.01), (0xED, 0xFC, 0x40, 0.01),
    ),
    "cp949": ((0xB0, 0xC8, 0xA1, 0.95), (0xA1, 0xAB, 0xA1, 0.01), (0xCA, 0xFD, 0xA1, 0.01)),
    "euc_jp": ((0xA4, 0xA5, 0xA1, 0.40), (0xB0, 0xCF, 0xA1, 0.30), (0xD0, 0xF4, 0xA1, 0.02)),
}  # fmt: skip
"""Letters of two bytes by rows: the first lead byte, the last, the least trail byte, and the share
of such letters in a text. The common characters are in front."""
SINGLE = ("cp1252", "cp1251")  #: encodings of a byte a letter
WESTERN_LETTERS = "äöüßéèáíóúñçåøæëêâôûïîãõÄÖÜÅÉ"  #: the common ones of cp1252
TRAILS = 0xFC  #: the greatest trail byte that counts for the size of a row
SELDOM = {"euc_jp": 0.01, "cp1251": 0.01}  #: how much rarer files in these are
RARE, WRONG = 1e-6, 1e-9  #: chances of letters in no row, and of bytes that are no letter
ASCII = 0.02


def guessed_codec(values: Iterable[bytes]) -> str:
    """Return the codec in which the letters of some values are the most usual."""
    raw = b"\n".join(values)
    return max((*ROWS, *SINGLE), key=lambda codec: _likelihood(raw, codec))


def _likelihood(raw: bytes, codec: str) -> float:
    """Return the logarithm of how likely bytes are as text of an encoding."""
    chance_of = _of_one_byte if codec in SINGLE else _of_two_bytes
    found, before = math.log(SELDOM.get(codec, 1)), "\n"
    for letter in raw.decode(codec, "replace"):
        if letter.isascii():
            chance = ASCII
        elif letter == "\ufffd":
            chance = WRONG
        else:
            chance = chance_of(letter, before, codec)
        found += math.log(chance)
        before = letter
    return found


def _of_one_byte(letter: str, before: str, codec: str) -> float:
    """Return how likely a letter is.

    Western ones are apart. Russian ones are not beside ASCII, nor capitals behind small ones.
    """
    if not letter.isalpha():
        return RARE
    if codec == "cp1252":
        return (0.02 if letter in WESTERN_LETTERS else 0.002) * (1 if before.isascii() else 0.1)
    odd = (letter.isupper() and before.islower()) or (before.isalpha() and before.isascii())
    return (0.02 if letter.islower() else 0.005) * (0.005 if odd else 1)


def _of_two_bytes(letter: str, before: str, codec: str) -> float:
    """Return how likely a letter is by its row."""
    raw = letter.encode(codec, "replace")
    if len(raw) == 1:  # narrow letters of Japanese
        return 0.003 / 63
    for first, last, least, share in ROWS[codec] if len(raw) == 2 else ():
        if first <= raw[0] <= last and raw[1] >= least:
            if "가" <= letter <= "힣":
                share *= 1.6 if _is_plain(letter) else 0.08
            return share / ((last - first + 1) * (TRAILS - least))
    return RARE


def _is_plain(syllable: str) -> bool:
    """Tell whether a syllable of Korean has a common initial, vowel and final, as most have."""
    rest, final = divmod(ord(syllable) - ord("가"), 28)
    initial, vowel = divmod(rest, 21)
    return (
        initial not in (1, 4, 8, 10, 13)  # doubled consonants
        and vowel not in (3, 7, 10, 15, 19)
        and final in (0, 1, 4, 8, 16, 17, 19, 21)
    )


ESCAPED = re.compile(r"\\(\r\n|\n\r|[\s\S]|$)")
BREAK = re.compile(r"\r\n|\n\r|\r|\n")
SPACE = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")  # in simple text they are no more than one
TO_ESCAPE = re.compile(r"([\\\]:])")
LATIN = "latin-1"
WESTERN = "cp1252"  #: what texts are that are neither of the encoding named nor UTF-8
NEITHER = {"utf-16", "utf-32", "utf-7", "idna", "punycode"}  # codecs that keep no ASCII
TRAILING = ("gb18030", "big5hkscs", "cp932", "cp949", "johab", "euc_jp", "iso2022", "hz")
"""Encodings of several bytes a letter, one of which may be a bracket or backslash of ASCII."""
SHIFTING = ("iso2022", "hz")  #: those that write all letters in bytes of ASCII
SUPERSETS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs", "cp950": "big5hkscs",
}  # fmt: skip
"""Codecs by the smaller ones whose names people write for them, as browsers take them."""
LABELS = {
    "gb231280": "gb2312", "csgb2312": "gb2312", "windows936": "gbk", "xgbk": "gbk",
    "windows31j": "cp932", "xsjis": "cp932", "windows932": "cp932", "mskanji": "cp932",
    "xeucjp": "euc_jp", "ksc56011989": "euc_kr", "ksc5601": "euc_kr", "cseuckr": "euc_kr",
    "windows949": "cp949", "cnbig5": "big5", "xxbig5": "big5", "big5eten": "big5",
    "windows950": "big5", "windows874": "cp874", "koi": "koi8_r", "koi8": "koi8_r",
    "koi8ru": "koi8_u", "mac": "mac_roman", "xmacroman": "mac_roman", "unicode11utf8": "utf_8",
}  # fmt: skip
"""Codecs by the names that Python does not know, without their hyphens.

Those of browsers and some more: https://encoding.spec.whatwg.org/#names-and-labels
"""


@lru_cache(maxsize=1 << 16)
def simple_text(raw: bytes, encoding: bytes = b"") -> str:
    """Return a value as one line, in the encoding that CA named; see :func:`decoded`."""
    if raw.isascii() and b"\\" not in raw:
        return SPACE.sub(" ", raw.decode("ascii")).strip()
    return SPACE.sub(" ", unescaped(decoded(raw, encoding))).strip()


def text(raw: bytes, encoding: bytes = b"") -> str:
    """Return a value, such as a comment, with its line breaks as ``\\n``."""
    return unescaped(decoded(raw, encoding)).replace("\t", " ").replace("\v", " ")


def unescaped(value: str) -> str:
    """Return a value without its backslashes; escaped line breaks go, others become ``\\n``."""
    return BREAK.sub("\n", ESCAPED.sub(lambda found: _bare(found[1]), value))


def _bare(behind: str) -> str:
    return "" if BREAK.fullmatch(behind) else behind


def escaped(value: str) -> str:
    """Return a text as it stands in brackets."""
    return TO_ESCAPE.sub(r"\\\1", value)


def decoded(raw: bytes, encoding: bytes = b"") -> str:
    """Return bytes as text: in the encoding named, otherwise in UTF-8, otherwise in Western."""
    known = codec_of(encoding)
    for name in (known, "utf-8", WESTERN) if known else ("utf-8", WESTERN):
        try:
            return raw.decode(name)
        except UnicodeDecodeError:
            continue
    return raw.decode(LATIN)


@lru_cache(maxsize=1000)
def codec_of(encoding: bytes) -> str:
    """Return the codec of an encoding as CA names it; empty for none, and for unknown ones."""
    name = encoding.decode(LATIN).strip().lower()
    if not re.fullmatch(r"[a-z0-9][a-z0-9_.: -]{0,40}", name):
        return ""
    bare = re.sub(r"[^a-z0-9]", "", name)
    numbered = re.fullmatch(r"(?:x?(?:windows|cp)|(iso8859))(\d+)", bare)
    spellings = [LABELS.get(bare, ""), name.replace(" ", ""), bare]
    if numbered:
        spellings.append(f"{'iso8859-' if numbered[1] else 'cp'}{numbered[2]}")
    for spelling in spellings:
        try:
            codec = codecs.lookup(spelling)
        except LookupError:
            continue
        is_text = getattr(codec, "_is_text_encoding", True)  # not hex and such
        if is_text and not codec.name.startswith(tuple(NEITHER)):
            return SUPERSETS.get(codec.name, codec.name)
    return ""


def is_unknown(encoding: bytes) -> bool:
    """Tell whether CA names an encoding that nobody here knows."""
    return bool(encoding.strip()) and not codec_of(encoding)


def needs_transcoding(encoding: bytes) -> bool:
    """Tell whether text has to be decoded before it is cut into properties."""
    return codec_of(encoding).startswith(TRAILING)
