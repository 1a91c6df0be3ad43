"""What the server counts, for Prometheus at /metrics, and what it logs: neither names a person.

A log has a JSON object a line. An event is written by the fixed words of its message, without the
values in it, and by numbers and names of games; an exception by its kind and where it was raised,
because its message may name a person. Metrics are served to this machine only.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from h11 import ProtocolError
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from evenmatch.errors import UsageError
from evenmatch.play.batcher import MOST_TOGETHER, Batchers, BatchStats

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG = logging.getLogger("evenmatch.web")
REPLIES = (0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 5.0, 10.0, 30.0)  #: seconds, bounds of the buckets
BATCHES = tuple(2**n for n in range(MOST_TOGETHER.bit_length()))  #: trees
OF_GAME = ("game",)
LOOPBACK = ("127.0.0.1", "::1")
DENIED = ("websocket.close", "websocket.http.response.start")  #: to who asks for a socket
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")  #: what proxies add


class Metrics:
    """The counts of one server. What is counted is logged as well."""

    def __init__(self, batchers: Batchers):
        self._registry = CollectorRegistry()
        self._registry.register(_Batchers(batchers))
        ProcessCollector(registry=self._registry)
        self._games = Gauge(
            "evenmatch_games", "Games that are open.", OF_GAME, registry=self._registry
        )
        self._replies = Histogram(
            "evenmatch_reply_seconds", "From a visitor's move to the opponent's.", OF_GAME,
            buckets=REPLIES, registry=self._registry,
        )  # fmt: skip
        self._refusals = Counter(
            "evenmatch_refusals", "What was asked for in vain.", ("of",), registry=self._registry
        )
        self._sockets = Gauge("evenmatch_sockets", "Open sockets.", registry=self._registry)

    def count_games(self, game: str, count: Callable[[], int]) -> None:
        """Ask ``count`` for the number of open games of a kind from now on."""
        self._games.labels(game).set_function(count)

    def began(self, game: str) -> None:
        """Note that a game has begun."""
        LOG.info("began", extra={"game": game})

    def ended(self, game: str) -> None:
        """Note that a game is over."""
        LOG.info("ended", extra={"game": game})

    def replied(self, game: str, seconds: float) -> None:
        """Count an opponent's move, and the seconds since it was asked for."""
        self._replies.labels(game).observe(seconds)
        LOG.info("reply", extra={"game": game, "seconds": round(seconds, 4)})

    def refused(self, of: str, status: int | None = None) -> None:
        """Count what was refused, of a request, a socket or a game."""
        self._refusals.labels(of).inc()
        LOG.info("refused", extra={"of": of} | ({"status": status} if status else {}))

    def socket(self, opened: int) -> None:
        """Count a socket that opened, 1, or closed, -1."""
        self._sockets.inc(opened)

    def text(self) -> bytes:
        """Return all counts in Prometheus's text format."""
        return generate_latest(self._registry)


class _Batchers(Collector):
    """What the batchers have counted."""

    def __init__(self, batchers: Batchers):
        self._batchers = batchers

    def collect(self) -> Iterator[Metric]:
        """Yield the counts of every batcher."""
        pending = GaugeMetricFamily(
            "evenmatch_pending_moves", "Moves that are asked for and not found.", labels=OF_GAME
        )
        expected = GaugeMetricFamily(
            "evenmatch_expected_wait_seconds", "What a move would wait now.", labels=OF_GAME
        )
        moves = CounterMetricFamily("evenmatch_moves", "Moves found.", labels=OF_GAME)
        waits = SummaryMetricFamily(
            "evenmatch_wait_seconds", "From asking for a move to its search.", labels=OF_GAME
        )
        batches = HistogramMetricFamily(
            "evenmatch_batch_trees", "Trees of a search in lockstep.", labels=OF_GAME
        )
        searches = SummaryMetricFamily(
            "evenmatch_search_seconds", "Seconds of a search in lockstep.", labels=OF_GAME
        )
        for game, batcher in list(self._batchers.opened.items()):
            stats = batcher.stats
            pending.add_metric([game], batcher.waiting)
            expected.add_metric([game], batcher.wait())
            moves.add_metric([game], stats.moves)
            waits.add_metric([game], stats.moves, stats.waited)
            batches.add_metric([game], _buckets(stats), stats.moves)
            searches.add_metric([game], stats.calls, stats.seconds)
        yield from (pending, expected, moves, waits, batches, searches)


