"""What tests in a browser share: a server's process, games by clicking, and what axe finds."""

import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from frontends.web.web_server import WebServer

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
def served(folder: Path, *options: str, people: bool = False):
    """Yield the address of a server in a process of its own."""
    server = WebServer(folder, (), *options, people=people)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def begin(page, server: str, game: str, side: str, default: bool = False) -> None:
    """Begin a game as the one who moves first, against the weakest player, or the ``default``."""
    page.goto(f"{server}/")
    page.locator(f"input[name=game][value={game}]").check()
    if not default:
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


STATE = "fetch(location.pathname.replace('/play/', '/api/tables/')).then(answer => answer.json())"


def state_of(page) -> dict:
    """Return the game as the server has it."""
    return page.evaluate(STATE)


PLAYED = f"""async before => {{
    const until = Date.now() + {PATIENCE};
    while (Date.now() < until) {{
        const plies = [...document.querySelectorAll('ol.moves .ply')];
        const shown = plies.filter(one => one.textContent !== '…').length;
        const state = await {STATE};
        const due = state.moves.length > before && (state.yours || state.over);
        if (due && shown === state.moves.length) return state;
        await new Promise(requestAnimationFrame);
    }}
    throw new Error('the opponent did not move');
}}"""


def played(page, before: int) -> dict:
    """Wait until more moves than before are shown and it is the person's turn, or the end."""
    return page.evaluate(PLAYED, before)


def faults(page) -> list[str]:
    """Return the serious faults of accessibility that axe finds."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [one["id"] for one in found if one["impact"] in ("serious", "critical")]
