"""Moves: a tree search at full strength, or a player of a rating."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.uci.centipawns import ValueScore
from evenmatch.frontends.uci.multipv import Shown, shown_lines
from evenmatch.frontends.uci.options import Settings
from evenmatch.frontends.uci.protocol import Go, Position
from evenmatch.frontends.uci.uci_line import GAME, UciLine
from evenmatch.network.artifact import shipped_path
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.precision import precision
from evenmatch.players import Player, SearchPlayer, make_player
from evenmatch.players.evaluators import use_threads
from evenmatch.players.measured import measured_rating
from evenmatch.search import RootStats
from evenmatch.search.principal_variation import depths
from evenmatch.search.solver import WinSearch
from evenmatch.sessions.seat import Seat
from evenmatch.sessions.tree import LEAVES, MOST_SIMULATIONS, ROUND, Tree

SIZES = (1, LEAVES)  # of batches
REHEARSED = ("e2e4", "e7e5")
FIRST_REPORT, REPORTS_GROW = 0.1, 1.5  # seconds until the first report; how much later each next
NEED_SHIPPED = ("ace", "pikl")  # methods that have no numbers for other weights
MOST_DEPTH = 1000  # that is shown
MATE_POSITIONS = 10**6  # that a search for a mate looks at, through all moves
MATE_NODES = 100_000  # that the tree then has, which follows the likely moves; a proof ends it
NO_MATE_NODES = 100  # for a move where there is no mate to look for
LOSE_RATING = ("se", "sa")  # methods that play on with numbers fitted to the shipped ones

Tell = Callable[[str], None]


@dataclass
class MoveTask:
    """A move to be thought about, until it is found or wanted."""

    line: UciLine
    go: Go
    seconds: float  #: for the move, from the time that the clock runs
    deadline: float = math.inf
    stop: threading.Event = field(default_factory=threading.Event)
    wanted: threading.Event = field(default_factory=threading.Event)  #: the move may be told
    told: threading.Event = field(default_factory=threading.Event)  #: the move is told

    def start_clock(self) -> None:
        """Let the move's time begin: when it is asked for, or when the opponent did as pondered."""
        self.deadline = time.perf_counter() + self.seconds
        if not self.go.infinite:
            self.wanted.set()

    def end(self) -> None:
        """Ask for the move now."""
        self.stop.set()
        self.wanted.set()

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return self.stop.is_set() or time.perf_counter() >= self.deadline


class Loaded(NamedTuple):
    """A network in use."""

    key: tuple  #: the options that name it
    weights: Path | None  #: its artifact; None for the shipped one
    network: NetworkEvaluator


