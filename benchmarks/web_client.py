"""The page's server as a process that may be killed, and browsers of it, for drills."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from evenmatch_lab.provenance import code_of_script, installed_code
from evenmatch_lab.result_files import made_by

LOOPBACK = "127.0.0.1"
STARTING = 600.0  #: seconds until it answers; a first start compiles the games
PATIENCE = 30.0  #: seconds that a request may take
LONGEST = 1 << 20  #: bytes of a state


class Server:
    """`evenmatch web --people` on a free port; started again it has the same port and folder."""

    def __init__(self, folder: Path, *games: str):
        self.state, self.log = folder / "state", folder / "log"
        self._games = [word for game in games for word in ("--game", game)]
        with socket.create_server((LOOPBACK, 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, which runs."""
        assert self._process is not None, "start it first"
        return self._process

    def start(self) -> None:
        """Start it, and wait until it answers. RuntimeError if it does not."""
        command = [sys.executable, "-m", "evenmatch", "web", "--people", "--port", str(self.port)]
        command += ["--state", str(self.state), *self._games]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + STARTING
        while time.monotonic() < until and self._process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=PATIENCE).close()
                return
            except OSError:
                time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"the server does not start: {self.log.read_text()}")

    def kill(self) -> None:
        """Kill it as it stands."""
        self.process.kill()
        self.process.wait()

    @property
    def megabytes(self) -> float | None:
        """Its resident memory; None where the system does not tell."""
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        except OSError:
            return None
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS:"))


class Browser:
    """What one browser sends and hears; it keeps its cookie."""

    def __init__(self, server: Server):
        self._server, self._jar = server, CookieJar()
        cookies = urllib.request.HTTPCookieProcessor(self._jar)
        self._opener = urllib.request.build_opener(cookies)

    async def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the JSON of an answer. OSError if there is none."""
        return await asyncio.to_thread(self._ask, path, body)

    def _ask(self, path: str, body: Any) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"x-evenmatch": "1", "origin": self._server.url}
        request = urllib.request.Request(f"{self._server.url}{path}", data, headers)
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)
        except ValueError:  # it broke off within its body
            raise ConnectionResetError from None

    @property
    def cookie(self) -> str:
        """The header by which it is known."""
        return "; ".join(f"{one.name}={one.value}" for one in self._jar)

    def socket(self, row: int) -> connect:
        """Return the socket of a game, to be entered."""
        return connect(
            f"{self._server.url.replace('http', 'ws', 1)}/api/tables/{row}/socket",
            origin=self._server.url,  # type: ignore[arg-type]
            additional_headers={"cookie": self.cookie},
            max_size=LONGEST,
        )


def made_with_server(script: str) -> dict[str, Any]:
    """Return what a file of a drill says of its making: the script, and all of the server."""
    server = installed_code().reached_from("evenmatch.frontends.web.server", "serve")
    return made_by(code_of_script(script, "main") | server, {})
