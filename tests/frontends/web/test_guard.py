"""Who may ask, how much, and what is told; without a network."""

import asyncio
import json
import sqlite3
from contextlib import contextmanager

import pytest
from clocks import Clock

from evenmatch.errors import MoveError, NetworkError, StateError
from evenmatch.profiles import Profile

starlette = pytest.importorskip("starlette", reason="the page's server needs the extra web")

from starlette.applications import Starlette  # noqa: E402
from starlette.requests import ClientDisconnect, Request  # noqa: E402
from starlette.responses import PlainTextResponse  # noqa: E402
from starlette.routing import Route, WebSocketRoute  # noqa: E402
from starlette.websockets import WebSocket, WebSocketDisconnect  # noqa: E402

from evenmatch.frontends.web import guard  # noqa: E402
from evenmatch.frontends.web.guard import Guard, failed  # noqa: E402

HERE = {"host": "localhost:8000"}
MARKED = {**HERE, "x-evenmatch": "1"}


async def echo(request: Request) -> PlainTextResponse:
    """Answer with how long the body was."""
    headers = {"Cache-Control": "max-age=60", "Referrer-Policy": "unsafe-url"}
    return PlainTextResponse(str(len(await request.body())), headers=headers)


async def fail(request: Request) -> PlainTextResponse:
    raise request.app.state.error


async def greet(socket: WebSocket) -> None:
    await socket.accept()
    if error := socket.app.state.error:
        raise error
    await socket.send_text("hello")
    await socket.receive_text()


def guarded(error=None, **options):
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    paths = ("/", "/api/start", "/api/ratings", "/api/ratings/7", "/api/ratingsx", "/api/me/import")
    app = Starlette(
        routes=[
            *(Route(path, echo, methods=methods) for path in paths),
            Route("/fail", fail, methods=methods),
            WebSocketRoute("/socket", greet),
        ],
        exception_handlers={Exception: failed},
    )
    app.state.error = error
    return Guard(app, **options)


def scope_of(kind, path, headers, **more):
    pairs = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
    return {
        "type": kind, "path": path, "raw_path": path.encode(), "query_string": b"",
        "root_path": "", "headers": pairs, "http_version": "1.1", **more,
    }  # fmt: skip


def talk(app, scope, *messages):
    """What an application sends, given what it receives."""
    given, sent = iter(messages), []

    async def receive():
        return next(given)

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent


def ask(app, method="GET", path="/", headers=HERE, body=(b"",)):
    """The status, headers and body of an answer."""
    chunks = [
        {"type": "http.request", "body": chunk, "more_body": place < len(body)}
        for place, chunk in enumerate(body, start=1)
    ]
    start, *rest = talk(app, scope_of("http", path, headers, method=method, scheme="http"), *chunks)
    names = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], names, b"".join(message["body"] for message in rest)


def error_of(answer):
    status, headers, body = answer
    assert headers["content-type"] == "application/json"
    assert headers["content-security-policy"]
    return status, json.loads(body)["error"]


# -- headers -------------------------------------------------------------------------------------


def test_every_answer_has_the_headers():
    status, headers, body = ask(guarded())
    assert (status, body) == (200, b"0")
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin", "not the application's"
    assert "camera=(), " in headers["permissions-policy"]
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "max-age=60"
    assert ask(guarded(), path="/nothing")[1]["x-content-type-options"] == "nosniff"


def test_answers_of_the_interface_are_not_stored():
    assert ask(guarded(), path="/api/start")[1]["cache-control"] == "no-store"
    assert ask(guarded(), "POST", "/api/start")[1]["cache-control"] == "no-store", "a refusal"


# -- who may ask ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:80", "localhost.:8000", "127.0.0.1:1", "[::1]", "[::1]:8000"],
)
def test_names_of_this_machine(host):
    assert ask(guarded(), headers={"host": host})[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "evil.example:localhost", "localhost@evil.example",
     "localhost, evil.example", "", "[::1", "127.0.0.1:8000:1", "192.168.0.2", "localhost..",
     "::1"],
)  # fmt: skip
def test_other_names_are_refused(host):
    status, why = error_of(ask(guarded(), headers={"host": host}))
    assert status == 403
    assert "open the page by the address" in why
    assert talk_to_socket(guarded(), {"host": host, "origin": f"http://{host}"}) == REFUSED


