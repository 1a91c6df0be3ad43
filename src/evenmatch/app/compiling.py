"""Compiled kernels: whether there are any yet, and everything that is to be compiled.

Compiled kernels stay on disk beside the package's bytecode, so that later starts only read them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import evenmatch
from evenmatch.games import Game


def clear_cache(package: Path | None = None) -> int:
    """Delete compiled kernels in the package's __pycache__ folders; return how many files."""
    root = package or Path(evenmatch.__file__).parent
    compiled = [
        path for pattern in ("*.nbi", "*.nbc") for path in root.rglob(f"__pycache__/{pattern}")
    ]
    for path in compiled:
        path.unlink(missing_ok=True)
    return len(compiled)


@contextmanager
def on_first_compile(tell: Callable[[], object]) -> Iterator[None]:
    """Call ``tell`` once, before the first kernel is compiled in the block, in any thread.

    Kernels that are loaded are not reported, wherever numba keeps them.
    """
    from numba.core import event

    class First(event.Listener):
        reported = False

        def on_start(self, event: object) -> None:
            if not self.reported:
                self.reported = True
                tell()

        def on_end(self, event: object) -> None:
            pass

    with event.install_listener("numba:compile", First()):
        yield


def is_compiled(game: Game) -> bool:
    """Return whether the rules of a game were compiled before; they are compiled by this if not."""
    compiled: list[bool] = []
    with on_first_compile(lambda: compiled.append(False)):
        game.examine(game.initial())
    return not compiled


def steps(games: Sequence[Game]) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield what to warm up: the rules of each game, then all kinds of player in it."""
    for game in games:
        yield f"{game.title}: rules", partial(_rules, game)
        yield f"{game.title}: players", partial(_players, game)


def _rules(game: Game) -> str:
    from evenmatch.games import check_game
    from evenmatch.games.game import AreaGame
    from evenmatch.play.scoring import score_of
    from evenmatch.search import Plan, Search, UniformEvaluator

    check_game(game, games=2)
    if isinstance(game, AreaGame):
        score_of(game, game.initial()[0])
    search = Search(game, UniformEvaluator(game))
    search.plant([0], game.initial(), [1])
    search.follow([0], search.run([0], Plan(simulations=8)).best())  # trees that are kept
    return ""


def _players(game: Game) -> str:
    """Let each kind of player of a game make a move; return which network is missing."""
    from evenmatch.errors import NetworkError, UsageError
    from evenmatch.opponents import PLAYERS

    missing = []
    for spec in (*PLAYERS, "alphazero:sims=8,dropout=0.5"):
        try:
            first_move(spec, game)
        except UsageError:
            continue  # it does not play this game
        except NetworkError as error:
            missing.append(str(error))
    return f"without {missing[0]}" if missing else ""


def first_move(spec: str, game: Game) -> None:
    """Let a player make a move: it is loaded then, and compiled. EvenmatchError if it cannot."""
    from evenmatch.games.line import Line
    from evenmatch.opponents import Engine, Turn, resolve

    turn = Turn(Line(game), side=1, seed=1)
    Engine(game).think([(resolve(spec, game), turn)])
