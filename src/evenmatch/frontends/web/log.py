"""The server's log: a JSON object a line, in which nothing tells who plays.

An event is told by the fixed words of its message, without the values in it, and by numbers and
names of games. Of an exception only its kind is told and where it came from: what it says may name
somebody.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path

from evenmatch.errors import UsageError

OURS = "evenmatch"  #: the logger above all of ours
UVICORN = "uvicorn.error"  #: the logger of the server below
NO_HANDSHAKE = "without completing handshake"  #: what it says of each socket that is refused
SCREEN = "-"  #: stands for the screen in place of a file
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


LOGGERS = ("uvicorn.error", "asyncio")  #: of the server below us
RECEIVING = "Fatal error: protocol.data_received"  #: how asyncio tells of what cannot be read


class ProtocolFaults(logging.Filter):
    """A filter of the server's log, where such faults look like its own."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record that tells of a visitor's fault."""
        from h11 import ProtocolError

        error = record.exc_info[1] if record.exc_info else None
        received = error is not None and record.getMessage().startswith(RECEIVING)
        if received or isinstance(error, ProtocolError | UnicodeDecodeError):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args = "a visitor broke the protocol: %s", (type(error).__name__,)
            record.exc_info = None
        return True


def shorten_protocol_faults() -> None:
    """Let the server tell of such faults in a line."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(ProtocolFaults())
