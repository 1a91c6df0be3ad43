"""What visitors of a page for many people may do, and how often."""

import pytest
from frontends.web.conftest import OWN, Crowd, strict
from frontends.web.visits import delete, enter, is_refused, join, you
from starlette.testclient import WebSocketDenialResponse

from evenmatch.frontends.web import api as me_routes
from evenmatch.frontends.web import live_games as tables
from evenmatch.frontends.web.auth import LIMITS, Limits, Sockets


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
    monkeypatch.setattr(tables, "MOST_UNFINISHED", 1)
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
    monkeypatch.setattr(me_routes, "MOST_KEPT", 0)
    pgn = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n'
    path = "/api/me/import?game=chess&player=Ann&name=x.pgn"
    is_refused(ann.client.post(path, content=pgn, headers=OWN), 400, "there is room for 0")
