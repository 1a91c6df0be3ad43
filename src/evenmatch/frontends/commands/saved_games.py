"""``evenmatch play --saved`` and ``--delete``: the unfinished games."""

import datetime

from rich.text import Text

from evenmatch.app.game_words import title_of
from evenmatch.frontends import console
from evenmatch.games.catalog import game_info
from evenmatch.profiles import Profile, SavedGame


def show() -> None:
    """List the unfinished games, the latest first."""
    profile = Profile()
    games = profile.games.unfinished()
    if not games:
        console.output().print("You have no unfinished games.", markup=False)
        return
    table = console.table()
    for name in ("game", "against", "who", "moves", "last played", ""):
        table.add_column(name, justify="right" if name == "moves" else "left", overflow="fold")
    for one in games:
        table.add_row(*map(Text, _cells(one, profile.games.is_open(one.name))))
    out = console.output()
    out.print(table)
    out.print("Go on with one: evenmatch play NAME. Delete one: evenmatch play --delete NAME")


def _cells(one: SavedGame, is_open: bool) -> tuple[str, ...]:
    when = datetime.datetime.fromtimestamp(one.ended).strftime("%Y-%m-%d %H:%M")
    note = "open in another terminal" if is_open else ""
    against, moves = title_of(one.saved.game, one.saved.opponent), moves_of(one)
    return one.name, against, one.saved.person, moves, when, note


def moves_of(one: SavedGame) -> str:
    """Return how many moves a game has, as its players count them."""
    return str(game_info(one.saved.game).board_style.moves(len(one.saved.actions)))


def delete(name: str) -> None:
    """Delete an unfinished game."""
    Profile().games.delete(name.lower())
    console.output().print(f"Deleted {name.lower()}.", markup=False)
