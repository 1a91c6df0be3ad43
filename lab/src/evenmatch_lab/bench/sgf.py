"""How fast SGF is read, beside sgfmill: main line, setup and properties of games, not played."""

import tempfile
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from evenmatch.records.go.game_text import SgfGame, write_sgf
from evenmatch.records.go.sgf import sgf_batches
from evenmatch.records.go.tokens import Prop
from evenmatch.records.streams import Sources

READ = tuple(prop for prop in Prop if prop not in (Prop.SZ, Prop.GM, Prop.CA, Prop.GC))

PLIES = 200  #: of a game
FILE = "games.sgfs"
TEXTS = ("PB", "PW", "BR", "WR", "RE", "RU", "DT", "EV", "PC", "OT")


def game_lines(count: int) -> list[bytes]:
    """Return made-up games of 19x19, one a line: random points, names, ranks and results."""
    rng = np.random.default_rng(1)
    lines = []
    for number in range(count):
        points = rng.permutation(361)[:PLIES].tolist()
        game = SgfGame(
            komi=7.5,
            rules="Japanese",
            moves=tuple((1 - 2 * (ply % 2), point) for ply, point in enumerate(points)),
            players=(f"black{number}", f"white{number}"),
            ranks=(f"{1 + number % 18}k", f"{1 + number % 9}d"),
            result="B+3.5" if number % 2 else "W+R",
            date="2020-01-02",
        )
        lines.append(write_sgf(game, one_line=True).encode())
    return lines


def reading(lines: list[bytes]) -> Callable[[], None]:
    """Return work: our reader reads the games from a file, by batches of arrays."""
    folder = tempfile.TemporaryDirectory()  # lives as long as the work does
    (Path(folder.name) / FILE).write_bytes(b"".join(lines))

    def work() -> None:
        with Sources(Path(folder.name) / FILE) as sources:
            for batch in sgf_batches(sources):
                batch.sides, batch.actions  # noqa: B018
                for game in range(batch.count):
                    batch.setup(game)
                for prop in READ:
                    batch.texts(prop)

    return work


def sgfmill_reading(lines: list[bytes]) -> tuple[str, Callable[[], None]] | None:
    """Return sgfmill's name, and work: it reads the same; None if it is not installed."""
    if find_spec("sgfmill") is None:
        return None
    from sgfmill import sgf, sgf_moves

    def work() -> None:
        for line in lines:
            game = sgf.Sgf_game.from_bytes(line)
            root = game.get_root()
            game.get_size(), game.get_komi(), game.get_handicap()
            for name in TEXTS:
                if root.has_property(name):
                    root.get(name)
            sgf_moves.get_setup_and_moves(game)

    return f"sgfmill {metadata.version('sgfmill')}", work
