"""Requests and frames that no page sends."""

from __future__ import annotations

import gzip
import json
import struct
from typing import Any

from hypothesis import strategies as st

SCRIPT = "<script>alert(1)</script>"
PGN = (
    f'[White "{SCRIPT}"]\n[Black "Ann"]\n[Result "1-0"]\n[Event "{SCRIPT}"]\n\n'
    f"1. e4 e5 2. Nf3 {{{SCRIPT}}} Nc6 1-0\n\n"
)
SGF = f"(;GM[1]SZ[9]PB[{SCRIPT}]PW[Ann]RE[B+R];B[ee];W[cc]C[{SCRIPT}])"
#: What stands where something else should.
WRONG_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**70, 1e308, float("nan"), float("inf"), "", "x" * 3000, SCRIPT, [],
    {}, [[]], {"name": {}}, "\ud800", "\x00", "\u202e", "'; DROP TABLE game; --",
)  # fmt: skip
MOVES = ("move", "undo", "hint", "draw", "pass", "agree", "play_on", "rematch", "look")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "X")
PATHS = (
    "/", "/play/{}", "/me", "/static/{}", "/{}", "/api/{}", "/api/start", "/api/tables",
    "/api/tables/{}", "/api/tables/{}/record", "/api/tables/{}/review", "/api/tables/{}/rematch",
    "/api/me", "/api/me/export", "/api/me/import", "/api/ratings", "/api/ratings/{}",
    "/api/ratings/{}/events", "/api/join", "/api/enter", "/api/pair", "//{}", "/api//tables",
)  # fmt: skip
WORDS = (
    "0", "-1", "1", "9223372036854775808", "9" * 3000, "1.5", "%C2%B2", "", "x", "..", "app.js",
    "%2e%2e%2fserver.py", "%00", "%3Cscript%3E", "a" * 2000, "%ff", "'%20OR%201=1--",
)  # fmt: skip
FIELDS: dict[str, tuple[Any, ...]] = {
    "game": ("connect4", "chess", "go9", "tictactoe", "../chess"),
    "opponent": ({"name": "random"}, {"level": "1500"}, {"name": "engine"}),
    "name": ("random", "Ann", "You", "x.gz", SCRIPT),
    "side": ("first", "third"),
    "clock": ({"minutes": 5}, {"minutes": 1e9}, {"increment": -1}),
    "start": ("8/8/8/8/8/8/8/8 w - - 0 1", "(;SZ[9])", "x" * 4000),
    "komi": (6.5, 1e300),
    "handicap": (2, 10**30),
    "passphrase": ("correct horse", "x" * 5000),
    "player": ("Ann", ""),
    "form": ("pgn", "exe"),
    "before": ("1", "-1", "9" * 5000),
}
GARBAGE = (
    b"", b"[" * 20_000, b'{"a":' * 20_000, b"\xff\xfe", b"nul", b"{", bytes(65_000), PGN.encode(),
    SGF.encode(), gzip.compress(bytes(50_000_000)),
)  # fmt: skip
#: Headers that are not, or not so, sent by the page.
STRANGE = {
    "host": ("evil.example", "", "localhost@evil.example", "[::1"),
    "origin": ("http://evil.example", "null", ""),
    "x-evenmatch": ("", "2"),
    "cookie": ("evenmatch=x.y", "evenmatch=", "=" * 5000, "evenmatch=a.b; evenmatch=c.d", ";;;"),
    "content-type": ("text/xml", "multipart/form-data", SCRIPT),
    "content-length": ("-1", "x", "9" * 30),
    "range": ("bytes=0-", "bytes=5-1", "bytes=" + "0-1," * 500, "x=1"),
    "if-modified-since": ("yesterday",),
    "x-forwarded-for": (SCRIPT,),
    "x-forwarded-prefix": ("/a", '"><script>', "//evil.example"),
}


def _of(tables: dict[str, tuple[Any, ...]], most: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw some of the keys of a table, each with one of its values."""
    pairs = st.sampled_from(sorted(tables)).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(tables[name]))
    )
    return st.lists(pairs, max_size=most).map(dict)


OBJECTS = st.tuples(
    _of(FIELDS, 8), st.dictionaries(st.sampled_from(sorted(FIELDS)), st.sampled_from(WRONG_VALUES))
).map(lambda both: both[0] | both[1])
BODIES = st.one_of(
    OBJECTS.map(lambda one: json.dumps(one).encode()), st.sampled_from(GARBAGE), st.binary()
)
QUERIES = _of({name: FIELDS[name] for name in ("game", "name", "player", "form", "before")}, 5)
URLS = st.builds(str.format, st.sampled_from(PATHS), st.sampled_from(WORDS))
HEADERS = _of(STRANGE, 2)


# -- frames of sockets -----------------------------------------------------------------------------

TEXT, BINARY, CLOSE, PING, RESERVED = 1, 2, 8, 9, 3


def frame(kind: int, data: bytes, last: bool = True, masked: bool = True) -> bytes:
    """Return a frame as a client sends it, or as it must not."""
    head = bytes([(0x80 if last else 0) | kind])
    mask = 0x80 if masked else 0
    if len(data) < 126:
        head += bytes([mask | len(data)])
    elif len(data) < 1 << 16:
        head += bytes([mask | 126]) + struct.pack("!H", len(data))
    else:
        head += bytes([mask | 127]) + struct.pack("!Q", len(data))
    return head + (bytes(4) if masked else b"") + data


def told(message: Any) -> bytes:
    """Return a frame of JSON."""
    return frame(TEXT, json.dumps(message).encode())


#: Frames by what is wrong with them.
FRAMES = {
    "binary": frame(BINARY, b"\x00\x01\x02"),
    "JSON in binary": frame(BINARY, b'{"do": "resign", "seq": 0}'),
    "not UTF-8": frame(TEXT, b"\xff\xfe\xfd"),
    "empty": frame(TEXT, b""),
    "no JSON": frame(TEXT, b"{"),
    "no object": frame(TEXT, b"[1, 2]"),
    "deep": frame(TEXT, b"[" * 60_000),
    "huge": frame(TEXT, b"x" * 70_000),
    "said to be huge": bytes([0x81, 0xFF]) + struct.pack("!Q", 1 << 60),
    "of a reserved kind": frame(RESERVED, b"x"),
    "not masked": frame(TEXT, b"{}", masked=False),
    "never ended": frame(TEXT, b"{", last=False),
    "a long ping": frame(PING, b"x" * 200),
    "a strange close": frame(CLOSE, b"\xff\xff\xff"),
    "no frame": b"GET / HTTP/1.1\r\n\r\n",
}


def wrong_messages() -> list[dict[str, Any]]:
    """Return what may be asked of a game, with each value of a wrong type in each field."""
    asked = [{"do": do, "seq": 0, "move": "1"} for do in MOVES]
    return [one | {name: value} for one in asked for name in one for value in WRONG_VALUES]
