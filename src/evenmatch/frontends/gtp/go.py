"""Go in GTP: komi, handicaps, rules, the score without dead stones, SGF files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import EvenmatchError, MoveError, UsageError
from evenmatch.files import replace_file
from evenmatch.frontends.gtp.engine import Conversation
from evenmatch.frontends.gtp.games import IMPLIED, GtpGame, Judge
from evenmatch.frontends.gtp.protocol import (
    BLACK,
    PASS,
    SYNTAX,
    WHITE,
    GtpError,
    read_colour,
    read_number,
    read_whole,
    take,
)
from evenmatch.frontends.gtp.rules import (
    BONUSES,
    NAMED_RULES,
    NetworkRules,
    read_rules,
    write_rules,
)
from evenmatch.games import GAMES
from evenmatch.games.catalog import CATALOG
from evenmatch.games.game import Game
from evenmatch.games.go import Go
from evenmatch.games.go.state import write_field
from evenmatch.games.go.text import (
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

LEAST_HANDICAP = 2  #: stones; one stone is Black's first move
ALIVE, DEAD, SEKI = STATUSES = ("alive", "dead", "seki")


class GoGame(GtpGame):
    """Go on a board of any size."""

    game: Go
    style = CATALOG["go"].board_style  #: on any size

    def __init__(
        self,
        game: Game,
        start: Line | None = None,
        *,
        komi: float | None = None,
        bonus: str = "0",
        stones: Sequence[int] = (),
        rules: NetworkRules | None = None,
    ):
        """``komi``: None: as usual for the size; ``bonus``: White's, of BONUSES.

        ``stones``: points of Black's handicap; ``rules``: inputs of networks
        in `as_ruled`; None: those in force.
        """
        self.rules = rules or NetworkRules()
        self.game = cast(Go, game)
        self.komi, self.bonus, self._stones = komi, bonus, tuple(stones)
        super().__init__(game, start)

    def begin(self):
        """Return a game that begins, White to move after handicap stones."""
        count = len(self._stones)
        given = count if count >= LEAST_HANDICAP else 0
        to_play = WHITE if self._stones else BLACK
        return self.begun(self._stones, to_play=to_play, handicap=given)

    def begun(
        self,
        black: Sequence[int],
        white: Sequence[int] = (),
        *,
        to_play: int,
        handicap: int = 0,
    ) -> Line:
        """Return a game that begins with stones on the board."""
        bonus = BONUSES[self.bonus](handicap)
        start = self.game.start(
            komi=self.komi, black=black, white=white, to_play=to_play, bonus=bonus
        )
        return Line(self.game, start)

    def sized(self, size):
        """Return a new game on a board of another size; a komi that was set stays."""
        try:
            go = board_of(size)
        except UsageError:
            raise GtpError("unacceptable size") from None
        return GoGame(go, komi=self.komi, bonus=self.bonus, rules=self.rules)

    def cleared(self, stones: Sequence[int] = ()) -> GoGame:
        """Return the next game, with ``stones`` of handicap."""
        return GoGame(self.game, komi=self.komi, bonus=self.bonus, stones=stones, rules=self.rules)

    def changed(
        self, *, komi: float | None, bonus: str, rules: NetworkRules | None = None
    ) -> GoGame:
        """Return the game, replayed with another komi and bonus; UsageError if impossible.

        ``rules``: None: as they are.
        """
        inputs = self.rules if rules is None else rules
        other = GoGame(self.game, komi=komi, bonus=bonus, stones=self._stones, rules=inputs)
        other.lines = []
        for at, line in enumerate(self.lines):
            since = line.since(self.lines[at - 1]) if at else None
            if since is None:
                start, since = other._restarted(line), line.actions
            else:
                start = other.line.first(other.line.ply)
            for action in since:
                start.push(action)
            other.lines.append(start)
        return other

    def _restarted(self, line: Line) -> Line:
        """Return the start of another game with this komi and bonus."""
        stones = self.game.stones(line.states[:1])[0]
        black, white = (np.flatnonzero(stones == side).tolist() for side in (BLACK, WHITE))
        to_play = int(self.game.to_play(line.states[:1])[0])
        return self.begun(black, white, to_play=to_play, handicap=self.handicap(line))

    # -- turns -----------------------------------------------------------------------------------

    def read(self, line, word):
        """Return the action of a point or a pass; GtpError says if the board has no such point."""
        try:
            read_point(word, self.game.size)
        except MoveError:
            raise GtpError("invalid color or coordinate") from None
        return super().read(line, word)

    def passing(self, line):
        """Return the pass, which is always legal before the end."""
        return self.game.points if line.legal else None

    def turned(self, side):
        """Return the game with ``side`` to move.

        If its latest move was a pass, that is taken back. Otherwise the other side passes, which
        counts for nothing: a pass after it does not end the game. Black's first moves in a row are
        handicap stones, as some programs send them. The two passes that ended a game are dropped if
        a side plays on.
        """
        line, passes = self.line, [self.game.points]
        if not line.legal and line.actions[-2:] == 2 * passes:
            line = line.first(line.ply - 2)
        stones = self.game.stones(line.state[None])[0]
        only_black = line.ply == 1 and line.actions != passes and bool((stones >= 0).all())
        if side == BLACK and line.side == WHITE and only_black:
            given = np.flatnonzero(stones).tolist()
            return self.begun(given, to_play=BLACK, handicap=len(given) + 1)
        if line.side == side or not line.legal:
            return line
        if line.actions[-1:] == passes:
            return line.first(line.ply - 1)
        after = line.first(line.ply)
        after.push(self.game.points, IMPLIED)
        write_field(after.states[-1:], self.game.points, "passes", 0)
        return after

    def off_turn(self, line, side):
        """Return a pass after too many plies, when the game has ended without passes."""
        return None if line.legal else PASS

    def as_ruled(self, line):
        """Return the end of a line [1, S] with the rules that were set, and what is legal [A]."""
        state, legal = line.state[None].copy(), np.zeros(self.game.num_actions, np.bool_)
        write_field(state, self.game.points, "ko", self.rules.ko)
        write_field(state, self.game.points, "suicide", self.rules.suicide)
        write_field(state, self.game.points, "strict", self.rules.strict)
        legal[line.legal] = True
        if self.rules.suicide and line.legal:
            legal[[*self.game.suicides(line.state)]] = True
        return state, legal

    def handicap(self, line):
        """Return how many stones Black had before White first moved, 0 if it had the first move."""
        stones = self.game.stones(line.states[:1])[0]
        if (stones < 0).any():
            return 0
        given = int(stones.sum())
        if given and self.game.to_play(line.states[:1])[0] == BLACK:
            return given + 1
        return given if given >= LEAST_HANDICAP else 0

    def free_stones(self, count: int, judge: Judge) -> list[int]:
        """Return points for a handicap: star points, then the most likely moves by ``judge``.

        A quarter of the board is enough to win against any opponent: no more is placed.
        """
        if not LEAST_HANDICAP <= count < self.game.points:
            raise GtpError("invalid number of stones")
        marked = min(count, len(star_points(self.game.size)))
        stones = list(fixed_handicap(self.game.size, marked)) if marked else []
        most = max(min(count, self.game.points // 4), LEAST_HANDICAP)
        while len(stones) < most:
            line = self.begun(stones, to_play=BLACK)
            judged = judge(line)
            if judged is None:
                raise GtpError("invalid number of stones")
            free = np.setdiff1d(line.legal, [self.game.points])
            stones.append(int(free[judged.logits[0, free].argmax()]))
        return stones

    # -- the end ---------------------------------------------------------------------------------

    def score(self, judge):
        """Return the score by area, without the stones that the network takes to be dead."""
        return self._counted(judge(self.line)).text

    def ownership(self, judged):
        """Return the expected owner of each point for the side to move, [P]."""
        return None if judged is None or judged.ownership is None else judged.ownership[0]

    def status(self, judged: Evaluation | None) -> dict[int, str]:
        """Return the status of each stone by its point: alive, dead or seki.

        A chain is dead if the network gives most of it to the other side. A living one is in seki
        if, without the dead stones, it touches only empty points of neither side.
        """
        score, size = self._counted(judged), self.game.size
        dead = list(score.dead)
        left = self.game.board(self.line.state[None])[0].copy()
        left.flat[dead] = 0
        found = dict.fromkeys(dead, DEAD)
        for chain in chains_of(left):
            near = {point for stone in chain for point in neighbours(stone, size, size)}
            free = [point for point in near if left.flat[point] == 0]
            shared = score.judged and bool(free) and not score.owners[free].any()
            found |= dict.fromkeys(chain, SEKI if shared else ALIVE)
        return found

    def capturing(self, line: Line, judged: Evaluation | None) -> NDArray[np.bool_]:
        """Return which actions [A] are legal liberties of dead stones of the side not to move."""
        board, size = self.game.stones(line.state[None])[0], self.game.size
        near = np.zeros(self.game.num_actions, np.bool_)
        for point in self._counted(judged, line).dead:
            if board[point] == -line.side:
                near[list(neighbours(point, size, size))] = True
        return near & self.game.legal_mask(line.state[None])[0]

    def _counted(self, judged: Evaluation | None, line: Line | None = None) -> Score:
        """Return the score by area, without the stones that the network takes to be dead."""
        owned, line = self.ownership(judged), line or self.line
        return score_of(self.game, line.state, None if owned is None else owned * line.side)


@lru_cache(maxsize=32)
def board_of(size: int) -> Go:
    """Return the game on a board of a size, always the same object; UsageError if there is none."""
    known = (game for game in GAMES.values() if isinstance(game, Go) and game.size == size)
    return next(known, None) or Go(size)


def load_sgf(before: GoGame, path: Path, most: int | None = None) -> GoGame:
    """Return the first game of a file, ``most`` moves of it; GtpError if it cannot be played.

    What was passed over is written to standard error, one line each. An implied pass is taken back
    with the next move.
    """
    try:
        go = board_of(first_size(path))
        found = GoCodec(go).first_of(path, most)
        start = found.record.start
        named, setup = properties(start), read_setup(start, go.size)
        rules = named.get("RU", [""])[0]
        bonus, inputs = before.bonus, before.rules
        if rules:
            bonus, inputs = NAMED_RULES.get(rules, ("0", NetworkRules()))
        game = GoGame(go, komi=setup.get("komi"), bonus=bonus, rules=inputs)
        stones, to_play = (setup.get(key, ()) for key in ("black", "white")), setup.get("to_play")
        handicap = int(named.get("HA", ["0"])[0])
        game.lines = [game.begun(*stones, to_play=to_play or BLACK, handicap=handicap)]
        side = game.line.side
        for action, implied in zip(found.record.moves.tolist(), found.implied, strict=True):
            if not implied:
                game.push(game.turned(side), action)
            side = -side
    except EvenmatchError as error:
        raise GtpError(f"cannot load file: {error}") from None
    for fault in found.faults:
        print(fault, file=sys.stderr)
    return game


# -- commands -------------------------------------------------------------------------------------


def _game(engine: Conversation) -> GoGame:
    return cast(GoGame, engine.game)


def komi(engine: Conversation, words: Sequence[str]) -> str:
    """Set the komi, of the game in progress too."""
    points = read_number(take(words, 1)[0])
    if not (2 * points).is_integer():
        raise GtpError("komi must be a multiple of 0.5, such as 7.5")
    return _changed(engine, points, _game(engine).bonus)


def _changed(
    engine: Conversation, points: float | None, bonus: str, rules: NetworkRules | None = None
) -> str:
    """Replay the game in progress with another komi and bonus."""
    engine.game = _game(engine).changed(komi=points, bonus=bonus, rules=rules)
    engine.thinker.new_game()
    return ""


def get_komi(engine: Conversation, words: Sequence[str]) -> str:
    """Return the komi, without White's points for handicap stones."""
    game = _game(engine)
    return f"{game.game.komi if game.komi is None else game.komi:g}"


