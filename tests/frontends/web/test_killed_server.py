"""A server that is killed in the middle of games loses no move that was seen."""

import asyncio
import json

from frontends.web.web_browser import Browser
from frontends.web.web_server import WebServer

PATIENCE = 120.0  #: seconds for a state, on a busy machine


async def turn(socket):
    """The next state in which the person is to move."""
    while True:
        state = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if state["type"] == "state" and (state["yours"] or state["over"]):
            return state


async def moves(browser, row, columns):
    """Play moves; return all moves of the game as the page shows them then."""
    async with browser.socket(row) as socket:
        state = await turn(socket)
        for column in columns:
            asked = {"do": "move", "seq": state["seq"], "move": column}
            await socket.send(json.dumps(asked))
            before = state["seq"]
            while state["seq"] == before or not state["yours"]:
                state = await turn(socket)
        return state["moves"]


def test_every_move_that_was_seen_is_there_after_a_kill(tmp_path):
    server = WebServer(tmp_path, ["connect4"], people=False)
    browser = Browser(server)
    server.start()
    try:
        asyncio.run(browser.enter())
        row = asyncio.run(browser.begin("connect4", {"name": "random"}))
        seen = asyncio.run(moves(browser, row, ["4", "1"]))
        server.kill()
        server.start()
        assert asyncio.run(moves(browser, row, [])) == seen
        assert len(asyncio.run(moves(browser, row, ["7"]))) > len(seen), "it goes on"
    finally:
        server.kill()
