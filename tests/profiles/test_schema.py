"""Databases of older versions: they open, and keep everything."""

import sqlite3

import pytest

from evenmatch.profiles.database import NAME
from evenmatch.profiles.schema import MIGRATIONS, VERSION

GAME = (
    "INSERT INTO game (kind, person, opponent, side, seed, start, seen, hints, forgets, plays_on, "
    "disputed, clock, begun, changed, ended, result, ending, counts, imported) "
    "VALUES (?, 1, 'Bob', 1, 0, ?, 0, '[]', 0, 0, 0, '[]', 5, 5, 5, -1, '', 1, ?)"
)
WHITE_FIRST = "KM[0.5]HA[2]AB[dd][pp]PL[W]"


@pytest.fixture
def older(profile):
    """Make the database of an older version, with one person and some games."""

    def make(version, *games):
        profile.folder.mkdir()
        connection = sqlite3.connect(profile.folder / NAME)
        for script in MIGRATIONS[:version]:
            connection.executescript(script)
        connection.execute("INSERT INTO person VALUES (1, 'Ada', 'ada')")
        for row, game in enumerate(games, start=1):
            connection.execute(GAME, game)
            connection.execute("INSERT INTO move VALUES (?, 0, 3, '')", (row,))
            connection.execute("INSERT INTO evidence VALUES (?, 's', 'm', 1, ?)", (row, b"said"))
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
        connection.close()

    return make


def known(profile):
    """Return the games with side, result and whether evidence is kept."""
    judged = {row["game"] for row in profile._database.rows("SELECT game FROM evidence")}
    return [
        (one.saved.side, one.outcome.result, one.row in judged)
        for one in profile.games.finished("Ada")
    ]


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_database_of_an_older_version_keeps_everything(profile, older, version):
    older(version, ("chess", "", None), ("connect4", "", "abc"))
    chess, other = profile.games.finished("Ada")
    assert (chess.saved.game, chess.imported) == ("chess", False)
    assert (other.saved.game, other.imported) == ("connect4", True)
    assert [one.saved.actions for one in (chess, other)] == [(3,), (3,)]
    assert known(profile) == [(1, -1, True)] * 2
    assert [one.told for one in (chess, other)] == [None, None]
    (version,) = profile._database.rows("PRAGMA user_version")[0]
    assert version == VERSION


def test_sides_of_games_that_white_begins_are_colours(profile, older):
    """An imported game was the other colour's; of one played here the other's moves were judged."""
    older(
        3,
        ("go", WHITE_FIRST, "abc"),
        ("go", WHITE_FIRST, None),
        ("go", "KM[6.5]", "abcd"),
        ("chess", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", None),
    )
    assert known(profile) == [(-1, 1, True), (1, -1, False), (1, -1, True), (1, -1, False)]
