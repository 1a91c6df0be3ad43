"""How long an opponent that plays like a person waits before it moves.

This is a model, not a measurement: none of the games at hand have clocks. The times of moves are
taken to be log-normal, as positive times with a long tail often are. The numbers below were chosen
by hand.
"""

import math

import numpy as np

SPREAD = 0.8  #: standard deviation of the logarithm of the time
MOST = 4.0  #: times the mean, more than which no move takes
OPENING = 16  #: plies over which the moves slow down, from...
FIRST = 0.25  #: ...this part of the mean for the first move
FORCED = 0.2  #: part of the mean for the only legal move

THINKING = 0.5  #: seconds that the program itself may need for a move; half of that on average
MOVES_DUE = 40  #: own moves that what is left is shared among
LONGEST = 300  #: own moves of a game, for which average thinking time is kept back
SPARE = 10.0  #: seconds that are also kept back
INCREMENT_USED = 0.8  #: part of the increment that may be waited, after the thinking time


def seconds_to_move(mean: float, ply: int, choices: int, rng: np.random.Generator) -> float:
    """Draw how many seconds a move takes, from 0 to 4 times ``mean``.

    ``mean`` is the average wanted in seconds, ``ply`` the number of moves played before,
    ``choices`` the number of legal moves. Moves of the opening take less, and so does an only legal
    move. All others take ``mean`` on average: 97% of it, as none takes more than 4 times as long.
    """
    drawn = math.exp(SPREAD * float(rng.standard_normal()) - SPREAD**2 / 2)
    share = FORCED if choices <= 1 else min(FIRST + (1 - FIRST) * ply / OPENING, 1.0)
    return max(mean, 0.0) * min(share * drawn, MOST)


def mean_with_clock(left: float, increment: float, plies: int) -> float:
    """Return a mean for ``seconds_to_move`` with which the waiting never costs the game.

    ``left`` are the seconds on the clock, ``increment`` those added after each move, ``plies`` the
    moves of both sides so far. Time is kept back for the program's own thinking, which comes on top
    of what is waited: for half a second a move in games of up to 150 own moves, or a quarter of a
    second on average in games of up to 300. Where no more than that is left, the mean is 0. So the
    clock runs out only if such thinking alone, without any waiting, needs more time than there is.
    """
    moves = max(LONGEST - plies // 2, 0) / 2
    free = left - SPARE - moves * max(THINKING - increment, 0.0)
    wanted = free / MOVES_DUE + INCREMENT_USED * max(increment - THINKING, 0.0)
    return max(min(wanted, free / 10), 0.0)  # a move takes up to 4 times as long
