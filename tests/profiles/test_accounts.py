"""Guests, passphrases and logins."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from clocks import Clock
from test_games import GAME, keep

from evenmatch.errors import MissingExtraError, StateError, UsageError
from evenmatch.profiles.accounts import DAY, HOUR, UNUSED, WRONG, Accounts, default_hasher
from evenmatch.profiles.database import Database

argon2 = pytest.importorskip("argon2", reason="passphrases need the extra web")
PASSPHRASE = "correct horse"
PasswordHasher = argon2.PasswordHasher  # before tests of the page put a quick one in its place


def quick(rounds=1):
    """A hasher that takes no time."""
    return PasswordHasher(time_cost=rounds, memory_cost=8, parallelism=1)


@pytest.fixture
def clock():
    return Clock(1_800_000_000.0)


@pytest.fixture
def accounts(profile, clock):
    return Accounts(Database(profile.folder), quick, clock)


@pytest.fixture
def ann(accounts):
    return accounts.join(accounts.guest(), "Ann", PASSPHRASE)


def count(profile, table):
    with profile.together() as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


# -- guests --------------------------------------------------------------------------------------


def test_guests_that_threads_make_at_once_differ(accounts):
    with ThreadPoolExecutor(4) as threads:
        names = list(threads.map(lambda number: accounts.guest(), range(20)))
    assert len(set(names)) == 20


# -- a name and a passphrase ---------------------------------------------------------------------


def test_a_guest_becomes_somebody_and_keeps_their_games(accounts, profile):
    guest = accounts.guest()
    keep(profile, replace(GAME, person=guest))
    assert accounts.join(guest, "  Ann   Lee ", PASSPHRASE) == "Ann Lee"
    assert profile.games.unfinished()[0].saved.person == "Ann Lee"
    assert accounts.enter("ann lee", PASSPHRASE) == "Ann Lee"
    assert guest not in profile.people.names()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "at least one letter; write one"),
        (" ", "at least one letter"),
        ("A\nB", "without line breaks"),
        ("\udce9", "without line breaks"),
        ("x" * 41, "at most 40 letters; choose a shorter one"),
        ("guest Ann", "only guests have names that begin with guest; choose another"),
        ("GUEST  0123456789ab", "only guests have names"),
        ("You", "nobody can be called 'You' here; choose another name"),
    ],
)
def test_names_that_nobody_can_have(accounts, name, says):
    guest = accounts.guest()
    with pytest.raises(UsageError, match=says):
        accounts.join(guest, name, PASSPHRASE)
    assert accounts.is_guest(guest)


def test_passphrases_are_neither_short_nor_long(accounts):
    guest = accounts.guest()
    with pytest.raises(UsageError, match="at least 8 characters; choose a longer one"):
        accounts.join(guest, "Ann", "x" * 7)
    with pytest.raises(UsageError, match="at most 200 characters; choose a shorter one"):
        accounts.join(guest, "Ann", "x" * 201)
    assert accounts.join(guest, "Ann", "x" * 8) == "Ann"


def test_a_name_that_is_taken(accounts, profile, ann):
    keep(profile, GAME)
    guest = accounts.guest()
    for name in ("ANN", GAME.person):
        with pytest.raises(StateError, match=r"there is a '\w+' already; choose another name$"):
            accounts.join(guest, name, PASSPHRASE)
    assert accounts.is_guest(guest)
    assert count(profile, "account") == 1


def test_who_enters_knows_name_and_passphrase(accounts, profile, ann):
    keep(profile, GAME)
    wrong = [
        ("Ann", "something else"),
        ("Ann", ""),
        ("Ann", "\udce9"),
        ("Bob", PASSPHRASE),
        ("\udce9", PASSPHRASE),
        (GAME.person, PASSPHRASE),  # who plays in the terminal, and has no passphrase
    ]
    for name, passphrase in wrong:
        with pytest.raises(UsageError, match=f"^{WRONG}$"):
            accounts.enter(name, passphrase)
    assert accounts.enter(" ANN ", PASSPHRASE) == "Ann"


def test_letters_are_the_same_however_they_are_typed(accounts):
    accounts.join(accounts.guest(), "Rene\u0301", "cafe\u0301 au lait")
    assert accounts.enter("REN\u00c9", "caf\u00e9 au lait") == "Ren\u00e9"


def test_a_wrong_name_costs_a_hash_too(accounts, ann, monkeypatch):
    verified = []
    verify = PasswordHasher.verify

    def noting(hasher, hashed, passphrase):
        verified.append(argon2.extract_parameters(hashed))
        return verify(hasher, hashed, passphrase)

    monkeypatch.setattr(PasswordHasher, "verify", noting)
    for name in ("Ann", "Bob"):
        with pytest.raises(UsageError):
            accounts.enter(name, "something else")
    assert len(verified) == 2
    assert verified[0] == verified[1]


def hashes(accounts):
    return [row["hash"] for row in accounts._database.rows("SELECT hash FROM account")]


def test_passphrases_are_hashed_again_when_the_parameters_have_changed(accounts, profile, ann):
    later, before = Accounts(Database(profile.folder), lambda: quick(2)), hashes(accounts)
    with pytest.raises(UsageError):
        later.enter("Ann", "something else")
    assert hashes(accounts) == before
    assert later.enter("Ann", PASSPHRASE) == "Ann"
    assert "t=2" in hashes(accounts)[0]
    assert accounts.enter("Ann", PASSPHRASE) == "Ann"


def test_a_damaged_hash_refuses_everybody(accounts, profile, ann):
    with profile.together() as connection:
        connection.execute("UPDATE account SET hash = 'x'")
    with pytest.raises(UsageError, match=WRONG):
        accounts.enter("Ann", PASSPHRASE)


def test_a_profile_has_accounts_with_argon2id(profile):
    accounts = profile.accounts
    accounts.join(accounts.guest(), "Ann", PASSPHRASE)
    assert hashes(accounts)[0].startswith("$argon2id$")
    assert PASSPHRASE.encode() not in b"".join(
        path.read_bytes() for path in profile.folder.glob("profile*")
    )


def test_without_argon2_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "argon2", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'evenmatch\[web\]'"):
        default_hasher()


# -- logins --------------------------------------------------------------------------------------


def test_a_login_is_known_by_its_token(accounts, profile, ann):
    token, other = accounts.open("ann"), accounts.open(ann)
    assert accounts.person_of(token) == accounts.person_of(other) == "Ann"
    assert accounts.person_of(token[:-1]) is None
    assert accounts.person_of("\udce9") is None
    kept = b"".join(path.read_bytes() for path in profile.folder.glob("profile*"))
    assert token.encode() not in kept
    accounts.close(token)
    accounts.close("nobody's")
    assert accounts.person_of(token) is None
    assert accounts.person_of(other) == "Ann"


def test_all_logins_of_somebody_end_together(accounts, ann):
    mine, guest = [accounts.open(ann), accounts.open(ann)], accounts.open(accounts.guest())
    accounts.close_all("ANN", but=mine[1])
    assert [accounts.person_of(token) for token in mine] == [None, "Ann"]
    accounts.close_all("ANN")
    assert [accounts.person_of(token) for token in mine] == [None, None]
    assert accounts.person_of(guest)


def test_logins_end_when_they_are_not_used(accounts, clock, ann):
    token = accounts.open(ann)
    clock.now += UNUSED - 1
    assert accounts.renew(token)
    clock.now += UNUSED - 1
    assert accounts.person_of(token) == "Ann", "it was renewed"
    clock.now += 1
    assert accounts.person_of(token) is None
    assert not accounts.renew(token)
    assert not accounts.renew("nobody's")


def test_a_login_is_renewed_at_most_hourly(accounts, clock, ann):
    def used():
        return accounts._database.rows("SELECT max(used) FROM login")[0][0]

    token, begun = accounts.open(ann), clock.now
    clock.now += HOUR - 1
    assert not accounts.renew(token)
    assert used() == begun
    clock.now += 1
    assert accounts.renew(token)
    assert used() == begun + HOUR


# -- what is no longer needed --------------------------------------------------------------------


def test_what_tidying_deletes(accounts, profile, clock, ann):
    playing, finished, looking = (accounts.guest() for _ in range(3))
    keep(profile, replace(GAME, person=playing))
    keep(profile, GAME)
    token = accounts.open(looking)
    clock.now += DAY
    new = accounts.guest()
    accounts.tidy()
    kept = {ann, playing, looking, new, GAME.person}
    assert set(profile.people.names()) == kept, f"{finished} did nothing"
    clock.now += UNUSED
    accounts.tidy()
    assert set(profile.people.names()) == {ann, playing, GAME.person}
    assert accounts.person_of(token) is None
    assert count(profile, "login") == 0
