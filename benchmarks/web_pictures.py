"""Make the pictures of a game of chess on the page: on a desk and on a phone.

A game against a player of 1500 is played for some moves in Chromium, by typing them. The opponent
draws its moves, so that pictures differ from run to run.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from evenmatch_lab.shared.first_load import browser
from evenmatch_lab.shared.web_server import WebServer

IMAGES = Path("docs/images")
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
WANTED = ("e4", "d4", "Nf3")  #: White's moves; another where one is not legal
SECONDS = 60.0  #: that a reply may take


def main() -> None:
    """Play the games and keep the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=IMAGES, help="the folder to write to")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        server = WebServer(Path(folder), ["chess"], people=False)
        server.start()
        try:
            chromium = running.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
            picture(chromium, server.url, DESK, 1, out / "web-chess.png")
            picture(chromium, server.url, PHONE, 2, out / "web-phone.png")
            chromium.close()
        finally:
            server.kill()


def picture(chromium: Any, url: str, screen: dict[str, int], scale: int, path: Path) -> None:
    """Play some moves on a screen and write what it shows."""
    context = chromium.new_context(viewport=screen, device_scale_factor=scale)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    page.goto(url)
    page.get_by_label("A level").check()
    page.get_by_label("White (moves first)").check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    page.locator("cg-board").wait_for()
    for count, wanted in enumerate(WANTED):
        state = asked(page, 2 * count)
        legal = [one["move"] for one in state["legal"]]
        page.get_by_label("Your move").fill(wanted if wanted in legal else legal[0])
        page.get_by_label("Your move").press("Enter")
    asked(page, 2 * len(WANTED))
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)  # until it is drawn
    page.screenshot(path=path)
    context.close()
    print(path)


def asked(page: Any, moves: int) -> dict[str, Any]:
    """Return the game as the server has it, once so many moves are played."""
    path = "`/api/tables/${location.pathname.split('/')[2]}`"
    for _ in range(int(10 * SECONDS)):
        state: dict[str, Any] = page.evaluate(f"fetch({path}).then(answer => answer.json())")
        if len(state["moves"]) >= moves and state["yours"]:
            return state
        page.wait_for_timeout(100)
    raise SystemExit("the opponent did not move")


if __name__ == "__main__":
    main()
