"""What the server counts and logs, and who may read it."""

import json
import logging

import pytest
from frontends.web.conftest import HOST, Visitor

from evenmatch.errors import UsageError
from evenmatch.frontends.web.guard import Guard
from evenmatch.frontends.web.live_game import FAILED
from evenmatch.frontends.web.monitor import (
    Counted,
    JsonLines,
    begin_log,
    shorten_protocol_fault,
)
from evenmatch.frontends.web.server import application
from evenmatch.frontends.web.service import Service
from evenmatch.play.session import Session

h11 = pytest.importorskip("h11", reason="the page needs the extra web")
prometheus = pytest.importorskip("prometheus_client.parser")
from starlette.testclient import TestClient  # noqa: E402
from starlette.websockets import WebSocketDisconnect  # noqa: E402

PERSON = "Zebulon Quux"  #: a name that is no part of any word


@pytest.fixture
def visitor(tmp_path):
    """A visitor on this machine."""
    service = Service(PERSON, tmp_path, ("connect4", "chess"))
    app = Counted(Guard(application(service), (HOST,)), service.metrics)
    with TestClient(app, base_url=f"http://{HOST}", client=("127.0.0.1", 9)) as client:
        yield Visitor(client, app)


@pytest.fixture
def lines(monkeypatch):
    """The lines of the log, as it is written."""
    found, handler = [], logging.Handler(logging.INFO)
    handler.setFormatter(JsonLines())
    monkeypatch.setattr(handler, "emit", lambda record: found.append(handler.format(record)))
    logger = logging.getLogger("evenmatch")
    monkeypatch.setattr(logger, "level", logging.INFO)
    logger.manager._clear_cache()
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)
    logger.manager._clear_cache()


def told(visitor, **headers) -> dict:
    """Return the numbers of /metrics, by name and values of labels."""
    answer = visitor.client.get("/metrics", headers=headers)
    assert answer.headers["content-type"].startswith("text/plain; version=")
    families = prometheus.text_string_to_metric_families(answer.text)
    samples = [sample for family in families for sample in family.samples]
    return {(one.name, *map(one.labels.get, sorted(one.labels))): one.value for one in samples}


def play(visitor, moves: int, player: str = "random") -> None:
    """Play some moves of Connect Four, and one that is none."""
    row = visitor.begin("connect4", player)
    with visitor.at(row) as seen:
        state = seen.turn()
        for _ in range(moves):
            state = seen.move(state, "4")
        seen.ask("move", state["seq"], move="99")
        assert seen.refusal()
        assert told(visitor)["evenmatch_sockets",] == 1


def test_games_moves_and_refusals_are_counted(visitor):
    before = told(visitor)
    assert before["evenmatch_games", "connect4"] == before["evenmatch_games", "chess"] == 0
    play(visitor, 2)
    after = told(visitor)
    assert after["evenmatch_games", "connect4"] == 1
    assert after["evenmatch_moves_total", "connect4"] == 2
    assert after["evenmatch_reply_seconds_count", "connect4"] == 2
    assert 0 < after["evenmatch_reply_seconds_sum", "connect4"] < 120
    assert after["evenmatch_wait_seconds_count", "connect4"] == 2
    assert after["evenmatch_search_seconds_count", "connect4"] == 2
    assert after["evenmatch_pending_moves", "connect4"] == 0
    assert after["evenmatch_batch_trees_bucket", "connect4", "1"] == 2
    assert after["evenmatch_batch_trees_bucket", "connect4", "+Inf"] == 2
    assert after["evenmatch_batch_trees_sum", "connect4"] == 2
    assert after["evenmatch_refusals_total", "game"] == 1
    assert after["evenmatch_sockets",] == 0
    assert ("evenmatch_refusals_total", "request") not in after


def test_what_answers_no_move_is_no_reply(visitor, monkeypatch):
    def broken(session):
        raise RuntimeError

    row = visitor.begin("connect4", "random", side="second")
    with visitor.at(row) as seen:
        state = seen.turn()
        monkeypatch.setattr(Session, "ask_opponent", broken)
        seen.ask("move", state["seq"], move="4")
        seen.until(lambda new: new["note"] == FAILED)
    assert ("evenmatch_reply_seconds_count", "connect4") not in told(visitor)


