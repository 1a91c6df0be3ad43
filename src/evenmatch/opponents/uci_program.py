"""Other chess engines as opponents: programs of the Universal Chess Interface, or of XBoard's."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, TypeVar

import chess
import chess.engine

from evenmatch.errors import UsageError, quoted
from evenmatch.games.chess import Chess
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.opponents.gtp_program import command_of, ended_with, with_engines
from evenmatch.opponents.player import RESIGN, Player, decisions

T = TypeVar("T")
LOG = logging.getLogger(__name__)
for _library in ("asyncio", "chess.engine"):  # this module reports engines that die
    logging.getLogger(_library).setLevel(logging.CRITICAL)
STARTING = 20.0  #: seconds an engine may take to start
PATIENCE = 300.0  #: most seconds until an answer, if no time for thinking is given
LEAVING = 2.0  #: seconds an engine has to quit before it is ended
LONGEST_LINE = 1 << 20  #: bytes
#: Errors of an engine that dies, sends nonsense or does not answer; a request during its end is
#: cancelled.
FAILURES = (TimeoutError, chess.engine.EngineError, CancelledError)


class _Guarded(chess.engine.Protocol):
    """A protocol with an engine that may write without end."""

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Take what it writes; end it when a line does not end."""
        super().pipe_data_received(fd, data)
        if len(self.buffer[fd]) > LONGEST_LINE and self.transport is not None:
            self.buffer[fd].clear()
            self.transport.kill()

    def process_exited(self) -> None:
        """Take the end of the process for that of its pipes.

        The end of a pipe is not reported if the engine closed it before; the thread that reads it
        would wait for ever.
        """
        self.loop.call_later(LEAVING, self.connection_lost, None)

    def connection_lost(self, error: Exception | None) -> None:
        """Pass the end on once."""
        if not self.returncode.done():
            super().connection_lost(error)


class _Uci(_Guarded, chess.engine.UciProtocol):
    """The Universal Chess Interface."""