def fixed_stones(engine: Conversation, words: Sequence[str]) -> str:
    """Place handicap stones on star points."""
    count = read_whole(take(words, 1)[0])
    try:
        return _place(engine, fixed_handicap(_game(engine).game.size, count))
    except ValueError:
        raise GtpError("invalid number of stones") from None


def place_stones(engine: Conversation, words: Sequence[str]) -> str:
    """Place handicap stones at points of the engine's choice."""
    count = read_whole(take(words, 1)[0])
    return _place(engine, _game(engine).free_stones(count, engine.thinker.judged))


def set_stones(engine: Conversation, words: Sequence[str]) -> str:
    """Place handicap stones at given points; one stone is accepted too, as in KataGo."""
    go = _game(engine).game
    try:
        stones = [read_point(word, go.size) for word in words]
    except MoveError:
        raise GtpError("bad vertex list") from None
    if not 1 <= len(stones) < go.points or go.points in stones or len({*stones}) < len(stones):
        raise GtpError("bad vertex list")
    _place(engine, stones)
    return ""


def _place(engine: Conversation, stones: Sequence[int]) -> str:
    game = _game(engine)
    if len(game.lines) > 1 or game.game.stones(game.line.state[None]).any():
        raise GtpError("board not empty")
    engine.begin_game(game.cleared(stones))
    return " ".join(game.point(point) for point in stones)


