"""All routes of the server; each subject has its own in a module of its name."""

from __future__ import annotations

from starlette.routing import BaseRoute

from evenmatch.frontends.web.entering import entering_routes
from evenmatch.frontends.web.game_routes import game_routes
from evenmatch.frontends.web.me_routes import me_routes
from evenmatch.frontends.web.page_routes import page_routes
from evenmatch.frontends.web.pairs_routes import pairs_routes
from evenmatch.frontends.web.ratings_routes import ratings_routes


def routes(*, people: bool) -> list[BaseRoute]:
    """Return the routes; ``people``: those by which visitors get names, too."""
    return [
        *game_routes(),  # first: the page's paths name games
        *page_routes(),
        *me_routes(),
        *ratings_routes(),
        *pairs_routes(),
        *(entering_routes() if people else ()),
    ]
