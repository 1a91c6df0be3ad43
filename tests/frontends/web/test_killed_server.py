"""A server that is killed in the middle of games loses no move that was seen."""

import asyncio

from frontends.web.web_browser import Browser
from frontends.web.web_server import WebServer


def test_every_move_that_was_seen_is_there_after_a_kill(tmp_path):
    server = WebServer(tmp_path, ["connect4"], people=False)
    browser = Browser(server)
    server.start()
    try:
        asyncio.run(browser.enter())
        row = asyncio.run(browser.begin("connect4", {"name": "random"}))
        seen = asyncio.run(browser.play(row, ["4", "1"]))
        assert len(seen) == 4
        server.kill()
        server.start()
        assert asyncio.run(browser.play(row, [])) == seen
        assert asyncio.run(browser.play(row, ["7"]))[:4] == seen, "it goes on"
    finally:
        server.kill()
