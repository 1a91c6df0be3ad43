"""Hostile and slow visitors of the page's server, and what is wrong with an answer to them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from frontends.web.hostile_requests import told
from frontends.web.web_browser import Browser
from frontends.web.web_server import LOOPBACK

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


@contextlib.asynccontextmanager
async def silent(port: int, count: int = SILENT) -> AsyncIterator[None]:
    """Hold connections open that say nothing, or half a request."""
    halves = (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01")
    async with contextlib.AsyncExitStack() as opened:
        for number in range(count):
            _, writer = await opened.enter_async_context(_connected(port))
            writer.write(halves[number % len(halves)])
        yield


async def be_deaf(port: int, guest: Browser, seconds: float) -> None:
    """Ask for the states of an own game as fast as can be, and read none."""
    await guest.enter()
    row, look = await guest.begin("connect4", {"name": "random"}), told({"do": "look", "seq": -1})
    opened = handshake(f"{LOOPBACK}:{port}", row, guest.cookie)

    async def ask() -> None:
        _, writer = await asyncio.open_connection(LOOPBACK, port, limit=1)
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


def errors_in(log: Path) -> list[str]:
    """Return the lines of a log that tell of errors."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return [line for line in lines if any(word in line for word in FAILED)]
