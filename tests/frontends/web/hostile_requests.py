"""Requests and frames that no page sends, drawn from a seeded grammar."""

from __future__ import annotations

import gzip
import json
import random
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

SCRIPT = "<script>alert(1)</script>"
METHODS = (
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "get",
    "X",
)
PATHS = (
    "/", "/play/{row}", "/me", "/rate", "/people", "/healthz", "/api/start", "/api/tables",
    "/api/tables/{row}", "/api/tables/{row}/record", "/api/tables/{row}/review",
    "/api/tables/{row}/socket", "/api/tables/{row}/rematch", "/api/me", "/api/me/export",
    "/api/me/import", "/api/ratings", "/api/ratings/{word}", "/api/ratings/{word}/events",
    "/api/join", "/api/enter", "/api/leave", "/static/{file}", "/{word}",
    "/api/{word}", "//{word}", "/api//tables", "*",
)  # fmt: skip
POSTED = ("/api/tables", "/api/me/import", "/api/ratings", "/api/join", "/api/enter", "/api/leave")
LEAVING = ("/api/leave", "/api/join", "/api/enter")  #: what ends a login
ROWS = ("0", "-1", "1", "9223372036854775808", "9" * 5000, "x", "1.5", "%31", "1%00", "%C2%B2", "")
FILES = (
    "app.js", "", "../routes.py", "%2e%2e/routes.py", "..%2f..%2fserver.py", "/etc/passwd",
    "..%5croutes.py", "%00", "board/", ".", "app.js/", "x" * 3000, "%ff%fe",
)  # fmt: skip
WORDS = ("x", "..", "%2e%2e%2f", "%00", "%3Cscript%3E", "a" * 2000, "%ff", "'%20OR%201=1--")
GAMES = ("connect4", "chess", "go9", "tictactoe", "", "CONNECT4", "../chess")
QUERIES = {
    "game": GAMES,
    "name": ("x.pgn", "../../x.gz", "%3Cscript%3E", "x.zst", "x.bz2"),
    "player": ("Ann", "", "%3Cscript%3E", "%ff", "a" * 5000),
    "form": ("pgn", "sgf", "json", "exe", ""),
    "before": ("1", "-1", "%C2%B2", "9" * 5000, "x"),
}
FIELDS = {
    "game": GAMES,
    "opponent": ({"name": "random"}, {"level": "1500"}, {"mine": True}, {"name": "engine"}),
    "name": ("random", "engine", "Ann", "You", SCRIPT),
    "keys": ({"sims": "2"}, {"net": "/etc/passwd"}, {"cmd": "touch x"}),
    "side": ("first", "second", "third"),
    "clock": ({"minutes": 5}, {"minutes": 1e9}, {"increment": -1}),
    "start": ("8/8/8/8/8/8/8/8 w - - 0 1", "(;SZ[9])", SCRIPT, "x" * 4000),
    "komi": (6.5, 1e300),
    "handicap": (2, 10**30),
    "passphrase": ("correct horse", "x" * 5000),
    "minutes": (5, -5),
    "increment": (1,),
    "level": ("1500", "3d"),
    "i_am": ("beginner", "1500"),
    "do": ("move", "undo", "hint", "resign", "draw", "pass", "agree", "play_on", "rematch", "look"),
    "move": ("1", "e4", "a1", "pass", "9", SCRIPT),
    "seq": (0, -1, 1, 10**13, 2**64),
}
#: What stands where something else should.
WRONG_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**70, 1e308, float("nan"), float("inf"), "", "x" * 3000, SCRIPT, [],
    {}, [[]], {"name": {}}, "\ud800", "\x00", "\u202e", "'; DROP TABLE game; --",
)  # fmt: skip
PGN = (
    f'[White "{SCRIPT}"]\n[Black "Ann"]\n[Result "1-0"]\n[Event "{SCRIPT}"]\n\n'
    f"1. e4 e5 2. Nf3 {{{SCRIPT}}} Nc6 1-0\n\n"
)
SGF = f"(;GM[1]SZ[9]PB[{SCRIPT}]PW[Ann]RE[B+R];B[ee];W[cc]C[{SCRIPT}])"
DEEP = 20_000  #: brackets
BOMB = gzip.compress(bytes(50_000_000))  #: some 50 kB


class Request(NamedTuple):
    """A request as it is sent."""

    data: bytes
    whole: bool  #: whether its body is as long as it says, so that an answer is due


def random_request(
    rng: random.Random, host: str, cookies: Sequence[str], rows: Sequence[int]
) -> Request:
    """Draw a request; ``rows`` are of games of others.

    ``cookies`` are the sender's, of which the first may be given up.
    """
    path = _path(rng, rows)
    if path.startswith(LEAVING):
        cookies = cookies[:1]
    body = _body(rng, path)
    usual = "POST" if path.startswith(POSTED) and rng.random() < 0.7 else "GET"
    method = usual if rng.random() < 0.75 else rng.choice(METHODS)
    if len(body) > 60_000 and rng.random() < 0.9:
        body = body[:60_000]
    headers, whole = _headers(rng, host, cookies, body)
    head = f"{method} {path} HTTP/1.1\r\n".encode("latin-1", "replace")
    lines = b"".join(name.encode() + b": " + value + b"\r\n" for name, value in headers)
    return Request(head + lines + b"\r\n" + body, whole)


