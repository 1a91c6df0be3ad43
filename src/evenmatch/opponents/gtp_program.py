"""Programs of others as players of Go, Othello and Connect Four, by the Go Text Protocol."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError, quoted
from evenmatch.games.game import AreaGame, Game
from evenmatch.games.line import Line
from evenmatch.opponents.gtp_client import PATIENCE, GtpEngine, GtpError
from evenmatch.opponents.player import RESIGN, Player, Turn, decisions

MOST_ENGINES = 16  #: processes of one player; more games than that share them
SEED = "set_random_seed"
PASS = "pass"


class GtpProgram(Player):
    """Asks engines for moves, one after another: an engine for each game, while there are few."""

    def __init__(self, game: Game, *, cmd: str | None, seconds: float | None):
        """``cmd`` is the command line. With ``seconds`` it is set to think so long per move.

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
    """An engine, and the game that it has on its board."""

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
