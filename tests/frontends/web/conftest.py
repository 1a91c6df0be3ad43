"""A server in the same process and visitors of it; a server and a page for tests in a browser."""

import asyncio
import json
from contextlib import contextmanager
from functools import cache, partial

import pytest

pytest.importorskip("starlette", reason="the page needs the extra web")

import argon2
from frontends.web.browsing import CHROMIUM, DESK, PATIENCE, served
from starlette.testclient import TestClient

from evenmatch.frontends.web.auth import LIMITS, Limits, Logins
from evenmatch.frontends.web.guard import Guard
from evenmatch.frontends.web.server import application
from evenmatch.frontends.web.service import Service
from evenmatch.games import GAMES
from evenmatch.opponents import Engine
from evenmatch.play import batcher

HOST = "testserver"
OWN = {"x-evenmatch": "1", "origin": f"http://{HOST}"}
PASSPHRASE = "correct horse"
MOST_STATES = 200  #: that a test waits through
#: Two games of chess of one player.
PGN = "".join(
    f'[Date "2022.05.??"]\n[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n\n'
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Nxd5 6. Nxf7 Kxf7 7. Qf3+ Ke6 8. Nc3 1-0\n\n"
    for white, black in (("Ann Other", "Bob"), ("Cid", "Ann Other"))
)


@pytest.fixture(scope="package", autouse=True)
def quick_hashes():
    """Hash passphrases at the least cost: how much it takes is tested with the accounts."""
    quick = partial(argon2.PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argon2, "PasswordHasher", quick)
        yield


@pytest.fixture(scope="package", autouse=True)
def shared_engines():
    """Let all servers of this process share the engine of a game, and so its networks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batcher, "Engine", cache(Engine))
        yield


class Visitor:
    """A browser's requests."""

    def __init__(self, client: TestClient, app):
        self.client, self._app = client, app

    def get(self, path: str):
        return self.client.get(path, headers=OWN)

    def post(self, path: str, **body):
        return self.client.post(path, json=body, headers=OWN)

    def me(self) -> dict:
        """Return the page *You* once nothing is missing of it."""
        while (page := self.get("/api/me").json())["waiting"]:
            self.judged()
        return page

    def judged(self) -> None:
        """Wait until the server has tried to judge what is missing."""
        self.client.portal.call(finished, self._app.state.evenmatch.my_pages)

    def begin(self, game: str, player: str, side: str = "first", keys=None, **more) -> int:
        opponent = {"name": player, "keys": keys or {}}
        answer = self.post("/api/tables", game=game, opponent=opponent, side=side, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()["id"]

    @contextmanager
    def at(self, row: int):
        path = f"/api/tables/{row}/socket"
        with self.client.websocket_connect(path, headers={"origin": f"http://{HOST}"}) as socket:
            yield Seen(socket)


async def finished(pages) -> None:
    """Wait for the work on pages that was begun."""
    await asyncio.gather(*pages._working.values())


class Seen:
    """What a visitor sees at a table."""

    def __init__(self, socket):
        self.socket = socket

    def until(self, wanted) -> dict:
        """Return the first state that is as wanted."""
        for _ in range(MOST_STATES):
            told = self.socket.receive_json()
            if told["type"] == "state" and wanted(told):
                return told
        raise AssertionError("no such state came")

    def refusal(self) -> str:
        """Return why what was asked for last is refused."""
        for _ in range(MOST_STATES):
            told = self.socket.receive_json()
            if told["type"] == "refused":
                return told["error"]
        raise AssertionError("nothing was refused")

    def turn(self) -> dict:
        """Return the state at the person's turn, or at the end."""
        return self.until(lambda state: state["yours"] or state["over"])

    def turn_or_score(self, before: dict) -> dict:
        """Return the next state in which the person is to move, or to agree on the score."""
        return self.until(lambda new: new["seq"] > before["seq"] and (new["yours"] or new["score"]))

    def ask(self, do: str, seq: int, **more) -> None:
        self.socket.send_text(json.dumps({"do": do, "seq": seq, **more}))

    def move(self, state: dict, move: str | None = None) -> dict:
        """Play a move, the first legal one by default; return the state at the next turn."""
        self.ask("move", state["seq"], move=move or state["legal"][0]["move"])
        return self.until(
            lambda new: new["seq"] > state["seq"] and (new["yours"] or new["over"] is not None)
        )


@contextmanager
def serving(folder, person: str = "Ann", games=tuple(GAMES)):
    app = application(Service(person, folder, games))
    with TestClient(Guard(app, (HOST,)), base_url=f"http://{HOST}") as client:
        yield Visitor(client, app)


class Crowd:
    """A server for many people."""

    def __init__(self, folder, proxied: bool = False, limits: Limits | None = None):
        self.service = Service(None, folder)
        self.logins = Logins(self.service, proxied, limits)
        self.app = application(self.service, self.logins)

    @contextmanager
    def serving(self):
        with self._client() as client:
            self._portal = client.portal
            yield self

    def _client(self) -> TestClient:
        return TestClient(Guard(self.app, (HOST,)), base_url=f"http://{HOST}")

    def browser(self) -> Visitor:
        """Return a browser that has not been here yet; all share the server's loop."""
        client = self._client()
        client.portal = self._portal
        return Visitor(client, self.app)

    def guest(self) -> Visitor:
        """Return a browser that has opened the page."""
        visitor = self.browser()
        assert visitor.get("/api/start").status_code == 200
        return visitor


@pytest.fixture
def crowd(tmp_path):
    with Crowd(tmp_path).serving() as crowd:
        yield crowd


@pytest.fixture
def visitor(tmp_path):
    with serving(tmp_path) as visitor:
        yield visitor


@pytest.fixture
def ann(crowd):
    visitor = crowd.guest()
    answer = visitor.post("/api/join", name="Ann", passphrase=PASSPHRASE)
    assert answer.json() == {"name": "Ann"}
    return visitor


def strict(*kinds: str) -> Limits:
    """Return limits that allow some kinds once."""
    return Limits(LIMITS | {kind: ("1 per 1 year", kind) for kind in kinds})


# -- in a browser --------------------------------------------------------------------------------


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """Serve the tests in a browser of all files: a server takes long to start."""
    games = (word for game in ("connect4", "chess", "go9") for word in ("--game", game))
    with served(tmp_path_factory.mktemp("state"), *games) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    """Run a browser for a file alone: while it runs, other tests cannot use asyncio."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport=DESK)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda told: told.type == "error" and problems.append(told.text))
    page.problems = problems
    yield page
    context.close()
