"""The door of datasets on disk: one file of a whole folder is another."""

import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import numpy as np

from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.datasets.splits import SPLITS
from evenmatch_lab.fuzz.door import Door
from evenmatch_lab.fuzz.doors.files import file_drawn, folder_as_inputs, parts
from evenmatch_lab.fuzz.examples import PGNS, SGFS

WORDS = {
    ".json": (
        b'"version"', b'"game"', b'"chess"', b'"go9"', b'"sizes"', b'"moves"', b'"games"',
    b'"cells"',
        b'"sources"', b'"split"', b"null", b"[]", b"{}", b"-1", b'"x"', b"NaN", b"1e400", b"true",
    ),
    ".txt": (b"\n", b"\n\n", b"KM[nan]", b"AB[zz]", b"PL[W]", b"x"),
}  # fmt: skip
KINDS = {"chess": (PGNS, "games.pgn"), "go9": (SGFS, "games.sgf")}


def made(folder: Path) -> dict[str, Path]:
    """Return a dataset of each kind; they are built where they are not there."""
    found = {}
    for game, (texts, name) in KINDS.items():
        found[game] = folder / f"whole-{game}"
        if not found[game].exists():
            (folder / name).write_bytes(b"".join(texts))
            with chdir(folder):  # where it is must not be in it
                build([name], found[game].name, game=game)
    return found


def examples(folder: Path) -> list[bytes]:
    """Return the files of the datasets; the first line has the game before the name."""
    return [
        game.encode() + b"/" + data
        for game, where in made(folder).items()
        for data in folder_as_inputs(where)
    ]


def opened(folder: Path) -> Callable[[bytes], bool]:
    """Open the door: a dataset with a file of an input is opened, and all of it is read."""
    whole, drawn = made(folder), folder / "drawn"

    def take(data: bytes) -> bool:
        name, held = parts(data)
        game, _, file = name.partition("/")
        shutil.rmtree(drawn, ignore_errors=True)
        shutil.copytree(whole.get(game, whole["chess"]), drawn)
        if file in {path.name for path in drawn.iterdir()}:
            (drawn / file).write_bytes(held)
        read(Dataset.open(drawn))
        return True

    return take


def read(dataset: Dataset) -> None:
    """Read all that a dataset can be asked for."""
    games = np.arange(len(dataset))
    for chosen in (dataset.select(), dataset.select(split=SPLITS[0], both=True)):
        dataset.turns_at(*dataset.turns(chosen))
    for name in dataset.names[:3]:
        dataset.select(player=name, speed="rapid", band=1400)
    for game in games.tolist():
        dataset.record(game)
    dataset.evals_after(games, np.zeros(len(games), np.int64))
    _ = dataset.identity, dataset.bytes_on_disk, dataset.events, dataset.time_controls


DOORS = [
    Door(
        "dataset", "datasets on disk", lambda rng, seen: file_drawn(rng, seen, WORDS), examples,
        opened,
    ),
]  # fmt: skip