def test_the_names_of_a_server():
    app = guarded(hosts=["Even.example", "2001:db8::1"])
    assert ask(app, headers={"host": "even.example"})[0] == 200
    assert ask(app, headers={"host": "even.example:8443"})[0] == 200
    assert ask(app, headers={"host": "[2001:db8::1]:80"})[0] == 200
    assert ask(app, headers={"host": "localhost"})[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_changes_need_the_mark_of_the_page(method):
    assert ask(guarded(), method, headers=MARKED)[0] == 200
    for headers in (HERE, {**HERE, "x-evenmatch": "2"}):
        status, why = error_of(ask(guarded(), method, headers=headers))
        assert (status, why) == (
            403, "this does not come from the page; reload the page and try again"
        )  # fmt: skip


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:8000", "http://localhost:8000", 200),
        ("localhost", "http://localhost:80", 200),
        ("localhost:443", "https://LOCALHOST", 200),
        ("localhost:8000", "http://localhost:8001", 403),
        ("localhost:8000", "http://localhost", 403),
        ("localhost:8000", "http://127.0.0.1:8000", 403),
        ("localhost:8000", "http://evil.example", 403),
        ("localhost:8000", "null", 403),
        ("localhost:8000", "", 403),
        ("localhost:8000", "localhost:8000", 403),
        ("localhost:8000", "ftp://localhost:8000", 403),
        ("localhost:8000", "http://even.example", 403),
    ],
)
def test_changes_come_from_the_same_site(host, origin, status):
    app = guarded()
    headers = {**MARKED, "host": host, "origin": origin}
    assert ask(app, "POST", headers=headers)[0] == status
    assert ask(app, "GET", headers=headers)[0] == 200, "nothing is changed"
    talked = talk_to_socket(app, {"host": host, "origin": origin})
    assert talked == (REFUSED if status == 403 else HELLO)


# -- how much ------------------------------------------------------------------------------------

SMALL, LARGE = 64_000, 20_000_000


