"""Errors as one line of JSON: those that people can mend, and those that are ours."""

from __future__ import annotations

import logging
import sqlite3

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from evenmatch.errors import EvenmatchError, StateError
from evenmatch.frontends.web.guard import TooLargeError

LOG = logging.getLogger("evenmatch.web")
WRONG = "something went wrong here; try again"
UNUSABLE = "games cannot be read or written here; try again later"
BROKEN = (OSError, sqlite3.Error, UnicodeEncodeError)  #: what a state folder's errors come from


def refused(request: Request, error: Exception) -> Response:
    """Say what is wrong with a request, or no more than that games cannot be kept here."""
    if isinstance(error, StateError) and isinstance(error.__context__, BROKEN):
        return unusable(request, error)
    return JSONResponse({"error": str(error)}, 413 if isinstance(error, TooLargeError) else 400)


def unusable(request: Request, error: Exception) -> Response:
    """Say that games cannot be read or written."""
    LOG.error("the state folder cannot be used: %s", error)
    return JSONResponse({"error": UNUSABLE}, 503)


def wrong(request: Request, error: Exception) -> Response:
    """Say no more than that it is our fault; the log has the rest."""
    return JSONResponse({"error": WRONG}, 500)


HANDLERS = {EvenmatchError: refused, OSError: unusable, Exception: wrong}
