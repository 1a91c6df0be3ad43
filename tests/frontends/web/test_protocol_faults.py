"""What the log tells of visitors who send no HTTP."""

import logging

import pytest

h11 = pytest.importorskip("h11", reason="the page needs the extra web")

from evenmatch.frontends.web.monitor import shorten_protocol_fault  # noqa: E402

FATAL = "Fatal error: protocol.data_received() call failed."


def told(message: str, error: Exception) -> tuple[str, str, bool]:
    """The level and the line of a record, and whether a traceback follows."""
    where = (type(error), error, None)
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "x.py", 1, message, (), where)
    assert shorten_protocol_fault(record)
    return record.levelname, record.getMessage(), record.exc_info is not None


def test_faults_of_visitors_are_told_in_a_line():
    for message, error in (
        ("Invalid UTF-8", UnicodeDecodeError("utf-8", b"", 0, 1, "secret")),
        ("Exception in ASGI application", h11.LocalProtocolError("secret")),
        (FATAL, AssertionError("secret")),
    ):
        line = f"a visitor broke the protocol: {type(error).__name__}"
        assert told(message, error) == ("WARNING", line, False)


def test_faults_of_ours_keep_their_traceback():
    message = "Exception in ASGI application"
    assert told(message, KeyError("x")) == ("ERROR", message, True)
