"""Hostile and slow visitors of a server that runs: refused in one line, and nobody else notices."""

import asyncio
import gzip
import json
import os
import re
import struct
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="the page needs the extra web")
pytest.importorskip("websockets", reason="the page needs the extra web")

from frontends.web import hostile_requests as requests
from frontends.web.conftest import HOST, OWN, PASSPHRASE, Crowd
from frontends.web.hostile_requests import (
    BODIES,
    FRAMES,
    METHODS,
    PGN,
    QUERIES,
    SCRIPT,
    URLS,
    WRONG_VALUES,
    told,
    wrong_messages,
)
from frontends.web.hostile_visitors import (
    INSIDE,
    KEY,
    MOST_MEGABYTES,
    PATIENCE,
    answer_to,
    be_deaf,
    errors_in,
    fault_of,
    frames_to,
    handshake,
    silent,
    status_of,
)
from frontends.web.web_browser import Browser
from frontends.web.web_server import WebServer
from starlette.testclient import TestClient

from evenmatch.frontends.web import ratings as uploads
from evenmatch.frontends.web.api import STATIC
from evenmatch.frontends.web.auth import LIMITS, Limits
from evenmatch.frontends.web.guard import HEADERS, Guard, SubPath

MOST_EXAMPLES = int(os.environ.get("EVENMATCH_FUZZ", "150"))
UNLIMITED = Limits({kind: ("1000000 per 1 second", kind) for kind in LIMITS})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = WebServer(tmp_path_factory.mktemp("hostile"), ["connect4"])
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def guest(server):
    """A browser with a game of its own."""
    browser = Browser(server)

    async def arrive() -> int:
        await browser.enter()
        return await browser.begin("connect4", {"name": "random"})

    return browser, asyncio.run(arrive())


def ask(server, lines: str, body: bytes = b"", patience: float = PATIENCE) -> bytes:
    """Send a request by hand, whose Host is right unless it names one; return what comes."""
    host = "" if "Host:" in lines else f"Host: 127.0.0.1:{server.port}\r\n"
    head, _, rest = lines.partition("\n")
    rest = rest.strip().replace("\n", "\r\n") + ("\r\n" if rest.strip() else "")
    data = f"{head.strip()} HTTP/1.1\r\n{host}Connection: close\r\n{rest}\r\n".encode() + body
    return asyncio.run(answer_to(server.port, data, patience))


def headers_of(answer: bytes) -> dict[str, str]:
    lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}


# -- everything at once ----------------------------------------------------------------------------


def test_nobody_notices_hostile_visitors(server, guest):
    """Silence, deafness, bad frames: another guest plays meanwhile, and memory does not grow."""
    browser, own = guest
    opened = handshake(f"127.0.0.1:{server.port}", own, browser.cookie)

    async def send_frames() -> None:
        for frame in FRAMES.values():
            assert status_of(await frames_to(server.port, opened, frame)) == 101

    async def play_on() -> list[str]:
        other, deaf = Browser(server), Browser(server)
        await other.enter()
        row = await other.begin("connect4", {"name": "random"})
        async with silent(server.port), asyncio.timeout(PATIENCE):
            attacking = asyncio.gather(be_deaf(server.port, deaf, 0.5), send_frames())
            moves = await other.play(row, ["1", "2"])
            await attacking
        return [move["text"] for move in moves]

    megabytes = server.resident or 0.0
    moves = asyncio.run(play_on())
    assert (moves[::2], len(moves)) == (["1", "2"], 4)
    assert (server.resident or 0.0) - megabytes < MOST_MEGABYTES
    assert errors_in(server.log) == []


@pytest.fixture(scope="module")
def anything(tmp_path_factory):
    """Return a function that sends a request to a server of which a game is kept."""
    crowd = Crowd(tmp_path_factory.mktemp("anything"), limits=UNLIMITED)
    app = SubPath(Guard(crowd.app, (HOST,)))
    with TestClient(app, base_url=f"http://{HOST}", follow_redirects=False) as client:
        cookie = client.get("/api/start", headers=OWN).headers["set-cookie"].partition(";")[0]

        def send(method, path, **asked):
            client.cookies.clear()
            headers = OWN | {"cookie": cookie} | asked.pop("headers")
            return client.request(method, path, headers=headers, **asked)

        yield send


