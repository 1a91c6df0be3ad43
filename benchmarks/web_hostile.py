"""A drill: hostile and slow visitors of the page's server, while somebody plays on.

    python benchmarks/web_hostile.py [--requests N] [--seed N] [--quick] [--json OUT]

Visitors send requests of a seeded grammar (`web_requests.py`), frames that are none, and files that
never end; some connect and say nothing, some never read what they are sent. Each answer must be a
refusal in one line, or what anybody may have: no status from 500 on, and nothing of the program's
inside, neither in an answer nor in the log. Meanwhile somebody else plays: their games change by
their own moves alone, and are answered. Ends with status 1 if anything else happens.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from web_made import made_with_server
from web_requests import FRAMES, random_request, told, wrong_messages

from evenmatch_lab.drills.web_seen import Seen
from evenmatch_lab.shared.web_browser import Browser
from evenmatch_lab.shared.web_server import LOOPBACK, WebServer

RANDOM = {"name": "random"}  #: the opponent of all games
GUESTS, QUICK_GUESTS = 12, 3  #: hostile ones; a network may have so many at once
TOGETHER = 16  #: requests at once
PATIENCE = 120.0  #: seconds until an answer that is due, after which none will come
BRIEF = 0.3  #: seconds in which one may come that need not
PHASE_MOVES = 2  #: of who plays on, which are answered while each kind of attack goes on
SILENT, QUICK_SILENT = 200, 20  #: connections that say nothing, or half a request
DEAF = 8  #: sockets that ask much and read nothing
ASKED_BY_DEAF = 20_000  #: messages each sends at most
INSIDE = (b"Traceback", b'File "', b"sqlite", b"evenmatch/", b"site-packages")  #: never told
FAILED = ("Traceback", "ERROR evenmatch")  #: what stands in a log where something went wrong
MOST_MEGABYTES = 400  #: by which the server may have grown
SLOWEST = 10.0  #: seconds until a move is answered, on a machine that does other work too
ENDLESS = 60.0  #: seconds after which a body that never ends must have been refused
END_OF_HEAD = b"\r\n\r\n"  #: of an answer
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
KEY = "dGhlIHNhbXBsZSBub25jZQ=="  #: any: no cache is to be told from a server


# -- one connection --------------------------------------------------------------------------------


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


# -- who plays on ----------------------------------------------------------------------------------


class Honest:
    """Somebody who plays Connect Four meanwhile, and notes how long each answer took."""

    def __init__(self, server: WebServer, seed: int, others: Counter[int]):
        """``others`` count the answers to everybody else."""
        self.browser, self._rng, self._others = Browser(server), random.Random(seed), others
        self.games: list[Seen] = []
        self.seconds: list[float] = []
        self.overtaken: list[int] = []  #: answers to others while a move waited for its own

    async def begin(self) -> Seen:
        """Begin a game."""
        self.games.append(Seen(await self.browser.begin("connect4", RANDOM), "connect4"))
        return self.games[-1]

    async def play(self, stop: asyncio.Event) -> None:
        """Play games until told to stop."""
        while not stop.is_set():
            await self.play_on(await self.begin(), stop)

    async def play_on(self, game: Seen, stop: asyncio.Event) -> None:
        """Play a game until its end, or until told to stop."""
        async with self.browser.socket(game.row) as socket:
            asked, when, before = -1, 0.0, 0
            while not game.over and not stop.is_set():
                async with asyncio.timeout(PATIENCE):
                    state = json.loads(await socket.recv())
                game.take(state)
                if asked >= 0 and state["seq"] > asked and (state["yours"] or state["over"]):
                    self.seconds.append(time.monotonic() - when)
                    self.overtaken.append(self._others.total() - before)
                if state["yours"] and state["seq"] > asked:
                    await asyncio.sleep(self._rng.uniform(0.4, 0.8))
                    move = self._rng.choice(state["legal"])["move"]
                    asked, when, before = state["seq"], time.monotonic(), self._others.total()
                    message = {"do": "move", "seq": asked, "move": move}
                    await socket.send(json.dumps(game.ask(message)))

    @property
    def wrong(self) -> list[str]:
        """What was wrong with the games."""
        return [what for game in self.games for what in game.wrong]


# -- who is hostile --------------------------------------------------------------------------------


class Hostile:
    """Visitors who attack; ``faults`` are what the server did that it must not."""

    def __init__(self, server: WebServer, seed: int, rows: Sequence[int], statuses: Counter[int]):
        """``rows`` are games of others; ``statuses`` count the answers."""
        self._server, self._rng, self._others = server, random.Random(seed), list(rows)
        self.host = f"{LOOPBACK}:{server.port}"
        self.guests: list[Browser] = []
        self.faults: Counter[str] = Counter()
        self.statuses = statuses
        self.sent = 0  #: requests of the grammar
        self.examples: dict[str, str] = {}

    async def arrive(self, guests: int) -> None:
        """Become so many guests, each with a game of their own."""
        for _ in range(guests):
            guest = Browser(self._server)
            await guest.enter()
            self.guests.append(guest)
        self._own = await self.guests[0].begin("connect4", RANDOM)

    def note(self, what: str, answer: bytes, due: bool = True) -> None:
        """Count an answer, and what is wrong with it."""
        self.statuses[status_of(answer)] += 1
        if fault := fault_of(answer, due):
            self.fault(fault, f"{what} -> {answer[:300]!r}")

    def fault(self, fault: str, example: str) -> None:
        """Note what must not be."""
        self.faults[fault] += 1
        self.examples.setdefault(fault, example)

    async def send_requests(self, count: int, tell=lambda done: None) -> None:
        """Send requests of the grammar."""
        cookies = [guest.cookie for guest in self.guests]
        rows, left = [*self._others, self._own], iter(range(count))

        async def send() -> None:
            for done in left:
                request = random_request(self._rng, self.host, cookies, rows)
                self.sent += 1
                patience = PATIENCE if request.whole else BRIEF
                answer = await answer_to(self._server.port, request.data, patience)
                self.note(repr(request.data[:300]), answer, request.whole)
                tell(done)

        await asyncio.gather(*(send() for _ in range(TOGETHER)))

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
    async def silent(self, count: int):
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

    async def send_for_ever(self, path: str, seconds: float) -> bytes:
        """Send a body that says to be long, a byte now and then; return the answer, if one came."""
        reader, writer = await asyncio.open_connection(LOOPBACK, self._server.port)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nX-Evenmatch: 1\r\n"
            f"Cookie: {self.guests[0].cookie}\r\nContent-Length: 60000\r\n\r\n"
        )
        answer = asyncio.create_task(reader.read(1 << 16))
        until = time.monotonic() + seconds
        try:
            writer.write(head.encode())
            while not answer.done() and time.monotonic() < until:
                writer.write(b" ")
                await asyncio.wait([answer], timeout=0.1)
            return answer.result() if answer.done() else b""
        finally:
            answer.cancel()
            writer.transport.abort()


# -- the drill -------------------------------------------------------------------------------------


async def attacked(server: WebServer, requests: int, seed: int, quick: bool) -> dict[str, Any]:
    """Attack a server that runs while somebody plays; return what was seen."""
    statuses: Counter[int] = Counter()
    honest = Honest(server, seed, statuses)
    await honest.browser.enter()
    resting = await honest.begin()
    before = (await honest.browser.ask(f"/api/tables/{resting.row}"))[1]
    hostile = Hostile(server, seed, [resting.row], statuses)
    await hostile.arrive(QUICK_GUESTS if quick else GUESTS)
    megabytes, began, stop = server.resident or 0.0, time.monotonic(), asyncio.Event()
    playing, moves = asyncio.create_task(honest.play(stop)), {}
    try:
        async with hostile.silent(QUICK_SILENT if quick else SILENT):
            slow = asyncio.create_task(
                hostile.send_for_ever("/api/tables", 0 if quick else ENDLESS)
            )
            attacks = {
                "frames": hostile.send_frames,
                "deafness": lambda: hostile.be_deaf(2.0 if quick else 20.0),
                "requests": lambda: hostile.send_requests(requests, _progress(requests)),
            }
            for name, attack in attacks.items():
                moves[name] = await _while_playing(honest, attack)
            if status_of(await slow) != 408 and not quick:
                hostile.fault("a body that never ends is heard", repr(slow.result()))
    finally:
        stop.set()
        await playing
    after = (await honest.browser.ask(f"/api/tables/{resting.row}"))[1]
    unchanged = all(before[name] == after[name] for name in ("moves", "cells", "over", "seq"))
    return {
        "requests": hostile.sent,
        "requests a second": round(hostile.sent / (time.monotonic() - began)),
        "answers by status": dict(sorted(hostile.statuses.items())),
        "moves of others meanwhile": len(honest.seconds),
        "moves answered while each attack went on: fewest": min(moves.values()),
        "seconds until answered: median": round(float(np.median(honest.seconds)), 3),
        "seconds until answered: longest": round(max(honest.seconds), 3),
        "answers to attackers while a move waited: nine of ten": int(
            np.quantile(honest.overtaken, 0.9)
        ),
        "answers to attackers while a move waited: most": max(honest.overtaken),
        "megabytes grown": round((server.resident or 0.0) - megabytes),
        "games of others changed": len(honest.wrong) + (not unchanged),
        "lines of the log that tell of errors": _errors(server.log),
        "wrong answers": sum(hostile.faults.values()),
        "examples": hostile.examples,
    }


async def _while_playing(honest: Honest, attack: Callable[[], Coroutine[Any, Any, None]]) -> int:
    """Attack, again where it was over before some moves of who plays on were answered.

    Return how many were. TimeoutError if attacks keep them from it.
    """
    due = len(honest.seconds) + PHASE_MOVES
    await attack()
    async with asyncio.timeout(PATIENCE):
        while len(honest.seconds) < due:
            await attack()
    return len(honest.seconds) - due + PHASE_MOVES


def _errors(log: Path) -> int:
    lines = log.read_text("utf-8", "replace").splitlines()
    return sum(any(word in line for word in FAILED) for line in lines)


def _progress(requests: int):
    """Return what tells, now and then, how many requests were answered."""
    began, step = time.monotonic(), max(requests // 10, 1)

    def tell(done: int) -> None:
        if done and done % step == 0:
            rate = done / (time.monotonic() - began)
            left = (requests - done) / rate
            print(f"{done} requests, {rate:.0f}/s, about {left:.0f} s left", file=sys.stderr)

    return tell


def unharmed(seen: dict[str, Any]) -> bool:
    """Tell whether nothing happened to anybody else, however long the machine took."""
    wrong = ("games of others changed", "lines of the log that tell of errors", "wrong answers")
    return seen["megabytes grown"] < MOST_MEGABYTES and not any(seen[x] for x in wrong)


def passed(seen: dict[str, Any]) -> bool:
    """Tell whether nobody else noticed: they were unharmed, and answered in time."""
    return unharmed(seen) and seen["seconds until answered: longest"] < SLOWEST


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, help="10,000, or 300 with --quick")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    requests = asked.requests or (300 if asked.quick else 10_000)
    with tempfile.TemporaryDirectory() as where:
        server = WebServer(Path(where), ["connect4"])
        server.start()
        try:
            seen = asyncio.run(attacked(server, requests, asked.seed, asked.quick))
        finally:
            server.kill()
        if not passed(seen):
            print(server.log.read_text("utf-8", "replace"), file=sys.stderr)
    for name, found in seen.items():
        print(f"{name}: {found}")
    if asked.json:
        facts = {"made": made_with_server(__file__), "seed": asked.seed, "seen": seen}
        asked.json.write_text(json.dumps(facts, indent=1) + "\n")
    return 0 if passed(seen) else 1


if __name__ == "__main__":
    raise SystemExit(main())
