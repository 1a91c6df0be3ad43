"""The small commands: games, players, perft, bench."""

import time
from typing import Any

from evenmatch.frontends import console
from evenmatch.games import GAMES, get_game
from evenmatch.games.game import Game
from evenmatch.games.game import perft as count_sequences


def games(as_json: bool) -> None:
    """List the games."""
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
    if as_json:
        console.print_json(rows)
        return
    table = console.table()
    for name in ("game", "", "board", "players, first to move first", "moves look like"):
        table.add_column(name)
    for row in rows:
        moves = ", ".join(row["first_moves"][:3])
        table.add_row(f"[bold]{row['id']}[/bold]", row["title"], row["board"],
                      ", ".join(row["players"]), moves)  # fmt: skip
    console.output().print(table)


def _first_moves(game: Game) -> list[str]:
    start = game.initial()
    return [game.action_text(start[0], int(action)) for action in game.legal_actions(start)[0]]


def players(as_json: bool) -> None:
    """List the players and their keys."""
    from evenmatch.players import PLAYERS

    if as_json:
        console.print_json([
            {
                "name": name,
                "summary": kind.summary,
                "keys": [
                    {"key": key, "default": entry.default, "help": entry.help}
                    for key, entry in kind.keys.items()
                ],
            }
            for name, kind in PLAYERS.items()
        ])  # fmt: skip
        return
    table = console.table()
    for name in ("player", "key", "default", ""):
        table.add_column(name)
    for name, kind in PLAYERS.items():
        table.add_row(f"[bold]{name}[/bold]", "", "", kind.summary)
        for key, entry in kind.keys.items():
            table.add_row(
                "", f"[cyan]{key}[/cyan]", _default(entry.default), f"[dim]{entry.help}[/dim]"
            )
    out = console.output()
    out.print(table)
    out.print(
        " A spec is a name, or name:key=value,...  such as [bold]alphazero:sims=50,reuse=on[/bold]"
    )


def _default(default: Any) -> str:
    """Write a key's default: one value, or one per game."""
    if isinstance(default, dict):
        return ", ".join(f"{value} ({game})" for game, value in default.items())
    return {None: "", True: "on", False: "off"}.get(default, str(default))


def perft(game_id: str, depth: int) -> None:
    """Count sequences, depth by depth on standard error; the last count on standard output."""
    game = get_game(game_id)
    err = console.errors()
    count = count_sequences(game, 1)  # loads the kernels
    for plies in range(1, depth + 1):
        start = time.perf_counter()
        count = count_sequences(game, plies)
        seconds = time.perf_counter() - start
        err.print(f"depth {plies:>2}  {count:>16,}  {seconds:7.2f} s  {count / seconds:>12,.0f}/s")
    print(count)


def bench(as_json: bool, quick: bool) -> None:
    """Run the benchmarks and show their rows."""
    from evenmatch.frontends.bench import run

    rows = run(quick, lambda text: console.errors().print(text, style="dim", markup=False))
    if as_json:
        console.print_json(rows)
        return
    table = console.table()
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        numeric = all(isinstance(row.get(name, 0), int | float) for row in rows)
        table.add_column(name.replace("_", " "), justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(_cell(name, row.get(name)) for name in names))
    console.output().print(table)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name.endswith("share"):
        return f"{value:.1%}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
