"""Other programs as opponents at Go, Othello and Connect Four, by the Go Text Protocol."""

from __future__ import annotations

import contextlib
import math
import os
import queue
import shlex
import shutil
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError, quoted
from evenmatch.games.game import AreaGame, Game
from evenmatch.games.line import Line
from evenmatch.opponents.player import RESIGN, Player, Turn, decisions

STARTING = 20.0  #: seconds an engine may take to start
PATIENCE = 300.0  #: most seconds until an answer
LEAVING = 2.0  #: seconds an engine has to quit before it is ended
LONGEST_LINE = 1 << 16  #: characters
MOST_LINES = 10_000  #: of an answer, with those before it; ten times as many may wait to be read
ENGINES = "/usr/games"  #: the folder of Debian's engines, which the PATH of some users lacks
MOST_ENGINES = 16  #: processes of one player; more games than that share them
SEED = "set_random_seed"
PASS = "pass"


def command_of(cmd: str) -> list[str]:
    """Return the words of a command; a program that is not in PATH is looked for in ENGINES."""
    words = shlex.split(cmd)
    if len(words) == 1 and shutil.which(words[0]) is None:
        words = shlex.split(words[0])  # the whole was in quotation marks
    if words and shutil.which(words[0]) is None:
        words[0] = shutil.which(words[0], path=ENGINES) or words[0]
    return words


def with_engines() -> dict[str, str]:
    """Return the environment of an engine: ours, with ENGINES at the end of the PATH.

    So a command that starts another one, such as ``env HOME=/dev/null sjeng``, finds it.
    """
    return os.environ | {"PATH": f"{os.environ.get('PATH', os.defpath)}:{ENGINES}"}


class GtpError(Exception):
    """An engine's answer that begins with ``?``; the text is what it said."""


class GtpEngine:
    """A running engine; it ends when it is closed, forgotten, or when this process ends."""

    def __init__(self, cmd: str):
        """Start an engine by its command line; UsageError if that cannot be done."""
        self.cmd = cmd
        try:
            words = command_of(cmd)
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                env=with_engines(),
            )
        except (OSError, ValueError, IndexError) as error:
            raise self._not_started(getattr(error, "strerror", None) or str(error)) from None
        self._process = process
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read, args=(process, self._lines), daemon=True).start()
        self.close = ended_with(self, _end, process)
        try:
            self.name = self.ask("name", seconds=STARTING)
            self.commands = frozenset(self.ask("list_commands", seconds=STARTING).split())
        except (UsageError, GtpError):
            self.close()
            raise self._not_started("no answer to `name`") from None

    def _not_started(self, why: str) -> UsageError:
        return UsageError(
            f"cannot start the engine {quoted(self.cmd)} ({why}); give the command of an engine "
            "that speaks GTP, such as gnugo --mode gtp"
        )

    def ask(self, command: str, *, seconds: float = PATIENCE) -> str:
        """Return the answer to a command.

        GtpError if the engine says that it failed, UsageError if it ended or does not answer.
        """
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # ValueError: it was closed
            raise self._failed(f"it ended before {quoted(command)}") from None
        text = "\n".join(self._answer(command, time.monotonic() + seconds))
        if text.startswith("?"):
            raise GtpError(text[1:].strip())
        return text[1:].strip()

    def _answer(self, command: str, deadline: float) -> Iterable[str]:
        """Return the lines of an answer; what comes before it is passed over."""
        lines: list[str] = []
        for _ in range(MOST_LINES):
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                self.close()  # what it says later would be taken for another answer
                raise self._failed(f"no answer in time to {quoted(command)}") from None
            if line is None:
                raise self._failed(f"it ended at {quoted(command)}")
            if lines and not line:
                return lines
            if lines or line.startswith(("=", "?")):
                lines.append(line)
        self.close()
        raise self._failed(f"an answer without end to {quoted(command)}")

    def _failed(self, why: str) -> UsageError:
        return UsageError(f"engine {self.cmd} failed ({why}); try it by itself, or choose another")


def _read(process: subprocess.Popen, lines: queue.Queue[str | None]) -> None:
    """Put the lines of an engine into a queue, and None at their end.

    An engine whose line does not end, or whose lines pile up unread, is ended.
    """
    with contextlib.suppress(ValueError, OSError):  # it may be closed meanwhile
        assert process.stdout is not None
        while line := process.stdout.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE or lines.qsize() > 10 * MOST_LINES:
                process.kill()
                break
            lines.put(line.strip("\r\n"))
    lines.put(None)


PROGRAMS: set[weakref.finalize] = set()  #: what ends each program that runs


def ended_with(player: object, end: Callable[..., None], *args: Any) -> weakref.finalize:
    """Return what ends a program, which it does when its player is gone, or the interpreter."""
    PROGRAMS.difference_update([one for one in PROGRAMS if not one.alive])
    PROGRAMS.add(ends := weakref.finalize(player, end, *args))
    return ends


def end_programs() -> None:
    """End all programs that run, for a process that is about to be killed."""
    for ends in tuple(PROGRAMS):
        ends()


def _end(process: subprocess.Popen) -> None:
    """Let an engine quit; one that does not is ended."""
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write("quit\n")
        process.stdin.close()
    for end in (lambda: None, process.terminate, process.kill):
        end()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LEAVING)
            break


# -- an opponent ----------------------------------------------------------------------------------


