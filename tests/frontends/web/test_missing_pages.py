"""What is answered where nothing is: the page, which says so, or a line to programs."""

import pytest
from frontends.web.visits import is_refused, resigned

from evenmatch.errors import StateError


def go(visitor, path: str):
    """Go to a path as a browser does."""
    return visitor.client.get(path, headers={"accept": "text/html,*/*;q=0.8"})


def is_page(answer, status: int) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert '<script type="module" src="/static/app.js">' in answer.text


@pytest.mark.parametrize("path", ["/nosuch", "/play/abc", "/play/999", "/play/0", "/me/x"])
def test_a_page_that_is_not_there(visitor, path):
    is_page(go(visitor, path), 404)


def test_pages_that_are_there(visitor):
    unfinished, finished = visitor.begin("connect4", "random"), resigned(visitor)
    for path in ("/", "/me", f"/play/{unfinished}", f"/play/{finished}"):
        is_page(go(visitor, path), 200)


def test_programs_get_a_line(visitor):
    for path in ("/api/nosuch", "/api/tables/999", "/api/tables/999/record"):
        is_refused(go(visitor, path), 404, "there is no such")
    for path in ("/nosuch", "/play/999", "/static/nosuch.js"):
        is_refused(visitor.get(path), 404, "there is no such")
    is_refused(visitor.post("/nosuch"), 404, "there is no such page")


@pytest.mark.parametrize("what", ["accounts.person_of", "games.has"])
def test_where_the_database_fails_the_page_tells(crowd, monkeypatch, what):
    def fail(*asked):
        raise StateError("the profile cannot be read")

    guest = crowd.guest()
    part, _, name = what.partition(".")
    monkeypatch.setattr(getattr(crowd.service.profile, part), name, fail)
    is_page(go(guest, "/play/1"), 200)
