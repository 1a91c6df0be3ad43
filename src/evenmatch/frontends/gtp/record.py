"""The game in progress: what was played, move by move, so that each can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from evenmatch.frontends.gtp.forms import IMPLIED, Form
from evenmatch.frontends.gtp.protocol import GtpError
from evenmatch.sessions.game_line import GameLine


class Record:
    """A game and what it was before each command that changed it."""

    def __init__(self, form: Form, start: GameLine | None = None):
        """Begin a game, or go on from ``start``."""
        self.form = form
        self._lines = [start or form.begin()]

    @property
    def line(self) -> GameLine:
        """The game now."""
        return self._lines[-1]

    @property
    def begun(self) -> bool:
        """Whether something was played."""
        return len(self._lines) > 1

    def turned(self, side: int) -> GameLine:
        """Return the game with ``side`` to move, after a pass of the other if it may pass."""
        return self.form.turned(self.form.resumed(self.line), side)

    def play(self, moves: Sequence[tuple[int, str]]) -> None:
        """Play moves, each a side and a word; GtpError, and none is played, if one is illegal."""
        before = list(self._lines)
        try:
            for side, word in moves:
                self._play(side, word)
        except BaseException:
            self._lines = before
            raise

    def _play(self, side: int, word: str) -> None:
        line = self.turned(side)
        if not line.legal or line.side != side:
            raise GtpError("illegal move")
        self.push(line, self.form.read(line, word))

    def push(self, line: GameLine, action: int) -> None:
        """Go on with ``line`` (the game, perhaps after a pass) and a legal action.

        A pass after one that nobody made leaves the game as it was: the two cancel out.
        """
        if line.marks[-1:] == [IMPLIED] and action == self.form.passing(line):
            self._lines.append(line.first(line.ply - 1))
            return
        after = line.first(line.ply)
        after.push(action)
        self._lines.append(after)

    def replayed(self) -> None:
        """Let all of the game be as if its form had begun it so: komi may have changed."""
        lines: list[GameLine] = []
        for at, line in enumerate(self._lines):
            since = line.since(self._lines[at - 1]) if at else None
            if since is None:
                lines.append(self.form.replayed(line))
                continue
            lines.append(lines[-1].first(lines[-1].ply))
            for action in since:
                lines[-1].push(action)
        self._lines = lines

    def undo(self, count: int) -> None:
        """Take back what the latest commands changed; GtpError if there were fewer."""
        if count >= len(self._lines):
            raise GtpError("cannot undo")
        del self._lines[len(self._lines) - count :]