class Thinker:
    """Finds moves by what the options say; networks, trees and players stay between moves."""

    def __init__(self, settings: Settings, tell: Tell):
        self._settings = settings
        self._tell = tell
        self._in_use: Loaded | None = None
        self._player: tuple[tuple, Seat] | None = None
        self._tree: Tree | None = None
        self._line: UciLine | None = None
        self._depth, self._most_depth = 1, MOST_DEPTH  # of the search that goes on
        self.new_game()

    def new_game(self) -> None:
        """Forget the tree and draw new random numbers."""
        self._tree, self._begins = None, True  # a player's next turn is the first of a game to it
        self._draw()

    def _draw(self) -> None:
        self._seed = self._settings["Seed"] or int(np.random.default_rng().integers(1, 2**31))

    def prepare(self) -> None:
        """Load the network and compile everything, so that no move is late.

        Two moves of a game are thought about, for in the second the tree goes on from the first.
        """
        network, line = self._network(), UciLine()
        kept, tell = self._tree, self._tell
        for count in SIZES:
            network.evaluate(np.repeat(line.state[None], count, 0))
        self._tree, self._tell = None, lambda text: None
        try:
            for line in (UciLine(), UciLine(Position(None, REHEARSED))):
                self._search(MoveTask(line, Go(nodes=2 * LEAVES), math.inf), line, ())
        finally:
            self._tree, self._tell = kept, tell
        if self._settings["UCI_LimitStrength"]:
            seat = self._seat()  # tells if it cannot play by the weights given
            if self._begins or not seat.in_game:  # else it plays by now, and needs no rehearsal
                self._chosen(line, lambda: True)
                self._begins = True

    def think(self, task: MoveTask) -> tuple[str, str | None]:
        """Return the move to play and the answer that is expected, as the interface has them."""
        line = task.line.playable()
        if self._line is not None and not line.since(self._line):
            self._draw()  # taken back, or asked once more: another move then
        self._line = line
        if not len(line.playable_actions):
            mated = GAME.outcome(line.state[None])[1][0] < 0
            self._tell(f"info depth 0 score {self._certain(-1.0 if mated else 0.0)}")
            return "(none)", None
        if not len(GAME.legal_actions(line.state[None])[0]):
            return self._dead_drawn(line, task.go), None
        chosen = task.go.searchmoves if line.among(task.go.searchmoves).any() else ()
        if task.go.searchmoves and not chosen:
            self._tell("info string none of searchmoves can be played; all moves are searched")
        if self._settings["UCI_LimitStrength"]:
            return self._play(task, line, chosen)
        if task.go.mate is not None:
            mate = self._mate(task, line, chosen)
            if mate:
                return mate[0], mate[1] if len(mate) > 1 else None
        return self._search(task, line, chosen)

    def _dead_drawn(self, line: UciLine, go: Go) -> str:
        """Return a move of a position that nobody can win: any is as good."""
        actions = line.playable_actions
        named = actions[line.among(go.searchmoves)[actions]]
        words = [line.words([int(action)])[0] for action in (named if len(named) else actions)]
        for number, word in enumerate(words[: self._settings["MultiPV"]], start=1):
            self._tell(
                f"info depth 1 seldepth 1 multipv {number} score {self._certain(0.0)} nodes 1 "
                f"nps 1 hashfull 0 time 0 pv {word}"
            )
        return words[0]

    def _certain(self, value: float) -> str:
        """Return the score of a position that is mated, or drawn by the rules."""
        score = ValueScore(value, 1 - abs(value))
        return score.text(self._settings["UCI_ShowWDL"], mate=0 if value else None)

    # -- a player of a rating ------------------------------------------------------------------

    def _play(
        self, task: MoveTask, line: UciLine, chosen: tuple[str, ...]
    ) -> tuple[str, str | None]:
        if task.go.infinite or self._settings["MultiPV"] > 1:
            self._tell(
                "info string at a rating there is one line, of the move that is played; turn "
                "UCI_LimitStrength off to analyse"
            )
        action, player = self._chosen(line, lambda: task.over)
        allowed = line.among(chosen)
        if chosen and not allowed[action]:  # then the likeliest of those
            logits = self._network().evaluate(line.state[None]).logits[0]
            action = int(np.where(allowed, logits, -np.inf).argmax())
        stats = player.last if isinstance(player, SearchPlayer) else None
        nodes = 1 if stats is None else int(stats.visits.sum())
        score = self._scored(self._judged(line), stats, line, action)
        word = line.words([action])[0]
        self._tell(f"info depth 1 nodes {nodes} score {score} pv {word}")
        return word, None

    def _chosen(self, line: UciLine, stopped: Callable[[], bool] | None) -> tuple[int, Player]:
        seat = self._seat()
        if isinstance(seat.player, SearchPlayer):
            seat.player.stopped = stopped
        if self._begins or not seat.is_in(line, line.side):
            seat.begin(line, line.side, self._seed)
            self._begins = False
        seat.player.reseed(np.array([seat.number]), self._seed)
        return seat.choose(line), seat.player

    def _seat(self) -> Seat:
        """Return the seat of the player that the options name; its own as long as they do."""
        method = self._settings["Method"]
        elo, note = measured_rating(GAME.id, method, float(self._settings["UCI_Elo"]))
        key = method, elo, self._loaded().weights
        if self._player is None or self._player[0] != key:
            if note:
                self._tell(f"info string UCI_Elo {note}")
            weights = self._fit_for(method)
            net = weights and str(weights)
            self._player = key, Seat(make_player(method, GAME, elo=elo, net=net))
        return self._player[1]

    def _fit_for(self, method: str) -> Path | None:
        """Return the weights in use, None for the shipped ones if a method needs those."""
        _, weights, network = self._loaded()
        if weights is None:
            return None
        if method in NEED_SHIPPED or (method == "human" and not network.card.scales):
            self._tell(f"info string {method} knows no such weights; playing by the shipped ones")
            return None
        if method in LOSE_RATING:
            self._tell(
                f"info string {method} was fitted to the shipped weights; by these it is not as "
                "strong as the rating says"
            )
        return weights

    # -- mates ---------------------------------------------------------------------------------

    def _mate(self, task: MoveTask, line: UciLine, chosen: tuple[str, ...]) -> list[str]:
        """Return the line of the shortest mate in as many moves as asked for, and tell of it.

        Empty if there is none, or none is found: then the tree is to look on.
        """
        asked, begun = max(task.go.mate or 1, 1), time.perf_counter()
        most = MATE_POSITIONS if task.go.nodes is None else task.go.nodes
        search = WinSearch(GAME, most, lambda: task.over)
        allowed = line.among(chosen) if chosen else None
        found = search.shortest(line.state, asked, allowed)
        nodes, seconds = search.positions, time.perf_counter() - begun
        if found:
            moves, words = search.without + 1, line.words(found)
            score = ValueScore(1.0).text(self._settings["UCI_ShowWDL"], mate=moves)
            self._tell(
                f"info depth {2 * moves - 1} seldepth {2 * moves - 1} multipv 1 score {score} "
                f"nodes {nodes} nps {_rate(nodes, seconds)} hashfull 0 time {int(1000 * seconds)} "
                f"pv {' '.join(words)}"
            )
            return words
        searched = "all of searchmoves" if chosen else "all moves"
        none = f"info string there is no mate in {search.without}: {searched} were searched"
        if search.without == asked:
            self._tell(none)
        else:
            self._tell(
                f"{none}; in {asked} there may be one, which {nodes} positions do not settle"
            )
        limit = NO_MATE_NODES if search.without == asked else MATE_NODES
        task.go = replace(task.go, nodes=min(limit, task.go.nodes or limit))
        return []

    # -- full strength -------------------------------------------------------------------------

    def _search(
        self, task: MoveTask, line: UciLine, chosen: tuple[str, ...]
    ) -> tuple[str, str | None]:
        network = self._network()  # another one than the tree's ends the tree
        if self._tree is None or self._tree.hash != self._settings["Hash"]:
            self._tree = Tree(GAME, network, self._settings["Hash"])
        tree, judged, begun = self._tree, self._judged(line), time.perf_counter()
        tree.lines = self._settings["MultiPV"]
        tree.root(line, self._seed, line.among(chosen) if chosen else None)
        before, due = tree.visits, begun + FIRST_REPORT
        self._depth, self._most_depth = 1, task.go.depth or MOST_DEPTH
        while True:
            tree.grow(self._step(task, tree, before), lambda: task.over)
            now = time.perf_counter()
            if task.go.depth is not None:
                self._deepen(tree.depth)
            if task.over or self._enough(task.go, tree, before):
                break
            if now >= due:
                self._report(tree, line, judged, before, now - begun)
                due = begun + REPORTS_GROW * (now - begun)
        played = self._report(tree, line, judged, before, time.perf_counter() - begun)
        words = line.words(tree.line(played)[:2])
        return words[0], words[1] if len(words) > 1 else None

    def _deepen(self, moves: int) -> None:
        """Note the depth of the search: the most moves that its main line has had.

        It is not deeper than it is asked to be.
        """
        self._depth = max(self._depth, min(moves, self._most_depth))

    def _step(self, task: MoveTask, tree: Tree, before: int) -> int:
        """Return how many simulations to run before the next look at the clock."""
        step = ROUND if task.go.depth is None else LEAVES
        if task.go.nodes is None:
            return step
        return max(1, min(step, task.go.nodes - (tree.visits - before)))

    def _enough(self, go: Go, tree: Tree, before: int) -> bool:
        if tree.full or tree.decided or tree.visits >= MOST_SIMULATIONS:
            return True
        if go.nodes is not None and tree.visits - before >= go.nodes:
            return True
        return go.depth is not None and (self._depth >= go.depth or tree.exhausted)

    def _report(
        self, tree: Tree, line: UciLine, judged: ValueScore, before: int, seconds: float
    ) -> int:
        """Tell the lines that the tree thinks best, as many as MultiPV says.

        Nodes are those of this search: the tree had ``before`` already. Return the first action.
        """
        most, nodes = self._settings["MultiPV"], tree.visits - before
        shown = shown_lines(tree.stats(), most, judged.value, line.mates)
        lines = [line.words(tree.line(one.action)) for one in shown]
        self._deepen(len(lines[0]))
        deepest = max(depths(tree.forest, 0)[1], self._depth)
        for number, (one, moves) in enumerate(zip(shown, lines, strict=True), start=1):
            self._tell(
                f"info depth {self._depth} seldepth {deepest} multipv {number} "
                f"score {self._score_text(judged, one)} nodes {nodes} nps {_rate(nodes, seconds)} "
                f"hashfull {tree.hashfull} time {int(1000 * seconds)} pv {' '.join(moves)}"
            )
        return shown[0].action

    # -- what both need ------------------------------------------------------------------------

    def _scored(
        self, judged: ValueScore, stats: RootStats | None, line: UciLine, action: int
    ) -> str:
        """Return an action's score as the interface has it; unvisited it is the position's."""
        known = stats is not None and stats.visits[0, action]
        value = float(stats.means[0, action]) if stats is not None and known else judged.value
        mate = 1 if line.mates(action) else None
        return self._score_text(judged, Shown(action, value, mate))

    def _score_text(self, judged: ValueScore, shown: Shown) -> str:
        """Return a line's score as the interface has it."""
        score = judged if shown.value == judged.value else judged.moved(shown.value)
        return score.text(self._settings["UCI_ShowWDL"], mate=shown.mate, bound=shown.bound)

    def _judged(self, line: UciLine) -> ValueScore:
        """Return what the network alone says of the position."""
        network = self._network()
        said = network.evaluate(line.state[None])
        return ValueScore(
            float(said.values[0]), None if said.wdl is None else float(said.wdl[0, 1])
        )

    def _network(self) -> NetworkEvaluator:
        return self._loaded().network

    def _loaded(self) -> Loaded:
        """Load the network that the options name, once; the shipped one if it cannot be used."""
        settings = self._settings
        key = settings["WeightsFile"], settings["Threads"]
        if self._in_use is None or self._in_use.key != key:
            try:
                weights = self._weights()
                network = self._evaluator(weights or shipped_path(GAME.id))
            except EvenmatchError as error:
                if settings["WeightsFile"] is None:
                    raise
                self._tell(f"info string error: {error}; playing by the shipped weights")
                settings["WeightsFile"] = None
                return self._loaded()
            use_threads(settings["Threads"])
            self._in_use = Loaded(key, weights, network)
            self._tree = self._player = None
        return self._in_use

    def _evaluator(self, path: Path) -> NetworkEvaluator:
        threads = self._settings["Threads"]
        return NetworkEvaluator(path, GAME, precision=precision(), threads=threads, sizes=SIZES)

    def _weights(self) -> Path | None:
        """Return the artifact of the weights given; those of Leela's format become one."""
        given = self._settings["WeightsFile"]
        if given is None:
            return None
        from evenmatch.network.imported import as_artifact

        return as_artifact(Path(given))


def _rate(nodes: int, seconds: float) -> int:
    """Return nodes per second."""
    return int(nodes / max(seconds, 1e-3))
