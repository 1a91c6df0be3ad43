"""People on a page for many: guests with a cookie, names, and what each may do how often."""

import asyncio
import time
from threading import Event

import pytest
from frontends.web.conftest import HOST, OWN, PASSPHRASE, Crowd, strict
from frontends.web.visits import (
    delete,
    enter,
    is_closed,
    is_refused,
    join,
    resigned,
    unfinished,
    you,
)
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from evenmatch.frontends.web import api, live_games, serialize
from evenmatch.frontends.web.auth import (
    COOKIE,
    ENDED,
    LIMITS,
    NOBODY,
    SECRET,
    Limits,
    Sockets,
)
from evenmatch.frontends.web.auth import Visitor as Known
from evenmatch.frontends.web.guard import RefusedError
from evenmatch.profiles import Profile
from evenmatch.profiles.accounts import DAY, HOUR, WRONG, Accounts
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


@pytest.mark.parametrize("kind", ["none", "unsigned", "ended", "expired"])
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
    cookie = f"{COOKIE}={({'none': '', 'unsigned': token}).get(kind, value)}"
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


def test_old_guests_are_forgotten_as_the_server_starts(tmp_path, monkeypatch):
    forget, forgotten = Accounts.forget, Event()

    def noted(accounts):
        left = forget(accounts)
        if not left:
            forgotten.set()
        return left

    profile = Profile(tmp_path)
    guest = profile.accounts.guest()
    profile.accounts.close_all(guest)
    profile.guesses.add(guest, Guess("pair", "a", "guess", True, time.time() - 181 * DAY, "chess"))
    profile.close()
    monkeypatch.setattr(Accounts, "forget", noted)
    with Crowd(tmp_path).serving() as crowd:
        assert forgotten.wait(60)
        assert crowd.service.profile.people.names() == []


# -- games of others -----------------------------------------------------------------------------


def all_routes():
    return [route for route in api.routes(people=True) if route.path.startswith("/api")]


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


# -- names -----------------------------------------------------------------------------------------


def test_a_guest_who_joins_keeps_their_games(crowd):
    guest = crowd.guest()
    row, other, shared = guest.begin("connect4", "random"), crowd.guest(), crowd.browser()
    shared.client.cookies.set(COOKIE, guest.client.cookies[COOKIE])
    with guest.at(row) as seen:
        before = seen.move(seen.turn())
        assert join(guest, "  Ann   B ").json() == {"name": "Ann B"}
        is_closed(seen)  # it was opened by a login that has ended
    is_refused(shared.get("/api/me"), 401, NOBODY)
    assert you(guest) == {"name": "Ann B", "guest": False, "played": True}
    with guest.at(row) as seen:
        state = seen.turn()
        assert state["moves"] == before["moves"]
        seen.ask("resign", state["seq"])
        seen.until(lambda new: new["over"])
    went = guest.post(f"/api/tables/{row}/rematch").json()
    assert unfinished(guest) == [went["id"]]
    assert guest.get("/api/me").json()["finished"][0]["id"] == row
    assert crowd.service.profile.people.names() == sorted(["Ann B", you(other)["name"]])


def test_leaving_and_entering_again(crowd, ann):
    row, bob = ann.begin("connect4", "random"), crowd.guest()
    assert "Max-Age=0" in ann.post("/api/leave").headers["set-cookie"]
    is_refused(ann.get("/api/me"), 401, NOBODY)
    assert you(ann)["guest"]
    assert unfinished(ann) == []
    is_refused(enter(bob, "Ann", "wrong horse"), 400, WRONG)
    is_refused(enter(bob, "Nobody"), 400, WRONG)
    assert you(bob)["guest"]
    assert enter(bob, " ANN").json() == {"name": "Ann"}
    assert enter(ann, "Ann").json() == {"name": "Ann"}
    assert unfinished(ann) == unfinished(bob) == [row]
    bob.post("/api/leave")
    assert you(ann) == {"name": "Ann", "guest": False, "played": True}, "in the other browser"


def test_a_login_that_was_planted_is_nobodys_afterwards(crowd, ann):
    """Whoever lets a browser enter with a login that they know has it no longer then."""
    planter, enters, joins = crowd.guest(), crowd.browser(), crowd.browser()
    for victim, become in (
        (enters, lambda: enter(enters, "Ann")),
        (joins, lambda: join(joins, "Zoe")),
    ):
        planted = planter.client.cookies[COOKIE]
        victim.client.cookies.set(COOKIE, planted)
        given = become().headers["set-cookie"].partition(";")[0]
        assert given.startswith(f"{COOKIE}=")
        assert given != f"{COOKIE}={planted}"
        is_refused(planter.get("/api/me"), 401, NOBODY)
        planter = crowd.guest()


