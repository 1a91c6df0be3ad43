"""Guests of a page for many people: each has a cookie and games of their own."""

import time

import pytest
from frontends.web.conftest import HOST, OWN, PASSPHRASE, Crowd, strict
from frontends.web.visits import delete, is_refused, resigned, unfinished, you
from starlette.testclient import WebSocketDenialResponse

from evenmatch.frontends.web.api import routes
from evenmatch.frontends.web.auth import COOKIE, NOBODY, SECRET, signer_of
from evenmatch.profiles import Profile
from evenmatch.profiles.accounts import DAY, HOUR
from evenmatch.profiles.people import Guess

MINE = {  #: routes that tell a visitor nothing but their own
    "/api/start", "/api/tables", "/api/me", "/api/me/export", "/api/me/import", "/api/ratings",
    "/api/join", "/api/enter", "/api/leave", "/api/pair",
}  # fmt: skip


def test_every_visitor_is_a_guest_of_their_own(crowd):
    one, other = crowd.guest(), crowd.guest()
    assert you(one)["guest"]
    assert you(one)["name"] != you(other)["name"]
    assert you(one) == you(one) == {**you(one), "played": False}
    assert not one.get("/api/start").json()["only"]
    row = one.begin("connect4", "random")
    assert (unfinished(one), unfinished(other)) == ([row], [])
    assert you(one)["played"]


def test_a_browser_that_loses_its_cookie_is_a_new_guest(crowd):
    """The old one is nobody's, and is kept as long as others are."""
    guest = crowd.guest()
    before, row = you(guest)["name"], guest.begin("connect4", "random")
    guest.client.cookies.clear()
    assert you(guest)["guest"]
    assert you(guest)["name"] != before
    assert unfinished(guest) == []
    is_refused(guest.get(f"/api/tables/{row}"), 404, "there is no such game")
    assert before in crowd.service.profile.people.names()


def test_who_does_not_open_the_page_is_no_guest(crowd):
    robot = crowd.browser()
    for path in ("/", "/play/1", "/static/app.js", "/healthz", "/nowhere"):
        assert "set-cookie" not in robot.get(path).headers
    for path in ("/api/me", "/api/tables", "/api/nowhere"):
        is_refused(robot.get(path), 401, NOBODY)
    is_refused(robot.client.get("/api/start"), 401, NOBODY)  # a link or an image of another site
    assert crowd.service.profile.people.names() == []


def test_the_cookie_is_the_servers_alone(crowd):
    first = crowd.browser().get("/api/start").headers["set-cookie"]
    assert "HttpOnly" in first
    assert "SameSite=lax" in first
    assert "Secure" not in first
    guest = crowd.guest()
    assert "set-cookie" not in guest.get("/api/start").headers
    with crowd.service.profile.together() as connection:
        connection.execute("UPDATE login SET used = used - ?", (HOUR,))
    assert "set-cookie" not in guest.get("/api/me").headers
    again = guest.get("/api/start").headers["set-cookie"]  # so that it lasts
    assert again.partition(";")[0] == f"{COOKIE}={guest.client.cookies[COOKIE]}"
    secret = crowd.service.profile.folder / SECRET
    assert secret.stat().st_mode & 0o077 == 0


def test_the_proxy_is_believed_where_there_is_one(tmp_path):
    """The last word is the proxy's own."""

    def start(*forwarded):
        told = {"x-forwarded-proto": "http, https", "x-forwarded-for": ", ".join(forwarded)}
        return crowd.browser().client.get("/api/start", headers=OWN | told)

    for proxied in (True, False):
        with Crowd(tmp_path, proxied, strict("guest")).serving() as crowd:
            answer = start("9.9.9.9", "10.0.0.1")
            assert ("Secure" in answer.headers["set-cookie"]) is proxied
            assert start("8.8.8.8", "10.0.0.1").status_code == 429
            assert start("9.9.9.9", "10.0.0.2").status_code == (200 if proxied else 429)