def loadsgf(engine: Conversation, words: Sequence[str]) -> str:
    """Go to the end of a file's first game, or to before a move of it."""
    numbered = len(words) > 1 and words[-1].isdigit()
    name = _unquoted(words[:-1] if numbered else take(words, 1) and words)
    try:
        readable = Path(name).is_file()
    except (OSError, ValueError):
        readable = False
    if not readable:
        raise GtpError(f"cannot load file: {name} is no file")
    most = max(read_whole(words[-1]) - 1, 0) if numbered else None
    engine.begin_game(load_sgf(_game(engine), Path(name), most))
    return ""


def _unquoted(words: Sequence[str]) -> str:
    """Return the name of a file, which may have spaces and stand in quotes."""
    name = " ".join(words)
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name


def printsgf(engine: Conversation, words: Sequence[str]) -> str:
    """Write the game as SGF to a file, .sgf, or return it if no file is named."""
    game, line = _game(engine), engine.game.line
    result = "" if line.legal else game.score(engine.thinker.judged)
    result = "Draw" if result == "0" else result
    text = write_sgf(recorded(game.game, line.states[0], line.actions, result=result))
    if not words:
        return text
    path = Path(_unquoted(words))
    if path.suffix.lower() != ".sgf":
        raise GtpError(f"cannot save file: {path} must end in .sgf")
    if not os.path.isdir(path.parent):
        raise GtpError(f"cannot save file: there is no folder {path.parent}; make it first")
    try:
        replace_file(path, text)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise GtpError(f"cannot save file: {path} ({why})") from None
    return ""


