"""Draw games in progress and an estimate, as the terminal does: the SVG files of this folder.

    python docs/images/draw.py [NAME ...]

All without a NAME, such as play-othello. The estimate is of twenty games that two players of
ratings play now, which takes half a minute. The positions come from games of alphazero against
even, so they change when the shipped networks do. Rich's own SVG export leaves the block
characters, of which discs and lines are made, to the viewer's font, which shows seams; here they
are drawn as what they stand for.
"""

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from rich.color import blend_rgb
from rich.color_triplet import ColorTriplet
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.text import Text

from evenmatch.frontends.terminal.game import AGREE
from evenmatch.frontends.terminal.screen import Screen
from evenmatch.games import get_game
from evenmatch.play.session import Session

PLIES = 28
SEED = 1
RATED = "pikl:elo=1500", "pikl:elo=1800"
COLUMNS = 80
WIDTH, HEIGHT = 10, 20  #: of a character
EDGE, TOP = 14, 40  #: room around the text
GROUND, TEXT = ColorTriplet(20, 22, 26), ColorTriplet(205, 208, 214)
LIGHTS = ("#ff5f57", "#febc2e", "#28c840")
FONT = "'DejaVu Sans Mono', ui-monospace, 'SF Mono', Menlo, Consolas, monospace"

#: block characters as rectangles (x, y, width, height) in units of a character
BLOCKS: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "▗": ((0.5, 0.5, 0.5, 0.5),),
    "▖": ((0, 0.5, 0.5, 0.5),),
    "▝": ((0.5, 0, 0.5, 0.5),),
    "▘": ((0, 0, 0.5, 0.5),),
    "▔": ((0, 0, 1, 0.125),),
    "▁": ((0, 0.875, 1, 0.125),),
    "━": ((0, 0.44, 1, 0.14),),
    "▪": ((0.2, 0.35, 0.6, 0.3),),
}
LEFT, RIGHT = (0, 0.5, 0.6, 0.05), (0.5, 0.5, 0.5, 0.05)
UP, DOWN = (0.5, 0, 0.1, 0.55), (0.5, 0.5, 0.1, 0.5)
BLOCKS |= {
    "─": (LEFT, RIGHT),
    "┌": (RIGHT, DOWN),
    "┬": (LEFT, RIGHT, DOWN),
    "┐": (LEFT, DOWN),
    "├": (UP, DOWN, RIGHT),
    "┼": (UP, DOWN, LEFT, RIGHT),
    "┤": (UP, DOWN, LEFT),
    "└": (UP, RIGHT),
    "┴": (UP, LEFT, RIGHT),
    "┘": (UP, LEFT),
}


class Cell(NamedTuple):
    """One character of the screen."""

    x: int
    y: int
    character: str
    ink: str
    ground: str
    bold: bool


def session(game_id: str, plies: int) -> Session:
    """Return a game of so many plies, or to its end, of full strength against even."""
    session = Session(get_game(game_id), "even", side=1, seed=SEED)
    while session.ply < plies and not session.over:
        if session.yours:
            hint = session.ask_hint()
            session.push(session.engine.think([(hint.opponent, hint.turn)])[0].action)
        else:
            session.reply()
    return session


def cells(console: Console, drawing: RenderableType) -> Iterator[Cell]:
    """Yield every character of a drawing."""
    for y, line in enumerate(console.render_lines(drawing)):
        x = 0
        for segment in line:
            ink, ground = colours(segment.style or Style())
            for character in segment.text:
                yield Cell(x, y, character, ink, ground, bool(segment.style and segment.style.bold))
                x += 1


def colours(style: Style) -> tuple[str, str]:
    """Return the colours of characters and of what is behind them."""
    ink = style.color.get_truecolor() if style.color else TEXT
    ground = style.bgcolor.get_truecolor() if style.bgcolor else GROUND
    if style.dim:
        ink = blend_rgb(ink, ground, 0.45)
    return (ground.hex, ink.hex) if style.reverse else (ink.hex, ground.hex)


def box(x: float, y: float, width: float, height: float, colour: str) -> str:
    """Return a rectangle, in characters."""
    left, top = EDGE + x * WIDTH, TOP + y * HEIGHT
    size = f'width="{width * WIDTH:g}" height="{height * HEIGHT:g}"'
    return f'<rect x="{left:g}" y="{top:g}" {size} fill="{colour}"/>'


