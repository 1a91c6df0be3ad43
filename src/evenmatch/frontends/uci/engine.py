"""The conversation: lines in, lines out, and a thread that thinks meanwhile."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from evenmatch import __version__
from evenmatch.app.compiling import compiling_told
from evenmatch.errors import EvenmatchError, UsageError, quoted
from evenmatch.frontends.lines import lines_heard
from evenmatch.frontends.uci.options import OPTIONS, Option, Settings, Value, options_with
from evenmatch.frontends.uci.protocol import read_go, read_position, read_setoption
from evenmatch.frontends.uci.time_management import seconds_for

if TYPE_CHECKING:
    from evenmatch.frontends.uci.thinking import MoveTask, Thinker
    from evenmatch.frontends.uci.uci_line import UciLine

COMPILING = "info string compiling chess; this takes a minute or two, once"
AUTHORS = "the evenmatch authors"


class Engine:
    """Answers one line after the other; what takes time is loaded when it is first needed."""

    def __init__(self, tell: Callable[[str], None], options: Mapping[str, Option] = OPTIONS):
        self._tell = tell
        self._options = options
        self._settings = Settings(options)
        self._options_due: list[tuple[str, Value | None]] = []  # set once no search goes on
        self._thinker: Thinker | None = None
        self._line: UciLine | None = None
        self._refused = False  # whether the position told last cannot be played in
        self._task: MoveTask | None = None
        self._thread: threading.Thread | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": self._ucinewgame,
            "setoption": self._setoption,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "debug": lambda words: None,
            "register": lambda words: None,
        }

    def hear(self, line: str) -> bool:
        """Answer a line; False after the one that says good-bye."""
        if self._task is not None and self._task.told.is_set():
            self._join()
        words = line.split()
        while words and words[0] not in self._commands and words[0] != "quit":
            words.pop(0)  # the interface asks to pass over what is not known
        if not words:
            if line.strip():
                self._note(f"cannot read {quoted(line.strip())}; see the UCI protocol")
            return True
        if words[0] == "quit":
            self._end()
            return False
        try:
            self._commands[words[0]](words[1:])
        except EvenmatchError as error:
            self._note(f"error: {error}")
        return True

    def close(self) -> None:
        """Finish when nothing more will be heard: a search that ends by itself may end."""
        if self._task is not None and not self._task.go.bounded:
            self._task.end()
        self._join()

    # -- commands --------------------------------------------------------------------------------

    def _uci(self, words: list[str]) -> None:
        self._tell(f"id name evenmatch {__version__}")
        self._tell(f"id author {AUTHORS}")
        for name, option in self._options.items():
            self._tell(option.declared(name))
        self._tell("uciok")

    def _isready(self, words: list[str]) -> None:
        if self._thread is None:
            try:
                self._prepared().prepare()
            except EvenmatchError as error:  # a chess program must not wait for ever
                self._note(f"error: {error}")
        self._tell("readyok")

    def _ucinewgame(self, words: list[str]) -> None:
        self._end()
        self._line, self._refused = None, False
        if self._thinker is not None:
            self._thinker.new_game()

    def _setoption(self, words: list[str]) -> None:
        self._options_due.append(self._settings.read(*read_setoption(words)))
        if self._thread is None:
            self._set_options()

    def _set_options(self) -> None:
        """Set what is due: options that come during a search wait for its end."""
        for name, value in self._options_due:
            self._settings[name] = value
            if self._thinker is not None and name in ("Clear Hash", "Seed"):
                self._thinker.new_game()
        self._options_due.clear()

    def _position(self, words: list[str]) -> None:
        from evenmatch.frontends.uci.uci_line import UciLine

        self._refused = True
        told = read_position(words)
        self._end()
        self._line = UciLine(told, self._line)
        for note in self._line.notes:
            self._note(note)
        self._refused = False

    def _go(self, words: list[str]) -> None:
        from evenmatch.frontends.uci.thinking import MoveTask
        from evenmatch.frontends.uci.uci_line import UciLine

        go = read_go(words)
        self._end()
        if self._refused:  # a move of another position would be taken for one of that
            self._note("no move, since the position was refused; send one that can be played")
            self._tell("bestmove (none)")
            return
        if go.unread:
            self._note(f"passed over in go: {quoted(' '.join(go.unread))}")
        line = self._line = self._line or UciLine()
        seconds = seconds_for(go, line.first_side, self._settings["Move Overhead"])
        self._task = MoveTask(line, go, seconds)
        if not go.ponder:
            self._task.start_clock()
        thinker = self._prepared()
        self._thread = threading.Thread(target=self._think, args=(thinker, self._task), daemon=True)
        self._thread.start()

    def _stop(self, words: list[str]) -> None:
        self._end()

    def _ponderhit(self, words: list[str]) -> None:
        if self._task is not None:
            self._task.start_clock()

    # -- thinking --------------------------------------------------------------------------------

    def _think(self, thinker: Thinker, task: MoveTask) -> None:
        """Tell the best move, once it is wanted: not while the opponent's move is only a guess."""
        answer = None
        try:
            best, answer = thinker.think(task)
        except Exception as error:  # the program on the other side must still hear a move
            if isinstance(error, EvenmatchError):
                self._note(f"error: {error}")
            else:
                traceback.print_exc(file=sys.stderr)
                self._note(f"error: {error!r}; please report it")
            best = self._any_move(task)
        task.wanted.wait()
        task.told.set()
        self._tell(f"bestmove {best}" + (f" ponder {answer}" if answer else ""))

    def _any_move(self, task: MoveTask) -> str:
        legal = task.line.playable_actions
        return task.line.words([int(legal[0])])[0] if len(legal) else "(none)"

    def _prepared(self) -> Thinker:
        from evenmatch.frontends.uci.thinking import Thinker

        if self._thinker is None:
            self._thinker = Thinker(self._settings, self._tell)
        return self._thinker

    def _end(self) -> None:
        """Stop what is thought about; its best move is told."""
        if self._task is not None:
            self._task.end()
        self._join()

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()
        self._thread = self._task = None
        self._set_options()

    def _note(self, text: str) -> None:
        self._tell(f"info string {' '.join(text.split())}")


def serve(given: Mapping[str, Value]) -> None:
    """Converse on standard input and output until told to quit or nothing more comes.

    ``given`` are options to begin with, by name. UsageError if there is no such option, value or
    file.
    """
    weights = given.get("WeightsFile")
    if weights is not None and not os.path.isfile(str(weights)):
        raise UsageError(f"no network file {weights}; name one of ours, or Leela's .pb.gz")
    options = options_with(given)
    lines = lines_heard()
    lock = threading.Lock()

    def tell(text: str) -> None:
        with lock:
            print(text, flush=True)

    engine = Engine(tell, options)
    with compiling_told(lambda: tell(COMPILING)):
        for line in lines:
            if not engine.hear(line):
                return
        engine.close()
