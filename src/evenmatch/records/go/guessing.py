"""The encoding of SGF that names none, guessed from the letters of its names and comments.

A game has a dozen bytes to tell by. So it is asked in which encoding the letters are usual ones:
each standard has the common characters apart from the rare ones, and bytes of another encoding
look like rare ones. Detectors for pages of text err more often on so little, by the lists of
``docs/notes/archive/sgf-encodings.md``.
"""

import math
from collections.abc import Iterable

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
WESTERN = "äöüßéèáíóúñçåøæëêâôûïîãõÄÖÜÅÉ"  #: the common ones of cp1252
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
        return (0.02 if letter in WESTERN else 0.002) * (1 if before.isascii() else 0.1)
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
