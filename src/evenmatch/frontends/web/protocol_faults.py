"""What visitors send that is no HTTP, or no text: a line of the log, without a traceback."""

from __future__ import annotations

import logging

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


def shorten() -> None:
    """Let the server tell of such faults in a line."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(ProtocolFaults())
