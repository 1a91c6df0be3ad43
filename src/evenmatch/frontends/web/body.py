"""What visitors send as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

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
