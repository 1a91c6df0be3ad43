"""Hostile and slow visitors of the page's server, and what is wrong with an answer to them."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from frontends.web.hostile_requests import FRAMES, told, wrong_messages
from frontends.web.web_browser import Browser
from frontends.web.web_server import LOOPBACK, WebServer

RANDOM = {"name": "random"}  #: the opponent of all games
GUESTS = 3  #: hostile ones
PATIENCE = 120.0  #: seconds until an answer that is due, after which none will come
BRIEF = 0.1  #: seconds in which one may come that need not
SILENT = 20  #: connections that say nothing, or half a request
DEAF = 8  #: sockets that ask much and read nothing
ASKED_BY_DEAF = 20_000  #: messages each sends at most
INSIDE = (b"Traceback", b'File "', b"sqlite", b"evenmatch/", b"site-packages")  #: never shown
FAILED = ("Traceback", "ERROR evenmatch")  #: what stands in a log where something went wrong
MOST_MEGABYTES = 400  #: by which the server may have grown
END_OF_HEAD = b"\r\n\r\n"  #: of an answer
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
KEY = "dGhlIHNhbXBsZSBub25jZQ=="  #: any: no cache is to be told from a server


async def answer_to(port: int, data: bytes, patience: float = PATIENCE) -> bytes:
    """Send bytes; return what comes until the server closes, or the time is over."""
    async with _connected(port) as (reader, writer):
        writer.write(data)
        return await _heard(reader, patience)


async def frames_to(port: int, opening: bytes, frames: bytes) -> bytes:
    """Open a socket and then send bytes to it; return what comes until a little later."""
    async with _connected(port) as (reader, writer):
        writer.write(opening)
        answer = await _heard(reader, PATIENCE, END_OF_HEAD)
        writer.write(frames)
        return answer + await _heard(reader, BRIEF)


@contextlib.asynccontextmanager
async def _connected(port: int) -> AsyncIterator[Connection]:
    """Hold a connection open."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def _heard(reader: asyncio.StreamReader, patience: float, end: bytes = b"") -> bytes:
    """Return what comes until the server closes or the time is over, or has come by an ``end``."""
    found = b""
    with contextlib.suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout(patience):
            while not (end and end in found) and (more := await reader.read(1 << 16)):
                found += more
    return found


def status_of(answer: bytes) -> int:
    """Return the status of an answer, 0 if there is none."""
    first = answer.split(b"\r\n", 1)[0].split(b" ")
    return int(first[1]) if len(first) > 1 and first[1].isdigit() else 0


def fault_of(answer: bytes, due: bool = True) -> str:
    """Return what is wrong with an answer, empty for nothing."""
    head, _, body = answer.partition(END_OF_HEAD)
    if b"transfer-encoding: chunked" in head.lower():
        body = b"".join(body.split(b"\r\n")[1::2])
    status = status_of(answer)
    if not answer:
        return "no answer" if due else ""
    if status >= 500 or not status:
        return f"status {status}"
    if any(word in answer for word in INSIDE):
        return "tells of the inside"
    if b"\r\nserver:" in head.lower():
        return "names the server's program"
    if status >= 400 and body.strip().count(b"\n"):
        return "a refusal in several lines"
    return ""


def handshake(host: str, row: int, cookie: str) -> bytes:
    """Return the request that opens a game's socket."""
    return (
        f"GET /api/tables/{row}/socket HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
        f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {KEY}\r\nCookie: {cookie}\r\n\r\n"
    ).encode()


class Hostile:
    """Visitors who attack; ``faults`` are what the server did that it must not."""

    def __init__(self, server: WebServer, rows: Sequence[int]):
        """``rows`` are games of others."""
        self._server, self._others = server, list(rows)
        self.host = f"{LOOPBACK}:{server.port}"
        self.guests: list[Browser] = []
        self.faults: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    async def arrive(self) -> None:
        """Become guests, the first with a game of its own."""
        for _ in range(GUESTS):
            guest = Browser(self._server)
            await guest.enter()
            self.guests.append(guest)
        self._own = await self.guests[0].begin("connect4", RANDOM)

    def fault(self, fault: str, example: str) -> None:
        """Note what must not be."""
        self.faults[fault] += 1
        self.examples.setdefault(fault, example)

    async def send_frames(self) -> None:
        """Send frames that are none to an own game, and try to open those of others."""
        cookie = self.guests[0].cookie
        for row in self._others:
            answer = await answer_to(self._server.port, handshake(self.host, row, cookie))
            if status_of(answer) != 404:
                self.fault("a game of others opens", repr(answer[:100]))
        opened = handshake(self.host, self._own, cookie)
        for what, data in FRAMES.items():
            await self._is_still_open(what, opened, data)
        messages = wrong_messages()
        for at in range(0, len(messages), 40):  # no more are allowed at once
            data = b"".join(map(told, messages[at : at + 40]))
            await self._is_still_open("values of wrong types", opened, data)

    async def _is_still_open(self, what: str, opened: bytes, data: bytes) -> None:
        """Send bytes to a socket, and see that its game is there afterwards."""
        answer = await frames_to(self._server.port, opened, data)
        if status_of(answer) != 101:
            self.fault("an own game does not open", f"{what}: {answer[:100]!r}")
        if any(word in answer for word in INSIDE):
            self.fault("tells of the inside", f"{what}: {answer[:300]!r}")
        status, found = await self.guests[0].ask(f"/api/tables/{self._own}")
        if status == 429:
            return
        if status != 200 or found["moves"] or found["over"]:
            self.fault("a frame that is none did something", f"{what}: {found}")

    @contextlib.asynccontextmanager
    async def silent(self, count: int = SILENT):
        """Hold connections open that say nothing, or half a request."""
        halves = (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01")
        opened = [await asyncio.open_connection(LOOPBACK, self._server.port) for _ in range(count)]
        for number, (_, writer) in enumerate(opened):
            writer.write(halves[number % len(halves)])
        try:
            yield
        finally:
            for _, writer in opened:
                writer.close()

    async def be_deaf(self, seconds: float) -> None:
        """Ask for states as fast as can be, and read none."""
        row, look = await self.guests[-1].begin("connect4", RANDOM), told({"do": "look", "seq": -1})
        opened = handshake(self.host, row, self.guests[-1].cookie)

        async def ask() -> None:
            _, writer = await asyncio.open_connection(LOOPBACK, self._server.port, limit=1)
            try:
                writer.write(opened)
                for _ in range(ASKED_BY_DEAF // 100):
                    writer.write(look * 100)
                    await writer.drain()
            finally:
                writer.transport.abort()

        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(ask() for _ in range(DEAF)))


async def attacked(server: WebServer) -> dict[str, Any]:
    """Attack a server in each way; return what was seen, and the moves of another guest's game."""
    other = Browser(server)
    await other.enter()
    row = await other.begin("connect4", RANDOM)
    hostile = Hostile(server, [row])
    await hostile.arrive()
    megabytes = server.resident or 0.0
    async with hostile.silent():
        for column, attack in (
            ("1", hostile.send_frames()),
            ("2", hostile.be_deaf(0.5)),
        ):
            attacking = asyncio.create_task(attack)
            async with asyncio.timeout(PATIENCE):  # another guest plays on meanwhile
                moves = await other.play(row, [column])
            await attacking
    return {
        "faults": hostile.examples,
        "errors": errors_in(server.log),
        "moves": moves,
        "grown": (server.resident or 0.0) - megabytes,
    }


def errors_in(log: Path) -> list[str]:
    """Return the lines of a log that tell of errors."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return [line for line in lines if any(word in line for word in FAILED)]