def _buckets(stats: BatchStats) -> list[tuple[str, float]]:
    """Return how many searches had at most so many trees."""
    sizes = list(stats.together.items())
    found = [(str(most), sum(calls for size, calls in sizes if size <= most)) for most in BATCHES]
    return [*found, ("+Inf", sum(calls for _, calls in sizes))]


def is_from_here(request: Request) -> bool:
    """Whether a request comes straight from this machine, not through a proxy on it."""
    client = request.client.host if request.client else None
    return client in LOOPBACK and not any(map(request.headers.__contains__, FORWARDED))


class Counted:
    """Middleware that counts sockets, and requests that are refused."""

    def __init__(self, app: ASGIApp, metrics: Metrics):
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all on."""
        opened = False

        async def counting(message: Message) -> None:
            nonlocal opened
            kind, status = message["type"], message.get("status", 0)
            if kind == "http.response.start" and status >= 400:
                self._metrics.refused("request", status)
            elif kind == "websocket.accept":
                opened = True
                self._metrics.socket(1)
            elif kind in DENIED and not opened:
                self._metrics.refused("socket")
            await send(message)

        try:
            await self._app(scope, receive, counting)
        finally:
            if opened:
                self._metrics.socket(-1)


# -- the log ---------------------------------------------------------------------------------------

OURS = "evenmatch"  #: the logger above all of ours
UVICORN = "uvicorn.error"  #: the logger of the server below
NO_HANDSHAKE = "without completing handshake"  #: what it says of each socket that is refused
SCREEN = "-"  #: stands for the screen in place of a file
RECEIVING = "Fatal error: protocol.data_received"  #: what asyncio says of unreadable requests
FIELDS = ("game", "seconds", "batch", "of", "status")  #: what events may say besides


class JsonLines(logging.Formatter):
    """Writes records as JSON objects."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        ours = record.name.partition(".")[0] == OURS
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.msg if ours else record.name,  # others may write values into theirs
        }
        told |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0]:
            told |= {"error": record.exc_info[0].__name__, "at": _places(record.exc_info[2])}
        return json.dumps(told)


def _places(trace) -> list[str]:
    """Return the lines of code that an exception went through, the outermost first."""
    return [f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(trace)]


def begin_log(where: str | None) -> None:
    """Log events to a file, or to the screen; without either, what goes wrong as plain text."""
    logging.getLogger(UVICORN).addFilter(lambda record: NO_HANDSHAKE not in record.getMessage())
    for name in (UVICORN, "asyncio"):
        logging.getLogger(name).addFilter(shorten_protocol_fault)
    if where is None:
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
        return
    handler = logging.StreamHandler() if where == SCREEN else _opened(where)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger(OURS).setLevel(logging.INFO)


def _opened(path: str) -> logging.Handler:
    try:
        return logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path} ({error.strerror}); choose another --log") from None


def shorten_protocol_fault(record: logging.LogRecord) -> bool:
    """Make a warning of one line of a record about a request that broke the protocol; a filter."""
    error = record.exc_info[1] if record.exc_info else None
    received = error is not None and record.getMessage().startswith(RECEIVING)
    if received or isinstance(error, ProtocolError | UnicodeDecodeError):
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.msg, record.args = "a visitor broke the protocol: %s", (type(error).__name__,)
        record.exc_info = None
    return True
