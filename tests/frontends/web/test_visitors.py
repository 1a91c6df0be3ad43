"""Many people on one page: each has their own games and cookie, and only so much of the server."""

import asyncio
import sys
from contextlib import ExitStack, contextmanager

import pytest
from clocks import Clock
from frontends.web.conftest import HOST, OWN, Crowd
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from evenmatch.frontends.web import game_socket, me_routes, page_routes, tables
from evenmatch.frontends.web.cookies import NAME, SECRET, Cookies
from evenmatch.frontends.web.guard import HEADERS, RefusedError
from evenmatch.frontends.web.limits import LIMITS, Limit, Limits
from evenmatch.frontends.web.logins import NOBODY
from evenmatch.frontends.web.routes import routes
from evenmatch.frontends.web.sockets import ENDED, Sockets
from evenmatch.frontends.web.visitor import Visitor as Known
from evenmatch.profiles.accounts import HOUR, WRONG

PASSPHRASE = "correct horse"
MINE = {  #: routes that tell a visitor nothing but their own
    "/api/start", "/api/tables", "/api/me", "/api/me/export", "/api/me/import", "/api/ratings",
    "/api/join", "/api/enter", "/api/leave", "/api/pair",
}  # fmt: skip


def you(visitor) -> dict:
    return visitor.get("/api/start").json()["you"]


def unfinished(visitor) -> list[int]:
    return [one["id"] for one in visitor.get("/api/start").json()["tables"]]


def join(visitor, name, passphrase=PASSPHRASE):
    return visitor.post("/api/join", name=name, passphrase=passphrase)


def enter(visitor, name, passphrase=PASSPHRASE):
    return visitor.post("/api/enter", name=name, passphrase=passphrase)


def resigned(visitor) -> int:
    """Play a game of two moves; return its row."""
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        state = seen.move(seen.turn())
        seen.ask("resign", state["seq"])
        seen.until(lambda new: new["over"])
    return row


def delete(visitor, path, **body):
    request = visitor.client.build_request("DELETE", path, json=body, headers=OWN)
    return visitor.client.send(request)


def is_refused(answer, status: int, line: str) -> None:
    """Check that an answer is a refusal in one line."""
    assert answer.status_code == status, answer.text
    assert line in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def is_closed(seen) -> None:
    """Check that a socket is closed: one that is open would answer every look."""
    for _ in range(20):
        seen.ask("look", 0)
    with pytest.raises(WebSocketDisconnect):
        [seen.socket.receive_json() for _ in range(20)]


@pytest.fixture
def ann(crowd):
    visitor = crowd.guest()
    assert join(visitor, "Ann").json() == {"name": "Ann"}
    return visitor


@pytest.fixture
def stopped():
    """Return a function that makes limits on a clock that stands, strict about some kinds."""

    def limits(*strict: str) -> Limits:
        return Limits(LIMITS | {kind: Limit(1, 1, kind) for kind in strict}, Clock(0.0))

    return limits


# -- guests --------------------------------------------------------------------------------------


def test_every_visitor_is_a_guest_of_their_own(crowd):
    one, other = crowd.guest(), crowd.guest()
    assert you(one)["guest"]
    assert you(one)["name"] != you(other)["name"]
    assert you(one) == you(one) == {**you(one), "played": False}
    assert not one.get("/api/start").json()["only"]
    row = one.begin("connect4", "random")
    assert (unfinished(one), unfinished(other)) == ([row], [])
    assert you(one)["played"]


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
    assert "SameSite=Lax" in first
    assert "Secure" not in first
    guest = crowd.guest()
    assert "set-cookie" not in guest.get("/api/start").headers
    with crowd.service.profile.together() as connection:
        connection.execute("UPDATE login SET used = used - ?", (HOUR,))
    assert "set-cookie" not in guest.get("/api/me").headers
    again = guest.get("/api/start").headers["set-cookie"]  # so that it lasts
    assert again.partition(";")[0] == f"{NAME}={guest.client.cookies[NAME]}"
    secret = crowd.service.profile.folder / SECRET
    assert secret.stat().st_mode & 0o077 == 0


def test_the_proxy_is_believed_where_there_is_one(tmp_path, stopped):
    """The last word is the proxy's own."""

    def start(*forwarded):
        told = {"x-forwarded-proto": "http, https", "x-forwarded-for": ", ".join(forwarded)}
        return crowd.browser().client.get("/api/start", headers=OWN | told)

    for proxied in (True, False):
        with Crowd(tmp_path, proxied, stopped("guest")).serving() as crowd:
            answer = start("9.9.9.9", "10.0.0.1")
            assert ("Secure" in answer.headers["set-cookie"]) is proxied
            assert start("8.8.8.8", "10.0.0.1").status_code == 429
            assert start("9.9.9.9", "10.0.0.2").status_code == (200 if proxied else 429)


