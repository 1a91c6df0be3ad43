"""One visitor's long work keeps nobody else waiting."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import numpy as np
import pytest
from frontends.web.conftest import Crowd, finished
from frontends.web.visits import you

from evenmatch.errors import StateError
from evenmatch.frontends.web import my_page as my_pages
from evenmatch.frontends.web import service as module
from evenmatch.frontends.web.my_page import MyPages
from evenmatch.frontends.web.new_game_request import NewGameRequest, new_game
from evenmatch.frontends.web.service import JUDGED_TO_MATCH, JUDGED_TOGETHER, Service
from evenmatch.opponents import Engine
from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, levels
from evenmatch.profiles.raters import MoveRater

PATIENCE = 60.0  #: seconds that an answer has which waits for nobody


class SlowJudge(MoveRater):
    """To whom all games say the same; it judges while ``may_go_on``."""

    scale, grid, correlation, drift, key = "lichess-rapid", np.arange(600.0, 2600.0, 20), 0, 0, "x"

    def __init__(self):
        self.begun, self.may_go_on = Event(), Event()
        self.may_go_on.set()
        self.batches: list[list[Finished]] = []

    def rated(self, games):
        self.begun.set()
        assert self.may_go_on.wait(PATIENCE)
        self.batches.append(list(games))
        return [(10, -((self.grid - 1400) ** 2) / (2 * 200**2)) for _ in games]

    def on_grid(self, says):
        return says


@pytest.fixture
def judge(monkeypatch):
    one = SlowJudge()
    monkeypatch.setattr(levels, "rater_of", lambda kind: one if kind == "chess" else None)
    monkeypatch.setattr(levels, "LEAST_MOVES", 0)  # the games here have none
    return one


@contextmanager
def meanwhile(go_on: Event):
    """Yield threads for what must not wait for ``go_on``, which is set at the end."""
    with ThreadPoolExecutor() as threads:
        try:
            yield threads
        finally:
            go_on.set()


def add_games(service: Service, person: str, count: int, side: int = 1) -> None:
    """Let a person have games of elsewhere, which nobody has judged; White has won."""
    service.profile.games.add(
        (
            f"{number}",
            Finished(
                saved=Saved(game="chess", opponent="Bob", side=side, seed=number, person=person),
                outcome=Outcome(side, ""),
                begun=float(number),
                ended=float(number),
            ),
        )
        for number in range(count)
    )


def level_at_start(visitor) -> dict | None:
    games = visitor.get("/api/start").json()["games"]
    return next(game["level"] for game in games if game["id"] == "chess")


def test_you_are_told_at_once_what_is_known(crowd, judge):
    """And how many games are still to be judged."""
    guest = crowd.guest()
    add_games(crowd.service, you(guest)["name"], 2 * JUDGED_TOGETHER + 1)
    judge.may_go_on.clear()
    with meanwhile(judge.may_go_on) as threads:
        told = threads.submit(guest.get, "/api/me").result(PATIENCE).json()
        assert judge.begun.wait(PATIENCE)
        again = threads.submit(guest.get, "/api/me").result(PATIENCE).json()
    for page in (told, again):
        assert (page["judging"], page["waiting"]) == (2 * JUDGED_TOGETHER + 1, True)
        assert page["games"][0]["level"] is None
        assert page["games"][0]["scores"][0]["won"] == len(page["finished"])
    told = guest.me()
    assert (told["judging"], told["games"][0]["level"]["games"]) == (0, 2 * JUDGED_TOGETHER + 1)
    rows = [game.row for batch in judge.batches for game in batch]
    assert len(rows) == len(set(rows)), "each was judged once"


def test_what_parts_lost_is_found_once_and_anew_of_the_other_side(tmp_path, judge, monkeypatch):
    found = []

    def text(profile, person, kind):
        found.append(profile.games.finished(person, kind)[0].saved.side)
        return "text"

    async def page():
        """Return the page once nothing is missing."""
        while (told := await pages.page("Ann"))["waiting"]:
            await finished(pages)
        return told

    monkeypatch.setattr(my_pages, "parts_text", text)
    service = Service(None, tmp_path)
    pages = MyPages(service)
    add_games(service, "Ann", 2)
    assert asyncio.run(page())["games"][0]["parts"] == "text"
    asyncio.run(page())
    assert found == [1]
    add_games(service, "Ann", 2, side=-1)
    told = asyncio.run(page())["games"][0]
    assert (found, told["scores"][0]["lost"]) == ([1, -1], 2)
    service.close()


def test_judging_that_fails_is_told_once_and_tried_again(crowd, judge, monkeypatch):
    def fails(games):
        raise StateError("no room")

    guest = crowd.guest()
    add_games(crowd.service, you(guest)["name"], 1)
    with monkeypatch.context() as broken:
        broken.setattr(judge, "rated", fails)
        assert guest.get("/api/me").json()["waiting"]
        guest.judged()
        assert guest.get("/api/me").json()["error"] == "no room"
    assert guest.me()["games"][0]["level"]["games"] == 1


def test_people_take_turns_to_have_their_games_judged(tmp_path, judge):
    async def both():
        await asyncio.gather(service.judge_all("Ann"), service.judge_all("Zoe"))

    service = Service(None, tmp_path)
    add_games(service, "Ann", 3 * JUDGED_TOGETHER)
    add_games(service, "Zoe", 2 * JUDGED_TOGETHER)
    asyncio.run(both())
    service.close()
    assert [batch[0].saved.person for batch in judge.batches] == ["Ann", "Zoe", "Ann", "Zoe", "Ann"]
    assert {len(batch) for batch in judge.batches} == {JUDGED_TOGETHER}


def test_who_asks_twice_has_one_turn_and_no_game_judged_twice(tmp_path, judge):
    async def thrice():
        await asyncio.gather(*map(service.judge_all, ("Ann", "ANN", "Zoe")))

    service = Service(None, tmp_path)
    add_games(service, "Ann", 3 * JUDGED_TOGETHER)
    add_games(service, "Zoe", JUDGED_TOGETHER)
    asyncio.run(thrice())
    service.close()
    assert "Zoe" in [batch[0].saved.person for batch in judge.batches[:2]]
    rows = [game.row for batch in judge.batches for game in batch]
    assert len(rows) == len(set(rows))


def test_a_game_begins_while_games_of_others_are_judged(crowd, judge):
    ann, bob = crowd.guest(), crowd.guest()
    add_games(crowd.service, you(ann)["name"], 1)
    judge.may_go_on.clear()
    with meanwhile(judge.may_go_on) as threads:
        page = threads.submit(ann.get, "/api/me")
        assert judge.begun.wait(PATIENCE)
        assert threads.submit(bob.begin, "connect4", "random").result(PATIENCE)
    assert page.result(PATIENCE).status_code == 200


def test_an_opponent_is_chosen_by_the_latest_games_alone(tmp_path, judge):
    service = Service(None, tmp_path)
    add_games(service, "Ann", JUDGED_TO_MATCH + 5)
    new_game(service.profile, "Ann", NewGameRequest("chess"))
    service.close()
    judged = [game.ended for batch in judge.batches for game in batch]
    assert sorted(judged) == list(range(5, JUDGED_TO_MATCH + 5))


def test_slow_opponents_keep_nobody_from_the_page(tmp_path, monkeypatch):
    """Their moves take no thread of those that serve the page: here one, for three games."""
    go_on, thinking, think = Event(), Event(), Engine.think

    def slow(engine, turns, **limits):
        thinking.set()
        assert go_on.wait(PATIENCE)
        return think(engine, turns, **limits)

    monkeypatch.setattr(Engine, "think", slow)
    monkeypatch.setattr(module, "MOST_THREADS", 1)
    with Crowd(tmp_path).serving() as crowd, meanwhile(go_on) as threads:
        ann = crowd.guest()
        for _ in range(3):
            threads.submit(ann.begin, "connect4", "random", "second").result(PATIENCE)
        assert thinking.wait(PATIENCE)
        guest = threads.submit(crowd.guest).result(PATIENCE)
        assert threads.submit(guest.get, "/api/tables").result(PATIENCE).status_code == 200


def test_nobody_of_many_asks_for_long_searches(crowd):
    guest = crowd.guest()
    opponent = {"name": "mcts", "keys": {"sims": "201"}}
    refused = guest.post("/api/tables", game="connect4", opponent=opponent)
    assert "sims is at most 200 here" in refused.json()["error"]
    guest.begin("connect4", "mcts", "first", {"sims": "200"})
