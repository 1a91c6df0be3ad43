"""Datasets whose files are read side by side have the bytes of those read one after the other."""

import os
from concurrent.futures import BrokenExecutor, Future

import pytest
from recorded_games import random_game, tagged

from evenmatch.errors import RecordError, StateError
from evenmatch.games import get_game
from evenmatch.records.record import Speed
from evenmatch.workshop.datasets.build import build, read_part
from evenmatch.workshop.datasets.writer import Part
from evenmatch.workshop.tasks import Executor, InlineExecutor, ProcessExecutor, TaskResult

SGF = "(;GM[1]SZ[9]PB[{black}]PW[{white}]BR[5k]WR[4k]RE[B+2]{more};B[cc];W[gg];B[gc];W[cg])\n"


class LosesOne(InlineExecutor):
    """Runs tasks here, but loses the worker of the first one after its work."""

    lost = False

    def submit(self, key, work, progress):
        found = super().submit(key, work, progress)
        if self.lost:
            return found
        self.lost, future = True, Future()
        future.set_exception(BrokenExecutor("its machine died"))
        return future


class Backwards(Executor):
    """Runs all tasks once the last has come, in reverse."""

    def __init__(self):
        self._tasks = []

    def has_room(self):
        return True

    def submit(self, key, work, progress):
        self._tasks.append((key, work, progress, Future()))
        return self._tasks[-1][-1]

    def report_progress(self):
        if self._tasks:
            key, work, progress, future = self._tasks.pop()
            future.set_result(TaskResult(work(key, progress)))


def noted(seed):
    """A game of one of a few people, some with evaluations and clocks."""
    game = random_game(seed, most=30)
    game.headers["White"], game.headers["Black"] = f"Żoë {seed % 7}", f"Bob {seed % 5}"
    game.headers["Event"] = "rated blitz game" if seed % 4 == 0 else "rated rapid game"
    for number, node in enumerate(game.mainline()):
        if seed % 3 == 0:
            node.comment = "[%eval 0.2]" + (f"[%clk 0:0{number % 9}:01]" if seed % 2 else "")
    return str(game)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    made = []
    for number, some in enumerate((range(40), range(40, 43), range(20, 80))):
        texts = [noted(seed + 1) for seed in some]
        texts.insert(2, tagged("1. e4 e4 1-0"))
        made.append(folder / f"{number}.pgn")
        made[-1].write_text("\n\n".join(texts))
    made.insert(1, folder / "damaged.pgn")
    made[1].write_text("<html>none</html>")
    return made


def contents(folder):
    """What is in the files of a dataset, and that there is nothing else."""
    assert all(path.is_file() for path in folder.iterdir())
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def alone(files, tmp_path_factory):
    """The datasets of all games and of blitz, whose files are read one after the other."""
    folder = tmp_path_factory.mktemp("alone")
    return {speed: build(files, folder / str(speed), speed=speed) for speed in (None, Speed.blitz)}


@pytest.mark.parametrize(
    ("does", "speed"),
    [
        (InlineExecutor, None),
        (InlineExecutor, Speed.blitz),
        (lambda: ProcessExecutor(2), Speed.blitz),
        (LosesOne, Speed.blitz),
        (Backwards, None),
    ],
)
def test_the_bytes_are_those_of_one_after_the_other(files, alone, tmp_path, does, speed):
    expected = alone[speed]
    assert len(expected) > 20
    told, lost = [], []
    with does() as executor:
        found = build(
            files, tmp_path / "parts", speed=speed, executor=executor,
            listener=lambda *counts: told.append(counts), on_retry=lambda *how: lost.append(how),
        )  # fmt: skip
    assert contents(found.folder) == contents(expected.folder)
    size = sum(file.stat().st_size for file in files)
    assert told[-1] == (size, size, len(found), sum(found.facts["skipped"].values()))
    assert len(lost) == (does is LosesOne)


def test_starts_of_games_are_numbered_anew(tmp_path):
    for number, squares in enumerate(("ee", "aa][bb", "ee")):
        more = f"HA[2]AB[{squares}]" if number else ""
        game = SGF.format(black=f"b{number}", white="w", more=more)
        (tmp_path / f"{number}.sgf").write_text(game * 2)
    paths = [tmp_path / f"{number}.sgf" for number in range(3)]
    expected = build(paths, tmp_path / "one", game="go9")
    with InlineExecutor() as executor:
        found = build(paths, tmp_path / "parts", game="go9", executor=executor)
    assert contents(found.folder) == contents(expected.folder)
    assert len((found.folder / "starts.txt").read_text().splitlines()) == 3
    assert get_game("go9").read_position(found.record(2).start or "") is not None


def test_relative_paths(files, tmp_path, monkeypatch):
    monkeypatch.chdir(files[0].parent)
    names = [file.name for file in files]
    expected = build(names, tmp_path / "one")
    with ProcessExecutor(1) as executor:
        found = build(names, os.path.relpath(tmp_path / "parts"), executor=executor)
    assert contents(found.folder) == contents(expected.folder)


def test_nothing_is_left_of_what_fails(files, tmp_path):
    with InlineExecutor() as executor, pytest.raises(RecordError, match="no bullet game is left"):
        build(files, tmp_path / "out", speed=Speed.bullet, executor=executor)
    missing = [files[0], tmp_path / "x.pgn"]
    with InlineExecutor() as executor, pytest.raises(RecordError, match="no file"):
        build(missing, tmp_path / "out", executor=executor)
    assert os.listdir(tmp_path) == []


def test_a_machine_without_the_files(files, tmp_path):
    far = tmp_path / "far"
    for file, beside, needed in ((files[0], far, far), (far / "a", tmp_path, far / "a")):
        with pytest.raises(StateError, match=f"has no {needed}; put it where all machines see it"):
            read_part("chess", file, beside, None, "0", print)


def test_a_part_says_what_it_has(files, tmp_path):
    part = read_part("chess", files[2], tmp_path, None, "2", lambda *_: None)["part"]
    assert isinstance(part, Part)
    assert (part.games, part.skipped) == (3, {"illegal_move": 1})
    assert part.folder.parent == tmp_path
