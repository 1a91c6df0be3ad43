"""Moves for a program: from a tree search at full strength, or from an opponent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.network.combined import Conditioned
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator, network_of
from evenmatch.network.owner import use_threads
from evenmatch.opponents.controller import Root
from evenmatch.opponents.engine import Engine, InGame, Opponent, game_seed, resolve
from evenmatch.opponents.player import RESIGN
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.play.tree import LEAVES, MOST_SIMULATIONS, ROUND, Tree
from evenmatch.search import Evaluator, RolloutEvaluator
from evenmatch.search.evaluator import Evaluation

Over = Callable[[], bool]
Watch = Callable[[Tree, bool], None]  # gets a tree, and whether its search has ended


@dataclass(frozen=True)
class Setup:
    """Settings of the network and the tree."""

    weights: str | None = None  #: the network's file; None: the shipped one
    threads: int | None = None  #: of networks; None: all cores
    megabytes: int = 256  #: memory of the tree
    lines: int = 1  #: number of lines that the tree has to find
    seed: int = 0  #: 0: other moves in every game
    condition: RatingCondition | None = None  #: whose moves the network is asked for


class Reply(NamedTuple):
    """An opponent's answer."""

    action: int | None  #: None: it resigns
    root: Root | None  #: statistics of its search, if it searches


class Thinker:
    """Finds moves; the networks, the tree and the opponent stay between moves.

    A dialect returns what is set, which may change between moves.
    """

    def __init__(self) -> None:
        self._tree: tuple[tuple, Tree] | None = None  # and what it was made for
        self._opponent: tuple[tuple, Engine, Opponent] | None = None  # by what it was made for
        self._in_game: InGame | None = None
        self.new_game()

    def setup(self) -> Setup:
        """Return what is set of the network and the tree."""
        raise NotImplementedError

    def opponent(self) -> tuple[str, dict[str, str]] | None:
        """Return the spec of the opponent that moves, and files for keys that it does not give.

        None: a tree search at full strength moves.
        """
        raise NotImplementedError

    def new_game(self) -> None:
        """Forget the tree and draw a new seed; the opponent begins another game."""
        self._tree, self._begins = None, True
        self.draw()

    def draw(self) -> None:
        """Draw a new seed: after a move is taken back, another one may come."""
        self.seed = self.setup().seed or int(np.random.default_rng().integers(1, 2**31))

    def prepare(self, *lines: Line) -> None:
        """Load and compile what moves at the ends of lines need, so that no move is late.

        The tree so far is kept.
        """
        for line in lines:
            self.judge(line.game, line.state[None])
        if self.opponent() is None:
            kept, self._tree = self._tree, None
            try:
                for line in lines:
                    self.rooted(line).grow(2 * LEAVES, lambda: False)
            finally:
                self._tree = kept
        elif self._begins or self._in_game is None:  # during a game it is ready
            self.ask_opponent(lines[-1], lambda: True)
            self._begins = True

    # -- networks ------------------------------------------------------------------------------

    def network(self, game: Game) -> NetworkEvaluator:
        """Return the network that is set; NetworkError if it cannot be used."""
        setup = self.setup()
        use_threads(setup.threads)
        return network_of(game, setup.weights)

    def evaluator(self, game: Game) -> Evaluator:
        """Return the evaluator of a tree search: the network, or random games if there is none."""
        condition = self.setup().condition
        try:
            network = self.network(game)
        except NetworkError:
            if self.setup().weights:
                raise
            return RolloutEvaluator(game)
        return network if condition is None else Conditioned(network, condition)

    def judge(self, game: Game, states: NDArray[np.uint64]) -> Evaluation | None:
        """Return the network's evaluation of positions [n, S], a copy; None without a network."""
        try:
            self.network(game)
        except NetworkError:
            return None
        found = self.evaluator(game).evaluate(game.as_roots(states))._asdict()
        return Evaluation(**{name: x.copy() for name, x in found.items() if x is not None})

    # -- full strength -------------------------------------------------------------------------

    def rooted(self, line: Line, allowed: NDArray[np.bool_] | None = None) -> Tree:
        """Return the tree at the end of a line; only actions ``allowed`` [A] are searched."""
        setup, game = self.setup(), line.game
        key = game, setup.weights, setup.threads, setup.megabytes, setup.condition
        if self._tree is None or self._tree[0] != key:
            self._tree = key, Tree(game, self.evaluator(game), setup.megabytes)
        tree = self._tree[1]
        tree.lines = setup.lines
        tree.root(line, self.seed, allowed)
        return tree

    # -- opponents -----------------------------------------------------------------------------

    def ask_opponent(self, line: Line, over: Over) -> Reply:
        """Return the answer of the opponent that is set, at the end of a line of its game."""
        engine, opponent = self.load_opponent(line.game)
        at = self._in_game
        if self._begins or at is None or not at.is_in(line, line.side):
            player = engine.player(opponent)
            tree = player.new_tree() if isinstance(player, SearchPlayer) else None
            at = self._in_game = InGame(opponent, line.side, 0, tree=tree)
            self._begins = False
        at.seed = game_seed(self.seed)
        turn = at.turn(line)
        (found,) = engine.think([(opponent, turn)], stopped=over)
        at.take(turn, found)
        return Reply(None if found.action == RESIGN else found.action, found.root)

    def load_opponent(self, game: Game) -> tuple[Engine, Opponent]:
        """Return the opponent that is set; EvenmatchError if this game has no such opponent."""
        named, threads = self.opponent(), self.setup().threads
        assert named is not None
        spec, files = named
        key = game, spec, *files.items(), threads
        if self._opponent is None or self._opponent[0] != key:
            use_threads(threads)
            opponent = resolve(spec, game, own=True, **files)
            engine = Engine(game)
            engine.player(opponent)
            self._opponent, self._begins = (key, engine, opponent), True
        return self._opponent[1:]


def grow(
    tree: Tree,
    over: Over,
    visits: int = MOST_SIMULATIONS,
    *,
    step: int = ROUND,
    enough: Callable[[Tree], bool] | None = None,
    watch: Watch | None = None,
) -> None:
    """Search until it is ``over``, has had ``visits`` more, or nothing is left to search.

    After each ``step`` simulations ``watch`` gets the tree, the last time with True, and ``enough``
    may end the search.
    """
    before = tree.visits
    while True:
        left = visits - (tree.visits - before)
        tree.grow(max(1, min(step, left)), over)
        used_up = tree.visits - before >= visits or tree.visits >= MOST_SIMULATIONS
        deep = enough is not None and enough(tree)
        ended = deep or over() or used_up or tree.full or tree.decided
        if watch is not None:
            watch(tree, ended)
        if ended:
            return
