"""The page in a real browser, if there is one: whole games by clicking, on a desk and a phone."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the page needs the extra web")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parents[2] / "vendor" / "axe-core" / "axe.min.js"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
#: The end of a game in which the person moved.
RESIGNED = {
    "result": -1, "ending": "resignation", "kept": True, "counts": False, "text": "You resigned."
}  # fmt: skip
PATIENCE = 60_000  #: milliseconds; machines that test much at once are slow

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    games = (word for game in ("connect4", "chess", "go9") for word in ("--game", game))
    with served(tmp_path_factory.mktemp("state"), *games) as url:
        yield url


@pytest.fixture
def crowded(tmp_path):
    """A server for many people."""
    with served(tmp_path, "--game", "connect4", "--people") as url:
        yield url


@contextmanager
def served(state: Path, *options: str):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "evenmatch", "web", "--port", str(port), *options]
    process = subprocess.Popen(command, env=os.environ | {"EVENMATCH_STATE": str(state)})
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(6000):  # who is first compiles the games
            try:
                urllib.request.urlopen(f"{url}/healthz", timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, "the server ended"
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
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


def begin(page, server: str, game: str, side: str) -> None:
    """Begin a game against the weakest player there is, as the one who moves first."""
    page.goto(server)
    page.locator(f"input[name=game][value={game}]").check()
    page.get_by_label("A player").check()
    page.locator("select:visible").first.select_option("random")
    page.get_by_label(side).check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    your_turn(page)


def your_turn(page) -> dict:
    """Wait for the board, and for the person's turn or the end."""
    page.locator("svg.svg-board, cg-board").first.wait_for()
    return played(page, -1)


def click(page, row: int, column: int) -> None:
    """Click a cell of the SVG board."""
    x, y = page.locator("svg.svg-board").evaluate(
        """(svg, [x, y]) => {
            const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
            return [at.x, at.y];
        }""",
        [column + 0.5, row + 0.5],
    )
    page.mouse.click(x, y)


def state_of(page) -> dict:
    """Return the game as the server has it."""
    path = "`/api/tables/${location.pathname.split('/')[2]}`"
    return page.evaluate(f"fetch({path}).then(answer => answer.json())")


def played(page, before: int) -> dict:
    """Wait until more moves than before are played and it is the person's turn, or the end."""
    for _ in range(600):
        state = state_of(page)
        if len(state["moves"]) > before and (state["yours"] or state["over"]):
            page.wait_for_timeout(100)  # until the page has drawn it
            return state
        page.wait_for_timeout(100)
    raise AssertionError("the opponent did not move")