@pytest.mark.parametrize("kind", ["none", "garbage", "unsigned", "foreign", "ended", "expired"])
def test_cookies_that_are_not_ours(crowd, kind):
    guest = crowd.guest()
    row, value = guest.begin("connect4", "random"), guest.client.cookies[COOKIE]
    token = value.rpartition(".")[0]
    accounts, profile = crowd.service.profile.accounts, crowd.service.profile
    if kind == "ended":
        accounts.close(token)
    if kind == "expired":
        with profile.together() as connection:
            connection.execute("UPDATE login SET until = 0")
    foreign = signer_of(b"x" * 32).sign(token).decode()
    bad = {"none": "", "garbage": "\x01\xff;=.", "unsigned": token, "foreign": foreign}
    cookie = f"{COOKIE}={bad.get(kind, value)}".encode("latin-1")
    client = crowd.browser().client
    for path in ("/api/me", f"/api/tables/{row}", "/api/me/export"):
        is_refused(client.get(path, headers={"cookie": cookie}), 401, NOBODY)
    headers = {"cookie": cookie, "origin": f"http://{HOST}"}
    with (
        pytest.raises(WebSocketDenialResponse) as denied,
        client.websocket_connect(f"/api/tables/{row}/socket", headers=headers),
    ):
        pass
    assert denied.value.status_code == 401
    started = client.get("/api/start", headers={"cookie": cookie} | OWN)
    assert started.json()["tables"] == []


def test_old_guests_are_forgotten_as_the_server_starts(tmp_path):
    profile = Profile(tmp_path)
    guest = profile.accounts.guest()
    profile.accounts.close_all(guest)
    profile.guesses.add(guest, Guess("pair", "a", "guess", True, time.time() - 181 * DAY, "chess"))
    profile.close()
    with Crowd(tmp_path).serving() as crowd:
        for _ in range(100):
            if not crowd.service.profile.people.names():
                return
            time.sleep(0.1)
    raise AssertionError("still there")


# -- games of others -----------------------------------------------------------------------------


def all_routes():
    return [route for route in routes(people=True) if route.path.startswith("/api")]


def test_what_a_visitor_gets_is_known_of_every_route():
    assert {route.path for route in all_routes() if "{" not in route.path} == MINE


def test_nothing_of_others_is_there(crowd, ann):
    kept, done = ann.begin("connect4", "random"), resigned(ann)
    with ann.at(kept) as seen:
        before = seen.move(seen.turn())
    sent = ann.client.post("/api/ratings?game=chess&name=x.pgn", content=b"x", headers=OWN)
    job = sent.json()["id"]
    bob = crowd.guest()
    for row in (kept, done, 0, 10**30):
        for route in (route for route in all_routes() if "{" in route.path):
            path = route.path.replace("{row:int}", str(row)).replace("{number}", job)
            if not hasattr(route, "methods"):
                with pytest.raises(WebSocketDenialResponse) as denied, bob.at(row):
                    pass
                assert denied.value.status_code == 404
                continue
            for method in route.methods:
                assert bob.client.request(method, path, headers=OWN).status_code == 404, path
    assert bob.get("/api/tables").json()["tables"] == []
    assert bob.get("/api/me").json()["finished"] == []
    assert "nothing to download" in bob.get("/api/me/export").json()["error"]
    assert ann.get(f"/api/tables/{kept}").json()["moves"] == before["moves"]
    assert unfinished(ann) == [kept]
    for before in ("", "²", "9" * 30):
        listed = ann.get(f"/api/tables?before={before}").json()["tables"]
        assert [one["id"] for one in listed] == [done]
    assert delete(ann, f"/api/ratings/{job}").status_code == 200


def test_one_person_alone_has_no_cookies_and_no_names(visitor):
    assert "set-cookie" not in visitor.get("/api/start").headers
    assert visitor.get("/api/start").json()["only"]
    for path in ("/api/join", "/api/enter", "/api/leave"):
        assert visitor.post(path, name="Zoe", passphrase=PASSPHRASE).status_code == 404
