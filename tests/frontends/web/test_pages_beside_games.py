"""Pages beside the games in a browser: the start, pairs to judge, and where nothing is."""

import re

import pytest
from frontends.web.browsing import DESK, IN_A_BROWSER, PHONE, faults

pytestmark = IN_A_BROWSER


def test_players_and_levels_are_named(page, server):
    page.goto(server)
    page.locator("input[name=game][value=connect4]").check()
    page.get_by_label("At a level").check()
    page.locator(".help:visible", has_text="Elo among Evenmatch’s own players").wait_for()
    page.get_by_label("A player").check()
    page.locator("select:visible").first.select_option(label="Evenmatch (even)")
    page.get_by_text("As strong as it can").wait_for(state="detached")
    page.locator("select:visible").first.select_option(label="alphazero")
    page.get_by_text("As strong as it can: a neural network and a tree search.").wait_for()


@pytest.mark.parametrize("path", ["/nosuch", "/play/99999"])
def test_where_nothing_is_the_page_says_so(page, server, path):
    assert page.goto(f"{server}{path}").status == 404
    page.get_by_role("heading", name="There is no such").wait_for()
    assert faults(page) == []
    page.get_by_role("link", name="All games").click()
    page.get_by_role("heading", name="An opponent of your strength").wait_for()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_pair_is_replayed_and_judged(page, server, size):
    page.set_viewport_size(size)
    page.goto(server)
    page.get_by_role("link", name="Person or program?").click()
    page.get_by_role("heading", name="Person or program?").wait_for()
    page.locator("cg-board piece").first.wait_for()
    assert page.locator("cg-board").count() == 2
    slider = page.get_by_label("Position", exact=True)
    page.get_by_role("button", name="One move on").click()
    page.get_by_role("button", name="One move on").press("ArrowRight")
    assert slider.input_value() == "2"
    assert all(text.startswith("1…") for text in page.locator(".pair-move").all_text_contents())
    slider.press("End")
    assert slider.input_value() == slider.get_attribute("max")
    page.locator("#live", has_text="Game A: 25. ").wait_for(state="attached")
    assert faults(page) == []
    page.get_by_role("radio", name="Game B").check()
    page.get_by_role("radio", name="Fairly sure").check()
    page.get_by_role("button", name="Answer").click()
    page.get_by_text(re.compile("^(Right|Wrong): Game [AB] is the program’s, ")).first.wait_for()
    page.get_by_text(re.compile("^You were right ")).wait_for()
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.get_by_role("button", name="Next pair").click()
    page.get_by_role("button", name="Answer").wait_for()
    assert slider.input_value() == "0"
    assert page.problems == []


@pytest.mark.parametrize("path", ["/", "/me", "/rate", "/people"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_pages_without_serious_faults(page, server, path, size):
    page.set_viewport_size(size)
    page.goto(f"{server}{path}")
    page.locator("h1").wait_for()
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"]
    assert page.problems == []