def faults(page) -> list[str]:
    """Return the serious faults of accessibility that axe finds."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [one["id"] for one in found if one["impact"] in ("serious", "critical")]


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


def test_go_on_a_phone_without_connection_for_a_while(page, server):
    page.set_viewport_size(PHONE)
    begin(page, server, "go9", "Black (moves first)")
    click(page, 4, 4)
    state = played(page, 0)
    assert state["cells"][4 * 9 + 4] == 1
    page.context.set_offline(True)
    page.wait_for_timeout(500)
    page.context.set_offline(False)
    free = next(cell for cell in range(81) if not state["cells"][cell])
    for _ in range(20):  # a click that comes before the connection is lost, by design
        click(page, *divmod(free, 9))
        page.wait_for_timeout(500)
        if len(state_of(page)["moves"]) > 2:
            break
    state = played(page, 2)
    assert state["cells"][free] == 1
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


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
    page.context.set_offline(True)
    page.wait_for_timeout(500)
    page.context.set_offline(False)
    page.get_by_text("You resigned.").first.wait_for()
    page.wait_for_timeout(500)
    before = len(tried)
    assert before
    page.wait_for_timeout(5000)  # longer than the next tries would wait
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
    page.wait_for_timeout(2000)
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
    page.wait_for_timeout(500)
    assert not [url for url in asked if url.endswith("/review")]
    assert not page.get_by_role("link", name="Download this game").is_visible()
    assert not page.get_by_text("does not count for your level").is_visible()
    assert faults(page) == []
    assert page.problems == []


def test_the_card_of_the_end_says_where_no_level_is_told(page, server):
    begin(page, server, "go9", "Black (moves first)")
    row = page.url.rpartition("/")[2]
    ended = state_of(page) | {"over": RESIGNED, "yours": False, "legal": [], "live": False}
    page.route("**/review", lambda route: route.fulfill(json={"chances": [], "losses": []}))
    page.route(f"**/api/tables/{row}", lambda route: route.fulfill(json=ended))
    page.reload()
    page.get_by_text("No level is told at this game.").wait_for()
    assert not page.get_by_text("does not count for your level").is_visible()


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
    told = ended | {"seq": ended["seq"] + 2, "judging": False, "level": level}
    sockets[0].send(json.dumps(told))
    page.get_by_text("Most likely between 3 and 5.").wait_for()
    page.get_by_text("On the scale ladder.").wait_for()
    assert page.get_by_text("Judging your moves").count() == 0
    assert page.problems == []


def test_nothing_can_be_asked_while_an_answer_is_awaited(page, server):
    """As while a hint is computed: the page says so by its buttons, and keeps what is typed."""
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
    playwright.expect(undo).to_have_attribute("aria-disabled", "false")
    off["Hint"].click()
    for one in off.values():
        playwright.expect(one).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Your move").fill("1")
    page.get_by_label("Your move").press("Enter")
    assert page.get_by_label("Your move").input_value() == "1"
    for _ in range(600):
        if held:
            break
        page.wait_for_timeout(100)
    socket, text = held[0]
    socket.send(text)
    page.get_by_text("Hint: ").first.wait_for()
    for one in off.values():
        playwright.expect(one).to_have_attribute("aria-disabled", "false")


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


def test_levels_follow_while_games_are_judged(page, server):
    """What is known is shown at once; the page asks again until nothing is missing."""
    level = {
        "text": "1450 (1300 to 1600)", "rating": 1450, "low": 1300, "high": 1600, "shown": "1450",
        "from": "1300", "to": "1600", "games": 2, "when": 0, "scale": "lichess-rapid",
        "on_scale": "on the scale lichess-rapid",
    }  # fmt: skip
    score = {"against": "Evenmatch at 1500", "games": 2, "won": 1, "drawn": 0, "lost": 1}
    known = {"history": [], "scores": [score], "parts": ""}
    chess = known | {"id": "chess", "title": "Chess", "scale": "lichess-rapid"}
    go9 = known | {"id": "go9", "title": "9x9 Go", "scale": None, "level": None}
    told = {"name": "You", "guest": False, "finished": [], "exports": []}
    answers = [
        told | {"games": [chess | {"level": None}, go9], "judging": 2, "waiting": True},
        {"error": "you asked for much that takes long"},
        told | {"games": [chess | {"level": level}, go9], "judging": 0, "waiting": False},
    ]
    asked = []

    def answer(route):
        asked.append(answers[len(asked)])
        route.fulfill(json=asked[-1], status=429 if "error" in asked[-1] else 200)

    page.route("**/api/me", answer)
    page.goto(f"{server}/me")
    page.get_by_text("2 games are still being judged.").wait_for()
    page.get_by_text("Evenmatch at 1500").first.wait_for()
    page.get_by_text("There is no level yet.").wait_for()
    page.get_by_text("No level is told at this game.").wait_for()
    page.get_by_text("1450").first.wait_for()
    page.get_by_text("On the scale lichess-rapid.").wait_for()
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


def test_results_in_a_list_are_equally_wide(page, server):
    game = {"game": "chess", "opponent": "Bob", "side": 1, "moves": 7, "changed": 0, "played": ""}
    over = [game | {"id": k, "over": {"result": k, "ending": ""}} for k in (1, 0, -1)]
    told = {"name": "You", "guest": False, "games": [], "judging": 0, "waiting": False}
    page.route("**/api/me", lambda r: r.fulfill(json=told | {"finished": over, "exports": []}))
    page.goto(f"{server}/me")
    page.get_by_role("heading", name="Finished games").wait_for()
    shown = page.locator(".outcome")
    assert shown.all_text_contents() == ["Won", "Drawn", "Lost"]
    assert len({one.bounding_box()["width"] for one in shown.all()}) == 1


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