def ending_first(accounts, work):
    """Return what ends all logins, then does some work: as if the work had taken long."""

    def late(*args):
        for person in accounts._database.rows("SELECT name FROM person"):
            accounts.close_all(person["name"])
        return work(*args)

    return late


def test_a_late_answer_brings_no_ended_login_back(crowd, ann, monkeypatch):
    late = ending_first(crowd.service.profile.accounts, serialize.of_start)
    monkeypatch.setattr(serialize, "of_start", late)
    answer = ann.get("/api/start")
    is_refused(answer, 401, NOBODY)
    assert "set-cookie" not in answer.headers


def test_a_socket_that_opens_while_its_login_ends_is_closed(crowd, ann, monkeypatch):
    row = ann.begin("connect4", "random")
    late = ending_first(crowd.service.profile.accounts, api.counted_in)
    monkeypatch.setattr(api, "counted_in", late)
    with ann.at(row) as seen, pytest.raises(WebSocketDisconnect) as closed:
        seen.turn()
    assert closed.value.code == ENDED


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"name": "Ann"}, "at least 8"),
        ({"name": ["Ann"], "passphrase": PASSPHRASE}, "name cannot be read: expected str"),
        ({"name": "Ann", "passphrase": "short"}, "at least 8"),
        ({"name": "x" * 41, "passphrase": PASSPHRASE}, "at most 40"),
        ({"name": "guest 0123456789ab", "passphrase": PASSPHRASE}, "only guests"),
        ({"name": "you", "passphrase": PASSPHRASE}, "nobody can be called"),
        ({"name": "a\nb", "passphrase": PASSPHRASE}, "one line"),
    ],
)
def test_names_that_cannot_be(crowd, asked, error):
    guest = crowd.guest()
    is_refused(guest.post("/api/join", **asked), 400, error)
    assert you(guest)["guest"]


def test_a_name_is_chosen_once_and_is_one_persons(crowd, ann):
    is_refused(join(crowd.guest(), "ANN"), 400, "there is a 'ANN' already")
    is_refused(join(ann, "Zoe"), 400, "only a guest")
    assert you(ann)["name"] == "Ann"


def test_what_is_done_for_a_person_waits_for_their_new_name(crowd):
    """A login that ends meanwhile is nobody's when its turn comes."""

    async def race():
        person = accounts.guest()
        known, order = Known(person, accounts.open(person)), []

        async def later():
            async with crowd.logins.staying(known):
                order.append("not reached")

        async with crowd.logins.staying(known):
            waiting = asyncio.create_task(later())
            await asyncio.sleep(0)
            accounts.close(known.token)
        with pytest.raises(RefusedError, match=NOBODY):
            await waiting
        assert order == []

    accounts = crowd.service.profile.accounts
    asyncio.run(race())


def test_deleting_oneself_closes_nobody_elses_games(crowd, ann):
    bob = crowd.guest()
    mine, theirs = ann.begin("connect4", "random"), bob.begin("connect4", "random")
    with ann.at(mine) as here, bob.at(theirs) as there:
        here.turn()
        state = there.turn()
        is_refused(delete(ann, "/api/me", name="Bob"), 400, "type Ann")
        assert "Max-Age=0" in delete(ann, "/api/me", name="Ann").headers["set-cookie"]
        is_closed(here)
        assert bob.get("/healthz").json()["tables"] == 1
        assert len(there.move(state)["moves"]) == 2
    assert crowd.service.profile.people.names() == [you(bob)["name"]]
    assert you(ann)["guest"]
    is_refused(enter(ann, "Ann"), 400, WRONG)


# -- limits ----------------------------------------------------------------------------------------


def begun(guest):
    return guest.post("/api/tables", game="connect4", opponent={"name": "random"}, side="first")


def sent(guest):
    return guest.client.post("/api/ratings?game=chess&name=x", content=b"x", headers=OWN)


def taken_in(guest):
    path = "/api/me/import?game=chess&name=x&player=Ann"
    return guest.client.post(path, content=b"", headers=OWN)


LIMITED = [
    ("game", begun),
    ("upload", sent),
    ("upload", taken_in),
    ("review", lambda guest: guest.get("/api/me")),
    ("review", lambda guest: guest.get("/api/me/export")),
    ("review", lambda guest: guest.get("/api/tables/1/review")),
    ("address", lambda guest: enter(guest, "Ann")),
    ("address", lambda guest: join(guest, "you")),
    ("name_here", lambda guest: enter(guest, "Ann")),
    ("name_here", lambda guest: join(guest, "you")),
    ("name", lambda guest: enter(guest, "Ann")),
    ("name", lambda guest: join(guest, "you")),
    ("request", lambda guest: guest.get("/api/tables")),
]


