"""Moves of chess as a chess program asks for them: searches with reports, mates, opponents."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.engine.loop import Search, Send
from evenmatch.frontends.engine.thinking import Setup, Thinker, grow
from evenmatch.frontends.uci.line import GAME, UciLine
from evenmatch.frontends.uci.protocol import Go, Position, Settings
from evenmatch.frontends.uci.scores import Shown, ValueScore, shown_lines
from evenmatch.opponents.controller import Root
from evenmatch.opponents.rating_range import measured_rating
from evenmatch.play.tree import LEAVES, MOST_SIMULATIONS, ROUND, Tree
from evenmatch.search.puct import depths
from evenmatch.search.solver import WinSearch

REHEARSED = ("e2e4", "e7e5")
FIRST_REPORT, REPORTS_GROW = 0.1, 1.5  # seconds until the first report; how much later each next
NEED_SHIPPED = ("ace", "pikl")  # methods that have no numbers for other weights
MOST_DEPTH = 1000  # that is shown
MATE_POSITIONS = 10**6  # that a search for a mate looks at, through all moves
MATE_NODES = 100_000  # that the tree then has, which follows the likely moves; a proof ends it
NO_MATE_NODES = 100  # for a move where there is no mate to look for
LOSE_RATING = ("se", "sa")  # methods that play on with numbers fitted to the shipped ones


class MoveSearch(Search):
    """A search for the answer to one ``go``."""

    def __init__(self, line: UciLine, go: Go, seconds: float):
        super().__init__(seconds)
        self.line, self.go = line, go
        self.wanted = threading.Event()  #: the move may be sent
        self.sent = threading.Event()  #: the move is sent

    def start_clock(self) -> None:
        """Let the time run: when the move is asked for, or when the opponent did as pondered."""
        super().start_clock()
        if not self.go.infinite:
            self.wanted.set()

    def stop(self) -> None:
        """Ask for the move now."""
        super().stop()
        self.wanted.set()


class ChessThinker(Thinker):
    """Finds moves of chess by the options, and sends what a chess program shows."""

    def __init__(self, settings: Settings, send: Send):
        self._settings = settings
        self._send = send
        self._line: UciLine | None = None
        self._named: tuple[tuple, tuple[str, str | None]] | None = None  # an opponent, by options
        self._depth, self._most_depth = 1, MOST_DEPTH  # of the search that goes on
        super().__init__()

    def setup(self) -> Setup:
        """Return what the options say."""
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

        Two moves of a game are searched: in the second the tree goes on from the first.
        """
        self._check_weights()
        self.prepare(UciLine(), UciLine(Position(None, REHEARSED)))

    def think(self, search: MoveSearch) -> tuple[str, str | None]:
        """Return the move to play and the answer that is expected, as the interface has them."""
        line, go = search.line.playable(), search.go
        self._check_weights()
        if self._line is not None and not line.since(self._line):
            self.draw()  # taken back, or asked for once more: another move then
        self._line = line
        if not len(line.playable_actions):
            mated = GAME.outcome(line.state[None])[1][0] < 0
            self._send(f"info depth 0 score {self._certain(-1.0 if mated else 0.0)}")
            return "(none)", None
        if not len(GAME.legal_actions(line.state[None])[0]):
            return self._dead_drawn(line, go), None
        among = go.searchmoves if line.among(go.searchmoves).any() else ()
        if go.searchmoves and not among:
            self._send("info string none of searchmoves can be played; all moves are searched")
        if self._settings["UCI_LimitStrength"]:
            return self._play(search, line, among)
        if go.mate is not None:
            mate = self._mate(search, line, among)
            if mate:
                return mate[0], mate[1] if len(mate) > 1 else None
        return self._search(search, line, among)

    def _dead_drawn(self, line: UciLine, go: Go) -> str:
        """Return a move of a position that nobody can win: any is as good."""
        actions = line.playable_actions
        named = actions[line.among(go.searchmoves)[actions]]
        words = [line.words([int(action)])[0] for action in (named if len(named) else actions)]
        for number, word in enumerate(words[: self._settings["MultiPV"]], start=1):
            self._send(
                f"info depth 1 seldepth 1 multipv {number} score {self._certain(0.0)} nodes 1 "
                f"nps 1 hashfull 0 time 0 pv {word}"
            )
        return words[0]

    def _certain(self, value: float) -> str:
        """Return the score of a position that is mated, or drawn by the rules."""
        score = ValueScore(value, 1 - abs(value))
        return score.text(self._settings["UCI_ShowWDL"], mate=0 if value else None)

    # -- an opponent at a rating -----------------------------------------------------------------

    def _play(
        self, search: MoveSearch, line: UciLine, among: tuple[str, ...]
    ) -> tuple[str, str | None]:
        if search.go.infinite or self._settings["MultiPV"] > 1:
            self._send(
                "info string at a rating there is one line, of the move that is played; turn "
                "UCI_LimitStrength off to analyse"
            )
        action, root = self.ask_opponent(line, lambda: search.over)
        assert action is not None  # players of a rating do not resign
        allowed = line.among(among)
        if among and not allowed[action]:  # then the likeliest of those
            logits = self.network(GAME).evaluate(line.state[None]).logits[0]
            action = int(np.where(allowed, logits, -np.inf).argmax())
        nodes = 1 if root is None else int(root.visits.sum())
        score = self._scored(self._judged(line), root, line, action)
        word = line.words([action])[0]
        self._send(f"info depth 1 nodes {nodes} score {score} pv {word}")
        return word, None

    def opponent(self) -> tuple[str, str | None] | None:
        """Return the spec of the opponent that the options name, and its network's file."""
        if not self._settings["UCI_LimitStrength"]:
            return None
        method, weights = self._settings["Method"], self._settings["WeightsFile"]
        elo, note = measured_rating(GAME.id, method, float(self._settings["UCI_Elo"]))
        key = method, elo, weights
        if self._named is None or self._named[0] != key:
            if note:
                self._send(f"info string UCI_Elo {note}")
            self._named = key, (f"{method}:elo={elo:g}", self._fit_for(method))
        return self._named[1]

    def _fit_for(self, method: str) -> str | None:
        """Return the weights in use, None for the shipped ones if a method needs those."""
        weights = self._settings["WeightsFile"]
        if weights is None:
            return None
        if method in NEED_SHIPPED or (method == "human" and not self.network(GAME).card.scales):
            self._send(f"info string {method} knows no such weights; playing by the shipped ones")
            return None
        if method in LOSE_RATING:
            self._send(
                f"info string {method} was fitted to the shipped weights; by these it is not as "
                "strong as the rating says"
            )
        return weights

    # -- mates ---------------------------------------------------------------------------------

    def _mate(self, search: MoveSearch, line: UciLine, among: tuple[str, ...]) -> list[str]:
        """Return the line of the shortest mate in as many moves as ``go`` names, and report it.

        Empty if there is none, or none is found: then the tree is to look on.
        """
        wanted, begun = max(search.go.mate or 1, 1), time.perf_counter()
        most = MATE_POSITIONS if search.go.nodes is None else search.go.nodes
        wins = WinSearch(GAME, most, lambda: search.over)
        allowed = line.among(among) if among else None
        found = wins.shortest(line.state, wanted, allowed)
        nodes, seconds = wins.positions, time.perf_counter() - begun
        if found:
            moves, words = wins.without + 1, line.words(found)
            score = ValueScore(1.0).text(self._settings["UCI_ShowWDL"], mate=moves)
            self._send(
                f"info depth {2 * moves - 1} seldepth {2 * moves - 1} multipv 1 score {score} "
                f"nodes {nodes} nps {_rate(nodes, seconds)} hashfull 0 time {int(1000 * seconds)} "
                f"pv {' '.join(words)}"
            )
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
        self, search: MoveSearch, line: UciLine, among: tuple[str, ...]
    ) -> tuple[str, str | None]:
        go, judged, begun = search.go, self._judged(line), time.perf_counter()
        tree = self.rooted(line, line.among(among) if among else None)
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
        words = line.words(tree.line(played)[:2])
        return words[0], words[1] if len(words) > 1 else None

    def _deepen(self, moves: int) -> None:
        """Note the depth of the search: the most moves that its main line has had.

        It is never deeper than ``go`` names.
        """
        self._depth = max(self._depth, min(moves, self._most_depth))

    def _report(
        self, tree: Tree, line: UciLine, judged: ValueScore, before: int, seconds: float
    ) -> int:
        """Send the best lines of the tree, as many as MultiPV says, and return the first action.

        Nodes are those of this search: the tree had ``before`` already.
        """
        most, nodes = self._settings["MultiPV"], tree.visits - before
        shown = shown_lines(tree.stats(), most, judged.value, line.mates)
        lines = [line.words(tree.line(one.action)) for one in shown]
        self._deepen(len(lines[0]))
        deepest = max(depths(tree.forest, 0)[1], self._depth)
        for number, (one, moves) in enumerate(zip(shown, lines, strict=True), start=1):
            self._send(
                f"info depth {self._depth} seldepth {deepest} multipv {number} "
                f"score {self._score_text(judged, one)} nodes {nodes} nps {_rate(nodes, seconds)} "
                f"hashfull {tree.hashfull} time {int(1000 * seconds)} pv {' '.join(moves)}"
            )
        return shown[0].action

    # -- what both need ------------------------------------------------------------------------

    def _scored(self, judged: ValueScore, root: Root | None, line: UciLine, action: int) -> str:
        """Return an action's score as the interface has it; unvisited it is the position's."""
        known = root is not None and root.visits[action]
        value = float(root.means[action]) if root is not None and known else judged.value
        mate = 1 if line.mates(action) else None
        return self._score_text(judged, Shown(action, value, mate))

    def _score_text(self, judged: ValueScore, shown: Shown) -> str:
        """Return a line's score as the interface has it."""
        score = judged if shown.value == judged.value else judged.moved(shown.value)
        return score.text(self._settings["UCI_ShowWDL"], mate=shown.mate, bound=shown.bound)

    def _judged(self, line: UciLine) -> ValueScore:
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


def _rate(nodes: int, seconds: float) -> int:
    """Return nodes per second."""
    return int(nodes / max(seconds, 1e-3))
