"""What commands act on: the game, the clock, who moves, and an analysis beside the next lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from evenmatch.frontends.engine.loop import EngineLoop, Search, Send, explained
from evenmatch.frontends.engine.time_budget import Clocks, moves_left
from evenmatch.frontends.gtp.protocol import RESIGN, Settings
from evenmatch.games.catalog import game_info

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenmatch.frontends.engine.thinking import Watch
    from evenmatch.frontends.gtp.dialects import GtpDialect, Record
    from evenmatch.frontends.gtp.thinking import GtpThinker
    from evenmatch.games.line import Line

Analysis = Callable[[Callable[[], bool]], None]  # runs until the function that it gets is true


class Conversation(EngineLoop):
    """A conversation so far; games, networks and kernels are loaded when they are first needed."""

    commands: Collection[str]  #: the names of the commands there are

    def __init__(self, send: Send, settings: Settings):
        super().__init__(send)
        self.settings = settings
        self.clocks = Clocks()
        self.resigning = Resigning(settings)
        self.quitting = False
        self.leaving = False  #: whether no line comes any more: an analysis reports once more
        self._record: Record | None = None
        self._thinker: GtpThinker | None = None
        self._number = ""  # of the command that is answered now
        self._begun = False  # whether its answer has begun

    def note(self, text: str) -> None:
        """Write a line to standard error, which Go programs show: answers have no place for it."""
        print(f"evenmatch: {text}", file=sys.stderr, flush=True)

    # -- answers that come line by line --------------------------------------------------------

    def begin_answer(self) -> None:
        """Send that the command succeeds, before the lines of its answer."""
        self.send(f"={self._number}")
        self._begun = True

    def analyse(self, analysis: Analysis) -> None:
        """Begin the answer, and let an analysis run until the next line."""
        self.begin_answer()
        search = self.search = Search()

        def run() -> None:
            try:
                analysis(lambda: search.over)
            except Exception as error:
                self.note(explained(error))

        search.run(run)

    def end_analysis(self) -> None:
        """Stop the analysis, if there is one, and end its answer."""
        if self.search is not None:
            self.search.stop()
            self.search.join()
            self.search = None
            self.send("")

    def close(self) -> None:
        """Finish after the last line: an analysis reports once more, and its answer ends."""
        if self.search is not None:
            self.leaving = True
            self.search.join()
            self.end_analysis()

    # -- the game ------------------------------------------------------------------------------

    @property
    def record(self) -> Record:
        """The game in progress."""
        if self._record is None:
            self.loading(self.settings.game)
            from evenmatch.frontends.gtp.dialects import DIALECTS, Record
            from evenmatch.frontends.gtp.go import GoDialect
            from evenmatch.games import get_game

            kinds, game = DIALECTS | {"go": GoDialect}, self.settings.game
            self._record = Record(kinds[game_info(game).gtp_dialect](get_game(game)))
        return self._record

    @property
    def dialect(self) -> GtpDialect:
        """What is different for this game."""
        return self.record.dialect

    @property
    def line(self) -> Line:
        """The game so far."""
        return self.record.line

    @property
    def thinker(self) -> GtpThinker:
        """What finds moves."""
        if self._thinker is None:
            self.loading(self.settings.game)
            from evenmatch.frontends.gtp.thinking import GtpThinker

            self._thinker = GtpThinker(self.settings)
        return self._thinker

    def begin_game(self, record: Record) -> None:
        """Go to another game."""
        self._record = record
        self.clocks.restart()
        self.resigning.restart()
        if self._thinker is not None:
            self._thinker.new_game()

    def seconds_for(self, side: int) -> float:
        """Return the seconds for a side's next move, by the clock and the settings."""
        game = self.dialect.game
        moves = moves_left(game.height * game.width, self.line.ply)
        seconds = self.clocks.seconds_for(side, moves, self.settings.lag)
        return min(seconds, self.settings.max_time or seconds)

    def generate(
        self, side: int, watch: Watch | None = None, allowed: NDArray[np.bool_] | None = None
    ) -> str:
        """Play a side's move and return the answer to ``genmove``; its clock runs meanwhile.

        ``watch`` sees the search; only ``allowed`` actions [A] are searched.
        """
        begun = time.perf_counter()
        line = self.record.turned(side)
        answer, action = self._choose(line, side, watch, allowed)
        if action is not None:
            self.record.push(line, action)
        self.clocks.spend(side, time.perf_counter() - begun)
        return answer

    def _choose(
        self, line: Line, side: int, watch: Watch | None, allowed: NDArray[np.bool_] | None
    ) -> tuple[str, int | None]:
        """Return the answer to ``genmove`` of a side, and its action, None if it has none."""
        off = self.dialect.off_turn(line, side)
        if off is not None:
            return off, None
        action, value = self.thinker.choose(line, self.seconds_for(side), watch, allowed)
        if action is None or self.resigning.resigns(side, value, self.dialect.handicap(line)):
            return RESIGN, None
        return self.dialect.text(line, action), action


class Resigning:
    """The values of each side's own turns, by which it resigns."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._values: dict[int, list[float]] = {}

    def restart(self) -> None:
        """Forget the turns: of another game, or before a move was taken back."""
        self._values.clear()

    def resigns(self, side: int, value: float | None, handicap: int) -> bool:
        """Return whether a side resigns at a turn of ``value`` for it; None: it is not known.

        Not in games with handicap stones, which White's value takes for lost at first.
        """
        if not self._settings.resigns or handicap or value is None:
            return False
        from evenmatch.play.resigning import gives_up

        values = self._values.setdefault(side, [])
        values.append(value)
        return gives_up(values, self._settings.resign_below, self._settings.resign_turns)
