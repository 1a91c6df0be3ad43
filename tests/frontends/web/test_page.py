"""The page in a browser: games by clicking and typing, their ends, people, and other pages."""

import json
import re

import pytest
from frontends.web.browsing import (
    DESK,
    IN_A_BROWSER,
    PHONE,
    RESIGNED,
    begin,
    click,
    faults,
    played,
    served,
    state_of,
    your_turn,
)

pytestmark = IN_A_BROWSER
ABOVE = "/even/match"  #: the path of the page for many people


def test_a_game_by_clicking_and_a_reload(page, server):
    begin(page, server, "connect4", "Red (moves first)")
    state = state_of(page)
    while not state["over"]:
        count = len(state["moves"])
        columns = [int(one["move"]) - 1 for one in state["legal"]]
        click(page, 2, columns[count % len(columns)])
        state = played(page, count)
        if count == 4:
            page.reload()
            your_turn(page)
            assert state_of(page)["moves"] == state["moves"]
    page.get_by_role("button", name="Rematch").wait_for()
    page.get_by_text("Your chance to win").first.wait_for()
    assert faults(page) == []
    assert page.problems == []


def test_chess_by_clicking_and_typing_in_two_tabs(page, server):
    begin(page, server, "chess", "White (moves first)")
    board = page.locator("cg-board")
    box = board.bounding_box()
    for x, y in ((4.5, 6.5), (4.5, 4.5)):  # e2, e4
        page.mouse.click(box["x"] + x * box["width"] / 8, box["y"] + y * box["height"] / 8)
    state = played(page, 0)
    assert state["moves"][0]["text"] == "e4"
    other = page.context.new_page()
    other.goto(page.url)
    your_turn(other)
    move = state["legal"][0]["move"]
    other.get_by_label("Your move").fill(move)
    other.get_by_label("Your move").press("Enter")
    assert played(page, len(state["moves"]))["moves"][2]["text"] == move
    page.get_by_text(move, exact=True).first.wait_for()  # the first tab shows it, too
    assert faults(page) == []
    assert page.problems == []


def test_the_level_of_the_opponent_is_hidden_until_it_is_opened(page, server):
    begin(page, server, "connect4", "Red (moves first)", default=True)
    click(page, 2, 3)
    played(page, 0)
    page.get_by_text("Evenmatch, at about your level", exact=True).wait_for()
    level = page.get_by_text("Evenmatch plays at about")
    assert not level.is_visible()
    page.get_by_text("The level it plays at").click()
    level.wait_for()
    assert faults(page) == []
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.get_by_text("played at about").wait_for()
    level.wait_for(state="hidden")


def test_go_on_a_phone_without_connection_for_a_while(page, server):
    page.set_viewport_size(PHONE)
    begin(page, server, "go9", "Black (moves first)")
    click(page, 4, 4)
    state = played(page, 0)
    assert state["cells"][4 * 9 + 4] == 1
    page.context.set_offline(True)
    page.get_by_text("Reconnecting").first.wait_for()
    with page.expect_websocket():
        page.context.set_offline(False)
    page.get_by_text("Reconnecting").first.wait_for(state="hidden")
    free = next(cell for cell in range(81) if not state["cells"][cell])
    click(page, *divmod(free, 9))
    state = played(page, 2)
    assert state["cells"][free] == 1
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_nothing_can_be_asked_while_an_answer_is_awaited(page, server):
    """As while a hint is computed: the page says so by its buttons, and keeps what is typed."""
    from playwright.sync_api import expect

    held = []

    def hold(socket):
        def pass_on(text):
            if json.loads(text).get("hint"):
                held.append((socket, text))
            else:
                socket.send(text)

        socket.connect_to_server().on_message(pass_on)

    page.route_web_socket("**/socket", hold)
    begin(page, server, "connect4", "Red (moves first)")
    click(page, 2, 3)
    played(page, 0)
    undo = page.get_by_role("button", name="Undo")
    off = {
        name: page.get_by_role("button", name=name, exact=True)
        for name in ("Undo", "Hint", "Resign", "Play")
    }
    expect(undo).to_have_attribute("aria-disabled", "false")
    off["Hint"].click()
    for one in off.values():
        expect(one).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Your move").fill("1")
    page.get_by_label("Your move").press("Enter")
    assert page.get_by_label("Your move").input_value() == "1"
    while not held:
        page.evaluate("0")  # lets messages be handled
    socket, text = held[0]
    socket.send(text)
    page.get_by_text("Hint: ").first.wait_for()
    for one in off.values():
        expect(one).to_have_attribute("aria-disabled", "false")


