"""The line of one game: its positions and actions, and who chose them; for any game.

Everything that plays games one by one keeps them so: the terminal, UCI, GTP, a web page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game

OWN = ""  #: the mark of a move that its mover chose alone
GIVEN, HINT, RETRY = "given", "hint", "retry"
MARKS = {
    GIVEN: "the game was started after this move",
    HINT: "the player followed a hint",
    RETRY: "the player took a move back, and played this one instead",
}  #: what each mark means: such a move is no evidence of strength

ROOM = 64  #: plies that there is room for at first


class _SharedArrays:
    """Arrays that lines of one game share; a line that writes behind the end of all owns them."""

    def __init__(self, states: NDArray[np.uint64], room: int):
        self.states = np.empty((room + 1, states.shape[1]), np.uint64)  #: [R + 1, S]
        self.actions = np.full(room + 1, -1, np.int32)  #: [R + 1]
        self.filled = len(states) - 1  #: plies written, by any line
        self.states[: len(states)] = states


class Line:
    """A game so far: P plies, positions of S words. Longer lines share what came before."""

    def __init__(self, game: Game, start: NDArray[np.uint64] | None = None):
        """Begin from ``start`` [S], or as games usually begin."""
        self.game = game
        first = game.initial() if start is None else start[None]
        self._buffers = _SharedArrays(first, ROOM)
        self.actions: list[int] = []  #: [P]
        self.marks: list[str] = []  #: [P] why each action is not its mover's own, or OWN
        self._texts: dict[int, str] = {}  # of actions, by ply, as far as they were asked for

    @property
    def ply(self) -> int:
        """P, actions played."""
        return len(self.actions)

    @property
    def states(self) -> NDArray[np.uint64]:
        """The positions so far, [P + 1, S]; a view."""
        return self._buffers.states[: self.ply + 1]

    @property
    def state(self) -> NDArray[np.uint64]:
        """The position now, [S]."""
        return self._buffers.states[self.ply]

    @property
    def side(self) -> int:
        """The side to move: 1 who moved first, -1 the other."""
        return int(self.game.to_play(self.state[None])[0])

    @property
    def legal(self) -> list[int]:
        """Legal actions; empty at the end."""
        return [int(action) for action in self.game.legal_actions(self.state[None])[0]]

    def text(self, ply: int) -> str:
        """Write the action of a ply, counted from 0."""
        if ply not in self._texts:
            self._texts[ply] = self.game.action_text(self.states[ply], self.actions[ply])
        return self._texts[ply]

    def push(self, action: int, mark: str = OWN) -> None:
        """Play a legal action; ``mark`` says why it is not its mover's own."""
        ply = self.ply
        if self._buffers.filled != ply or ply + 1 == len(self._buffers.states):
            self._own(2 * ply + ROOM)
        states = self._buffers.states
        self.game.advance(
            states[ply : ply + 1], np.array([action], np.int32), states[ply + 1 : ply + 2]
        )
        self._buffers.actions[ply] = action
        self._buffers.filled = ply + 1
        self.actions.append(int(action))
        self.marks.append(mark)

    def cut(self, plies: int) -> None:
        """Take back all but the first ``plies`` actions."""
        del self.actions[plies:], self.marks[plies:]
        self._texts = {ply: text for ply, text in self._texts.items() if ply < plies}

    def first(self, plies: int) -> Line:
        """Return the line of the first ``plies`` actions, which shares the positions."""
        line = object.__new__(Line)
        line._share(self, plies)
        return line

    def _share(self, other: Line, plies: int) -> None:
        """Begin with the first ``plies`` actions of another line, and the same arrays."""
        self.game, self._buffers = other.game, other._buffers
        self.actions, self.marks = other.actions[:plies], other.marks[:plies]
        self._texts = {}

    def _own(self, room: int) -> None:
        """Copy what there is so far to buffers that no other line writes to."""
        buffers = _SharedArrays(self.states, room)
        buffers.actions[: self.ply] = self.actions
        self._buffers = buffers

    def after_unknown(self, plies: int) -> Line:
        """Return the line with so many plies before its start, whose actions are not known.

        They are written as -1 and count as given; the positions before them as the start.
        """
        line = Line(self.game)
        states = np.concatenate([np.repeat(self.states[:1], plies, 0), self.states])
        line._buffers = _SharedArrays(states, len(states) + ROOM)
        line.actions = [-1] * plies + self.actions
        line.marks = [GIVEN] * plies + self.marks
        return line

    def common(self, actions: Sequence[int]) -> int:
        """Return how many actions at the beginning are those of this line."""
        return common(self.actions, actions)

    def since(self, before: Line) -> list[int] | None:
        """Return the actions played since another state of the same game; None if it is not."""
        count = before.ply
        same = (
            self.game is before.game
            and bool((self.states[0] == before.states[0]).all())
            and self.actions[:count] == before.actions
        )
        return self.actions[count:] if same else None


def common(a: Sequence[object], b: Sequence[object]) -> int:
    """Return how many items two sequences begin with in common."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(a), len(b)))
