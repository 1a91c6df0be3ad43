"""Names on a page for many people: chosen, entered by, left and deleted."""

import asyncio

import pytest
from frontends.web.conftest import PASSPHRASE
from frontends.web.visits import (
    delete,
    enter,
    is_closed,
    is_refused,
    join,
    unfinished,
    you,
)
from starlette.websockets import WebSocketDisconnect

from evenmatch.frontends.web import api, serialize
from evenmatch.frontends.web.auth import COOKIE, ENDED, NOBODY
from evenmatch.frontends.web.auth import Visitor as Known
from evenmatch.frontends.web.guard import RefusedError
from evenmatch.profiles.accounts import WRONG


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
