"""Go in GTP: sizes of board, komi, handicaps, the score without dead stones, and SGF files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import EvenmatchError, MoveError, UsageError
from evenmatch.frontends.gtp.dialects import IMPLIED, GtpDialect, Judge, Record
from evenmatch.frontends.gtp.protocol import BLACK, NAMED_RULES, PASS, WHITE, GtpError
from evenmatch.games.go import Go
from evenmatch.games.go.state import write_field
from evenmatch.games.go.text import (
    COLUMNS,
    fixed_handicap,
    properties,
    read_point,
    read_setup,
    star_points,
)
from evenmatch.games.line import Line
from evenmatch.play.scoring import Score, chains_of, neighbours, score_of
from evenmatch.records.go.codec import GoCodec
from evenmatch.records.go.game_text import recorded, write_sgf
from evenmatch.records.go.sgf import first_size
from evenmatch.search.evaluator import Evaluation

ALIVE, DEAD, SEKI = "alive", "dead", "seki"
LEAST_HANDICAP = 2
BONUSES: dict[str, Callable[[int], int]] = {
    "0": lambda stones: 0,
    "N-1": lambda stones: max(stones - 1, 0),
    "N": lambda stones: stones,
}
"""Points that White gets for handicap stones, by KataGo's names for them."""


def counted(stones: int) -> int:
    """Return the handicap of so many stones: one stone is Black's first move, and no handicap."""
    return stones if stones >= LEAST_HANDICAP else 0


@dataclass
class GoSetup:
    """How games begin."""

    komi: float | None = None  #: None: as usual for the size
    stones: tuple[int, ...] = ()  #: of Black's handicap
    bonus: str = "0"  #: for White, of BONUSES


