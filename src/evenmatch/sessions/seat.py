"""A player at a board: it begins once a game, and goes back to any ply without a search.

After each of its turns the player's state within the game is kept (``Player.snapshot``). So moves
can be taken back, a game can be told anew move by move, as UCI does, and a saved game can go on,
and the player is asked about no position twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError
from evenmatch.players import Player
from evenmatch.records.record import GIVEN
from evenmatch.sessions.game_line import GameLine

Snapshot = dict[str, Any]


class Seat:
    """A player in one game at a time."""

    def __init__(self, player: Player, number: int = 0):
        """``number`` is the game's, of those that the player knows."""
        self.player = player
        self.number = number
        self._start: NDArray[np.uint64] | None = None  # [S] of the game; None before the first
        self._known: list[int] = []  # actions of the game, as of the latest turn
        self._before: list[Snapshot | None] = []  # [P + 1] the state before a turn at each ply
        self._after: Snapshot | None = None  # the state after the latest turn
        self._asked = False  # whether the player has had a turn at the last of the known plies
        self._interrupted = False  # whether a turn has begun there and not ended
        self._side, self._seed = 1, 0
        self.expects: float | None = None
        """What the player's latest search expects, 0 to 1; None if it does not search."""

    def begin(self, line: GameLine, side: int, seed: int) -> None:
        """Begin a game at the end of ``line``; ``side`` is 1 if the player moves first, else -1."""
        self._side, self._seed = side, seed
        self.player.begin(np.array([self.number]), np.array([side], np.int8), seed)
        self._start = line.states[0].copy()
        now = self.player.snapshot(self.number)
        self._known, self._before = list(line.actions), [now] * (line.ply + 1)
        self._asked = self._interrupted = False

    @property
    def played_at(self) -> float | None:
        """The Elo that the player has played at in its game; None if none is known."""
        return self.player.played_at(self.number)

    @property
    def in_game(self) -> bool:
        """Whether a game has begun."""
        return self._start is not None

    def is_in(self, line: GameLine, side: int) -> bool:
        """Tell whether a line goes on from, or back in, the game that the player is in as ``side``.

        A line with none of the game's moves is another game. One that begins as the game did is
        taken to be the same: who begins another says so by `begin`.
        """
        if self._start is None or side != self._side or (self._start != line.states[0]).any():
            return False
        return not self._known or not line.ply or bool(line.common(self._known[:1]))

    def choose(self, line: GameLine) -> int:
        """Return what the player does at the end of a line of its game.

        If the player fails, it is taken back before its next turn.
        """
        self.begin_turn(line)
        action = self._ask(line)
        self.end_turn()
        return action

    def begin_turn(self, line: GameLine) -> None:
        """Take the player to the end of a line, for a turn that `end_turn` ends."""
        self.go_to(line)
        self._interrupted = True

    def end_turn(self, at: int = 0) -> None:
        """Keep what the player is like after a turn that it has just had, ``at`` of those asked."""
        self._after, self._asked, self._interrupted = self.player.snapshot(self.number), True, False
        self.expects = self.player.expects(at)

    def leave(self) -> None:
        """Leave the board; a player of one's own has nobody to tell."""

    def go_to(self, line: GameLine) -> None:
        """Take the player to where it was before a turn at the end of the line."""
        at = line.common(self._known)
        goes_on = at == len(self._known) and not self._interrupted
        if goes_on and not self._asked:
            self._extend(line, at, self._before[at])
        elif goes_on and line.ply > at:
            self._extend(line, at, self._after)
        else:
            state = self._before[at]
            self._interrupted = True  # until the player is back there
            del self._before[at + 1 :]
            self._extend(line, at, state)
            self._restore(line, state)
        self._asked = self._interrupted = False

    def _extend(self, line: GameLine, at: int, state: Snapshot | None) -> None:
        """Note that nothing is asked of the player from ply ``at`` to the end of the line."""
        self._before += [state] * (line.ply - at)
        self._known = list(line.actions)

    def _restore(self, line: GameLine, state: Snapshot | None) -> None:
        if state is not None:
            self.player.restore(self.number, state)
        else:
            self.replay(line)

    def replay(self, line: GameLine) -> None:
        """Begin again, and ask the player at each of its turns, for it learns from them.

        For players without snapshots: what they choose depends on nothing but the game so far.
        """
        numbers, sides = np.array([self.number]), np.array([self._side], np.int8)
        self.player.begin(numbers, sides, self._seed)
        for ply in self._turns_in(line):
            self._ask(line.first(ply))

    def _turns_in(self, line: GameLine) -> list[int]:
        """Return the plies at which the player moved; moves that were given are nobody's."""
        chosen = [ply for ply, mark in enumerate(line.marks) if mark != GIVEN]
        return [ply for ply in chosen if line.first(ply).side == self._side]

    def _ask(self, line: GameLine) -> int:
        return int(self.player.choose(line.turns(self.number))[0])

    # -- saved games -------------------------------------------------------------------------

    @property
    def snapshots(self) -> list[tuple[int, Snapshot]]:
        """The player's states by ply, each where it changed; empty for a player without them."""
        states = list(self._before)
        if self._asked:
            states.append(self._after)
        if any(state is None for state in states):
            return []
        changed: list[tuple[int, Snapshot]] = []
        for ply, state in enumerate(states):
            if state is not None and (not changed or changed[-1][1] != state):
                changed.append((ply, state))
        return changed

    def resume(self, line: GameLine, snapshots: list[tuple[int, Snapshot]]) -> None:
        """Go on with a game, after ``begin``, by what `snapshots` was.

        Without snapshots, and with such as the player cannot use, the game is played again.
        """
        if snapshots:
            try:
                return self._resume(line, snapshots)
            except StateError:
                pass
        if not self._turns_in(line):
            return self.begin(line, self._side, self._seed)
        self._known, self._asked = list(line.actions), False
        self.replay(line)
        nothing: list[Snapshot | None] = [None] * line.ply
        self._before = [*nothing, self.player.snapshot(self.number)]
        return None

    def _resume(self, line: GameLine, snapshots: list[tuple[int, Snapshot]]) -> None:
        latest_first = snapshots[::-1]
        self._before = [
            next(state for at, state in latest_first if at <= ply) for ply in range(line.ply + 1)
        ]
        self._restore(line, self._before[-1])
        self._known, self._asked = list(line.actions), False
