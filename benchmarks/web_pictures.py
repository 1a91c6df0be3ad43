"""Make the pictures of the page: games on a desk and on a phone, and the end of one.

    python benchmarks/web_pictures.py [--only web-end ...] [--out DIR]

Games are played in Chromium, by typing moves. The opponents draw theirs, so that pictures differ
from run to run.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from evenmatch.games import get_game
from evenmatch.players import make_player
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.seat import Seat
from evenmatch_lab.shared.first_load import browser
from evenmatch_lab.shared.web_server import WebServer

IMAGES = Path("docs/images")
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
SECONDS = 60.0  #: that a reply may take
STAND_IN = "mcts:sims=300"  #: types the moves where none are wanted


class Picture(NamedTuple):
    """What is played, and where it is looked at."""

    game: str
    side: str  #: as the page calls it
    at_level: bool = False  #: whether a player of a level is met, else the usual opponent
    wanted: tuple[str, ...] = ()  #: own moves, another where one is not legal; empty: to the end
    screen: dict[str, int] = DESK
    scale: int = 1  #: pixels of the picture for one of the page


PICTURES = {
    "web-chess": Picture("chess", "White (moves first)", True, ("e4", "d4", "Nf3")),
    "web-phone": Picture("chess", "White (moves first)", True, ("e4", "d4", "Nf3"), PHONE, 2),
    "web-go9": Picture("go9", "Black (moves first)", False, ("E5", "C3"), PHONE),
    "web-end": Picture("connect4", "Red (moves first)"),
}


def main() -> None:
    """Play the games and keep the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=[*PICTURES])
    parser.add_argument("--out", type=Path, default=IMAGES, help="the folder to write to")
    asked = parser.parse_args()
    wanted = {name: PICTURES[name] for name in asked.only}
    games = list(dict.fromkeys(one.game for one in wanted.values()))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        server = WebServer(Path(folder), games, people=False)
        server.start()
        try:
            chromium = running.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
            for name, one in wanted.items():
                take(chromium, server.url, one, asked.out / f"{name}.png")
            chromium.close()
        finally:
            server.kill()


def take(chromium: Any, url: str, one: Picture, path: Path) -> None:
    """Play a game, or its first moves, on a screen and write what that shows."""
    context = chromium.new_context(viewport=one.screen, device_scale_factor=one.scale)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    page.goto(url)
    page.locator(f"input[name=game][value={one.game}]").check()
    if one.at_level:
        page.get_by_label("A level").check()
    page.get_by_label(one.side).check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    page.locator("svg.svg-board, cg-board").first.wait_for()
    state, game = asked(page, 0), get_game(one.game)
    stand_in, line = Seat(make_player(STAND_IN, game)), GameLine(game)
    stand_in.begin(line, 1, 0)
    while not state["over"] and (move := own_move(one, state, stand_in, line)) is not None:
        page.get_by_label("Your move").fill(move)
        page.get_by_label("Your move").press("Enter")
        state = asked(page, len(state["moves"]) + 1)
    if state["over"]:
        page.get_by_text("most likely between").wait_for()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)  # until it is drawn
    page.screenshot(path=path, full_page=True)
    context.close()
    print(path)


def own_move(one: Picture, state: dict[str, Any], stand_in: Seat, line: GameLine) -> str | None:
    """Return what is typed next by the person, who moves first; None once nothing more is."""
    if not one.wanted:
        return reply(stand_in, line, state)
    number, legal = len(state["moves"]) // 2, [found["move"] for found in state["legal"]]
    if number == len(one.wanted):
        return None
    return one.wanted[number] if one.wanted[number] in legal else legal[0]


def reply(stand_in: Seat, line: GameLine, state: dict[str, Any]) -> str:
    """Return what the stand-in plays after the moves so far."""
    for move in state["moves"][line.ply :]:
        line.push(line.game.read_action(line.state, move["text"]))
    return line.game.action_text(line.state, stand_in.choose(line))


def asked(page: Any, moves: int) -> dict[str, Any]:
    """Return the game as the server has it, once so many moves are played and a reply to them."""
    path = "`/api/tables/${location.pathname.split('/')[2]}`"
    for _ in range(int(10 * SECONDS)):
        state: dict[str, Any] = page.evaluate(f"fetch({path}).then(answer => answer.json())")
        if len(state["moves"]) >= moves and (state["yours"] or state["over"]):
            return state
        page.wait_for_timeout(100)
    raise SystemExit("the opponent did not move")


if __name__ == "__main__":
    main()