@given(st.sampled_from(METHODS), URLS, QUERIES, BODIES, requests.HEADERS)
@settings(max_examples=MOST_EXAMPLES, deadline=None, derandomize=True)
def test_whatever_is_asked_is_answered_in_a_line(anything, method, path, query, body, headers):
    """For 10,000: ``EVENMATCH_FUZZ=10000 python -m pytest tests/frontends/web/test_hostile.py``."""
    answer = anything(method, path, params=query, content=body, headers=headers)
    assert fault_of(b"HTTP/1.1 %d x\r\n\r\n%b" % (answer.status_code, answer.content)) == ""
    assert answer.headers.items() >= HEADERS.items()


# -- HTTP ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "status"),
    [
        ("Content-Length: 2\nContent-Length: 3", 400),
        ("Content-Length: 2\nContent-Length: x", 400),
        ("Content-Length: -2", 400),
        ("Content-Length: +2", 400),
        ("Content-Length: 0x2", 400),
        ("Transfer-Encoding: x", 501),
        ("Transfer-Encoding: gzip, chunked", 501),
        ("Content-Length: 2\n X: folded", 400),
        ("Content-Length : 2", 400),
    ],
)
def test_requests_whose_length_is_in_doubt_are_refused(server, lengths, status):
    """Else one that a proxy takes for a body could be another request."""
    answer = ask(
        server, f"POST /api/tables\nX-Evenmatch: 1\n{lengths}", b"{}GET / HTTP/1.1\r\n\r\n"
    )
    assert status_of(answer) in (400, status), answer
    assert answer.count(b"HTTP/1.1 ") == 1, "one answer alone"


SOCKET = "Upgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: " + KEY


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("GET /", 200),
        ("HEAD /", 200),
        ("GET /me", 200),
        ("GET /healthz", 200),
        ("GET /metrics", 200),
        ("GET /nowhere", 404),
        ("GET /static", 307),
        ("GET /static/", 404),
        ("GET /static/app.js", 200),
        ("GET /static/board/", 404),
        ("GET /static/nothing.js", 404),
        ("GET /static/../api.py", 404),
        ("GET /static/%2e%2e/api.py", 404),
        ("GET /static/..%2f..%2fweb/api.py", 404),
        ("GET /static//etc/passwd", 404),
        ("GET /static/app.js%00", 404),
        ("GET /static/app.js\nRange: bytes=0-9", 206),
        ("GET /static/app.js\nRange: bytes=9-0", 400),
        ("GET /static/app.js\nRange: bytes=99999999-", 416),
        ("GET /\nHost: evil.example", 403),
        ("POST /", 403),
        ("POST /\nX-Evenmatch: 1", 405),
        ("TRACE /\nX-Evenmatch: 1", 405),
        ("POST /api/tables", 403),
        ("POST /api/tables\nX-Evenmatch: 1\nOrigin: http://evil.example", 403),
        ("POST /api/tables\nX-Evenmatch: 1\n{cookie}", 400),
        ("POST /api/tables\nX-Evenmatch: 1\nContent-Length: 64001\n{cookie}", 413),
        ("GET /api/start\nX-Evenmatch: 1", 200),
        ("DELETE /api/start\nX-Evenmatch: 1\n{cookie}", 405),
        ("GET /api/me", 401),
        ("GET /api/me\n{cookie}", 200),
        ("GET /api/nowhere\n{cookie}", 404),
        ("GET /api/tables/999\n{cookie}", 404),
        ("GET /api/tables/1/socket\n{origin}\n{socket}", 401),
        ("GET /api/tables/999/socket\n{origin}\n{cookie}\n{socket}", 404),
    ],
)
def test_all_answers_have_the_headers(server, guest, lines, status):
    """Pages, files, refusals in a line, and answers to sockets that do not open."""
    origin = f"Origin: http://127.0.0.1:{server.port}"
    asked = lines.format(cookie=f"Cookie: {guest[0].cookie}", origin=origin, socket=SOCKET)
    answer = ask(server, asked)
    assert status_of(answer) == status, answer
    assert fault_of(answer) == ""
    headers = headers_of(answer)
    assert headers.items() >= HEADERS.items()
    assert not {"server", "x-powered-by", "access-control-allow-origin"} & headers.keys()
    if lines.split()[1].startswith("/api"):
        assert headers["cache-control"] == "no-store"


