"""What tests in a browser share: a server's process, games by clicking, and what axe finds."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parents[2] / "vendor" / "axe-core" / "axe.min.js"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
#: The end of a game in which the person moved.
RESIGNED = {
    "result": -1, "ending": "resignation", "kept": True, "counts": False, "text": "You resigned."
}  # fmt: skip
PATIENCE = 60_000  #: milliseconds; machines that test much at once are slow

#: The marks of a file of such tests.
IN_A_BROWSER = [
    pytest.mark.skipif(find_spec("playwright") is None, reason="playwright drives the browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("browser"),
]


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
