"""What visitors do on a page for many people, and how its refusals look."""

import pytest
from frontends.web.conftest import OWN, PASSPHRASE
from starlette.websockets import WebSocketDisconnect


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