def test_requests_and_sockets_that_are_refused_are_counted(visitor):
    assert visitor.client.post("/api/tables", json={}).status_code == 403  # unmarked
    with pytest.raises(WebSocketDisconnect), visitor.at(77) as seen:
        seen.turn()
    with pytest.raises(WebSocketDisconnect), visitor.client.websocket_connect("/nowhere"):
        pass
    after = told(visitor)
    assert after["evenmatch_refusals_total", "request"] == 1
    assert after["evenmatch_refusals_total", "socket"] == 2
    assert after["evenmatch_sockets",] == 0


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip", "via"])
def test_nobody_behind_a_proxy_is_told(visitor, header):
    answer = visitor.client.get("/metrics", headers={header: "127.0.0.1"})
    assert answer.status_code == 404
    assert "evenmatch_" not in answer.text


def test_no_other_machine_is_told(visitor):
    for address in ("192.168.1.7", "testclient", "::ffff:10.0.0.1"):
        client = TestClient(visitor.client.app, base_url=f"http://{HOST}", client=(address, 9))
        assert client.get("/metrics").status_code == 404
    client = TestClient(visitor.client.app, base_url=f"http://{HOST}", client=("::1", 9))
    assert client.get("/metrics").status_code == 200


def test_the_log_tells_events_and_no_names(visitor, lines):
    play(visitor, 2)
    visitor.get("/api/me")
    events = list(map(json.loads, lines))
    assert [one["event"] for one in events if one["event"] != "search"] == [
        "began", "reply", "reply", "refused",
    ]  # fmt: skip
    searches = [one for one in events if one["event"] == "search"]
    assert [(one["game"], one["batch"]) for one in searches] == [("connect4", 1)] * 2
    assert all(one["seconds"] > 0 for one in events if one["event"] == "reply")
    assert {key for one in events for key in one} <= {
        "time", "level", "event", "game", "seconds", "batch", "of", "status",
    }  # fmt: skip
    for word in ("Zebulon", "Quux", "zebulon", "127.0.0.1"):
        assert word not in "\n".join(lines)


def test_the_log_tells_no_names_of_what_goes_wrong(visitor, lines, monkeypatch):
    """Exceptions of the database and of players may name who they are about."""

    def broken(*args, **options):
        raise RuntimeError(f"{PERSON} is not there")

    monkeypatch.setattr("evenmatch.frontends.web.my_page.reports", broken)
    answer = visitor.client.get("/api/me?Zebulon")
    assert answer.status_code == 500
    wrong = [one for one in map(json.loads, lines) if one["level"] == "error"]
    assert [one["error"] for one in wrong] == ["RuntimeError"]
    assert wrong[0]["at"][-1].startswith("test_monitor.py:")
    assert "Zebulon" not in "\n".join(lines)


def test_a_log_that_cannot_be_written(tmp_path):
    with pytest.raises(UsageError, match="choose another --log"):
        begin_log(str(tmp_path / "none" / "log"))


# -- visitors who send no HTTP -------------------------------------------------------------------

FATAL = "Fatal error: protocol.data_received() call failed."


def logged(message: str, error: Exception) -> tuple[str, str, bool]:
    """The level and the line of a record, and whether a traceback follows."""
    where = (type(error), error, None)
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "x.py", 1, message, (), where)
    assert shorten_protocol_fault(record)
    return record.levelname, record.getMessage(), record.exc_info is not None


def test_faults_of_visitors_are_told_in_a_line():
    for message, error in (
        ("Invalid UTF-8", UnicodeDecodeError("utf-8", b"", 0, 1, "secret")),
        ("Exception in ASGI application", h11.LocalProtocolError("secret")),
        (FATAL, AssertionError("secret")),
    ):
        line = f"a visitor broke the protocol: {type(error).__name__}"
        assert logged(message, error) == ("WARNING", line, False)


def test_faults_of_ours_keep_their_traceback():
    message = "Exception in ASGI application"
    assert logged(message, KeyError("x")) == ("ERROR", message, True)
