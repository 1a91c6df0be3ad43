"""``evenmatch warmup``: compile every kernel and load every network once.

Compiled kernels stay on disk beside the package's bytecode, so that later starts only read
them.
"""

import time
from collections.abc import Sequence

from rich.markup import escape

from evenmatch.app.compiling import clear_cache, steps
from evenmatch.frontends import console
from evenmatch.games import GAMES, get_game


def warmup(names: Sequence[str], clear: bool) -> None:
    """Compile some games, by default all, and say what took how long.

    ``clear`` throws away what was compiled before. UsageError if there is no such game.
    """
    out, games = console.output(), [get_game(name) for name in names or GAMES]
    if clear:
        out.print(f"threw away {clear_cache()} compiled files")
    start = time.perf_counter()
    for name, step in steps(games):
        begun = time.perf_counter()
        with out.status(name):
            note = escape(step())
        seconds = time.perf_counter() - begun
        out.print(f"{name:<28}{seconds:7.2f} s  [dim]{note}[/dim]".rstrip(), soft_wrap=True)
    out.print(f"[bold]{'ready':<28}{time.perf_counter() - start:7.2f} s[/bold]")
