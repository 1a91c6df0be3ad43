"""Cookies and their secret, limits, and addresses that count as one visitor."""

import multiprocessing
import stat
from types import SimpleNamespace

import pytest
from clocks import Clock
from limits import parse, strategies
from limits.storage import memory

from evenmatch.errors import StateError
from evenmatch.frontends.web import auth
from evenmatch.frontends.web.auth import (
    COOKIE,
    LIMITS,
    SECRET,
    Limits,
    TooOftenError,
    household,
    secret_of,
    signer_of,
    token_in,
)

TOKEN = "o4Xn_3-Yt"
SIGNER = signer_of(b"s" * 32)
SIGNED = f"{COOKIE}={SIGNER.sign(TOKEN).decode()}"


def test_a_token_comes_back():
    assert token_in(SIGNED, SIGNER) == TOKEN
    assert token_in(f"theme=dark; {SIGNED}; x", SIGNER) == TOKEN
    assert token_in(f"{COOKIE}=someone.else; {SIGNED}", SIGNER) == TOKEN, "two of one name"


@pytest.mark.parametrize(
    "header",
    ["", ";", COOKIE, f"{COOKIE}=.", f"{COOKIE}=a.", f"{COOKIE}=é.é", f"{COOKIE}=\udce9.\udce9",
     f"{COOKIE}=\0.\0", f"{COOKIE}=" + "a." * 50_000, SIGNED.title(), SIGNED[:-1],
     SIGNED.replace(TOKEN, TOKEN.lower()), f"{COOKIE}={SIGNER.sign('').decode()}",
     f"{COOKIE}={signer_of(b't' * 32).sign(TOKEN).decode()}"],
)  # fmt: skip
def test_what_was_not_signed_here_is_nobody(header):
    assert token_in(header, SIGNER) is None


# -- the secret ------------------------------------------------------------------------------------


def test_the_secret_is_made_once_and_for_the_server_alone(state):
    secret = secret_of(state)
    assert len(secret) == 32
    assert secret_of(state) == secret
    assert stat.S_IMODE((state / SECRET).stat().st_mode) == 0o600
    assert secret_of(state.with_name("other")) != secret


def test_a_damaged_secret_says_what_to_do(state):
    state.mkdir()
    (state / SECRET).write_bytes(b"short")
    with pytest.raises(StateError, match="is damaged; delete it, and everybody enters again"):
        secret_of(state)


def _ask(folder, together, answers):
    together.wait(60)
    answers.put(secret_of(folder))


def test_servers_that_begin_at_once_share_a_secret(state):
    context = multiprocessing.get_context("fork")
    together, answers = context.Barrier(3), context.Queue()
    children = [context.Process(target=_ask, args=(state, together, answers)) for _ in range(3)]
    for child in children:
        child.start()
    secrets = {answers.get(timeout=60) for _ in children}
    for child in children:
        child.join(60)
    assert secrets == {secret_of(state)}


# -- limits ----------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """Let the library and our own code read one clock."""
    clock = Clock(1_000_000.0)
    for module in (memory, strategies, auth):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=clock))
    return clock


def seconds(kind: str) -> int:
    """Return the length of a window."""
    return int(parse(LIMITS[kind][0]).get_expiry())


def allowed(limits: Limits, kind: str, key: str, tries: int) -> int:
    """Return how many of some tries are let in."""
    count = 0
    for _ in range(tries):
        try:
            limits.require(kind, key)
        except TooOftenError:
            continue
        count += 1
    return count


@pytest.mark.parametrize("kind", LIMITS)
def test_every_kind_has_its_window(clock, kind):
    """After a whole window as much is allowed again, and a wait that is named is enough."""
    limits, most = Limits(), int(LIMITS[kind][0].split()[0])
    assert allowed(limits, kind, "ann", most + 5) == most
    with pytest.raises(TooOftenError, match=f"{LIMITS[kind][1]}; try again in ") as refused:
        limits.require(kind, "ANN")
    assert refused.value.headers == {"retry-after": str(refused.value.wait)}
    clock.now += refused.value.wait
    limits.require(kind, "ann")
    assert allowed(limits, kind, "bob", 1) == 1, "another's"
    clock.now += 2 * seconds(kind)
    assert allowed(limits, kind, "ann", most + 5) == most


def test_memory_is_bounded(clock, monkeypatch):
    """Windows that passed are dropped, and with very many visitors all are."""
    limits = Limits()
    for number in range(500):
        limits.require("guest", f"{number}" + "x" * 1000)
    assert len(limits.storage.expirations) == 500
    clock.now += 2 * seconds("guest")
    limits.storage.timer.cancel()
    limits.storage.timer.function()  # which it does by itself after a request
    assert not limits.storage.expirations
    assert not limits.storage.storage
    monkeypatch.setattr(auth, "MOST_KEYS", 10)
    for number in range(25):
        limits.require("guest", f"{number}")
    assert len(limits.storage.expirations) <= 10


@pytest.mark.parametrize(
    ("address", "whose"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::2", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_addresses_of_one_household(address, whose):
    assert household(address) == whose
