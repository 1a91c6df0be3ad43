"""Errors of the database, and what happens where several programs open it at once."""

import errno
import multiprocessing
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

import pytest
from kept_games import GAME

from evenmatch.errors import StateError
from evenmatch.profiles import Profile
from evenmatch.profiles.database import NAME, VERSION


def test_a_database_of_another_version_is_left_alone(profile):
    with profile.together():
        pass
    profile.close()
    other = sqlite3.connect(profile.folder / NAME)
    other.execute(f"PRAGMA user_version = {VERSION + 1}")
    other.close()
    with pytest.raises(StateError, match=r"is of another evenmatch .*update evenmatch"):
        profile.games.names()


@pytest.mark.parametrize("text", [b"this is no database" * 100, b"SQLite format 3\0" + b"x" * 4096])
def test_a_damaged_database_says_what_to_do(profile, text):
    profile.folder.mkdir()
    (profile.folder / NAME).write_bytes(text)
    with pytest.raises(StateError, match=r"profile\.sqlite is damaged .*move it away"):
        profile.games.names()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "state").write_text("a file")
    profile = Profile(tmp_path / "state")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        profile.games.take("chess")
    with pytest.raises(OSError, match=r"File exists|Not a directory"), profile.together():
        pass


def test_a_folder_without_a_database_is_only_read(profile):
    """A folder that cannot be written does not keep anybody from playing."""
    profile.folder.mkdir()
    assert profile.games.names() == []
    assert profile.memories.games_known("chess", "even", "Ada") is None
    assert list(profile.folder.iterdir()) == []


def test_a_database_that_another_keeps_locked(profile, monkeypatch):
    monkeypatch.setattr("evenmatch.profiles.database.LOCK_TIMEOUT_S", 0.05)
    with profile.together():
        other = Profile(profile.folder)
        with pytest.raises(OSError, match="another evenmatch keeps it locked"):
            other.together().__enter__()


def test_changes_within_changes_are_one(profile):
    def fail():
        with profile.together() as connection:
            with profile.together():
                connection.execute("INSERT INTO person (name, folded) VALUES ('A', 'a')")
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        fail()
    assert profile.people.names() == []
    with profile.together() as connection, profile.together():
        connection.execute("INSERT INTO person (name, folded) VALUES ('A', 'a')")
    assert profile.people.names() == ["A"]


def _begin(folder, together, number):
    profile = Profile(folder)
    together.wait(60)
    with profile.together() as connection:
        connection.execute("INSERT INTO person (name, folded) VALUES (?, ?)", (f"p{number}",) * 2)


def test_programs_that_begin_at_once_make_one_database(profile):
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(3)
    children = [
        context.Process(target=_begin, args=(profile.folder, together, number))
        for number in range(3)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 3
    assert profile.people.names() == [f"p{number}" for number in range(3)]


def test_threads_may_share_a_profile(profile):
    """Eight threads add 25 people each, some within larger changes."""

    def add(thread: int) -> None:
        for at in range(25):
            with profile.together() if at % 2 else nullcontext():
                profile.levels.claim(f"{thread}-{at}", "chess", 1500.0)
                assert profile.levels.claimed(f"{thread}-{at}", "chess") == 1500.0

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(8)))
    assert len(profile.people.names()) == 200


def test_a_full_disk_is_called_full(profile):
    """By SQLite's own limit of pages, which is how a disk ends for it."""
    profile.games.take("chess").save(GAME)
    with profile._database.changing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    long = replace(GAME, actions=(3,) * 100_000, marks=())
    with pytest.raises(OSError, match="No space left") as told:
        profile.games.take("chess").save(long)
    assert told.value.errno == errno.ENOSPC
    full = pytest.raises(StateError, match=r"cannot use .* \(the disk is full\); make room on")
    with full, profile._database.reported():
        raise told.value
