"""`evenmatch web` as a process of its own: started, asked what it counted, ended."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
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
        together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self._process, listens = subprocess.Popen(command, **together), threading.Event()
        self._copying = threading.Thread(target=self._copy, args=(listens,), daemon=True)
        self._copying.start()
        listens.wait(PATIENCE)
        if self._process.poll() is not None:
            said = self.log.read_text("utf-8", "replace").strip()
            raise StateError(f"the server does not start; it said: {said}")

    def _copy(self, listens: threading.Event) -> None:
        """Write what it says to the log; note when it listens, or has ended."""
        with self.log.open("ab", buffering=0) as log:
            for line in self.process.stdout:
                log.write(line)
                if line.startswith(b"Open http"):
                    listens.set()
        listens.set()

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
