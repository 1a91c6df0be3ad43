"""What commands act on: the game, the clock, who thinks, and an analysis beside what is heard."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from evenmatch.frontends.gtp.resigning import Resigning
from evenmatch.frontends.gtp.settings import Settings
from evenmatch.frontends.gtp.time_management import Clocks, moves_left

if TYPE_CHECKING:
    from evenmatch.frontends.gtp.forms import Form
    from evenmatch.frontends.gtp.record import Record
    from evenmatch.frontends.gtp.thinking import Thinker
    from evenmatch.sessions.game_line import GameLine

Tell = Callable[[str], None]
Analysis = Callable[[Callable[[], bool]], None]  # runs until what it is given is true


class Conversation:
    """A conversation so far; games, networks and kernels are loaded when they are first needed."""

    commands: Collection[str]  #: the names of what may be asked

    def __init__(self, tell: Tell, settings: Settings):
        """``tell`` gets each line, or the lines of one answer, without the last newline."""
        self.tell = tell
        self.settings = settings
        self.clocks = Clocks()
        self.resigning = Resigning(settings)
        self.quitting = False
        self.leaving = False  #: whether nothing more will be heard: an analysis reports once more
        self._record: Record | None = None
        self._thinker: Thinker | None = None
        self._number = ""  # of the command that is answered now
        self._begun = False  # whether its answer has begun
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    # -- answers that come line by line --------------------------------------------------------

    def begin_answer(self) -> None:
        """Tell that the command succeeds, before the lines of its answer."""
        self.tell(f"={self._number}")
        self._begun = True

    def analyse(self, analysis: Analysis) -> None:
        """Let an analysis run beside what is heard, once this command's answer has begun."""
        self.begin_answer()
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(analysis,), daemon=True)

    def _run(self, analysis: Analysis) -> None:
        try:
            analysis(self._stop.is_set)
        except Exception:
            traceback.print_exc(file=sys.stderr)

    def stop_analysis(self) -> None:
        """Let the analysis end after this round of its search."""
        self._stop.set()

    def finish_analysis(self) -> None:
        """Let the analysis, if there is one, report once more; its answer ends with that."""
        if self._thread is not None:
            self.leaving = True
            self._thread.join()
            self.end_analysis()

    def end_analysis(self) -> None:
        """Stop the analysis, if there is one, and end its answer."""
        if self._thread is None:
            return
        self._stop.set()
        self._thread.join()
        self._thread = None
        self.tell("")

    # -- the game ------------------------------------------------------------------------------

    @property
    def record(self) -> Record:
        """The game in progress."""
        if self._record is None:
            from evenmatch.frontends.gtp.all_forms import form_of
            from evenmatch.frontends.gtp.record import Record

            self._record = Record(form_of(self.settings.game))
        return self._record

    @property
    def form(self) -> Form:
        """How the game is spoken."""
        return self.record.form

    @property
    def line(self) -> GameLine:
        """The game so far."""
        return self.record.line

    @property
    def thinker(self) -> Thinker:
        """Who thinks."""
        if self._thinker is None:
            from evenmatch.frontends.gtp.thinking import Thinker

            self._thinker = Thinker(self.settings)
        return self._thinker

    def begin(self, record: Record) -> None:
        """Go to another game."""
        self._record = record
        self.clocks.restart()
        self.resigning.restart()
        if self._thinker is not None:
            self._thinker.new_game()

    def seconds_for(self, side: int) -> float:
        """Return how long a side may think about its next move, by the clock and the settings."""
        game = self.form.game
        moves = moves_left(game.height * game.width, self.line.ply)
        seconds = self.clocks.seconds_for(side, moves, self.settings.lag)
        return min(seconds, self.settings.max_time or seconds)

    def timed(self, side: int, think: Callable[[], str]) -> str:
        """Return what ``think`` does, whose time is taken from a side's clock."""
        begun = time.perf_counter()
        text = think()
        self.clocks.spend(side, time.perf_counter() - begun)
        return text
