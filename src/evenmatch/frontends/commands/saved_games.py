"""``evenmatch play --saved`` and ``--delete``: the unfinished games."""

import datetime

from rich.text import Text

from evenmatch.frontends import console
from evenmatch.frontends.terminal import saves
from evenmatch.frontends.terminal.saves import Listed


def show() -> None:
    """List the unfinished games, the latest first."""
    games = saves.listed()
    if not games:
        console.output().print("You have no unfinished games.", markup=False)
        return
    table = console.table()
    for name in ("game", "against", "who", "moves", "last played", ""):
        table.add_column(name, justify="right" if name == "moves" else "left", overflow="fold")
    for one in games:
        table.add_row(*map(Text, _cells(one)))
    out = console.output()
    out.print(table)
    out.print("Go on with one: evenmatch play NAME. Delete one: evenmatch play --delete NAME")


def _cells(one: Listed) -> tuple[str, ...]:
    when = datetime.datetime.fromtimestamp(one.changed).strftime("%Y-%m-%d %H:%M")
    note = "open in another terminal" if one.is_open else ""
    if one.saved is None:
        return one.name, "", "", "", when, "cannot be read"
    return one.name, one.saved.opponent, one.saved.person, str(len(one.saved.actions)), when, note


def delete(name: str) -> None:
    """Delete an unfinished game."""
    saves.delete(name.lower())
    console.output().print(f"Deleted {name.lower()}.", markup=False)
