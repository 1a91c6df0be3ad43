"""`evenmatch web` as a process of its own: started, asked what it counted, ended."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from evenmatch.errors import StateError

LOOPBACK = "127.0.0.1"
PATIENCE = 1200.0  #: seconds until it answers; the first start compiles the games
STOPPING = 30.0  #: seconds it may take to stop


class WebServer:
    """A server on a free port; started again it has the same port and folder."""

    def __init__(self, folder: Path, games: Sequence[str], *options: str, people: bool = True):
        """It offers some games, to many ``people`` or to one; its state and log are in the folder.

        ``options`` are those of the command.
        """
        self.state, self.log = folder / "state", folder / "log"
        offered = [word for game in games for word in ("--game", game)]
        self._options = [*(["--people"] if people else []), *offered, *options]
        with socket.create_server((LOOPBACK, 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process, which was started."""
        assert self._process is not None, "start it first"
        return self._process

    def start(self) -> None:
        """Start it, and wait until it answers. StateError, with what it said, if it does not."""
        command = [sys.executable, "-m", "evenmatch", "web", "--port", str(self.port)]
        command += ["--state", str(self.state), *self._options]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=5).close()
                return
            except OSError:
                time.sleep(0.05)
        self.kill()
        said = self.log.read_text("utf-8", "replace").strip()
        raise StateError(f"the server does not start; it said: {said}")

    def stop(self) -> None:
        """Let it end as it does when it is told to."""
        self.process.terminate()
        try:
            self.process.wait(STOPPING)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill it as it stands."""
        self.process.kill()
        self.process.wait()

    @property
    def resident(self) -> float | None:
        """The memory that is resident, in MB; None where the system does not tell."""
        try:
            rows = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        except OSError:
            return None
        return next(
            (int(row.split()[1]) * 1024 / 1e6 for row in rows if row.startswith("VmRSS:")), None
        )
