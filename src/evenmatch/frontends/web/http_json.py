"""JSON bodies of requests, and answers that several routes give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

from evenmatch.errors import UsageError

if TYPE_CHECKING:
    from starlette.requests import Request


def object_in(text: str | bytes) -> dict[str, Any] | None:
    """Return the object in a text, None if there is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # the latter: nested too deep to read
        return None
    return found if isinstance(found, dict) else None


async def body_of(request: Request) -> dict[str, Any]:
    """Return the object that a request sends, empty for no body; UsageError if it is none."""
    found = object_in(await request.body() or b"{}")
    if found is None:
        raise UsageError("the request cannot be read; reload the page")
    return found


def word_of(asked: dict[str, Any], name: str) -> str:
    """Return a text that a request has to say; UsageError if it does not."""
    text = asked.get(name)
    if not isinstance(text, str):
        raise UsageError(f"the request does not say the {name}; reload the page")
    return text


NOTHING = {"error": "there is no such game"}
NOTHING_THERE = {"error": "there is no such page"}
MEDIA = {
    "pgn": "application/x-chess-pgn",
    "sgf": "application/x-go-sgf",
    "json": "application/json",
}


def done_or_nothing(done: bool) -> Response:
    """Return an empty answer, or that there is no such game."""
    return JSONResponse({} if done else NOTHING, 200 if done else 404)


def file_answer(text: str, name: str, kind: str) -> Response:
    """Return a text as a file of a kind, one of `MEDIA`."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=MEDIA[kind], headers=headers)
