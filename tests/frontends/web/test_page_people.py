"""What the page tells people of themselves in a browser, and how a guest gets a name."""

import re

import pytest
from frontends.web.browsing import (
    IN_A_BROWSER,
    PHONE,
    begin,
    click,
    faults,
    played,
    served,
    your_turn,
)

pytestmark = IN_A_BROWSER


@pytest.fixture
def crowded(tmp_path):
    """A server for many people."""
    with served(tmp_path, "--game", "connect4", people=True) as url:
        yield url


def test_levels_follow_while_games_are_judged(page, server):
    """What is known is shown at once; the page asks again until nothing is missing."""
    level = {
        "text": "1450 (1300 to 1600)", "rating": 1450, "low": 1300, "high": 1600, "shown": "1450",
        "from": "1300", "to": "1600", "games": 2, "when": 0, "scale": "lichess-rapid",
        "on_scale": "on the scale lichess-rapid",
    }  # fmt: skip
    score = {"against": "Evenmatch at 1500", "games": 2, "won": 1, "drawn": 0, "lost": 1}
    hint = "No result counts yet. Results count in some games"
    known = {"history": [], "scores": [score], "parts": "", "hint": ""}
    chess = known | {"id": "chess", "title": "Chess", "scale": "lichess-rapid"}
    go9 = known | {"id": "go9", "title": "9x9 Go", "scale": None, "level": None}
    told = {"name": "You", "guest": False, "finished": [], "exports": []}
    answers = [
        told | {"games": [chess | {"level": None}, go9], "judging": 2, "waiting": True},
        {"error": "you asked for much that takes long"},
        told
        | {"games": [chess | {"level": level, "hint": hint}, go9], "judging": 0, "waiting": False},
    ]
    asked = []

    def answer(route):
        asked.append(answers[len(asked)])
        route.fulfill(json=asked[-1], status=429 if "error" in asked[-1] else 200)

    page.clock.install()
    page.route("**/api/me", answer)
    page.goto(f"{server}/me")
    page.get_by_text("2 games are still being judged.").wait_for()
    page.get_by_text("Evenmatch at 1500").first.wait_for()
    page.get_by_text("There is no level yet.").wait_for()
    page.get_by_text("evenmatch cannot estimate a level at this game.").wait_for()
    while len(asked) < len(answers):
        with page.expect_response("**/api/me"):
            page.clock.run_for(10_000)  # it waits longer after each answer
    page.get_by_text("1450").first.wait_for()
    page.get_by_text("On the scale lichess-rapid.").wait_for()
    page.get_by_text(f"{hint}: choose a level for it.").wait_for()
    assert page.get_by_text("still being judged").count() == 0
    assert len(asked) == len(answers)
    assert faults(page) == []


def test_you_shows_what_is_known_of_a_day_and_offers_what_there_is(page, server):
    """A game from elsewhere has the day of its record, or a part of it, or none."""
    game = {
        "game": "chess", "opponent": "Bob", "side": 1, "moves": 7, "changed": 1656633600,
        "over": {"result": 1, "ending": ""},
    }  # fmt: skip
    shown = {"2022-09-14": "Sep 14, 2022", "2022-09": "Sep 2022", "2022": "2022", "": None}
    told = {
        "name": "You", "guest": False, "games": [], "judging": 0, "waiting": False,
        "finished": [game | {"id": id, "played": date} for id, date in enumerate(shown, start=1)],
        "exports": ["pgn", "json"],
    }  # fmt: skip
    page.route("**/api/me", lambda route: route.fulfill(json=told))
    page.goto(f"{server}/me")
    page.get_by_role("heading", name="Finished games").wait_for()
    lines = page.locator(".finished .help").all_text_contents()
    assert lines == [" · ".join(filter(None, ["7 moves", date])) for date in shown.values()]
    page.get_by_text("Download your games").click()
    assert page.locator("a[download]").all_text_contents() == ["PGN", "JSON"]
    assert faults(page) == []


def choose(page, button: str, name: str) -> None:
    """Send a name and a passphrase by the keyboard, with the form of a button."""
    form = (
        page.get_by_role("dialog")
        .locator("form")
        .filter(has=page.get_by_role("button", name=button))
    )
    form.get_by_label("Name").fill(name)
    form.get_by_label("Passphrase").fill("correct horse")
    if form.get_by_role("checkbox").count():
        form.get_by_role("checkbox").check()
    form.get_by_label("Passphrase").press("Enter")


def test_a_guest_gets_a_name_leaves_and_comes_back(page, crowded):
    page.set_viewport_size(PHONE)
    begin(page, crowded, "connect4", "Red (moves first)")
    click(page, 2, 3)
    moves = played(page, 0)["moves"]
    page.get_by_role("button", name="Guest").press("Enter")
    page.get_by_role("dialog").wait_for()
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    choose(page, "Keep my games", 300 * "x")
    page.get_by_role("alert").filter(
        has_text=re.compile("A name has at most 40 letters")
    ).wait_for()
    assert [text for text in page.problems if "400" not in text] == []  # which it tells of itself
    page.problems.clear()
    name = "<img src=x onerror=alert(1)>"
    choose(page, "Keep my games", name)
    page.get_by_role("button", name=name).wait_for()
    assert page.locator("#person img").count() == 0
    assert your_turn(page)["moves"] == moves
    page.goto(f"{crowded}/me")
    page.get_by_role("heading", name=name).wait_for()
    page.get_by_role("button", name=name).click()
    assert faults(page) == []
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Guest").wait_for()
    assert page.get_by_role("link", name="Connect Four").count() == 0
    assert page.problems == []
    page.get_by_role("button", name="Guest").click()
    choose(page, "Log in", "Nobody")
    page.get_by_role("alert").filter(has_text="do not belong together").wait_for()
    choose(page, "Log in", name)
    page.get_by_role("link", name="Connect Four").click()
    assert your_turn(page)["moves"] == moves
    page.context.clear_cookies()
    page.reload()
    page.get_by_role("heading", name="There is no such game").wait_for()
    page.get_by_role("button", name="Guest").wait_for()
    page.context.clear_cookies()
    page.get_by_role("link", name="You").click()  # the page makes itself known again
    page.get_by_text("on this browser only").wait_for()
