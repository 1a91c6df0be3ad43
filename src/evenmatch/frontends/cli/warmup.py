"""``evenmatch warmup``: compile every kernel and load every network once."""

import time
from typing import Annotated

import typer
from rich.markup import escape

from evenmatch.frontends import console
from evenmatch.frontends.cli.program import LEARN, command


@command(LEARN)
def warmup(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...", help="Games to compile; by default all.", show_default=False
        ),
    ] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Throw away what was compiled before.")
    ] = False,
) -> None:
    """Compile games now, so that later starts are quick."""
    from evenmatch.app.compiling import clear_cache, steps
    from evenmatch.games import GAMES, get_game

    out, chosen = console.output(), [get_game(name) for name in games or GAMES]
    if clear:
        out.print(f"threw away {clear_cache()} compiled files")
    start = time.perf_counter()
    for name, step in steps(chosen):
        begun = time.perf_counter()
        with out.status(name):
            note = escape(step())
        seconds = time.perf_counter() - begun
        out.print(f"{name:<28}{seconds:7.2f} s  [dim]{note}[/dim]".rstrip(), soft_wrap=True)
    out.print(f"[bold]{'ready':<28}{time.perf_counter() - start:7.2f} s[/bold]")