class GtpProgram(Player):
    """Asks engines for moves, one after another: an engine per game, up to MOST_ENGINES."""

    def __init__(self, game: Game, *, cmd: str | None, seconds: float | None):
        """``cmd`` is the command line; ``seconds`` is the time for a move.

        UsageError if it cannot be started, or does not play on the game's board.
        """
        if not cmd:
            raise UsageError('no engine; name its command as in engine:cmd="gnugo --mode gtp"')
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"seconds={seconds} is outside (0, inf); choose one inside")
        self._game, self._cmd, self._seconds = game, cmd, seconds
        self._boards = [_Board(game, GtpEngine(cmd), seconds)]  # the latest used is the last
        self._room = 1  # how many may be kept

    def decide(self, turns):
        """Return the engines' moves, RESIGN for a game given up; UsageError for an illegal one."""
        if len(turns) > 1:  # as many again wait for their opponents
            self._room = min(max(self._room, 2 * len(turns)), MOST_ENGINES)
        return decisions(turns, [self._move(turn) for turn in turns])

    def _move(self, turn: Turn) -> int:
        board = self._board(turn.seed)
        try:
            board.go_to(turn.seed, turn.line)
            return board.move(turn.line.state)
        except GtpError as failure:
            raise UsageError(
                f"engine {self._cmd} refused {board.command} ({failure}); choose another engine"
            ) from None

    def _board(self, seed: int) -> _Board:
        """Return the engine that has the game of a seed, otherwise a new one or the idlest."""
        found = next((board for board in self._boards if board.seed == seed), None)
        if found is None and len(self._boards) < self._room:
            found = _Board(self._game, GtpEngine(self._cmd), self._seconds)
            self._boards.append(found)
        found = found or self._boards[0]
        self._boards.remove(found)
        self._boards.append(found)
        return found

    def close_engines(self) -> None:
        """End all engines."""
        for board in self._boards:
            board.engine.close()


class _Board:
    """An engine, and the game on its board."""

    def __init__(self, game: Game, engine: GtpEngine, seconds: float | None):
        self._game, self.engine = game, engine
        self._patience = PATIENCE if seconds is None else PATIENCE + 10 * seconds
        self._seconds = seconds
        self.seed: int | None = None  #: of the game on its board; None: no game
        self._start: NDArray[np.uint64] | None = None  # [S] its first position
        self._actions: list[int] = []
        self.command = ""  #: the latest one
        try:
            self._set_up()
        except GtpError as failure:
            self.engine.close()
            raise UsageError(
                f"engine {engine.cmd} refused {self.command} ({failure}); "
                f"it does not play {game.id}"
            ) from None

    def _ask(self, command: str) -> str:
        self.command = quoted(command)
        return self.engine.ask(command, seconds=self._patience)

    def _set_up(self) -> None:
        self._ask(f"boardsize {self._game.width}")
        self._ask("clear_board")

    def go_to(self, seed: int, line: Line) -> None:
        """Set the board to the end of a line of the game of a seed."""
        known = len(self._actions)
        goes_on = self.seed == seed and line.actions[:known] == self._actions
        if not goes_on or self._start is None or (self._start != line.states[0]).any():
            self._begin(line.states[0], seed >> 34)
            known = 0
        for ply in range(known, line.ply):
            self._play(line.states[ply], line.actions[ply])
        self.seed, self._start, self._actions = seed, line.states[0].copy(), list(line.actions)

    def _begin(self, start: NDArray[np.uint64], seed: int) -> None:
        self.seed = None  # until the board is set
        self._set_up()
        for command in start_commands(self._game, start):
            self._ask(command)
        if SEED in self.engine.commands:
            self._ask(f"{SEED} {seed}")
        if self._seconds is not None:  # overtime of one stone at a time
            self._ask(f"time_settings 0 {max(1, round(self._seconds))} 1")

    def _play(self, state: NDArray[np.uint64], action: int) -> None:
        word = self._game.action_text(state, action)
        try:
            self._ask(f"play {self._colour(state)} {word}")
        except GtpError:  # some programs pass by themselves where nothing else is legal
            if word != PASS or len(self._game.legal_actions(state[None])[0]) > 1:
                raise

    def move(self, state: NDArray[np.uint64]) -> int:
        """Return what the engine plays on its board, whose position is ``state`` [S]."""
        word = self._ask(f"genmove {self._colour(state)}").strip()
        if word.lower() == "resign":
            self.seed = None
            return RESIGN
        try:
            action = int(self._game.read_action(state, word))
        except MoveError as error:
            self.seed = None
            raise UsageError(
                f"engine {self.engine.cmd} played {quoted(word)} at ply {len(self._actions) + 1}, "
                f"which is not legal ({error}); choose another engine"
            ) from None
        self._actions.append(action)
        return action

    def _colour(self, state: NDArray[np.uint64]) -> str:
        return "b" if self._game.to_play(state[None])[0] == 1 else "w"


def start_commands(game: Game, start: NDArray[np.uint64]) -> list[str]:
    """Return the commands that set the start of a game of area [S] on an empty board.

    Komi comes with what White gets for handicap stones.
    """
    if not isinstance(game, AreaGame):
        return []
    commands = [f"komi {game.komi_of(start[None])[0]:g}"]
    for point, side in enumerate(game.board(start[None])[0].flat):
        if side:
            commands.append(f"play {'b' if side > 0 else 'w'} {game.action_text(start, point)}")
    return commands