@pytest.mark.parametrize("kind", ["none", "garbage", "unsigned", "foreign", "ended", "expired"])
def test_cookies_that_are_not_ours(crowd, kind):
    guest = crowd.guest()
    row, value = guest.begin("connect4", "random"), guest.client.cookies[NAME]
    token = value.rpartition(".")[0]
    accounts, profile = crowd.service.profile.accounts, crowd.service.profile
    if kind == "ended":
        accounts.close(token)
    if kind == "expired":
        with profile.together() as connection:
            connection.execute("UPDATE login SET until = 0")
    foreign = Cookies(b"x" * 32).write(token, False).partition(";")[0].partition("=")[2]
    bad = {"none": "", "garbage": "\x01\xff;=.", "unsigned": token, "foreign": foreign}
    cookie = f"{NAME}={bad.get(kind, value)}".encode("latin-1")
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
            path = route.path.replace("{row:row}", str(row)).replace("{number}", job)
            if not hasattr(route, "methods"):
                with pytest.raises(WebSocketDenialResponse) as denied, bob.at(row):
                    pass
                assert denied.value.status_code == 404
                continue
            for method in route.methods:
                assert bob.client.request(method, path, headers=OWN).status_code == 404, path
    assert bob.get("/api/tables").json()["tables"] == []
    assert bob.get("/api/me").json()["finished"] == []
    assert bob.get("/api/me/export").text == ""
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


# -- names ---------------------------------------------------------------------------------------


def test_a_guest_who_joins_keeps_their_games(crowd):
    guest = crowd.guest()
    row, other, shared = guest.begin("connect4", "random"), crowd.guest(), crowd.browser()
    shared.client.cookies.set(NAME, guest.client.cookies[NAME])
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
        seen.ask("rematch", 0)
        went = {}
        while went.get("type") != "went":
            went = seen.socket.receive_json()
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


def ending_first(accounts, work):
    """Return what ends all logins, then does some work: as if the work had taken long."""

    def late(*args):
        for person in accounts._database.rows("SELECT name FROM person"):
            accounts.close_all(person["name"])
        return work(*args)

    return late


def test_a_late_answer_brings_no_ended_login_back(crowd, ann, monkeypatch):
    late = ending_first(crowd.service.profile.accounts, page_routes._start_facts)
    monkeypatch.setattr(page_routes, "_start_facts", late)
    answer = ann.get("/api/start")
    is_refused(answer, 401, NOBODY)
    assert "set-cookie" not in answer.headers


def test_a_socket_that_opens_while_its_login_ends_is_closed(crowd, ann, monkeypatch):
    row = ann.begin("connect4", "random")
    late = ending_first(crowd.service.profile.accounts, game_socket.counted_in)
    monkeypatch.setattr(game_socket, "counted_in", late)
    with ann.at(row) as seen, pytest.raises(WebSocketDisconnect) as closed:
        seen.turn()
    assert closed.value.code == ENDED


def test_a_broken_socket_keeps_no_other_open():
    class Wire:
        closed = 0

        def __init__(self, fault: Exception | None):
            self.fault = fault

        async def close(self, code: int) -> None:
            Wire.closed += 1
            if self.fault is not None:
                raise self.fault

    sockets, ann = Sockets(), Known("Ann", "token")
    wires = [Wire(WebSocketDisconnect(1006)), Wire(RuntimeError("closed")), Wire(None)]
    with ExitStack() as opened:
        for wire in wires:
            opened.enter_context(sockets.open(ann, wire))
        asyncio.run(sockets.close("Ann"))
    assert Wire.closed == len(wires)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"name": "Ann"}, "does not say the passphrase"),
        ({"name": ["Ann"], "passphrase": PASSPHRASE}, "does not say the name"),
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


def test_a_name_with_markup_is_text_and_nothing_else(crowd):
    guest, name = crowd.guest(), "<script>alert(1)</script>"
    assert join(guest, name).json() == {"name": name}
    resigned(guest)
    for path in ("/api/start", "/api/me", "/api/me/export", "/"):
        answer = guest.get(path)
        assert "html" not in answer.headers["content-type"] or name not in answer.text
        assert {key: answer.headers[key] for key in HEADERS} == HEADERS


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


# -- limits --------------------------------------------------------------------------------------


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
    is_refused(answer, 429, f"{kind}; try again in 60 seconds")
    assert answer.headers["retry-after"] == "60"


@pytest.mark.parametrize(("kind", "ask"), LIMITED, ids=lambda value: str(value)[:10])
def test_what_is_asked_too_often(tmp_path, stopped, kind, ask):
    with Crowd(tmp_path).serving() as crowd:
        one, other = crowd.guest(), crowd.guest()
        crowd.logins.limits = stopped(kind)
        assert ask(one).status_code != 429
        too_often(ask(one), kind)
        shared = kind in ("address", "name_here", "name")
        assert (ask(other).status_code == 429) is shared
        assert other.get("/healthz").status_code == 200


def test_new_guests_are_bounded(tmp_path, stopped):
    with Crowd(tmp_path, limits=stopped("guest")).serving() as crowd:
        guest = crowd.guest()
        too_often(crowd.browser().get("/api/start"), "guest")
        assert you(guest)["guest"], "who is known already"
        assert len(crowd.service.profile.people.names()) == 1