def _path(rng: random.Random, rows: Sequence[int]) -> str:
    row = rng.choice((*map(str, rows), *ROWS)) if rng.random() < 0.5 else str(rng.choice(rows))
    path = rng.choice(PATHS).format(row=row, word=rng.choice(WORDS), file=rng.choice(FILES))
    asked = [f"{name}={rng.choice(QUERIES[name])}" for name in QUERIES if rng.random() < 0.3]
    return f"{path}?{'&'.join(asked)}" if asked and rng.random() < 0.7 else path


def _body(rng: random.Random, path: str) -> bytes:
    kind = rng.choice(("none", "fields", "fields", "fields", "file", "garbage"))
    if kind == "none":
        return b""
    if kind == "fields":
        return json.dumps(random_object(rng)).encode()
    if kind == "file":
        return rng.choice((PGN.encode(), SGF.encode(), PGN.encode() * 200, BOMB))
    garbage = (
        b"[" * DEEP,
        b'{"a":' * DEEP,
        b"\xff\xfe",
        b"nul",
        b"{",
        rng.randbytes(2000),
        b"\x00" * 65_000,
    )
    return rng.choice(garbage)


def random_object(rng: random.Random) -> dict[str, Any]:
    """Draw an object of known fields, some of which have values of another type."""
    found: dict[str, Any] = {}
    for name in rng.sample(sorted(FIELDS), rng.randint(1, 8)):
        found[name] = rng.choice(FIELDS[name] if rng.random() < 0.6 else WRONG_VALUES)
    if rng.random() < 0.5:
        found["game"] = "connect4"
    return found


def _headers(
    rng: random.Random, host: str, cookies: Sequence[str], body: bytes
) -> tuple[list[tuple[str, bytes]], bool]:
    named = {"Host": host, "X-Evenmatch": "1", "Origin": f"http://{host}", "Connection": "close"}
    if rng.random() < 0.9:
        named["Cookie"] = rng.choice(cookies)
    for name, values in STRANGE.items():
        if rng.random() < 0.04:
            named[name] = rng.choice(values)
    headers = [(name, value.encode("latin-1")) for name, value in named.items()]
    length, whole = len(body), "Upgrade" not in named
    if body and rng.random() < 0.02:
        length, whole = length + rng.randint(1, 1000), False
    if rng.random() < 0.02:
        headers.append(("Content-Length", rng.choice((b"-1", b"x", b"1e3", b"9" * 30, b"+5"))))
    elif body and rng.random() < 0.1:
        headers.append(("Transfer-Encoding", rng.choice((b"chunked", b"gzip, chunked", b"x"))))
        whole = False  # its body is no chunk
    elif body:
        headers.append(("Content-Length", str(length).encode()))
    if rng.random() < 0.02:
        headers.append((rng.choice(("X-A", "Cookie", "X-Forwarded-For")), rng.randbytes(20)))
        whole = False  # such bytes may end a header
    return headers, whole


#: Headers that are not, or not so, sent by the page.
STRANGE = {
    "Host": ("evil.example", "", "localhost@evil.example", "[::1", "127.0.0.1:99999999"),
    "Origin": ("http://evil.example", "null", "", "file://"),
    "X-Evenmatch": ("", "2"),
    "Cookie": ("evenmatch=x.y", "evenmatch=", "=" * 5000, "evenmatch=a.b; evenmatch=c.d", ";;;"),
    "Content-Type": ("text/xml", "multipart/form-data", SCRIPT),
    "Content-Encoding": ("gzip", "br", "x" * 500),
    "Accept-Encoding": ("gzip", "identity;q=0", "x" * 5000),
    "Range": ("bytes=0-", "bytes=-1", "bytes=5-1", "bytes=" + "0-1," * 500, "x=1"),
    "If-None-Match": ("*", '"x"', "x" * 500),
    "If-Modified-Since": ("yesterday", "Thu, 01 Jan 1970 00:00:00 GMT"),
    "Expect": ("200-maybe",),
    "Upgrade": ("websocket", "h2c", "x"),
    "Connection": ("upgrade", "keep-alive, upgrade", "x"),
    "Sec-WebSocket-Version": ("13", "0"),
    "Sec-WebSocket-Key": ("eA==", "dGhlIHNhbXBsZSBub25jZQ=="),
    "X-Forwarded-For": ("127.0.0.1", SCRIPT, "x" * 500),
    "X-Forwarded-Host": ("evil.example",),
    "X-HTTP-Method-Override": ("DELETE",),
    "Accept": ("x" * 80_000,),
}


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
    asked = [{"do": do, "seq": 0, "move": "1"} for do in FIELDS["do"] if do != "resign"]
    return [one | {name: value} for one in asked for name in one for value in WRONG_VALUES]
