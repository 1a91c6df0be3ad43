"""Ends of games on the page in a browser: what is told of them, and their moves once more."""

import json

from frontends.web.browsing import (
    IN_A_BROWSER,
    PHONE,
    RESIGNED,
    begin,
    click,
    faults,
    played,
    state_of,
    your_turn,
)

pytestmark = IN_A_BROWSER


def test_an_end_that_came_while_the_server_was_away_is_shown(page, server):
    """A finished game has no socket once the server was started again; none is tried for ever."""
    begin(page, server, "connect4", "Red (moves first)")
    row = page.url.rpartition("/")[2]
    ended = state_of(page) | {"over": RESIGNED, "yours": False, "legal": [], "live": False}
    tried = []
    page.route(f"**/api/tables/{row}", lambda route: route.fulfill(json=ended))

    def refuse(socket):
        tried.append(socket)
        socket.close()

    page.route_web_socket("**/socket", refuse)
    page.clock.install()
    page.context.set_offline(True)
    page.context.set_offline(False)
    page.get_by_text("You resigned.").first.wait_for()
    before = len(tried)
    assert before
    page.clock.run_for(60_000)  # longer than the next tries would wait
    assert len(tried) == before


def test_a_finished_game_that_is_opened_later_has_a_rematch_and_no_socket(page, server):
    """As after a restart: the server has no table for it."""
    begin(page, server, "connect4", "Red (moves first)")
    page.get_by_label("Your move").fill("4" * 5000)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("A move has at most 20 letters.").first.wait_for()
    click(page, 2, 3)
    played(page, 0)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Rematch").wait_for()
    later = state_of(page) | {"live": False, "level": None, "judging": False}
    row = page.url.rpartition("/")[2]
    opened = []
    page.on("websocket", lambda socket: opened.append(socket))
    page.route(f"**/api/tables/{row}", lambda route: route.fulfill(json=later))
    page.reload()
    page.get_by_role("button", name="Rematch").wait_for()
    page.get_by_text("The moves that lost most").wait_for()
    assert opened == []
    assert faults(page) == []
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: url.startswith(f"{server}/play/") and not url.endswith(f"/{row}"))
    your_turn(page)
    assert len(opened) == 1
    assert page.problems == []


def test_the_end_of_a_game_without_a_move_of_the_person(page, server):
    """It is not kept, so that nothing can be said of it: no review is asked for."""
    begin(page, server, "connect4", "Red (moves first)")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.get_by_text("Not kept: you made no move.").wait_for()
    assert not [url for url in asked if url.endswith("/review")]
    assert not page.get_by_role("link", name="Download this game").is_visible()
    assert not page.get_by_text("does not count for your level").is_visible()
    assert faults(page) == []
    assert page.problems == []


def test_a_move_that_lost_is_shown_on_the_board_of_a_phone(page, server):
    """It is marked there, and the board scrolls into sight. Positions not seen yet are got."""
    page.set_viewport_size(PHONE)
    page.emulate_media(reduced_motion="reduce")
    begin(page, server, "connect4", "Red (moves first)")
    row = page.url.rpartition("/")[2]
    for column in (3, 2):
        before = len(state_of(page)["moves"])
        click(page, 2, column)
        ended = played(page, before)
    ended |= {"over": RESIGNED, "yours": False, "legal": [], "live": False}
    loss = {"ply": 1, "move": "4", "lost": 0.1, "played": None, "likely": []}
    told = {"chances": [0.5, 0.4], "losses": [loss]}
    page.route("**/review", lambda route: route.fulfill(json=told))
    answers = [ended | {"boards": None}, ended]
    page.route(f"**/api/tables/{row}", lambda route: route.fulfill(json=answers.pop(0)))
    page.reload()
    link = page.get_by_role("button", name="lost 10 points")
    link.scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    board = page.locator("svg.svg-board")
    assert board.bounding_box()["y"] < 0
    link.click()
    page.get_by_text("An earlier position").wait_for()
    box = board.bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= PHONE["height"]
    assert page.locator("[aria-label^='column 4'][aria-label$='red, last move']").count() == 1
    assert faults(page) == []
    assert page.problems == []


def test_a_level_follows_on_the_card_of_the_end(page, server):
    begin(page, server, "connect4", "Red (moves first)")
    level = {
        "text": "4 (3 to 5)", "rating": 4.0, "low": 3.0, "high": 5.0, "shown": "4", "from": "3",
        "to": "5", "games": 99, "when": 0, "scale": "ladder", "on_scale": "on the scale ladder",
    }  # fmt: skip
    ended = state_of(page) | {"over": RESIGNED, "yours": False, "legal": []}
    nothing = {"chances": [], "losses": []}
    page.route("**/review", lambda route: route.fulfill(json=nothing))
    sockets = []
    page.route_web_socket("**/socket", lambda socket: sockets.append(socket))
    page.reload()
    page.get_by_text("Your move", exact=True).first.wait_for()
    sockets[0].send(json.dumps(ended | {"seq": ended["seq"] + 1, "judging": True}))
    page.get_by_text("Judging your moves… Your level follows.").wait_for()
    more = "No level yet: 9 more moves of your own are needed."
    early = ended | {"seq": ended["seq"] + 2, "judging": False, "no_level_yet": more}
    sockets[0].send(json.dumps(early))
    page.get_by_text(more).wait_for()
    told = ended | {"seq": ended["seq"] + 3, "judging": False, "level": level}
    sockets[0].send(json.dumps(told))
    page.get_by_text("Most likely between 3 and 5.").wait_for()
    assert page.get_by_text("provisional").count() == 0
    page.get_by_text("On the scale ladder.").wait_for()
    assert page.get_by_text("Judging your moves").count() == 0
    wide = told | {
        "seq": told["seq"] + 1,
        "level": level | {"shown": "about 4", "provisional": True},
    }
    sockets[0].send(json.dumps(wide))
    page.get_by_text("about 4 provisional").wait_for()
    assert page.problems == []
