"""Time management: from a clock to the seconds for a move, in both protocols.

After the main time come Canadian overtime (a period for a number of stones, then the next period)
or Japanese periods (byo-yomi, on KGS: each is the time for one move, and a period that is used up
is lost). Fischer's time, UCI's increment, adds a bonus to the main time after each move.
"""

import math
from dataclasses import dataclass

BLACK, WHITE = 1, -1  #: the side that moves first, and the other
LEAST = 0.001  #: seconds for a move
MOST_USED = 0.5  #: share of the main time left for a move where nothing comes after it
OVERTIME_USED = 0.8  #: share used of what a move gains: its part of overtime, or the bonus
LEAST_MOVES = 12  #: own moves that are always expected to come
FILLED = 0.8  #: plies that a game is expected to have, per cell of the board


@dataclass(frozen=True)
class TimeControl:
    """What each side has; times in seconds."""

    main: float
    period: float = 0.0  #: of overtime
    stones: int = 0  #: moves that a period of Canadian overtime is for; 0: it is not Canadian
    periods: int = 0  #: of one move each
    bonus: float = 0.0  #: to the main time after each move
    most: float = math.inf  #: that the main time is after a bonus
    most_move: float = math.inf  #: for one move

    @property
    def canadian(self) -> bool:
        """Whether overtime is for a number of stones."""
        return self.stones > 0

    @property
    def overtime(self) -> bool:
        """Whether something comes after the main time."""
        return self.period > 0 and (self.stones > 0 or self.periods > 0)

    @property
    def share(self) -> float:
        """Seconds of overtime for one move."""
        return self.period / max(self.stones, 1) if self.overtime else 0.0


@dataclass
class _Left:
    """What a side has left; ``count`` is 0 in main time, otherwise of stones or periods."""

    seconds: float
    count: int = 0


class Clocks:
    """The time of both sides; without a control it is unlimited."""

    def __init__(self, control: TimeControl | None = None):
        self.control = control
        self._left = {side: self._full() for side in (BLACK, WHITE)}

    def _full(self) -> _Left:
        control = self.control
        if control is None:
            return _Left(math.inf)
        return _Left(control.main) if control.main or not control.overtime else self._overtime()

    def _overtime(self) -> _Left:
        assert self.control is not None
        return _Left(self.control.period, self.control.stones or self.control.periods)

    def restart(self) -> None:
        """Give both sides their full time."""
        self._left = {side: self._full() for side in (BLACK, WHITE)}

    def set_left(self, side: int, seconds: float, count: int) -> None:
        """Set what a side has: main time if ``count`` is 0, otherwise overtime.

        ``count`` is the number of stones or periods left; it is ignored without overtime.
        """
        overtime = self.control is not None and self.control.overtime
        self._left[side] = _Left(max(seconds, 0.0), count if overtime else 0)

    def left(self, side: int) -> tuple[float, int]:
        """Return the seconds that a side has, and the count of stones or periods, 0 in main."""
        return self._left[side].seconds, self._left[side].count

    def spend(self, side: int, seconds: float) -> None:
        """Take the time of a move from a side, for programs that do not say what is left."""
        control, left = self.control, self._left[side]
        if control is None:
            return
        if not left.count:
            if seconds <= left.seconds or not control.overtime:
                rest = max(left.seconds - seconds, 0.0) + control.bonus
                self._left[side] = _Left(min(rest, control.most))
                return
            seconds -= left.seconds
            left = self._overtime()
        self._left[side] = self._after_overtime(left, seconds)

    def _after_overtime(self, left: _Left, seconds: float) -> _Left:
        """Return what is left of overtime after a move that took ``seconds`` of it."""
        control = self.control
        assert control is not None
        if control.canadian:
            rest = _Left(max(left.seconds - seconds, 0.0), left.count - 1)
            return rest if rest.count else self._overtime()
        lost = int(seconds // control.period)
        return _Left(control.period, max(left.count - lost, 1))

    def seconds_for(self, side: int, moves: float, lag: float) -> float:
        """Return the seconds that a side's move may take, inf without a limit.

        ``moves`` of its own are still to come; ``lag`` is lost on the way to us and back.
        """
        control, left = self.control, self._left[side]
        if control is None:
            return math.inf
        most_move = control.most_move - lag
        if left.count:
            each = left.seconds
            if control.canadian:  # the last stones of a period take no longer than those before
                each = min(left.seconds / left.count, control.share)
            return max(min(OVERTIME_USED * (each - lag), most_move), LEAST)
        main = max(left.seconds - lag, 0.0)
        more = OVERTIME_USED * max((control.share or control.bonus) - lag, 0.0)
        most = main + more if control.overtime else MOST_USED * main
        return max(min(main / max(moves, 1) + more, most, most_move), LEAST)


def moves_left(cells: int, ply: int) -> float:
    """Return the expected number of own moves that a side has left on a board of ``cells``."""
    return max((FILLED * cells - ply) / 2, LEAST_MOVES)


def read_time_settings(main: float, period: float, stones: int) -> TimeControl | None:
    """Return the control of ``time_settings``; None: no limit, as a period for no stones says."""
    if period > 0 and stones == 0:
        return None
    return TimeControl(main, period, stones if period > 0 else 0)