def test_a_tab_whose_game_was_deleted_says_one_thing(page, server):
    begin(page, server, "connect4", "Red (moves first)")
    other = page.context.new_page()
    other.goto(server)
    row = page.url.rpartition("/")[2]
    options = "{method: 'DELETE', headers: {'X-Evenmatch': '1'}, body: '{}'}"
    assert (
        other.evaluate(f"fetch('/api/tables/{row}', {options}).then(answer => answer.status)")
        == 200
    )
    page.get_by_role("heading", name="There is no such game").wait_for()
    assert page.locator("main").get_by_text("Reconnecting").count() == 0
    assert page.locator(".problem").count() == 0
    assert page.locator("svg.svg-board").count() == 0


# -- ends of games: what is said of them, and their moves once more --------------------------------


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

    def first_level(route):
        """Whatever games the server has, there was no level before this one."""
        start = route.fetch().json()
        start["games"] = [game | {"level": None} for game in start["games"]]
        route.fulfill(json=start)

    page.route("**/api/start", first_level)
    nothing = {"chances": [], "losses": []}
    page.route("**/review", lambda route: route.fulfill(json=nothing))
    sockets = []
    page.route_web_socket("**/socket", lambda socket: sockets.append(socket))
    page.reload()
    while not sockets:
        page.evaluate("0")  # lets it open
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


# -- people ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A server for many people, whose page is below a path."""
    folder = tmp_path_factory.mktemp("people")
    with served(folder, "--game", "connect4", "--root-path", ABOVE, people=True) as url:
        yield f"{url}{ABOVE}"


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


def test_every_request_of_the_page_stays_below_the_path(page, crowded):
    """Links, games, sockets and reloads."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url.replace("ws://", "http://")))
    begin(page, crowded, "connect4", "Red (moves first)")
    click(page, 5, 3)
    page.locator("[aria-label*='column 4'][aria-label*='red']").first.wait_for()
    page.reload()
    page.locator("svg.svg-board").first.wait_for()
    page.get_by_role("link", name="You").click()
    page.wait_for_url(f"{crowded}/me")
    page.get_by_role("heading", name="You").first.wait_for()
    page.get_by_role("link", name="Play", exact=True).click()
    page.wait_for_url(f"{crowded}/")
    page.get_by_role("heading", name="New game").wait_for()
    assert [one for one in asked if not one.startswith(f"{crowded}/")] == []
    assert any("/socket" in one for one in asked)
    assert page.problems == []


# -- pages beside the games ------------------------------------------------------------------------


def assert_fits(page) -> None:
    """Check that a page has no serious faults on a phone and a desk, and is not too wide."""
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


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


def test_a_pair_is_replayed_and_judged(page, server):
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
    assert_fits(page)
    page.get_by_role("button", name="Next pair").click()
    page.get_by_role("button", name="Answer").wait_for()
    assert slider.input_value() == "0"
    assert page.problems == []


@pytest.mark.parametrize("path", ["/", "/me", "/rate"])
def test_pages_without_serious_faults(page, server, path):
    page.goto(f"{server}{path}")
    page.locator("h1").wait_for()
    assert_fits(page)
    assert page.problems == []