def test_who_tries_names_from_one_network_locks_nobody_out(tmp_path):
    with Crowd(tmp_path, True, Limits(clock=Clock(0.0))).serving() as crowd:
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
    limits = Limits(LIMITS | {"move": Limit(600, 2, "too fast")})
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


def test_sockets_are_bounded(crowd, ann, stopped):
    row = ann.begin("connect4", "random")
    crowd.logins.sockets = Sockets(most=1)
    for _ in range(2):
        with ann.at(row) as seen:
            seen.turn()
            with pytest.raises(WebSocketDenialResponse) as denied, ann.at(row):
                pass
            assert denied.value.status_code == 429
            assert "close a window" in denied.value.json()["error"]
    crowd.logins.limits = stopped("socket")
    with ann.at(row) as seen:
        seen.turn()
    with pytest.raises(WebSocketDenialResponse) as denied, ann.at(row):
        pass
    assert denied.value.headers["retry-after"] == "60"


def test_unfinished_games_and_rematches_are_bounded(crowd, ann, monkeypatch, stopped):
    monkeypatch.setattr(tables, "MOST_UNFINISHED", 1)
    row = ann.begin("connect4", "random")
    is_refused(begun(ann), 400, "you have 1 unfinished games; end or delete one first")
    assert begun(crowd.guest()).status_code == 200
    with ann.at(row) as seen:
        seen.turn()
        seen.ask("resign", 0)
        seen.until(lambda new: new["over"])
        crowd.logins.limits = stopped("game")
        crowd.logins.limits.take("game", "Ann")
        seen.ask("rematch", 0)
        assert seen.refusal() == "game; try again in 60 seconds"


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


# -- safety --------------------------------------------------------------------------------------

HEARD: list[tuple[str, str]] | None = None  #: what programs and files were asked for, while heard
STARTING = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork")


def _hear(event, values):
    if HEARD is not None and (event in STARTING or event == "open"):
        HEARD.append((event, str(values[0]) if values else ""))


sys.addaudithook(_hear)


@contextmanager
def hearing():
    global HEARD
    HEARD = found = []
    try:
        yield found
    finally:
        HEARD = None


def test_no_path_and_no_program_of_a_visitor_is_used(crowd, ann, tmp_path):
    bait = tmp_path / "bait.onnx"
    bait.write_bytes(b"x")
    path = str(bait)
    opponents = [
        {"name": "engine", "keys": {"cmd": path}},
        {"name": f"engine:cmd={path}"},
        {"name": f"alphazero:net={path}"},
        {"name": path},
        *({"name": "alphazero", "keys": {key: path}} for key in ("net", "cmd", "answers", "sims")),
        {"name": "alphazero", "keys": {"sims": f"5,net={path}"}},
        {"name": "alphazero", "keys": {f"sims=5,net={path}": "5"}},
        {"name": "alphazero", "keys": path},
        {"level": path},
        {"level": f"1500,net={path}"},
        {"mine": True, "i_am": path},
        path,
    ]
    with hearing() as heard:
        for opponent in opponents:
            answer = ann.post("/api/tables", game="chess", opponent=opponent)
            assert answer.status_code == 400, opponent
        for wrong in ({"game": path}, {"start": path}, {"clock": path}, {"komi": path}):
            asked = {"game": "go9", "opponent": {"name": "random"}} | wrong
            assert ann.post("/api/tables", **asked).status_code == 400, wrong
        for where in (
            f"/api/me/export?form={path}",
            f"/static/{path}",
            f"/static/..%2f..%2f{path}",
            f"/api/tables/..%2f{path}",
        ):
            assert ann.get(where).status_code in (400, 404), where
        for where in ("/api/ratings?game=chess", "/api/me/import?game=chess&player=Ann"):
            ann.client.post(f"{where}&name={path}", content=b"x", headers=OWN)
    assert not [one for one in heard if "bait" in one[1] or one[0] in STARTING]
    with hearing() as heard:  # the test can fail
        bait.read_bytes()
    assert heard == [("open", path)]


def test_what_is_offered_starts_nothing(crowd, ann):
    for game in ann.get("/api/start").json()["games"]:
        for player in game["players_"]:
            assert player["name"] != "engine"
            assert not {"net", "cmd"} & {key["name"] for key in player["keys"]}


def test_nested_and_odd_bodies_are_refused(ann):
    for content in (b"[" * 20_000, b"\xff", b"[]", b'"x"', b"1"):
        answer = ann.client.post("/api/tables", content=content, headers=OWN)
        is_refused(answer, 400, "cannot be read")
    row = ann.begin("connect4", "random")
    with ann.at(row) as seen:
        seen.turn()
        seen.socket.send_text("[" * 4000)
        assert "cannot be asked" in seen.refusal()


# -- the command line ----------------------------------------------------------------------------


def test_options_that_do_not_go_together(refused):
    assert "leave out --name" in refused("web", "--people", "--name", "Ann")
    assert "add --people" in refused("web", "--proxied")
