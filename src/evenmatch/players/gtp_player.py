"""Programs of others as players of Go, Othello and Connect Four, by the Go Text Protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError, quoted
from evenmatch.games.game import AreaGame, Game
from evenmatch.players.gtp_client import PATIENCE, GtpEngine, GtpError
from evenmatch.players.player import RESIGN, Player, Turns
from evenmatch.search.forest import seeds_from

MOST_ENGINES = 16  #: processes of one player; more games than that share them
SEED = "set_random_seed"
PASS = "pass"


class GtpPlayer(Player):
    """Asks engines for moves, one after another: an engine for each game, while there are few."""

    def __init__(self, game: Game, games: int, *, cmd: str | None, seconds: float | None):
        """``cmd`` is the command line. With ``seconds`` it is told to think so long a move.

        UsageError if it cannot be started, or does not play on the game's board.
        """
        if not cmd:
            raise UsageError('no engine; name its command as in engine:cmd="gnugo --mode gtp"')
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"seconds={seconds} is outside (0, inf); choose one inside")
        self._game, self.games, self._cmd, self._seconds = game, games, cmd, seconds
        self._tables = [_Table(game, GtpEngine(cmd), seconds)]
        self._seeds = np.zeros(games, np.uint64)

    def resize(self, games):
        """Make room for more games."""
        self._seeds = np.resize(self._seeds, games)
        super().resize(games)

    def begin(self, games: NDArray[np.intp], sides: NDArray[np.int8], seed: int) -> None:
        """Let the engines begin these games anew when their turn comes."""
        self._seeds[games] = seeds_from(seed, len(games))
        for game in map(int, games):
            if game % MOST_ENGINES < len(self._tables):
                self._table(game).leave(game)

    def choose(self, turns: Turns) -> NDArray[np.intp]:
        """Return the engines' moves, RESIGN for a game given up; UsageError for an illegal one."""
        return np.array([self._choose(turns, i) for i in range(len(turns.games))], np.intp)

    def _choose(self, turns: Turns, i: int) -> int:
        game, ply = int(turns.games[i]), int(turns.plies[i])
        table = self._table(game)
        try:
            table.go_to(
                game,
                turns.history[game, : ply + 1],
                [int(turns.actions[game, at]) for at in range(ply)],
                int(self._seeds[game] >> np.uint64(34)),
            )
            return table.move(turns.states[i])
        except GtpError as failure:
            raise UsageError(
                f"engine {self._cmd} refused {table.asked} ({failure}); choose another engine"
            ) from None

    def _table(self, game: int) -> _Table:
        place = game % MOST_ENGINES
        while len(self._tables) <= place:
            self._tables.append(_Table(self._game, GtpEngine(self._cmd), self._seconds))
        return self._tables[place]

    def close_engines(self) -> None:
        """End all engines."""
        for table in self._tables:
            table.engine.close()


class _Table:
    """An engine, and the game that it has on its board."""

    def __init__(self, game: Game, engine: GtpEngine, seconds: float | None):
        self._game, self.engine = game, engine
        self._patience = PATIENCE if seconds is None else PATIENCE + 10 * seconds
        self._seconds = seconds
        self._number: int | None = None  # of the game on its board; None: no game
        self._start: NDArray[np.uint64] | None = None  # [S] its first position
        self._actions: list[int] = []
        self.asked = ""  #: the latest command
        try:
            self._set_up()
        except GtpError as failure:
            self.engine.close()
            raise UsageError(
                f"engine {engine.cmd} refused {self.asked} ({failure}); it does not play {game.id}"
            ) from None

    def _ask(self, command: str) -> str:
        self.asked = quoted(command)
        return self.engine.ask(command, seconds=self._patience)

    def _set_up(self) -> None:
        self._ask(f"boardsize {self._game.width}")
        self._ask("clear_board")

    def leave(self, number: int) -> None:
        """Forget a game, so that it begins anew."""
        if self._number == number:
            self._number = None

    def go_to(
        self, number: int, states: NDArray[np.uint64], actions: Sequence[int], seed: int
    ) -> None:
        """Set the board to a game's end: its positions [P + 1, S] and actions [P] so far."""
        known = len(self._actions)
        goes_on = self._number == number and list(actions[:known]) == self._actions
        if not goes_on or self._start is None or (self._start != states[0]).any():
            self._begin(states[0], seed)
            known = 0
        for ply in range(known, len(actions)):
            self._play(states[ply], actions[ply])
        self._number, self._start, self._actions = number, states[0].copy(), list(actions)

    def _begin(self, start: NDArray[np.uint64], seed: int) -> None:
        self._number = None  # until the board is set
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
        told = self._ask(f"genmove {self._colour(state)}").strip()
        if told.lower() == "resign":
            self._number = None
            return RESIGN
        try:
            action = int(self._game.read_action(state, told))
        except MoveError as error:
            self._number = None
            raise UsageError(
                f"engine {self.engine.cmd} played {quoted(told)} at ply {len(self._actions) + 1}, "
                f"which is not legal ({error}); choose another engine"
            ) from None
        self._actions.append(action)
        return action

    def _colour(self, state: NDArray[np.uint64]) -> str:
        return "b" if self._game.to_play(state[None])[0] == 1 else "w"


def start_commands(game: Game, start: NDArray[np.uint64]) -> list[str]:
    """Return what tells a program how a game of area begins [S] on an empty board: komi and stones.

    Komi comes with what White gets for handicap stones.
    """
    if not isinstance(game, AreaGame):
        return []
    commands = [f"komi {game.komi_of(start[None])[0]:g}"]
    for point, side in enumerate(game.board(start[None])[0].flat):
        if side:
            commands.append(f"play {'b' if side > 0 else 'w'} {game.action_text(start, point)}")
    return commands