def get_rules(engine: Conversation, words: Sequence[str]) -> str:
    """Return the rules as KataGo names them."""
    return write_rules(_game(engine).bonus)


def set_rules(engine: Conversation, words: Sequence[str]) -> str:
    """Take rules that count area; GtpError for others.

    Ko and suicide stay as they are in play, whatever the rules say about them; `as_ruled` has what
    they say.
    """
    rules = " ".join(take(words, 1) if len(words) == 1 else words)
    bonus, inputs = read_rules(rules)
    return _changed(engine, _game(engine).komi, bonus, inputs)


def genmove_cleanup(engine: Conversation, words: Sequence[str]) -> str:
    """Move for a side, which passes only when no dead stones of the other side are left."""
    side = read_colour(take(words, 1)[0])
    line = engine.game.turned(side)
    capturing = _game(engine).capturing(line, engine.thinker.judged(line))
    return engine.generate(side, allowed=capturing if capturing.any() else None)


def final_status_list(engine: Conversation, words: Sequence[str]) -> str:
    """Return the stones of a status, one chain per line."""
    wanted = take(words, 1)[0].lower()
    if wanted not in STATUSES:
        raise GtpError(SYNTAX)
    game = _game(engine)
    status = game.status(engine.thinker.judged(game.line))
    return "\n".join(
        " ".join(map(game.point, chain))
        for chain in chains_of(game.game.board(game.line.state[None])[0])
        if status[chain[0]] == wanted
    )


COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
    "komi": komi,
    "get_komi": get_komi,
    "fixed_handicap": fixed_stones,
    "place_free_handicap": place_stones,
    "set_free_handicap": set_stones,
    "loadsgf": loadsgf,
    "printsgf": printsgf,
    "kata-get-rules": get_rules,
    "kata-set-rules": set_rules,
    "kgs-rules": set_rules,
    "final_status_list": final_status_list,
    "kgs-genmove_cleanup": genmove_cleanup,
    "kgs-game_over": lambda engine, words: "",  # the next game begins with a new board
}
