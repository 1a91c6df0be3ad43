"""The conversation: a line in, an answer out, and a thread that analyses until the next line."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from evenmatch.errors import EvenmatchError, UsageError, quoted
from evenmatch.frontends.gtp.commands import commands_of
from evenmatch.frontends.gtp.protocol import GtpError, answer, body, read_line
from evenmatch.frontends.gtp.resigning import Resigning
from evenmatch.frontends.gtp.settings import GO, OTHERS, Settings
from evenmatch.frontends.gtp.time_management import Clocks

if TYPE_CHECKING:
    from evenmatch.frontends.gtp.forms import Form
    from evenmatch.frontends.gtp.record import Record
    from evenmatch.frontends.gtp.thinking import Thinker
    from evenmatch.sessions.game_line import GameLine

Tell = Callable[[str], None]
Analysis = Callable[[Callable[[], bool]], None]  # runs until what it is given is true


class Engine:
    """What commands act on; games, networks and kernels are loaded when they are first needed."""

    def __init__(self, tell: Tell, settings: Settings | None = None):
        """``tell`` gets each line, or the lines of one answer, without the last newline."""
        self.tell = tell
        self.settings = settings or Settings()
        self.commands = commands_of(self.settings.game)
        self.clocks = Clocks()
        self.resigning = Resigning(self.settings)
        self.quitting = False
        self._record: Record | None = None
        self._thinker: Thinker | None = None
        self._number = ""  # of the command that is answered now
        self._begun = False  # whether its answer has begun
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def hear(self, line: str) -> bool:
        """Answer a line; False after the one that says good-bye. Any line ends an analysis."""
        self.end_analysis()
        command = read_line(line)
        if command is None:
            return True
        self._number, self._begun = command.id, False
        text, failed = "", True
        try:
            if command.name not in self.commands:
                raise GtpError("unknown command")
            text, failed = self.commands[command.name](self, command.arguments), False
        except (GtpError, EvenmatchError) as error:
            text = " ".join(str(error).split())
        except Exception as error:  # the program on the other side must still hear an answer
            traceback.print_exc(file=sys.stderr)
            text = f"{error!r}; please report it"
        if self._thread is None:
            self.tell(f"{body(text)}\n" if self._begun else answer(text, command.id, failed=failed))
        else:
            self._thread.start()
        return not self.quitting

    def close(self) -> None:
        """Finish when nothing more will be heard."""
        self.end_analysis()

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
            from evenmatch.frontends.gtp.forms import form_of
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
        from evenmatch.frontends.gtp.time_management import moves_left

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


def serve(settings: Settings) -> None:
    """Converse on standard input and output until told to quit or nothing more comes.

    UsageError if the settings name a game that is not played by this protocol, or no file.
    """
    if settings.game not in GO + OTHERS:
        names = ", ".join(GO + OTHERS)
        raise UsageError(f"no game {quoted(settings.game)} by GTP; choose one of: {names}")
    if settings.weights is not None and not os.path.isfile(settings.weights):
        raise UsageError(f"no network file {settings.weights}; name one that exists")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="surrogateescape")  # comments are any bytes
    engine = Engine(lambda text: print(text, flush=True), settings)
    for line in sys.stdin:
        if not engine.hear(line):
            return
    engine.close()
