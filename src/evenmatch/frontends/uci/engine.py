"""The conversation with a chess program: a dialect of `frontends.engine`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from evenmatch import __version__
from evenmatch.errors import EvenmatchError, UsageError, quoted
from evenmatch.frontends.engine import loop
from evenmatch.frontends.engine.options import Settings, Value
from evenmatch.frontends.uci.protocol import (
    LISTED,
    OPTIONS,
    declared,
    read_go,
    read_position,
    read_setoption,
)

if TYPE_CHECKING:
    from evenmatch.frontends.uci.thinking import ChessThinker, Given, MoveSearch

AUTHORS = "the evenmatch authors"


class Engine(loop.EngineLoop):
    """Answers one line after the other; networks and kernels are loaded when they are needed."""

    search: MoveSearch | None

    def __init__(self, send: loop.Send, given: Mapping[str, Value] | None = None):
        """``given``: options that replace the defaults. UsageError if one is wrong."""
        super().__init__(send)
        self._settings = Settings(OPTIONS, given or {}, listed=LISTED)
        self._options_due: list[tuple[str, Value | None]] = []  # set when no search runs
        self._thinker: ChessThinker | None = None
        self._given: Given | None = None
        self._refused = False  # whether the latest position cannot be played
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
        """Answer a line; False after ``quit``."""
        if self.search is not None and self.search.sent.is_set():
            self._join()
        words = line.split()
        while words and words[0] not in self._commands and words[0] != "quit":
            words.pop(0)  # the interface asks to pass over unknown words
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
        """Finish after the last line; a search that ends by itself is not stopped."""
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
        for name, option in self._settings.options.items():
            self.send(declared(name, option))
        self.send("uciok")

    def _isready(self, words: list[str]) -> None:
        if self.search is None:
            try:
                self._load().ready()
            except EvenmatchError as error:  # a chess program must not wait for ever
                self.note(f"error: {error}")
        self.send("readyok")

    def _ucinewgame(self, words: list[str]) -> None:
        self._end()
        self._given, self._refused = None, False
        if self._thinker is not None:
            self._thinker.new_game()

    def _setoption(self, words: list[str]) -> None:
        self._options_due.append(self._settings.read(*read_setoption(words)))
        if self.search is None:
            self._set_options()

    def _set_options(self) -> None:
        """Set the options that came during a search."""
        for name, value in self._options_due:
            self._settings[name] = value
            if self._thinker is not None and name in ("Clear Hash", "Seed"):
                self._thinker.new_game()
        self._options_due.clear()

    def _position(self, words: list[str]) -> None:
        self._refused = True
        position = read_position(words)
        self._end()
        self._given = self._load().read(position, self._given)
        for note in self._given.notes:
            self.note(note)
        self._refused = False

    def _go(self, words: list[str]) -> None:
        go = read_go(words)
        self._end()
        if self._refused:  # otherwise a move of the position before would be played
            self.note("no move, since the position was refused; send one that can be played")
            self.send("bestmove (none)")
            return
        if go.unread:
            self.note(f"passed over in go: {quoted(' '.join(go.unread))}")
        thinker = self._load()
        given = self._given = self._given or thinker.read()
        search = self.search = thinker.search(given.line, go)
        if not go.ponder:
            search.start_clock()
        search.run(lambda: self._think(thinker, search))

    def _ponderhit(self, words: list[str]) -> None:
        if self.search is not None:
            self.search.start_clock()

    # -- thinking --------------------------------------------------------------------------------

    def _think(self, thinker: ChessThinker, search: MoveSearch) -> None:
        """Send the best move when it is wanted: not while pondering on a predicted move."""
        answer = None
        try:
            best, answer = thinker.think(search)
        except Exception as error:  # the program must still get a move
            self.note(f"error: {loop.explained(error)}")
            best = thinker.any_move(search.line)
        search.wanted.wait()
        search.sent.set()
        self.send(f"bestmove {best}" + (f" ponder {answer}" if answer else ""))

    def _load(self) -> ChessThinker:
        if self._thinker is None:
            if self.closing is not None:
                self.closing.enter_context(loop.noting_compilation("chess", self.note))
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

    ``given``: options that replace the defaults. UsageError if there is no such option, value or
    file.
    """
    weights = given.get("WeightsFile")
    if weights is not None and not os.path.isfile(str(weights)):
        raise UsageError(f"no network file {weights}; name one of ours, or Leela's .pb.gz")
    loop.serve(lambda send: Engine(send, given))
