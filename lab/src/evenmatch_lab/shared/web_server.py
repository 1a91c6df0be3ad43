"""`evenmatch web` as a process of its own: started, asked what it has counted, stopped."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evenmatch.errors import StateError, UsageError

LOOPBACK = "127.0.0.1"
PATIENCE = 1200.0  #: seconds until it answers; the first start compiles the games
STOPPING = 30.0  #: seconds it may take to stop
MEGABYTE = 1_000_000

Counts = dict[tuple[str, ...], float]  #: by name and labels, in the order of the labels' names


@dataclass(frozen=True)
class WebServer:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def peak(self) -> float | None:
        """The most memory that was resident, in MB; None where the system does not tell."""
        return peak_of(self.process.pid)

    def counts(self) -> Counts:
        """Return what it has counted, by /metrics."""
        from prometheus_client.parser import text_string_to_metric_families

        with urllib.request.urlopen(f"{self.url}/metrics", timeout=60) as answer:
            families = text_string_to_metric_families(answer.read().decode())
        samples = [sample for family in families for sample in family.samples]
        return {
            (one.name, *(one.labels[name] for name in sorted(one.labels))): one.value
            for one in samples
        }


@contextmanager
def serving(games: Sequence[str]) -> Iterator[WebServer]:
    """Run a server that offers some games, on a free port and a state of its own.

    Each visitor is somebody, at the address that they say.
    """
    require_web()
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "evenmatch", "web", "--port", str(port)]
        command += [
            "--people",
            "--proxied",
            "--state",
            state,
            *(word for game in games for word in ("--game", game)),
        ]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            server = WebServer(process, port)
            _wait_for(server)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(STOPPING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def require_web() -> None:
    """Raise UsageError where the packages of the page are missing."""
    try:
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        raise UsageError("the page needs more packages: pip install 'evenmatch[web]'") from None


def _wait_for(server: WebServer) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{server.url}/healthz", timeout=5).close()
            return
        except OSError:
            if server.process.poll() is not None:
                break
            time.sleep(0.1)
    raise StateError("the server does not start; look at what `evenmatch web` says")


def peak_of(process: int) -> float | None:
    """Return the most memory that was resident in a process, in MB; None if it is not told."""
    return _kilobytes(Path(f"/proc/{process}/status"), "VmHWM:")


def share_of(process: int) -> float | None:
    """Return a process's memory in MB, of what it shares with others its share."""
    return _kilobytes(Path(f"/proc/{process}/smaps_rollup"), "Pss:")


def _kilobytes(path: Path, name: str) -> float | None:
    try:
        rows = path.read_text().splitlines()
    except OSError:
        return None
    return next(
        (int(row.split()[1]) * 1024 / MEGABYTE for row in rows if row.startswith(name)), None
    )
