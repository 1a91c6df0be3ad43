"""The page under load: what is counted of a crowd, a crowd of two on a real server, the page."""

import asyncio
import time

import pytest

from evenmatch_lab.ours.web_load import _work
from evenmatch_lab.shared import crowd
from evenmatch_lab.shared.crowd import Thinker, Window, holds, play_together


def test_moves_count_by_when_they_were_sent():
    now = time.monotonic()
    window = Window(now, now + 60)
    window.note(now - 1, now + 1)  # sent before: an answer, no reply of the window
    window.note(now + 2, now + 5)
    window.note(now + 59, now + 61)  # answered too late to count as an answer
    assert window.replies == pytest.approx([3, 2])
    facts = window.facts()
    assert facts["moves_per_second"] == pytest.approx(2 / 60)
    assert (facts["moves"], facts["unanswered"]) == (2, 0)
    assert (facts["p50"], facts["longest"]) == pytest.approx((2.5, 3))


def test_a_move_that_is_never_answered_counts_as_long_as_it_waited(monkeypatch):
    monkeypatch.setattr(crowd, "GRACE", 0.0)

    async def waits_for_ever(window: Window) -> None:
        await Thinker(window, 1, 1).reply(window.begin, asyncio.Event().wait())

    async def all_of_it() -> Window:
        now = time.monotonic()
        window = Window(now - 10, now + 0.01)
        await play_together([waits_for_ever(window)], window)
        return window

    window = asyncio.run(all_of_it())
    assert (len(window.replies), window.unanswered, window.answered) == (1, 1, 0)
    assert window.replies[0] >= 10
    assert not holds(window.facts() | {"megabytes": 1.0, "p95": 0.1, "players": 0})


def test_what_goes_wrong_for_one_is_told():
    async def fails() -> None:
        raise RuntimeError("refused")

    async def waits() -> None:
        await asyncio.Event().wait()

    async def all_of_it() -> None:
        now = time.monotonic()
        await play_together([waits(), fails()], Window(now, now + 3600))

    with pytest.raises(RuntimeError, match="refused"):
        asyncio.run(all_of_it())


def test_players_take_what_they_can_half_of_the_time():
    """Of 400 moves 200 take, by chance within 40 of that (p < 1e-4)."""
    thinker = Thinker(Window(0, 0), 1, 1)
    moves = ["exd5", *["e5"] * 99]
    taken = [thinker.choose(moves, lambda move: "x" in move) for _ in range(400)].count("exd5")
    assert abs(taken - 202) < 40
    assert thinker.choose(["e5"], lambda move: False) == "e5"


def test_a_crowd_of_two_on_a_real_server():
    pytest.importorskip("starlette", reason="the page needs the extra web")
    from evenmatch_lab.shared.web_players import first_reply, play_on_page
    from evenmatch_lab.shared.web_server import serving

    random = {"name": "random", "keys": {}}
    with serving(("connect4",)) as server:
        assert 0 < asyncio.run(first_reply(server, "connect4", random, 1)) < 600
        before = server.counts()
        now = time.monotonic()
        window = Window(now, now + 5, thinking=0.3)  # faster ones meet the limits of a visitor
        asyncio.run(play_on_page(server, "connect4", random, 2, window, seed=3))
        after = server.counts()
    assert window.replies
    assert (window.unanswered, window.refused) == (0, 0)
    work = _work(before, after, "connect4")
    assert 0 < work["searches"] <= len(window.replies) + 2, "some moves end the game"
    assert 1 <= work["batch"] <= 2


def crowd_row(players: int, p95: float, megabytes: float = 500.0) -> dict:
    return {
        "players": players, "moves": 10, "moves_per_second": 2.0, "p50": p95 / 2, "p95": p95,
        "p95_between": None, "seated": players, "opening_p95": 0.5,
        "longest": p95, "unanswered": 0, "refused": 0, "megabytes": megabytes,
    }  # fmt: skip


def test_who_never_got_in_is_not_held():
    """One of 200 plays, the others still wait for their first game."""
    row = crowd_row(200, 0.1)
    assert holds(row)
    assert not holds(row | {"seated": 1})


def test_players_sit_down_before_the_window_or_not():
    now = time.monotonic()
    window = Window(now + 60, now + 120)
    window.sit(now - 2, first=True)
    window.sit(now - 1, first=False)
    assert window.seated == 1
    assert window.openings == pytest.approx([2, 1], abs=0.5)
    late = Window(now - 1, now + 60)
    late.sit(now - 5, first=True)
    assert late.seated == 0


def test_the_interval_is_of_players():
    """Replies of one player are alike, so the interval is as wide as eight players make it."""
    window = Window(0, 1e9)
    for player in range(8):
        for _ in range(100):
            window.note(0.0, float(player), player)
    low, high = window.p95_between()
    assert low <= 5.0, "the slowest two are not always among the players drawn"
    assert high == 7.0
    few = Window(0, 1e9)
    few.note(0.0, 1.0, 1)
    assert few.p95_between() is None
