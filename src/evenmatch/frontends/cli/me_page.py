"""``evenmatch me --html FILE``: a person's levels and games as one page that needs nothing else."""

import datetime
import html
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from evenmatch import __version__
from evenmatch.app.move_review import PlainTable
from evenmatch.app.report import GameReport, level_head, level_text, tables_of, writer_of
from evenmatch.errors import UsageError
from evenmatch.files import replace_file
from evenmatch.frontends import console
from evenmatch.games import get_game
from evenmatch.play.saved import YOU
from evenmatch.profiles.database import OWNER_ONLY
from evenmatch.profiles.levels import Level

WIDTH, HEIGHT, MARGIN = 720, 240, 44  #: of the plot of levels
TICKS = 4  #: lines of the plot

STYLE = """
:root { color-scheme: light dark; --ink: #1d2327; --faint: #6b7580; --rule: #d9dee2; --ground: #fff;
  --mark: #1f7a4d; --band: #1f7a4d33; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecef; --faint: #98a3ad; --rule: #333b42;
  --ground: #14181b; --mark: #58c08c; --band: #58c08c33; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground);
  max-width: 760px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1rem; }
.level { font-size: 1.1rem; } .level b { font-size: 2rem; } .faint { color: var(--faint); }
svg { width: 100%; height: auto; } svg text { fill: var(--faint); font-size: 12px; }
table { border-collapse: collapse; width: 100%; margin: 1.2rem 0; }
th { color: var(--faint); font-weight: normal; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--rule); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
"""


OURS = " - evenmatch</title>"  #: in the first line of every page


def write_page(found: Sequence[GameReport], person: str, path: Path) -> None:
    """Write levels and games as one HTML file. UsageError if that would replace another file."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file, such as me.html")
    if path.exists() and not is_ours(path):
        raise UsageError(f"{path} is another file; choose another name, or delete it")
    sections = []
    for one in found:
        tables, note = tables_of(one)
        title = get_game(one.kind).title
        sections.append(
            section(
                title, level_head(one), level_text(one), one.history, writer_of(one.kind), tables,
                note,
            )
        )  # fmt: skip
    made = f"evenmatch {__version__}, {datetime.date.today().isoformat()}"
    name = "You" if person == YOU else person
    replace_file(path, page_of(name, sections, made), OWNER_ONLY)
    console.tell(f"Wrote {path}")


def is_ours(path: Path) -> bool:
    """Return whether a file is such a page, or empty."""
    with path.open("rb") as file:
        begun = file.read(4096)
    return not begun or OURS.encode() in begun


def page_of(name: str, sections: Iterable[str], made: str) -> str:
    """Return the page of a person; ``made``: the date and the version."""
    who = html.escape(name)
    body = "".join(sections) or "<p>No finished games yet.</p>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{who}{OURS}<style>{STYLE}</style></head>\n"
        f'<body><h1>{who}</h1>\n{body}<p class="faint">{html.escape(made)}</p></body></html>\n'
    )


def section(
    title: str,
    head: str,
    words: str,
    history: Sequence[Level],
    write: Callable[[float], str],
    tables: Iterable[PlainTable],
    note: str = "",
) -> str:
    """Return the part of one game: the level, its plot, tables and a note.

    ``head`` is the level itself, the beginning of ``words``; empty without a level.
    """
    parts = [f"<h2>{html.escape(title)}</h2>"]
    if head:
        parts.append(f'<p class="level"><b>{html.escape(head)}</b>')
        parts.append(f"{html.escape(words.removeprefix(head))}</p>")
    else:
        parts.append(f"<p>{html.escape(words)}</p>")
    if len(history) > 1:
        parts.append(plot(history, write))
    parts += map(table, tables)
    parts += [f"<p>{html.escape(note)}</p>"] if note else []
    return "\n".join(parts) + "\n"


def plot(history: Sequence[Level], write: Callable[[float], str]) -> str:
    """Return the level after each game with its 95% interval, as SVG."""
    low, high = min(x.low for x in history), max(x.high for x in history)
    span = max(high - low, 1.0)
    across = (WIDTH - 2 * MARGIN) / (len(history) - 1)

    def x(number: int) -> float:
        return MARGIN + number * across

    def y(rating: float) -> float:
        return HEIGHT - MARGIN / 2 - 4 - (rating - low) / span * (HEIGHT - MARGIN)

    def points(ratings: Iterable[tuple[int, float]]) -> str:
        return " ".join(f"{x(number):.1f},{y(rating):.1f}" for number, rating in ratings)

    upper = list(enumerate(one.high for one in history))
    lower = list(enumerate(one.low for one in history))
    lines = []
    for tick in range(TICKS + 1):
        rating = low + span * tick / TICKS
        lines.append(
            f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(rating):.1f}" y2="{y(rating):.1f}" '
            f'stroke="var(--rule)"/><text x="{MARGIN - 6}" y="{y(rating) + 4:.1f}" '
            f'text-anchor="end">{html.escape(write(rating))}</text>'
        )
    first, last = history[0].games, history[-1].games
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Level after each game, with '
        f'its 95% interval">{"".join(lines)}'
        f'<polygon points="{points(upper + lower[::-1])}" fill="var(--band)"/>'
        f'<polyline points="{points(enumerate(one.rating for one in history))}" fill="none" '
        'stroke="var(--mark)" stroke-width="2"/>'
        f'<text x="{MARGIN}" y="{HEIGHT - 6}">after game {first}</text>'
        f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 6}" text-anchor="end">{last}</text></svg>'
    )


def table(rows: PlainTable) -> str:
    """Return a table; columns whose cells are numbers are set to the right."""
    kinds = [' class="n"' if right else "" for right in rows.numeric]
    title = f"<h3>{html.escape(rows.title)}</h3>\n" if rows.title else ""
    head, *body = (
        "<tr>" + "".join(map(_cell, [name] * len(cells), kinds, cells)) + "</tr>"
        for name, cells in [("th", rows.heads), *(("td", row) for row in rows.rows)]
    )
    return "\n".join([f"{title}<table>{head}", *body]) + "</table>"


def _cell(name: str, kind: str, text: str) -> str:
    return f"<{name}{kind}>{html.escape(text)}</{name}>"
