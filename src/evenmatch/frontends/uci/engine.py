"""The conversation with a chess program: lines in, lines out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evenmatch import __version__
from evenmatch.errors import EvenmatchError, UsageError, quoted
from evenmatch.frontends.engine import loop
from evenmatch.frontends.uci.protocol import (
    OPTIONS,
    Option,
    Settings,
    Value,
    options_with,
    read_go,
    read_position,
    read_setoption,
)

if TYPE_CHECKING:
    from evenmatch.frontends.uci.line import UciLine
    from evenmatch.frontends.uci.thinking import ChessThinker, MoveSearch

AUTHORS = "the evenmatch authors"


class Engine(loop.EngineLoop):
    """Answers one line after the other; what takes time is loaded when it is first needed."""

    search: MoveSearch | None

    def __init__(self, send: loop.Send, options: Mapping[str, Option] = OPTIONS):
        super().__init__(send)
        self._options = options
        self._settings = Settings(options)
        self._options_due: list[tuple[str, Value | None]] = []  # set once no search goes on
        self._thinker: ChessThinker | None = None
        self._line: UciLine | None = None
        self._refused = False  # whether the latest position cannot be played in
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": self._ucinewgame,
            "setoption": self._setoption,
            "position": self._position,
            "go": self._go,
            "stop": lambda words: self._end(),
            "ponderhit": self._ponderhit,
            "debug": lambda words: None,
            "register": lambda words: None,
        }

    def handle(self, line: str) -> bool:
        """Answer a line; False after the one that says good-bye."""
        if self.search is not None and self.search.sent.is_set():
            self._join()
        words = line.split()
        while words and words[0] not in self._commands and words[0] != "quit":
            words.pop(0)  # the interface asks to pass over what is not known
        if not words:
            if line.strip():
                self.note(f"cannot read {quoted(line.strip())}; see the UCI protocol")
            return True
        if words[0] == "quit":
            self._end()
            return False
        try:
            self._commands[words[0]](words[1:])
        except EvenmatchError as error:
            self.note(f"error: {error}")
        return True

    def close(self) -> None:
        """Finish after the last line: a search that ends by itself may end."""
        if self.search is not None and not self.search.go.bounded:
            self.search.stop()
        self._join()

    def note(self, text: str) -> None:
        """Send a line for the person at the program."""
        self.send(f"info string {' '.join(text.split())}")

    # -- commands --------------------------------------------------------------------------------

    def _uci(self, words: list[str]) -> None:
        self.send(f"id name evenmatch {__version__}")
        self.send(f"id author {AUTHORS}")
        for name, option in self._options.items():
            self.send(option.declared(name))
        self.send("uciok")

    def _isready(self, words: list[str]) -> None:
        if self.search is None:
            try:
                self._loaded_thinker().ready()
            except EvenmatchError as error:  # a chess program must not wait for ever
                self.note(f"error: {error}")
        self.send("readyok")

    def _ucinewgame(self, words: list[str]) -> None:
        self._end()
        self._line, self._refused = None, False
        if self._thinker is not None:
            self._thinker.new_game()

    def _setoption(self, words: list[str]) -> None:
        self._options_due.append(self._settings.read(*read_setoption(words)))
        if self.search is None:
            self._set_options()

    def _set_options(self) -> None:
        """Set what is due: options that come during a search wait for its end."""
        for name, value in self._options_due:
            self._settings[name] = value
            if self._thinker is not None and name in ("Clear Hash", "Seed"):
                self._thinker.new_game()
        self._options_due.clear()

    def _position(self, words: list[str]) -> None:
        self._refused = True
        position = read_position(words)
        self._end()
        self._line = self._read(position, self._line)
        for note in self._line.notes:
            self.note(note)
        self._refused = False

    def _go(self, words: list[str]) -> None:
        from evenmatch.frontends.uci.thinking import MoveSearch

        go = read_go(words)
        self._end()
        if self._refused:  # a move of another position would be taken for one of that
            self.note("no move, since the position was refused; send one that can be played")
            self.send("bestmove (none)")
            return
        if go.unread:
            self.note(f"passed over in go: {quoted(' '.join(go.unread))}")
        line = self._line = self._line or self._read()
        seconds = go.seconds(line.white, self._settings["Move Overhead"])
        search = self.search = MoveSearch(line, go, seconds)
        if not go.ponder:
            search.start_clock()
        thinker = self._loaded_thinker()
        search.run(lambda: self._think(thinker, search))

    def _ponderhit(self, words: list[str]) -> None:
        if self.search is not None:
            self.search.start_clock()

    # -- thinking --------------------------------------------------------------------------------

    def _think(self, thinker: ChessThinker, search: MoveSearch) -> None:
        """Send the best move, once it is wanted: not while the opponent's move is only a guess."""
        answer = None
        try:
            best, answer = thinker.think(search)
        except Exception as error:  # the program must still get a move
            self.note(f"error: {loop.explained(error)}")
            legal = search.line.playable_actions
            best = search.line.words([int(legal[0])])[0] if len(legal) else "(none)"
        search.wanted.wait()
        search.sent.set()
        self.send(f"bestmove {best}" + (f" ponder {answer}" if answer else ""))

    def _read(self, *given: Any) -> UciLine:
        """Return the game that a position tells; ``given`` as for `UciLine`."""
        self.loading("chess")
        from evenmatch.frontends.uci.line import UciLine

        return UciLine(*given)

    def _loaded_thinker(self) -> ChessThinker:
        if self._thinker is None:
            self.loading("chess")
            from evenmatch.frontends.uci.thinking import ChessThinker

            self._thinker = ChessThinker(self._settings, self.send)
        return self._thinker

    def _end(self) -> None:
        """Stop the search; its best move is sent."""
        if self.search is not None:
            self.search.stop()
        self._join()

    def _join(self) -> None:
        if self.search is not None:
            self.search.join()
        self.search = None
        self._set_options()


def serve(given: Mapping[str, Value]) -> None:
    """Talk to a chess program on standard input and output until it quits or sends no more.

    ``given`` are options to begin with, by name. UsageError if there is no such option, value or
    file.
    """
    weights = given.get("WeightsFile")
    if weights is not None and not os.path.isfile(str(weights)):
        raise UsageError(f"no network file {weights}; name one of ours, or Leela's .pb.gz")
    options = options_with(given)
    loop.serve(lambda send: Engine(send, options))
