"""How long a move may take."""

import math

from evenmatch.frontends.uci.protocol import Go

MOVES_LEFT = 30  # that a game is taken to have, where the clock does not tell
INCREMENT_USED = 0.75  # of what is added for a move
MOST_USED = 0.5  # of what is left on the clock
LEAST = 0.001  # seconds


def seconds_for(go: Go, first_side: bool, overhead: int) -> float:
    """Return the seconds a move may take, inf without a clock.

    ``first_side``: White is to move. ``overhead``: milliseconds lost on the way to us and back;
    they are kept back, and of a clock never more than half of what is left is used. A side whose
    clock is unknown is taken to have the other's.
    """
    if go.movetime is not None:
        return max((go.movetime - overhead) / 1000, LEAST)
    clock, added = (go.wtime, go.winc) if first_side else (go.btime, go.binc)
    if clock is None:
        clock = go.btime if first_side else go.wtime
    if clock is None:
        return math.inf
    left = max(clock - overhead, 0) / 1000
    share = left / max(go.movestogo or MOVES_LEFT, 1)
    return max(min(share + INCREMENT_USED * (added or 0) / 1000, MOST_USED * left), LEAST)