def test_two_hosts_are_refused(server):
    """By the library, before anything of ours is asked."""
    assert status_of(ask(server, "GET /\nHost: 127.0.0.1\nHost: evil.example")) == 400


@pytest.mark.parametrize("lines", ["GET /\nX: {}", "GET /{}", "{} /", "GET /\n{}: x"])
def test_a_head_without_end_is_refused(server, lines):
    """Nothing waits for the rest of it, nor is it repeated."""
    answer = ask(server, lines.format("A" * 200_000))
    assert status_of(answer) in (400, 414, 431), answer
    assert b"AAAA" not in answer
    assert b"\r\nserver:" not in answer.lower()


# -- sockets ---------------------------------------------------------------------------------------


@contextmanager
def untouched(visitor):
    """See that what is done meanwhile leaves a game as it was; yield the game's row."""
    row = visitor.begin("connect4", "random")
    before = visitor.get(f"/api/tables/{row}").json()
    yield row
    after = visitor.get(f"/api/tables/{row}").json()
    for name in ("moves", "cells", "over", "yours"):
        assert after[name] == before[name]


def test_values_of_wrong_types_do_nothing(visitor):
    with untouched(visitor) as row, visitor.at(row) as seen:
        seq = seen.turn()["seq"]
        for message in wrong_messages():
            if message["seq"] != 0 or message["do"] not in ("hint", "rematch"):
                seen.socket.send_text(json.dumps(message))
        for value in WRONG_VALUES:
            seen.socket.send_text(json.dumps({"do": "move", "seq": seq, "move": value}))
            seq = seen.turn()["seq"]
        assert seen.turn()["moves"] == []


RIGHT = {  #: what the page sends, by method and path
    ("POST", "/api/tables"): {
        "game": "connect4", "opponent": {"name": "random", "keys": {}}, "side": "first",
        "clock": {"minutes": 5, "increment": 1}, "start": "", "komi": 0, "handicap": 0,
        "forgets": False,
    },
    ("POST", "/api/pair"): {"id": "a", "said": "b", "sure": "certain"},
    ("POST", "/api/join"): {"name": "Ann", "passphrase": PASSPHRASE},
    ("POST", "/api/enter"): {"name": "Ann", "passphrase": PASSPHRASE},
    ("DELETE", "/api/me"): {"name": "Ann"},
}  # fmt: skip


TOO_LONG = struct.pack("!H", 1009)  #: in the frame that closes a socket


@pytest.fixture
def unlimited(tmp_path):
    """A crowd of whom each may ask as often as they like."""
    with Crowd(tmp_path, limits=UNLIMITED).serving() as crowd:
        yield crowd


@pytest.mark.parametrize(("method", "path"), RIGHT, ids=lambda word: word.rpartition("/")[2])
def test_bodies_of_wrong_types_are_refused_in_a_line(unlimited, method, path):
    """Each field of each request: none is a fault of ours, and none is refused unread."""
    guest, right = unlimited.guest(), RIGHT[method, path]
    bodies = [right | {name: value} for name in right for value in WRONG_VALUES]
    for body in [*WRONG_VALUES, *bodies]:
        text = json.dumps(body)
        answer = guest.client.request(method, path, content=text, headers=OWN)
        assert answer.status_code in (200, 400, 404), (text, answer.text)
        assert not fault_of(b"HTTP/1.1 400 x\r\n\r\n" + answer.content), text
    assert guest.get("/healthz").status_code == 200