class _XBoard(_Guarded, chess.engine.XBoardProtocol):
    """The Chess Engine Communication Protocol of XBoard."""

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Take what it writes; engines without ``setboard`` play games from the usual start."""
        assert isinstance(data, bytes), "pipes carry bytes"
        super().pipe_data_received(fd, data.replace(b"setboard=0", b"setboard=1"))


PROTOCOLS: dict[str, type[_Uci] | type[_XBoard]] = {"uci": _Uci, "xboard": _XBoard}


class Engine(chess.engine.SimpleEngine):
    """A running engine, whose answers are waited for at most ``patience``."""

    patience = PATIENCE  #: most seconds until an answer, if no time for thinking is given

    def _timeout_for(self, limit: chess.engine.Limit | None) -> float | None:
        usual = super()._timeout_for(limit)
        return self.patience if usual is None else usual


class UciProgram(Player):
    """Asks one engine for the moves of all its games, one position after another."""

    def __init__(
        self,
        game: Game,
        *,
        cmd: str | None,
        elo: float | None,
        seconds: float | None,
        nodes: int | None,
        depth: int | None,
        option: Sequence[tuple[str, str]] | None = None,
        protocol: str | None = None,
    ):
        """``cmd`` is its command line; with ``elo`` its strength is limited by UCI_Elo.

        ``protocol`` is one of PROTOCOLS, UCI by default.
        ``option`` are names and values of UCI options. It thinks ``seconds`` per move, 0.1 if
        no limit is given.
        UsageError if it cannot be started, refuses the rating or an option, or the game is not
        chess.
        """
        if not isinstance(game, Chess):
            raise UsageError("engines play chess; choose another player")
        if not cmd:
            raise UsageError("no engine; name its command as in engine:cmd=stockfish")
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"seconds={seconds} is outside (0, inf); choose one inside")
        for name, number in (("nodes", nodes), ("depth", depth)):
            if number is not None and number < 1:
                raise UsageError(f"{name}={number} is below 1; choose 1 or more")
        if seconds is nodes is depth is None:
            seconds = 0.1
        self._limit = chess.engine.Limit(time=seconds, nodes=nodes, depth=depth)
        self._cmd, self._protocol = cmd, protocol or "uci"
        self._options, self._elo = option or (), elo
        self._start()

    def _start(self) -> None:
        self._engine = start_engine(self._cmd, self._protocol)
        self._end = ended_with(self, end_engine, self._engine)
        for name, text in self._options:
            self._set_option(name, text)
        if self._elo is not None:
            limited = {"UCI_LimitStrength": True, "UCI_Elo": round(self._elo)}
            self._set(limited, f"no rating of {self._elo:g}")

    def _set_option(self, name: str, text: str) -> None:
        """Set an option; UsageError lists the engine's options if it is not one of them."""
        offered = self._engine.options
        if name not in offered:
            self._end()
            near = get_close_matches(name.lower(), [one.lower() for one in offered], n=1)
            meant = [f"did you mean {offered[one].name}? " for one in near]
            raise UsageError(
                f"{self._cmd} has no option {quoted(name)}; {''.join(meant)}Its options are: "
                f"{', '.join(offered)}"
            )
        kind = offered[name].type
        value: Any = {"true": True, "false": False}.get(text.lower()) if kind == "check" else text
        if value is None:
            self._end()
            raise UsageError(f"{name}={text} is neither true nor false; write one of them")
        self._set({name: value}, f"not {quoted(text)} as {name}")

    def _set(self, options: dict[str, Any], refused: str) -> None:
        try:
            self._engine.configure(options)
        except FAILURES as error:
            self._end()  # the error holds this object, so that nothing else would
            raise UsageError(f"{self._cmd} takes {refused} ({error})") from None

    def decide(self, turns):
        """Return the engine's moves. UsageError if it ends or plays none.

        One that fails is started again and asked once more. One that claims a draw by its own count
        is asked again without the moves before.
        """
        return decisions(turns, [self._move(turn.line, turn.seed) for turn in turns])

    def _move(self, line: Line, seed: int) -> int:
        first = next((at for at, action in enumerate(line.actions) if action >= 0), line.ply)
        rules = Chess()
        board = chess.Board(rules.to_fen(line.states[first]))
        for at in range(first, line.ply):
            board.push_san(line.text(at))
        game = seed, line.states[0].tobytes()  # another one makes the engine forget the last
        try:
            played = self._ask(board, game)
        except FAILURES as error:
            LOG.warning("engine %s failed (%s) and is started again", self._cmd, why_failed(error))
            self._end()
            self._start()
            try:
                played = self._ask(board, game)
            except FAILURES as error:
                raise UsageError(
                    f"engine {self._cmd} failed twice ({why_failed(error)}); try it by "
                    f"itself with `go` in {quoted(board.fen())}, or choose another"
                ) from None
        if played.resigned:
            return RESIGN
        if played.move is None:
            raise UsageError(
                f"engine {self._cmd} plays no move in {quoted(board.fen())}; choose another engine"
            )
        return int(rules.read_action(line.state, played.move.uci()))

    def _ask(self, board: chess.Board, game: object) -> chess.engine.PlayResult:
        played = self._engine.play(board, self._limit, game=game)
        if played.move is None and not played.resigned:  # it claims a draw that is none here
            alone = chess.Board(board.fen())
            played = self._engine.play(alone, self._limit, game=alone.fen())
        return played


def why_failed(error: BaseException) -> str:
    """Return the text of one of ``FAILURES``, in words if it has none."""
    return str(error) or ("it ended" if isinstance(error, CancelledError) else "no answer in time")


def engine_name(cmd: str) -> str:
    """Return the name, with its version, that an engine gives itself. UsageError."""
    engine = start_engine(cmd)
    try:
        return str(engine.id.get("name", cmd))
    finally:
        end_engine(engine)


def start_engine(cmd: str, protocol: str = "uci") -> Engine:
    """Start an engine that speaks one of PROTOCOLS; UsageError if that cannot be done."""
    try:
        engine = _from_daemon(
            lambda: Engine.popen(
                PROTOCOLS[protocol], command_of(cmd), timeout=STARTING, env=with_engines()
            )
        )
    except (OSError, ValueError, *FAILURES) as error:
        why = getattr(error, "strerror", None) or str(error) or f"no answer to `{protocol}`"
        raise UsageError(
            f"cannot start the engine {quoted(cmd)} ({why}); give the command of an engine of "
            f"the protocol {protocol}"
        ) from None
    assert isinstance(engine, Engine), "popen makes one of its own class"
    return engine


def _from_daemon(start: Callable[[], T]) -> T:
    """Return what a daemon thread starts, whose own thread is one then: no exit waits for it."""
    found: Future[T] = Future()

    def run() -> None:
        try:
            found.set_result(start())
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return found.result()


def end_engine(engine: chess.engine.SimpleEngine) -> None:
    """Let the engine quit, if it still runs."""
    engine.timeout = LEAVING
    try:
        engine.quit()
    except FAILURES:
        with suppress(ProcessLookupError):
            engine.transport.kill()
        engine.close()
