"""Moves of chess for a chess program: positions, searches with reports, mates, opponents."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import EvenmatchError, MoveError, UsageError
from evenmatch.frontends.engine.analysis import Row, by_score
from evenmatch.frontends.engine.loop import Search, Send
from evenmatch.frontends.engine.options import Settings
from evenmatch.frontends.engine.thinking import Setup, Thinker, grow
from evenmatch.frontends.uci.protocol import Go, Position, ValueScore
from evenmatch.games import get_game
from evenmatch.games.chess import Chess
from evenmatch.games.chess import text as chess_text
from evenmatch.games.chess.actions import action_of_move, move_of_action
from evenmatch.games.chess.history import COUNTERS, MAX_PLIES, SIXTEEN
from evenmatch.games.line import Line, common
from evenmatch.opponents.controller import Root
from evenmatch.opponents.rating_range import measured_rating
from evenmatch.play.tree import LEAVES, MOST_SIMULATIONS, ROUND, Tree
from evenmatch.search.puct import depths
from evenmatch.search.solver import WinSearch

GAME = cast(Chess, get_game("chess"))
REHEARSED = ("e2e4", "e7e5")
FIRST_REPORT, REPORTS_GROW = 0.1, 1.5  # seconds until the first report; factor until each next
NEED_SHIPPED = ("ace",)  # methods without numbers for other weights
NEED_RATINGS = ("human", "pikl")  # methods whose weights are conditioned on ratings
LOSE_RATING = ("se", "sa", "pikl")  # methods that use numbers fitted to the shipped weights
MOST_DEPTH = 1000  # that is shown
MATE_POSITIONS = 10**6  # most positions of a search for a mate, which looks at all moves
MATE_NODES = 100_000  # then of the tree, which follows the likely moves; a proof ends it
NO_MATE_NODES = 100  # for a move where there is no mate to look for


# -- positions -----------------------------------------------------------------------------------


class Given(NamedTuple):
    """A game that a chess program sent."""

    position: Position
    line: Line  #: with the plies before a FEN, as unknown ones
    notes: tuple[str, ...] = ()  #: on what was left out of the FEN


def read_game(position: Position, before: Given | None = None) -> Given:
    """Read a game; UsageError says which move cannot be played.

    A game that continues the one before shares its moves.
    """
    kept, notes = 0, tuple[str, ...]()
    if before is not None and before.position.fen == position.fen:
        kept = common(before.position.moves, position.moves)
        line = before.line.first(before.line.ply - len(before.position.moves) + kept)
    elif position.fen is None:
        line = Line(GAME)
    else:
        board, notes = chess_text.read_fen(position.fen, chess960=True)
        line = _from(GAME.state_of(board))
    for number, word in enumerate(position.moves[kept:], start=kept + 1):
        try:
            line.push(_read_move(line, word))
        except MoveError as error:
            raise UsageError(f"move {number}: {error}") from None
    return Given(position, line, notes)


def _from(state: NDArray[np.uint64]) -> Line:
    """Return the line that begins with a position [S], after as many plies as its move number."""
    plies = min(int(state[COUNTERS] & SIXTEEN), MAX_PLIES)
    line = Line(GAME, state)
    return line.after_unknown(plies) if plies else line


def _read_move(line: Line, word: str) -> int:
    return int(action_of_move(line.state, chess_text.read_move(line.state, word)))


def possible(line: Line) -> NDArray[np.intp]:
    """Return the actions that the pieces allow, even where a draw could be claimed."""
    actions, counts = GAME.unclaimed(line.state[None])
    return actions[0, : counts[0]].astype(np.intp)


def playable(line: Line) -> Line:
    """Return the game, or its last position alone if it is drawn only because of its past."""
    if line.legal or not len(possible(line)):
        return line
    words = GAME.to_fen(line.state).split()
    return read_game(Position(" ".join([*words[:4], "0", words[5]]))).line


def mates(line: Line, action: int) -> bool:
    """Return whether a possible action is checkmate."""
    over, values = GAME.outcome(GAME.after(line.state[None], np.array([action])))
    return bool(over[0] and values[0])


def named(line: Line, words: Sequence[str]) -> NDArray[np.bool_]:
    """Return which actions [A] have these names; names of impossible moves are left out."""
    found = np.zeros(GAME.num_actions, np.bool_)
    for word in words:
        with suppress(MoveError):
            found[_read_move(line, word)] = True
    return found


def names(line: Line, actions: Sequence[int]) -> list[str]:
    """Return the names of actions played one after the other from here, such as e7e8q."""
    found, state = [], line.state
    for action in actions:
        found.append(chess_text.move_of(int(move_of_action(state, action))).uci())
        state = GAME.after(state[None], np.array([action]))[0]
    return found


# -- searches ------------------------------------------------------------------------------------


class MoveSearch(Search):
    """A search for the answer to one ``go``."""

    def __init__(self, line: Line, go: Go, seconds: float):
        super().__init__(seconds)
        self.line, self.go = line, go
        self.wanted = threading.Event()  #: the move may be sent
        self.sent = threading.Event()  #: the move is sent

    def start_clock(self) -> None:
        """Let the time run: when the move is asked for, or with ``ponderhit``."""
        super().start_clock()
        if not self.go.infinite:
            self.wanted.set()

    def stop(self) -> None:
        """Ask for the move now."""
        super().stop()
        self.wanted.set()


class ChessThinker(Thinker):
    """Finds moves of chess by the options, and sends the reports that a chess program shows."""

    def __init__(self, settings: Settings, send: Send):
        self._settings = settings
        self._send = send
        self._line: Line | None = None
        self._named: tuple[tuple, tuple[str, dict[str, str]]] | None = (
            None  # an opponent, by options
        )
        self._depth, self._most_depth = 1, MOST_DEPTH  # of the running search
        super().__init__()

    def setup(self) -> Setup:
        """Return what the options set."""
        settings = self._settings
        return Setup(
            weights=settings["WeightsFile"],
            threads=settings["Threads"],
            megabytes=settings["Hash"],
            lines=settings["MultiPV"],
            seed=settings["Seed"],
        )

    def ready(self) -> None:
        """Load the network and compile everything, so that no move is late.

        Two moves of a game are searched: in the second the tree of the first is kept.
        """
        self._check_weights()
        self.prepare(Line(GAME), self.read(Position(None, REHEARSED)).line)

    def read(self, position: Position | None = None, before: Given | None = None) -> Given:
        """Return the game that a program sent, as `read_game`; None: one that begins."""
        return read_game(position or Position(), before)

    def search(self, line: Line, go: Go) -> MoveSearch:
        """Return the search for a ``go`` at the end of a line, which is not begun yet."""
        return MoveSearch(line, go, go.seconds(line.side > 0, self._settings["Move Overhead"]))

    def any_move(self, line: Line) -> str:
        """Return the name of a move that is possible, (none) if there is none."""
        actions = possible(line)
        return names(line, actions[:1].tolist())[0] if len(actions) else "(none)"

    def think(self, search: MoveSearch) -> tuple[str, str | None]:
        """Return the move to play and the expected answer, as the interface writes them."""
        line, go = playable(search.line), search.go
        self._check_weights()
        if self._line is not None and not line.since(self._line):
            self.draw()  # taken back, or asked again: another move then
        self._line = line
        if not len(possible(line)):
            mated = GAME.outcome(line.state[None])[1][0] < 0
            self._send(f"info depth 0 score {self._certain(-1.0 if mated else 0.0)}")
            return "(none)", None
        if not line.legal:
            return self._dead_drawn(line, go), None
        among = go.searchmoves if named(line, go.searchmoves).any() else ()
        if go.searchmoves and not among:
            self._send("info string none of searchmoves can be played; all moves are searched")
        if self._settings["UCI_LimitStrength"]:
            return self._play(search, line, among)
        if go.mate is not None:
            mate = self._mate(search, line, among)
            if mate:
                return mate[0], mate[1] if len(mate) > 1 else None
        return self._search(search, line, among)

    def _dead_drawn(self, line: Line, go: Go) -> str:
        """Return a move of a dead position: any is as good."""
        actions = possible(line)
        chosen = actions[named(line, go.searchmoves)[actions]]
        words = [names(line, [action])[0] for action in (chosen if len(chosen) else actions)]
        for number, word in enumerate(words[: self._settings["MultiPV"]], start=1):
            self._send(_info(1, self._certain(0.0), 1, 0, [word], number=number))
        return words[0]

    def _certain(self, value: float) -> str:
        """Return the score of a position that is mated, or drawn by the rules."""
        score = ValueScore(value, 1 - abs(value))
        return score.text(self._settings["UCI_ShowWDL"], mate=0 if value else None)

    # -- an opponent at a rating -----------------------------------------------------------------

    def _play(
        self, search: MoveSearch, line: Line, among: tuple[str, ...]
    ) -> tuple[str, str | None]:
        if search.go.infinite or self._settings["MultiPV"] > 1:
            self._send(
                "info string at a rating there is one line, of the move that is played; turn "
                "UCI_LimitStrength off to analyse"
            )
        action, root = self.ask_opponent(line, lambda: search.over)
        assert action is not None  # players of a rating do not resign
        allowed = named(line, among)
        if among and not allowed[action]:  # then the most likely of those
            logits = self.network(GAME).evaluate(line.state[None]).logits[0]
            action = int(np.where(allowed, logits, -np.inf).argmax())
        nodes = 1 if root is None else int(root.visits.sum())
        score = self._scored(self._judged(line), root, line, action)
        word = names(line, [action])[0]
        self._send(f"info depth 1 nodes {nodes} score {score} pv {word}")
        return word, None

    def opponent(self) -> tuple[str, dict[str, str]] | None:
        """Return the spec of the opponent that the options name, and its network's file."""
        if not self._settings["UCI_LimitStrength"]:
            return None
        method, weights = self._settings["Method"], self._settings["WeightsFile"]
        elo, note = measured_rating(GAME.id, method, float(self._settings["UCI_Elo"]))
        key = method, elo, weights
        if self._named is None or self._named[0] != key:
            if note:
                self._send(f"info string UCI_Elo {note}")
            file = self._fit_for(method)
            self._named = key, (f"{method}:elo={elo:g}", {"net": file} if file else {})
        return self._named[1]

    def _fit_for(self, method: str) -> str | None:
        """Return the weights in use, None for the shipped ones if a method needs those."""
        weights = self._settings["WeightsFile"]
        if weights is None:
            return None
        rated = method not in NEED_RATINGS or self.network(GAME).card.scales
        if method in NEED_SHIPPED or not rated:
            self._send(f"info string {method} knows no such weights; playing by the shipped ones")
            return None
        if method in LOSE_RATING:
            self._send(
                f"info string {method} was fitted to the shipped weights; by these it is not as "
                "strong as the rating says"
            )
        return weights

    # -- mates ---------------------------------------------------------------------------------

    def _mate(self, search: MoveSearch, line: Line, among: tuple[str, ...]) -> list[str]:
        """Return the line of the shortest mate in as many moves as ``go`` names, and report it.

        Empty if there is none or none is found; then the tree continues the search.
        """
        wanted, begun = max(search.go.mate or 1, 1), time.perf_counter()
        most = MATE_POSITIONS if search.go.nodes is None else search.go.nodes
        wins = WinSearch(GAME, most, lambda: search.over)
        allowed = named(line, among) if among else None
        found = wins.shortest(line.state, wanted, allowed)
        nodes, seconds = wins.positions, time.perf_counter() - begun
        if found:
            moves, words = wins.without + 1, names(line, found)
            score = ValueScore(1.0).text(self._settings["UCI_ShowWDL"], mate=moves)
            self._send(_info(2 * moves - 1, score, nodes, seconds, words))
            return words
        searched = "all of searchmoves" if among else "all moves"
        notes = []
        if wins.without:
            notes = [f"there is no mate in {wins.without}: {searched} were searched"]
        if wins.without < wanted:
            one = "one" if notes else "a mate"
            notes.append(f"in {wanted} there may be {one}, which {nodes} positions do not settle")
        self._send(f"info string {'; '.join(notes)}")
        limit = NO_MATE_NODES if wins.without == wanted else MATE_NODES
        search.go = replace(search.go, nodes=min(limit, search.go.nodes or limit))
        return []

    # -- full strength -------------------------------------------------------------------------

    def _search(
        self, search: MoveSearch, line: Line, among: tuple[str, ...]
    ) -> tuple[str, str | None]:
        go, judged, begun = search.go, self._judged(line), time.perf_counter()
        tree = self.rooted(line, named(line, among) if among else None)
        before, due, played = tree.visits, begun + FIRST_REPORT, -1
        self._depth, self._most_depth = 1, go.depth or MOST_DEPTH

        def deep_enough(tree: Tree) -> bool:
            if go.depth is None:
                return False
            self._deepen(tree.depth)
            return self._depth >= go.depth or tree.exhausted

        def watch(tree: Tree, ended: bool) -> None:
            nonlocal due, played
            now = time.perf_counter()
            if ended or now >= due:
                played = self._report(tree, line, judged, before, now - begun)
                due = begun + REPORTS_GROW * (now - begun)

        visits = MOST_SIMULATIONS if go.nodes is None else go.nodes
        step = ROUND if go.depth is None else LEAVES
        grow(tree, lambda: search.over, visits, step=step, enough=deep_enough, watch=watch)
        words = names(line, tree.line(played)[:2])
        return words[0], words[1] if len(words) > 1 else None

    def _deepen(self, moves: int) -> None:
        """Note the depth of the search: the most moves that its main line has had.

        It is never deeper than ``go`` names.
        """
        self._depth = max(self._depth, min(moves, self._most_depth))

    def _report(
        self, tree: Tree, line: Line, judged: ValueScore, before: int, seconds: float
    ) -> int:
        """Send the best lines of the tree, as many as MultiPV says, and return the first action.

        Nodes are those of this search: the tree had ``before`` already.
        """
        most, nodes = self._settings["MultiPV"], tree.visits - before
        shown = by_score(tree.stats(), most, judged.value, lambda action: mates(line, action))
        lines = [names(line, tree.line(row.action)) for row in shown]
        self._deepen(len(lines[0]))
        deepest = depths(tree.forest, 0)[1]
        for number, (row, moves) in enumerate(zip(shown, lines, strict=True), start=1):
            score, full = self._score_text(judged, row), tree.hashfull
            info = _info(self._depth, score, nodes, seconds, moves, number, deepest, full)
            self._send(info)
        return shown[0].action

    # -- what both need ------------------------------------------------------------------------

    def _scored(self, judged: ValueScore, root: Root | None, line: Line, action: int) -> str:
        """Return an action's score as the interface has it; without visits, the position's."""
        known = root is not None and root.visits[action]
        value = float(root.means[action]) if root is not None and known else judged.value
        mate = 1 if mates(line, action) else None
        return self._score_text(judged, Row(action, value, mate=mate))

    def _score_text(self, judged: ValueScore, row: Row) -> str:
        """Return a row's score as the interface has it."""
        score = judged if row.value == judged.value else judged.moved(row.value)
        return score.text(self._settings["UCI_ShowWDL"], mate=row.mate, bound=row.bound)

    def _judged(self, line: Line) -> ValueScore:
        """Return the network's value of the position."""
        found = self.network(GAME).evaluate(line.state[None])
        draw = None if found.wdl is None else float(found.wdl[0, 1])
        return ValueScore(float(found.values[0]), draw)

    def _check_weights(self) -> None:
        """Play by the shipped network if that of the options cannot be used."""
        try:
            self.network(GAME)
        except EvenmatchError as error:
            if self._settings["WeightsFile"] is None:
                raise
            self._send(f"info string error: {error}; playing by the shipped weights")
            self._settings["WeightsFile"] = None


def _info(
    depth: int,
    score: str,
    nodes: int,
    seconds: float,
    moves: Sequence[str],
    number: int = 1,
    deepest: int = 0,
    hashfull: int = 0,
) -> str:
    """Return the report of a line: the ``number``-th of MultiPV."""
    rate = int(nodes / max(seconds, 1e-3))
    return (
        f"info depth {depth} seldepth {max(deepest, depth)} multipv {number} score {score} "
        f"nodes {nodes} nps {rate} hashfull {hashfull} time {int(1000 * seconds)} "
        f"pv {' '.join(moves)}"
    )