class GoDialect(GtpDialect):
    """Go on a board of any size, with what was set before the game."""

    upward = True
    letters = COLUMNS.lower()

    def __init__(self, game: Go, setup: GoSetup | None = None):
        super().__init__(game)
        self.go = game
        self.setup = setup or GoSetup()

    def sized(self, size):
        """Return the dialect on a board of another size; a komi that was set stays."""
        try:
            return GoDialect(board_of(size), replace(self.setup, stones=()))
        except UsageError:
            raise GtpError("unacceptable size") from None

    def cleared(self) -> GoDialect:
        """Return the dialect without handicap stones."""
        return GoDialect(self.go, replace(self.setup, stones=()))

    def begin(self):
        """Return a game that begins, White to move after handicap stones."""
        stones = self.setup.stones
        return self.begun(stones, to_play=WHITE if stones else BLACK, handicap=counted(len(stones)))

    def begun(
        self,
        black: Sequence[int],
        white: Sequence[int] = (),
        *,
        to_play: int,
        handicap: int = 0,
    ) -> Line:
        """Return a game that begins with stones on the board."""
        bonus = BONUSES[self.setup.bonus](handicap)
        start = self.go.start(
            komi=self.setup.komi, black=black, white=white, to_play=to_play, bonus=bonus
        )
        return Line(self.go, start)

    def read(self, line, word):
        """Return the action of a point or a pass; GtpError tells whether the board has no such."""
        try:
            read_point(word, self.go.size)
        except MoveError:
            raise GtpError("invalid color or coordinate") from None
        return super().read(line, word)

    def passing(self, line):
        """A pass is always legal, while the game goes on."""
        return self.go.points if line.legal else None

    def turned(self, line, side):
        """Return the game with ``side`` to move, whose latest pass is taken back, if it was one.

        Otherwise the other side passes, which counts for nothing: a pass after it does not end the
        game. Black's first moves in a row are handicap stones, as some programs send them.
        """
        if side == BLACK and line.side == WHITE and self._only_black(line):
            stones = np.flatnonzero(self.go.stones(line.state[None])[0])
            given = stones.tolist()
            return self.begun(given, to_play=BLACK, handicap=len(given) + 1)
        if line.side == side or not line.legal:
            return line
        if line.actions[-1:] == [self.go.points]:
            return line.first(line.ply - 1)
        after = line.first(line.ply)
        after.push(self.go.points, IMPLIED)
        write_field(after.states[-1:], self.go.points, "passes", 0)
        return after

    def _only_black(self, line: Line) -> bool:
        """Tell whether nothing but stones of Black was played, by one move after another."""
        stones = self.go.stones(line.state[None])[0]
        one = line.ply == 1 and line.actions != [self.go.points]
        return one and bool((stones >= 0).all())

    def resumed(self, line):
        """Return the game without the two passes that ended it: who plays on does not agree."""
        passes = [self.go.points] * 2
        over = not line.legal and line.actions[-2:] == passes
        return line.first(line.ply - 2) if over else line

    def off_turn(self, line, side):
        """Return a pass after too many plies, when the game cannot go on."""
        return None if line.legal else PASS

    def score(self, line, judge):
        """Return the score by area, without the stones that the network takes to be dead."""
        return self._counted(line, judge(line)).text

    def replayed(self, line):
        """Return a game with the komi and White's bonus as they are set now."""
        stones = self.go.stones(line.states[:1])[0]
        black, white = (np.flatnonzero(stones == side).tolist() for side in (BLACK, WHITE))
        to_play = int(self.go.to_play(line.states[:1])[0])
        anew = self.begun(black, white, to_play=to_play, handicap=self.handicap(line))
        for action in line.actions:
            anew.push(action)
        return anew

    def handicap(self, line):
        """Return how many stones Black had before White first moved, 0 if it had the first move."""
        stones = self.go.stones(line.states[:1])[0]
        if (stones < 0).any():
            return 0
        given = int(stones.sum())
        began = self.go.to_play(line.states[:1])[0] == BLACK
        return given + 1 if given and began else counted(given)

    # -- what the network finds ----------------------------------------------------------------

    def ownership(self, judged):
        """Return whose each point will be for the side to move, [P]."""
        return None if judged is None or judged.ownership is None else judged.ownership[0]

    def status(self, line: Line, judged: Evaluation | None) -> dict[int, str]:
        """Return the status of each stone by its point: alive, dead or seki.

        A chain is dead if the network gives most of it to the other side. One that lives is in
        seki if, dead stones off the board, it touches only empty points of neither side.
        """
        score = self._counted(line, judged)
        dead = list(score.dead)
        left = self.go.board(line.state[None])[0].copy()
        left.flat[dead] = 0
        found = dict.fromkeys(dead, DEAD)
        for chain in chains_of(left):
            near = {p for stone in chain for p in neighbours(stone, self.go.size, self.go.size)}
            free = [point for point in near if left.flat[point] == 0]
            shared = score.judged and bool(free) and not score.owners[free].any()
            found |= dict.fromkeys(chain, SEKI if shared else ALIVE)
        return found

    def capturing(self, line: Line, judged: Evaluation | None) -> NDArray[np.bool_]:
        """Return which actions [A] are legal liberties of dead stones of the side not to move."""
        board = self.go.stones(line.state[None])[0]
        near = np.zeros(self.go.num_actions, np.bool_)
        for point in self._counted(line, judged).dead:
            if board[point] == -line.side:
                near[list(neighbours(point, self.go.size, self.go.size))] = True
        return near & self.go.legal_mask(line.state[None])[0]

    def _counted(self, line: Line, judged: Evaluation | None) -> Score:
        """Return the score by area, without the stones that the network takes to be dead."""
        owned = self.ownership(judged)
        first = None if owned is None else owned * line.side
        return score_of(self.go, line.state, first)

    # -- what is set before the game -----------------------------------------------------------

    def points(self, words: Sequence[str]) -> list[int]:
        """Return the points that words name; GtpError if one is none."""
        try:
            found = [read_point(word, self.go.size) for word in words]
        except MoveError:
            raise GtpError("bad vertex list") from None
        if self.go.points in found or len(set(found)) < len(found):
            raise GtpError("bad vertex list")
        return found

    def fixed_stones(self, count: int) -> tuple[int, ...]:
        """Return the points of a handicap; GtpError if the board has no place for so many."""
        try:
            return fixed_handicap(self.go.size, count)
        except ValueError:
            raise GtpError("invalid number of stones") from None

    def free_stones(self, count: int, judge: Judge) -> tuple[int, ...]:
        """Return where we place a handicap of our choice: on star points, then as ``judge`` likes.

        A quarter of the board is enough to win against anybody: no more is placed.
        """
        if not LEAST_HANDICAP <= count < self.go.points:
            raise GtpError("invalid number of stones")
        marked = min(count, len(star_points(self.go.size)))
        stones = list(self.fixed_stones(marked) if marked else ())
        most = max(min(count, self.go.points // 4), LEAST_HANDICAP)
        while len(stones) < most:
            line = self.begun(stones, to_play=BLACK)
            judged = judge(line)
            if judged is None:
                raise GtpError("invalid number of stones")
            free = np.setdiff1d(line.legal, [self.go.points])
            stones.append(int(free[judged.logits[0, free].argmax()]))
        return tuple(stones)


@lru_cache(maxsize=32)
def board_of(size: int) -> Go:
    """Return the game on a board of a size, always the same object; UsageError if there is none."""
    from evenmatch.games import GAMES

    known = (game for game in GAMES.values() if isinstance(game, Go) and game.size == size)
    return next(known, None) or Go(size)


# -- SGF --------------------------------------------------------------------------------------


def load_sgf(dialect: GoDialect, path: Path, most: int | None = None) -> Record:
    """Return the first game of a file, ``most`` moves of it; GtpError if it cannot be played.

    What was passed over is written to standard error, one line each.
    """
    try:
        sized = dialect.sized(first_size(path))
        found = GoCodec(sized.go).first_of(path, most)
        record = _played(sized, found.record.start, found.record.moves.tolist(), found.implied)
    except EvenmatchError as error:
        raise GtpError(f"cannot load file: {error}") from None
    for fault in found.faults:
        print(fault, file=sys.stderr)
    return record


def _played(
    dialect: GoDialect, start: str, moves: Sequence[int], implied: Sequence[bool]
) -> Record:
    """Return a game from its start; an implied pass is taken back with the next move."""
    named, stones = properties(start), read_setup(start, dialect.go.size)
    rules = named.get("RU", [""])[0]
    bonus = NAMED_RULES.get(rules, "0") if rules else dialect.setup.bonus
    dialect.setup = replace(dialect.setup, komi=stones.get("komi"), bonus=bonus)
    line = dialect.begun(
        stones.get("black", ()),
        stones.get("white", ()),
        to_play=stones.get("to_play", BLACK),
        handicap=int(named.get("HA", ["0"])[0]),
    )
    record = Record(dialect, line)
    side = line.side
    for action, is_implied in zip(moves, implied, strict=True):
        if not is_implied:
            record.push(record.turned(side), action)
        side = -side
    return record


def write_game(dialect: GoDialect, line: Line, result: str) -> str:
    """Return a game as SGF; ``result`` is that of `score`, empty while the game goes on."""
    result = "Draw" if result == "0" else result
    return write_sgf(recorded(dialect.go, line.states[0], line.actions, result=result))