def shapes(row: list[Cell]) -> Iterator[str]:
    """Yield the elements of a line: grounds, blocks, then runs of text."""
    for ground, run in groupby(row, key=lambda cell: cell.ground):
        run = list(run)
        if ground != GROUND.hex:
            yield box(run[0].x, run[0].y, len(run), 1, ground)
    for (character, ink), run in groupby(row, key=lambda cell: (cell.character, cell.ink)):
        run = list(run)
        if character in BLOCKS:
            for x, y, width, height in BLOCKS[character]:
                yield box(run[0].x + x, run[0].y + y, width + len(run) - 1, height, ink)
    words = groupby(
        row,
        key=lambda c: c.character not in BLOCKS and not c.character.isspace() and (c.ink, c.bold),
    )
    for style, run in words:
        if style:
            yield word(list(run))


def word(run: list[Cell]) -> str:
    """Return a piece of text without spaces."""
    x, y = EDGE + run[0].x * WIDTH, TOP + run[0].y * HEIGHT + 15
    text = escape("".join(cell.character for cell in run))
    bold = ' font-weight="bold"' if run[0].bold else ""
    length = f'textLength="{len(run) * WIDTH}"'
    return f'<text x="{x}" y="{y}" {length} fill="{run[0].ink}"{bold}>{text}</text>'


def picture(title: str, drawing: RenderableType) -> str:
    """Return an SVG of what a terminal shows below a title."""
    console = terminal()
    rows = [list(row) for _, row in groupby(cells(console, drawing), key=lambda cell: cell.y)]
    width, height = COLUMNS * WIDTH + 2 * EDGE, TOP + len(rows) * HEIGHT + EDGE
    lights = "".join(
        f'<circle cx="{22 + 20 * i}" cy="20" r="6" fill="{colour}"/>'
        for i, colour in enumerate(LIGHTS)
    )
    body = "\n".join("".join(shapes(row)) for row in rows)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<title>{title}</title>
<rect width="{width}" height="{height}" rx="10" fill="{GROUND.hex}"/>{lights}
<text x="{width / 2}" y="25" font-family="sans-serif" font-size="14" text-anchor="middle" \
fill="#8b93a1">{title}</text>
<g font-family="{FONT}" font-size="16.6" shape-rendering="crispEdges">
{body}
</g>
</svg>
"""


def terminal() -> Console:
    """Return a terminal in colour that shows nothing."""
    return Console(width=COLUMNS, color_system="truecolor", force_terminal=True, file=io.StringIO())


def game_drawing(game_id: str, plies: int) -> RenderableType:
    """Return a game in progress, or a game of Go whose score is to be agreed on."""
    game = session(game_id, plies)
    words = AGREE if game.unsettled else "Your move: "
    prompt = Text.assemble((f"   {words}", "bold"), (" ", "reverse"))
    return Group(Screen(terminal()).drawing(game, COLUMNS), Text(), prompt)


def estimate_drawing() -> RenderableType:
    """Return what ``evenmatch estimate`` prints of games that are played now."""
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
    with tempfile.TemporaryDirectory() as folder:
        commands = (
            f"match {' '.join(RATED)} -g chess -n 20 --seed {SEED} --record games.pgn",
            "estimate games.pgn",
        )
        for command in commands:
            done = subprocess.run(
                [sys.executable, "-m", "evenmatch", *command.split()],
                cwd=folder, env=environment, capture_output=True, text=True, check=True,
            )  # fmt: skip
    prompt = Text.assemble(("$ ", "bold"), ("evenmatch estimate games.pgn", "bold"))
    return Group(prompt, Text.from_ansi(done.stdout.rstrip()))


def main() -> None:
    """Draw the pictures beside this file."""
    go = get_game("go9")
    pictures: dict[str, tuple[str, Callable[[], RenderableType]]] = {
        "play-othello": ("evenmatch play othello", partial(game_drawing, "othello", PLIES)),
        "play-go": ("evenmatch play go9", partial(game_drawing, "go9", PLIES)),
        "play-go-score": ("evenmatch play go9", partial(game_drawing, "go9", go.max_plies)),
        "estimate": ("evenmatch estimate games.pgn", estimate_drawing),
    }
    for name in sys.argv[1:] or pictures:
        title, drawing = pictures[name]
        text = picture(title, drawing())
        Path(__file__).with_name(f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
