"""Who a request is from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

SCOPE = "evenmatch.visitor"  #: where the door notes who somebody is


class Visitor(NamedTuple):
    """Somebody who is known by the login of their browser."""

    person: str
    token: str


def visitor_of(connection: HTTPConnection) -> Visitor | None:
    """Return whose login a request or a socket has; None where one person plays alone."""
    found: Visitor | None = connection.scope.get(SCOPE)
    return found


def person_of(connection: HTTPConnection) -> str:
    """Return the name of the person a request or a socket belongs to."""
    visitor = visitor_of(connection)
    person: str | None = connection.app.state.service.person if visitor is None else visitor.person
    assert person is not None, "the door lets in nobody else"
    return person
