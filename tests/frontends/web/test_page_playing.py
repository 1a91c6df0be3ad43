"""Games on the page in a browser: by clicking and typing, on a desk and a phone."""

import json

from frontends.web.browsing import (
    IN_A_BROWSER,
    PHONE,
    begin,
    click,
    faults,
    played,
    state_of,
    your_turn,
)

pytestmark = IN_A_BROWSER


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
