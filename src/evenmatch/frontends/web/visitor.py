"""Who a request is from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection


def person_of(request: HTTPConnection) -> str:
    """Return the name of the person a request or a socket belongs to."""
    person: str = request.app.state.service.person
    return person
