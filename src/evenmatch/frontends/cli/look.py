"""``evenmatch games``, ``players`` and ``perft``."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from evenmatch.errors import UsageError
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import LOOK, MEASURE, GameName, Json, command, whole

if TYPE_CHECKING:
    from evenmatch.games.game import Game
    from evenmatch.opponents import PlayerKind
    from evenmatch.opponents.spec import Key

NARROW = 70  #: columns of a terminal below which tables are shown in a simpler form


@command(LOOK)
def games(json: Json = False) -> None:
    """List the games."""
    from evenmatch.games import GAMES

    rows: list[dict[str, Any]] = [
        {
            "id": game.id,
            "title": game.title,
            "board": f"{game.width}x{game.height}",
            "players": list(game.players),
            "actions": game.num_actions,
            "first_moves": _first_moves(game),
        }
        for game in GAMES.values()
    ]
    if json:
        console.print_json(rows)
        return
    table = console.table()
    out = console.output()
    table.add_column("game", no_wrap=True)  # what is to be typed is never cut
    heads = ("", "board", "players", "first moves")[: 2 if out.width < NARROW else 4]
    for name in heads:
        table.add_column(name, overflow="fold")
    for row in rows:
        moves = ", ".join(row["first_moves"][:3])
        facts = (row["title"], row["board"], ", ".join(row["players"]), moves)
        table.add_row(f"[bold]{row['id']}[/bold]", *facts[: len(heads)])
    out.print(table)


@command(LOOK)
def players(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Players whose keys to list.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """List the players, or the keys of their specs: [cyan]name:key=value,...[/cyan]"""
    from evenmatch.games import GAMES
    from evenmatch.opponents import PLAYERS, parse_spec

    names = names or []

    for name in names:
        if name in GAMES:
            raise UsageError(f"{name} is a game; name players, or none to list all of them")
    kinds = {name: PLAYERS[name] for name in (parse_spec(text)[0] for text in names)} or PLAYERS
    if json:
        console.print_json([
            {
                "name": name,
                "summary": kind.summary,
                "keys": [
                    {"key": key, "default": entry.default, "help": entry.help, "usual": entry.usual}
                    for key, entry in kind.keys.items()
                ],
            }
            for name, kind in kinds.items()
        ])  # fmt: skip
        return
    out = console.output()
    table = console.table()
    table.add_column("player", style="bold", no_wrap=True)
    table.add_column("")
    for name, kind in kinds.items():
        table.add_row(name, kind.summary)
    out.print(table)
    if names:
        for alike, grid in _keys(kinds, narrow=out.width < NARROW):
            out.print(f" [bold]{', '.join(alike)}[/bold]", grid)
    out.print(
        "\n A spec is [bold]name[/] or [bold]name:key=value,...[/]: alphazero:sims=50,reuse=on"
    )
    if not names:
        out.print(" The keys of a player: [bold]evenmatch players NAME[/]")


@command(MEASURE)
def perft(
    game: GameName,
    depth: Annotated[
        int,
        typer.Option("--depth", "-d", metavar="N", parser=whole(1, 100), help="Plies to count."),
    ],
) -> None:
    """Count the move sequences from the start; the count comes last, alone on standard output."""
    from evenmatch.games import get_game
    from evenmatch.games.game import perft as count_sequences

    rules = get_game(game)
    err = console.errors()
    count = count_sequences(rules, 1)  # loads the kernels
    for plies in range(1, depth + 1):
        start = time.perf_counter()
        count = count_sequences(rules, plies)
        seconds = time.perf_counter() - start
        err.print(f"depth {plies:>2}  {count:>16,}  {seconds:7.2f} s  {count / seconds:>12,.0f}/s")
    print(count)


def _first_moves(game: "Game") -> list[str]:
    start = game.initial()
    return [game.action_text(start[0], int(action)) for action in game.legal_actions(start)[0]]


def _keys(
    kinds: "Mapping[str, PlayerKind]", narrow: bool
) -> Iterator[tuple[list[str], RenderableType]]:
    """Yield the keys of players, those with the same keys together."""
    alike: dict[tuple, list[str]] = {}
    for name, kind in kinds.items():
        if kind.keys:
            shape = tuple((key, entry.help) for key, entry in kind.keys.items())
            alike.setdefault(shape, []).append(name)
    for shape, names in alike.items():
        rows = []
        for key, text in shape:
            defaults = [_shown_default(kinds[name].keys[key]) for name in names]
            shown = defaults[0] if len(set(defaults)) == 1 else ", ".join(defaults)
            rows.append((f"[cyan]{key}[/cyan]", shown, f"[dim]{text}[/dim]"))
        yield names, _stacked(rows) if narrow else _columns(rows)


def _columns(rows: Sequence[tuple[str, str, str]]) -> RenderableType:
    """Lay out keys, defaults and explanations side by side."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=15)
    grid.add_column(min_width=24)
    for key, shown, text in rows:
        grid.add_row(f"   {key}", shown, text)
    return grid


def _stacked(rows: Sequence[tuple[str, str, str]]) -> RenderableType:
    """Lay out keys and defaults, each explanation indented below: for narrow terminals."""
    lines: list[RenderableType] = []
    for key, shown, text in rows:
        lines += [Padding(f"{key}  {shown}", (0, 0, 0, 3)), Padding(text, (0, 0, 0, 7))]
    return Group(*lines)


def _shown_default(key: "Key") -> str:
    """Write what a key is where it is not given."""
    return key.usual if key.default is None else _default(key.default)


def _default(default: Any) -> str:
    """Write a key's default: one value, or one per game."""
    if isinstance(default, dict):
        values = ", ".join(f"{game} {_default(value)}" for game, value in default.items())
        return _default(next(iter(default.values()))) if len(set(default.values())) == 1 else values
    if default is None or isinstance(default, bool):
        return "" if default is None else "on" if default else "off"
    return f"{default:g}" if isinstance(default, float) else str(default)