def test_numbers_of_others_do_nothing(visitor):
    """A number of another state, of another game, or none."""
    other = visitor.begin("connect4", "random")
    with visitor.at(other) as seen:
        theirs = seen.move(seen.turn())["seq"]
    with untouched(visitor) as row, visitor.at(row) as seen:
        seq = seen.turn()["seq"]
        for number in (theirs, seq - 1, seq + 1, -seq, 2**64, str(seq), [seq], None, True):
            if number == seq:
                continue
            seen.ask("move", number, move="1")
        assert seen.turn()["seq"] == seq


@pytest.mark.parametrize("what", FRAMES)
def test_frames_that_are_none(server, guest, what):
    """Each is answered or ends its own socket; the log has no traceback."""
    browser, row = guest

    async def send() -> tuple[bytes, dict]:
        opened = handshake(f"127.0.0.1:{server.port}", row, browser.cookie)
        answer = await frames_to(server.port, opened, FRAMES[what])
        return answer, (await browser.ask(f"/api/tables/{row}"))[1]

    answer, game = asyncio.run(send())
    assert status_of(answer) == 101
    assert (game["moves"], game["over"]) == ([], None)
    assert not any(word in answer for word in INSIDE)
    assert "Traceback" not in server.log.read_text()


def test_a_socket_closes_by_a_huge_frame_alone_and_says_why(server, guest):
    browser, row = guest
    opened = handshake(f"127.0.0.1:{server.port}", row, browser.cookie)
    long = told({"do": "move", "seq": 0, "move": "e4" * 2500})
    for frame, closes in ((FRAMES["huge"], True), (long, False)):
        answer = asyncio.run(frames_to(server.port, opened, frame))
        assert (TOO_LONG in answer) is closes


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.pgn.gz", "x.pgn"])
def test_a_file_that_unpacks_to_much_is_refused(visitor, monkeypatch, name):
    monkeypatch.setattr(uploads, "MOST_UNPACKED", 1_000_000)
    for size, refused in ((900_000, False), (2_000_000, True)):
        bomb = gzip.compress(b"\n" * size)
        path = f"/api/me/import?game=chess&player=Ann&name={name}"
        answer = visitor.client.post(path, content=bomb, headers=OWN)
        assert answer.status_code == 400
        assert ("unpacks to more than 1 MB" in answer.json()["error"]) == refused


def test_where_files_are_kept_is_not_told(visitor):
    for content in (b"\x1f\x8b damaged", b"\x00\xff", b"BZh9 damaged", PGN.encode()[:40]):
        path = "/api/me/import?game=chess&player=Zoe&name=../../x.pgn"
        answer = visitor.client.post(path, content=content, headers=OWN)
        assert answer.status_code == 400
        assert "/" not in answer.json()["error"], answer.text
        assert "evenmatch-" not in answer.text


def test_scripts_in_names_stay_text(visitor):
    """They are sent as data that no browser takes for a page."""
    named = f"/api/me/import?game=chess&player={SCRIPT}&name=x.pgn"
    assert "Added 1 game." in visitor.client.post(named, content=PGN, headers=OWN).text
    listed = visitor.get("/api/tables")
    assert listed.headers["content-type"] == "application/json"
    row = listed.json()["tables"][0]["id"]
    record = visitor.get(f"/api/tables/{row}/record")
    assert record.headers["content-type"].startswith("application/x-chess-pgn")
    assert record.headers["content-disposition"].startswith("attachment")
    wrong = visitor.get(f"/api/tables/{SCRIPT}")
    assert SCRIPT not in wrong.text
    assert visitor.post("/api/tables", game=SCRIPT).headers["content-type"] == "application/json"


def test_the_page_loads_nothing_from_elsewhere():
    """No inline script or style, which the policy would refuse, and no other site."""
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)
    for path in STATIC.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg"):
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            assert not re.search(
                r"""(src|href|url\(|from|import|fetch)\W{1,3}(https?:)?//""", text
            ), path