@pytest.mark.parametrize(
    ("path", "longest", "text"),
    [
        ("/api/start", SMALL, "64 kB"),
        ("/api/ratingsx", SMALL, "64 kB"),
        ("/api/ratings", LARGE, "20 MB"),
        ("/api/ratings/7", LARGE, "20 MB"),
        ("/api/me/import", LARGE, "20 MB"),
    ],
)
def test_bodies_have_a_longest_length(path, longest, text):
    app, half = guarded(), b"x" * (longest // 2)
    assert ask(app, "POST", path, MARKED, (half, half))[2] == str(longest).encode()
    answer = (413, f"this is too large; send at most {text}")
    assert error_of(ask(app, "POST", path, MARKED, (half, half, b"x"))) == answer
    told = {**MARKED, "content-length": str(longest + 1)}
    assert error_of(ask(app, "POST", path, told, ())) == answer, "before any of it is read"
    assert error_of(ask(app, "POST", path, {**told, "content-length": "9" * 9999}, ())) == answer


@pytest.mark.parametrize(("path", "seconds"), [("/api/start", 20.64), ("/api/ratings", 220.0)])
def test_bodies_arrive_in_time(monkeypatch, path, seconds):
    """Whoever sends one byte after another, for ever, is refused."""
    clock, due = Clock(0.0), []

    async def waiting(some, timeout):
        due.append(timeout)
        clock.now += 8.0
        if clock.now > seconds:
            some.close()
            raise TimeoutError
        return await some

    monkeypatch.setattr(guard.time, "monotonic", clock)
    monkeypatch.setattr(guard.asyncio, "wait_for", waiting)
    endless = (b"x",) * 100
    answer = error_of(ask(guarded(), "POST", path, MARKED, endless))
    assert answer == (408, "this took too long to arrive; send it again, or send less")
    assert due[0] == pytest.approx(seconds)
    assert due[1] == pytest.approx(seconds - 8)


@pytest.mark.parametrize("length", ["-1", "x", "", "²", "1, 1"])
def test_a_length_that_is_none(length):
    headers = {**MARKED, "content-length": length}
    status, why = error_of(ask(guarded(), "POST", "/api/start", headers))
    assert (status, why[:34]) == (400, "the length of this request is not ")


# -- what is told --------------------------------------------------------------------------------


@contextmanager
def raises(error):
    try:
        yield
    except BaseException as found:
        error.append(found)


def test_mistakes_of_visitors_are_told(caplog):
    for error in (MoveError("e5 is illegal; play another move"), NetworkError("no network")):
        assert error_of(ask(guarded(error), path="/fail")) == (400, str(error))
    assert not caplog.records


def test_other_errors_are_for_the_log_alone(caplog):
    status, why = error_of(ask(guarded(KeyError("secret")), path="/fail"))
    assert (status, why) == (500, "something went wrong here; try again")
    assert "KeyError: 'secret'" in caplog.text
    assert "GET '/fail' failed" in caplog.text


def test_what_cannot_be_kept(caplog):
    answer = (503, "what is kept here cannot be reached just now; try again in a minute")
    assert error_of(ask(guarded(OSError(28, "disk full")), path="/fail")) == answer
    assert "disk full" in caplog.text


def state_errors(folder):
    """Errors of a profile whose messages name its folder."""
    folder.write_text("a file")
    found = []
    with raises(found):
        Profile(folder).levels.claim("Ann", "chess", 1500.0)
    folder.unlink()
    folder.mkdir()
    (folder / "profile.sqlite").write_bytes(b"no database" * 1000)
    with raises(found):
        Profile(folder).people.names()
    return found


def test_folders_are_not_told(state):
    found = state_errors(state)
    assert len(found) == 2
    for error in found:
        status, why = error_of(ask(guarded(error), path="/fail"))
        assert status == 503
        assert "state" not in why
    plain = StateError("there is no unfinished game")
    assert isinstance(found[1].__context__, sqlite3.Error)
    assert error_of(ask(guarded(plain), path="/fail")) == (400, str(plain))


def test_who_left_is_told_nothing(caplog):
    scope = scope_of("http", "/fail", HERE, method="GET", scheme="http")
    talk(guarded(ClientDisconnect()), scope)
    assert not caplog.records


def test_an_answer_that_has_begun_breaks_off():
    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        raise MoveError("too late")

    with pytest.raises(MoveError):
        ask(Guard(half))


def test_a_refusal_that_comes_too_late_is_no_fault_of_ours():
    """Of a body that nobody waits for: the answer breaks off, and the log says no more."""

    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        while True:
            await receive()

    scope = scope_of("http", "/api/start", HERE, method="GET", scheme="http")
    body = {"type": "http.request", "body": b"x" * (SMALL + 1), "more_body": True}
    sent = talk(Guard(half), scope, body)
    assert [message["type"] for message in sent] == ["http.response.start"]


# -- sockets -------------------------------------------------------------------------------------

REFUSED = [{"type": "websocket.close", "code": 1008}]
ACCEPTED = {"type": "websocket.accept", "subprotocol": None, "headers": []}
HELLO = [ACCEPTED, {"type": "websocket.send", "text": "hello"}]
SAME = {**HERE, "origin": "http://localhost:8000"}


def talk_to_socket(app, headers):
    scope = scope_of("websocket", "/socket", headers, scheme="ws", subprotocols=[])
    left = {"type": "websocket.disconnect", "code": 1001, "reason": ""}
    return talk(app, scope, {"type": "websocket.connect"}, left)


def test_a_socket_of_the_page(caplog):
    assert talk_to_socket(guarded(), SAME) == HELLO
    assert not caplog.records, "that somebody leaves is no fault"


def test_a_socket_of_nobody_is_refused():
    assert talk_to_socket(guarded(), HERE) == REFUSED
    assert talk_to_socket(guarded(), {**HERE, "origin": "http://evil.example"}) == REFUSED


def test_a_socket_that_fails_is_closed(caplog):
    sent = talk_to_socket(guarded(ValueError("secret")), SAME)
    assert sent == [ACCEPTED, {"type": "websocket.close", "code": 1011}]
    assert "ValueError: secret" in caplog.text
    assert "socket '/socket' failed" in caplog.text
    assert talk_to_socket(guarded(WebSocketDisconnect(1001)), SAME) == [ACCEPTED]


def test_who_leaves_before_a_socket_opens_is_no_fault(caplog):
    async def send(message):
        raise OSError

    async def receive():
        return {"type": "websocket.connect"}

    scope = scope_of("websocket", "/socket", SAME, scheme="ws", subprotocols=[])
    asyncio.run(guarded()(scope, receive, send))
    assert not caplog.records


def test_the_rest_is_passed_on():
    async def started(scope, receive, send):
        await send({"type": f"{scope['type']}.startup.complete"})

    assert talk(Guard(started), {"type": "lifespan"}) == [{"type": "lifespan.startup.complete"}]
