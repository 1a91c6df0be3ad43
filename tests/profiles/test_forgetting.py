"""What is forgotten of visitors of the page, and when; people of the terminal are left alone."""

import time
from dataclasses import replace

import pytest
from clocks import Clock
from kept_games import GAME, LOST, keep

from evenmatch.profiles import accounts as forgetting
from evenmatch.profiles.accounts import DAY, UNUSED, Accounts
from evenmatch.profiles.database import Database
from evenmatch.profiles.people import Guess
from evenmatch.profiles.saved_game import as_json, insert

FIRST = time.time()


@pytest.fixture
def clock():
    return Clock(FIRST)


@pytest.fixture
def accounts(profile, clock):
    return Accounts(Database(profile.folder), clock=clock)


def play(profile, person: str, when: float, games: int = 1) -> None:
    """Keep finished games of a person, which ended a second after each other."""
    with profile.together() as connection:
        for number in range(games):
            saved, ended = replace(GAME, person=person, states={}), when + number
            insert(connection, saved, ended, ended=ended, outcome=as_json(LOST))


def named(profile, accounts, name: str) -> str:
    """Return somebody with an account, whose passphrase is nobody's."""
    guest = accounts.guest()
    with profile.together() as connection:
        connection.execute(
            "UPDATE person SET name = ?, folded = ? WHERE folded = ?", (name, name.lower(), guest)
        )
        connection.execute(
            "INSERT INTO account SELECT id, 'x', 0 FROM person WHERE folded = ?", (name.lower(),)
        )
    return name


def pass_on(accounts, clock, seconds: float) -> None:
    clock.now += seconds
    accounts.tidy()
    while accounts.forget():
        pass


def test_a_guest_who_was_not_seen_for_180_days_is_forgotten_with_their_games(
    profile, accounts, clock
):
    guest = accounts.guest()
    token = accounts.open(guest)
    play(profile, guest, FIRST)
    keep(profile, replace(GAME, person=guest))
    profile.guesses.add(guest, Guess("pair", "a", "certain", True, FIRST, "chess"))
    pass_on(accounts, clock, UNUSED - DAY)
    assert profile.people.names() == [guest]
    assert accounts.renew(token), "seen again"
    pass_on(accounts, clock, UNUSED - DAY)
    assert profile.people.names() == [guest]
    pass_on(accounts, clock, 2 * DAY)
    assert profile.people.names() == []
    with profile.together() as connection:
        for table in ("game", "guess", "login"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_people_with_names_are_not_forgotten(profile, accounts, clock):
    for person in (named(profile, accounts, "Ann"), "Ada"):
        play(profile, person, FIRST)
    pass_on(accounts, clock, 10 * UNUSED)
    assert profile.people.names() == ["Ada", "Ann"]
    assert all(len(profile.games.finished(person)) == 1 for person in ("Ada", "Ann"))


def test_the_latest_games_of_each_visitor_are_kept(profile, accounts, monkeypatch):
    monkeypatch.setattr(forgetting, "AT_ONCE", 2)
    guest, ann = accounts.guest(), named(profile, accounts, "Ann")
    for person, games in ((guest, 9), (ann, 5), ("Ada", 9)):
        play(profile, person, FIRST, games)
    unfinished = keep(profile, replace(GAME, person=guest)).name
    deleted = [accounts.forget(most=4) for _ in range(4)]
    assert deleted == [2, 2, 2, 0], "others can use the database in between"
    kept = {person: profile.games.finished(person) for person in (guest, ann, "Ada")}
    assert [len(games) for games in kept.values()] == [4, 4, 9], "Ada plays in the terminal"
    assert [game.ended - FIRST for game in kept[guest]] == [5, 6, 7, 8]
    assert [one.name for one in profile.games.unfinished(guest)] == [unfinished]


def test_the_log_of_what_was_deleted_is_cleared_once(profile, accounts, clock, monkeypatch):
    """At the end: nothing of the deleted is left in any file then."""
    secret = "a word that only a guest wrote"
    for _ in range(2 * forgetting.AT_ONCE + 1):
        guest = accounts.guest()
        profile.guesses.add(guest, Guess(f"{secret} {guest}", "a", "certain", True, FIRST, "chess"))
    assert secret.encode() in kept_bytes(profile)
    tidied, tidy = [], Database.tidy
    monkeypatch.setattr(Database, "tidy", lambda one: tidied.append(one) or tidy(one))
    pass_on(accounts, clock, UNUSED + DAY)
    assert profile.people.names() == []
    assert len(tidied) == 1
    assert secret.encode() not in kept_bytes(profile)


def kept_bytes(profile) -> bytes:
    """Return all that is in the folder's files."""
    return b"".join(path.read_bytes() for path in profile.folder.iterdir() if path.is_file())
