"""Values of SGF properties as text, both ways: escapes, line breaks, encodings.

A backslash takes the meaning off the letter behind it; before a line break it takes the break away.
Every other line break is a space in *simple text*, such as names, and a break in comments.
"""

import codecs
import re
from functools import lru_cache

ESCAPED = re.compile(r"\\(\r\n|\n\r|[\s\S]|$)")
BREAK = re.compile(r"\r\n|\n\r|\r|\n")
SPACE = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")  # in simple text they are no more than one
TO_ESCAPE = re.compile(r"([\\\]:])")
LATIN = "latin-1"  #: the encoding that the standard names for files without CA
NEITHER = {"utf-16", "utf-32", "utf-7", "idna", "punycode"}  # codecs that keep no ASCII
TRAILING = ("gbk", "gb18030", "big5", "big5hkscs", "shift_jis", "cp932", "johab", "cp949")
"""Encodings whose letters may end in a byte that is a bracket or backslash of ASCII."""


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
    """Return bytes as text: in the encoding named if they are of it, else UTF-8, else Latin-1."""
    known = codec_of(encoding)
    for name in (known, "utf-8") if known else ("utf-8",):
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
    try:
        codec = codecs.lookup(name.replace(" ", ""))
    except LookupError:
        return ""
    is_text = getattr(codec, "_is_text_encoding", True)  # not hex and such
    return codec.name if is_text and not codec.name.startswith(tuple(NEITHER)) else ""


def is_unknown(encoding: bytes) -> bool:
    """Tell whether CA names an encoding that nobody here knows."""
    return bool(encoding.strip()) and not codec_of(encoding)


def needs_transcoding(encoding: bytes) -> bool:
    """Tell whether text has to be decoded before it is cut into properties."""
    return codec_of(encoding) in TRAILING