def too_often(answer, kind):
    is_refused(answer, 429, f"{kind}; try again in ")
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(("kind", "ask"), LIMITED, ids=lambda value: str(value)[:10])
def test_what_is_asked_too_often(tmp_path, kind, ask):
    with Crowd(tmp_path).serving() as crowd:
        one, other = crowd.guest(), crowd.guest()
        crowd.logins.limits = strict(kind)
        assert ask(one).status_code != 429
        too_often(ask(one), kind)
        shared = kind in ("address", "name_here", "name")
        assert (ask(other).status_code == 429) is shared
        assert other.get("/healthz").status_code == 200


def test_new_guests_are_bounded(tmp_path):
    with Crowd(tmp_path, limits=strict("guest")).serving() as crowd:
        guest = crowd.guest()
        too_often(crowd.browser().get("/api/start"), "guest")
        assert you(guest)["guest"], "who is known already"
        assert len(crowd.service.profile.people.names()) == 1


def test_who_tries_names_from_one_network_locks_nobody_out(tmp_path):
    with Crowd(tmp_path, True, Limits()).serving() as crowd:
        ann, other = crowd.browser(), crowd.browser()
        for visitor, address in ((ann, "192.0.2.1"), (other, "198.51.100.1")):
            visitor.client.headers["x-forwarded-for"] = address
            assert you(visitor)["guest"]
        assert join(ann, "Ann").status_code == 200
        tries = [enter(other, "Ann", "wrong horse").status_code for _ in range(12)]
        assert tries == [400] * 10 + [429] * 2
        assert enter(ann, "Ann").status_code == 200


def test_every_limit_is_tried_here():
    assert {kind for kind, _ in LIMITED} | {"guest", "move", "socket"} == LIMITS.keys()


def test_moves_are_bounded_and_none_is_lost(tmp_path):
    limits = Limits(LIMITS | {"move": ("2 per 1 second", "too fast")})
    with Crowd(tmp_path, limits=limits).serving() as crowd:
        guest = crowd.guest()
        row = guest.begin("connect4", "random")
        with guest.at(row) as seen:
            state = seen.turn()
            for _ in range(4):
                seen.ask("look", 0)
            assert seen.refusal() == "too fast; try again in 1 second"
            while len(state["moves"]) < 2:  # who asks again is heard
                seen.ask("move", state["seq"], move="1")
                state = seen.turn()


def test_sockets_are_bounded(crowd, ann):
    row = ann.begin("connect4", "random")
    crowd.logins.sockets = Sockets(most=1)
    for _ in range(2):
        with ann.at(row) as seen:
            seen.turn()
            with pytest.raises(WebSocketDenialResponse) as denied, ann.at(row):
                pass
            assert denied.value.status_code == 429
            assert "close a window" in denied.value.json()["error"]
    crowd.logins.limits = strict("socket")
    with ann.at(row) as seen:
        seen.turn()
    with pytest.raises(WebSocketDenialResponse) as denied, ann.at(row):
        pass
    assert int(denied.value.headers["retry-after"]) > 0


def test_unfinished_games_and_rematches_are_bounded(crowd, ann, monkeypatch):
    monkeypatch.setattr(live_games, "MOST_UNFINISHED", 1)
    row = ann.begin("connect4", "random")
    is_refused(begun(ann), 400, "you have 1 unfinished games; end or delete one first")
    assert begun(crowd.guest()).status_code == 200
    with ann.at(row) as seen:
        seen.turn()
        seen.ask("resign", 0)
        seen.until(lambda new: new["over"])
    crowd.logins.limits = strict("game")
    crowd.logins.limits.require("game", "Ann")
    too_often(ann.post(f"/api/tables/{row}/rematch"), "game")


def test_files_at_work_are_bounded_for_each(crowd, ann):
    bob = crowd.guest()
    (theirs,), mine = [sent(bob).json()["id"]], [sent(ann).json()["id"] for _ in range(5)]
    assert delete(bob, f"/api/ratings/{theirs}").status_code == 200
    assert [delete(ann, f"/api/ratings/{one}").status_code for one in mine] == [404, *[200] * 4]


def test_games_from_elsewhere_are_bounded(crowd, ann, monkeypatch):
    monkeypatch.setattr(api, "MOST_KEPT", 0)
    pgn = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n'
    path = "/api/me/import?game=chess&player=Ann&name=x.pgn"
    is_refused(ann.client.post(path, content=pgn, headers=OWN), 400, "there is room for 0")
