"""The JSON that comes with a request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evenmatch.errors import UsageError

if TYPE_CHECKING:
    from starlette.requests import Request


async def body_of(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request; UsageError if it is none."""
    try:
        found = json.loads(await request.body() or b"{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError("the request cannot be read; reload the page")
    return found
