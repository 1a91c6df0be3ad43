"""A move never takes what is not there."""

import math

from hypothesis import given
from hypothesis import strategies as st

from evenmatch.frontends.uci.protocol import Go
from evenmatch.frontends.uci.time_management import LEAST, seconds_for

MS = st.integers(-1000, 10**7)


@given(MS, MS, MS, st.integers(0, 200), st.integers(0, 5000), st.booleans())
def test_at_most_half_of_the_clock(wtime, btime, added, moves, overhead, first):
    go = Go(wtime=wtime, btime=btime, winc=added, binc=added, movestogo=moves)
    left = (wtime if first else btime) - overhead
    assert LEAST <= seconds_for(go, first, overhead) <= max(LEAST, left / 2000)


def test_the_mover_s_own_clock():
    go = Go(wtime=60_000, btime=6_000)
    assert seconds_for(go, True, 0) == 2.0
    assert seconds_for(go, False, 0) == 0.2


def test_increments_and_moves_to_go():
    assert seconds_for(Go(wtime=60_000, winc=1000), True, 0) == 2.75
    assert seconds_for(Go(wtime=60_000, movestogo=10), True, 0) == 6.0
    assert seconds_for(Go(wtime=60_000, movestogo=1), True, 0) == 30.0


def test_times_for_one_move():
    assert seconds_for(Go(movetime=1000, wtime=5), True, 30) == 0.97
    assert seconds_for(Go(movetime=0), True, 30) == LEAST
    assert seconds_for(Go(nodes=5), True, 30) == math.inf


def test_without_a_clock_of_its_own_it_takes_the_other_s():
    assert seconds_for(Go(btime=60_000), True, 0) == seconds_for(Go(wtime=60_000), True, 0) == 2.0
    assert seconds_for(Go(wtime=60_000, winc=1000), False, 0) == 2.0
