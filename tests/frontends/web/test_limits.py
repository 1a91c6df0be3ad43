"""How often somebody may do what costs the server much."""

import pytest
from clocks import Clock

from evenmatch.frontends.web.limits import LIMITS, Limit, Limits, household


@pytest.fixture
def clock():
    return Clock(1000.0)


@pytest.fixture
def limits(clock):
    return Limits({"game": Limit(per_minute=6, burst=3), "move": Limit(60, 1)}, clock, most=4)


def test_a_burst_then_one_at_a_time(limits, clock):
    assert [limits.take("game", "ann") for _ in range(3)] == [0.0] * 3
    assert limits.take("game", "ann") == pytest.approx(10)
    clock.now += 4
    assert limits.take("game", "ann") == pytest.approx(6), "what is refused does not count"
    clock.now += 6
    assert limits.take("game", "ann") == 0.0
    assert limits.take("game", "ann") == pytest.approx(10)


def test_a_bucket_fills_and_is_full(limits, clock):
    for _ in range(3):
        limits.take("game", "ann")
    clock.now += 20
    assert [limits.take("game", "ann") > 0 for _ in range(3)] == [False, False, True]
    clock.now += 3600
    assert [limits.take("game", "ann") > 0 for _ in range(4)] == [False, False, False, True]


def test_who_waits_as_told_is_let_in(clock):
    limits = Limits({"move": Limit(7, 3)}, clock)
    for _ in range(100):
        clock.now += limits.take("move", "ann")
        if limits.take("move", "ann"):
            clock.now += limits.take("move", "ann")
            assert limits.take("move", "ann") == 0.0


def test_one_is_not_the_other(limits):
    assert limits.take("move", "ann") == 0.0
    assert limits.take("move", "ANN") > 0, "a name in any case"
    assert limits.take("move", "bob") == 0.0
    for _ in range(3):
        assert limits.take("game", "ann") == 0.0


def test_the_oldest_buckets_are_forgotten(limits):
    for who in ("a", "b", "c", "d"):
        limits.take("move", who)
    assert limits.take("move", "a") > 0  # used again
    limits.take("move", "e")
    assert len(limits) == 4
    assert limits.take("move", "a") > 0
    assert limits.take("move", "b") == 0.0, "forgotten"
    limits.take("game", "f")
    assert len(limits) == 5, "each kind has its own"


def test_names_of_any_length_take_little_memory(limits):
    limits.take("move", "x" * 10_000)
    assert limits.take("move", "x" * 20_000) > 0


@pytest.mark.parametrize("kind", LIMITS)
def test_every_kind_has_a_limit(kind, clock):
    limits = Limits(clock=clock)
    allowed = next(count for count in range(10_000) if limits.take(kind, "ann"))
    assert allowed == LIMITS[kind].burst


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
