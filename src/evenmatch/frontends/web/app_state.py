"""What the routes of one application share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from evenmatch.frontends.web.logins import Logins
    from evenmatch.frontends.web.my_pages import MyPages
    from evenmatch.frontends.web.ratings import Ratings
    from evenmatch.frontends.web.service import Service
    from evenmatch.frontends.web.tables import Tables


def service_of(connection: HTTPConnection) -> Service:
    """Return the profile, the hall and the threads."""
    service: Service = connection.app.state.service
    return service


def tables_of(connection: HTTPConnection) -> Tables:
    """Return the games that are open."""
    tables: Tables = connection.app.state.tables
    return tables


def ratings_of(connection: HTTPConnection) -> Ratings:
    """Return the files at work."""
    ratings: Ratings = connection.app.state.ratings
    return ratings


def my_pages_of(connection: HTTPConnection) -> MyPages:
    """Return what is known of people."""
    my_pages: MyPages = connection.app.state.my_pages
    return my_pages


def logins_of(connection: HTTPConnection) -> Logins:
    """Return the logins, which are there where many people play."""
    logins: Logins = connection.app.state.logins
    return logins
