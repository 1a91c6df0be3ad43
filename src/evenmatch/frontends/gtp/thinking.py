"""Moves and judgements: a tree search at full strength, or a player of a spec."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.frontends.gtp.forms import IMPLIED
from evenmatch.frontends.gtp.settings import Settings
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.players import SearchPlayer, make_player, parse_spec
from evenmatch.players.evaluators import network_of
from evenmatch.players.player import RESIGN, Player
from evenmatch.search import Evaluator, RolloutEvaluator
from evenmatch.search.evaluator import Evaluation
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.seat import Seat
from evenmatch.sessions.tree import LEAVES, MOST_SIMULATIONS, ROUND, Tree

MEGABYTES = 256  #: of a tree
WATCHED = 0.8  #: share of the time of a move that is searched where what it finds is reported, too

Stopped = Callable[[], bool]
Watch = Callable[[Tree, bool], None]  # sees a tree, and whether its search has ended


class Chosen(NamedTuple):
    """A move, and what is thought of it."""

    action: int | None  #: None: the player resigns
    value: float | None  #: of the position for the side to move, in [-1, 1]; None: not known


class Thinker:
    """Finds moves by the settings; the network, the tree and the player stay between moves."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._tree: tuple[Game, Tree] | None = None
        self._seat: tuple[Game, Seat] | None = None
        self.new_game()

    def new_game(self) -> None:
        """Forget the tree, and draw new random numbers."""
        self._tree, self._begins = None, True
        self.draw()

    def draw(self) -> None:
        """Draw new random numbers: a move that is taken back may be another when asked again."""
        self._seed = self._settings.seed or int(np.random.default_rng().integers(1, 2**31))

    def prepare(self, line: GameLine) -> None:
        """Load and compile what a move needs, so that none is late on the clock."""
        if not line.legal:
            return
        if self._settings.player is None:
            self._rooted(line).grow(2 * LEAVES, lambda: False)
            self._tree = None
        else:
            self._play(line, lambda: True)
            self._begins = True
        self.value(line)

    def choose(
        self,
        line: GameLine,
        seconds: float,
        watch: Watch | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> Chosen:
        """Return what to play at the end of a line that goes on, within ``seconds``.

        ``watch`` sees the tree of a search at full strength, again and again; of a player it sees
        what a short search thinks. If only some actions are ``allowed`` [A], it is a search that
        chooses among them.
        """
        deadline = time.perf_counter() + seconds * (1.0 if watch is None else WATCHED)

        def late() -> bool:
            return time.perf_counter() >= deadline

        line = _standing(line)
        if len(line.legal) == 1 and watch is None:
            return Chosen(line.legal[0], None)
        if self._settings.player is None or allowed is not None:
            return self._search(line, seconds, late, watch, allowed)
        chosen = self._play(line, late)
        if watch is not None:
            tree = self._rooted(line)
            tree.grow(ROUND, lambda: False)
            watch(tree, True)
        return chosen

    def analyse(
        self,
        line: GameLine,
        stopped: Stopped,
        watch: Watch,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        """Grow the tree of a position until ``stopped``; ``watch`` sees it after every round."""
        tree = self._rooted(_standing(line), allowed)
        while not stopped():
            if tree.full or tree.visits >= MOST_SIMULATIONS:
                watch(tree, True)
                return
            tree.grow(ROUND, stopped)
            watch(tree, False)

    def _search(
        self,
        line: GameLine,
        seconds: float,
        stopped: Stopped,
        watch: Watch | None,
        allowed: NDArray[np.bool_] | None,
    ) -> Chosen:
        tree = self._rooted(line, allowed)
        before, most = tree.visits, self._most_visits(line.game, seconds)
        while True:
            left = most - (tree.visits - before)
            tree.grow(max(1, min(ROUND, left)), stopped)
            ended = stopped() or tree.visits - before >= most or tree.full
            if watch is not None:
                watch(tree, ended)
            if ended:
                break
        stats = tree.stats()
        action = int(stats.best()[0])
        known = stats.visits[0, action]
        return Chosen(action, float(stats.means[0, action] if known else stats.values[0]))

    def _most_visits(self, game: Game, seconds: float) -> int:
        """Return the most simulations for a move: those of a full search if nothing limits it."""
        if self._settings.max_visits:
            return self._settings.max_visits
        return MOST_SIMULATIONS if np.isfinite(seconds) else game_info(game.id).simulations

    def _rooted(self, line: GameLine, allowed: NDArray[np.bool_] | None = None) -> Tree:
        if self._tree is None or self._tree[0] is not line.game:
            self._tree = line.game, Tree(line.game, self.evaluator(line.game), MEGABYTES)
        tree = self._tree[1]
        tree.root(line, self._seed, allowed)
        return tree

    # -- players -------------------------------------------------------------------------------

    def _play(self, line: GameLine, stopped: Stopped) -> Chosen:
        seat = self._seated(line.game)
        if isinstance(seat.player, SearchPlayer):
            seat.player.stopped = stopped
        if self._begins or not seat.is_in(line, line.side):
            seat.begin(line, line.side, self._seed)
            self._begins = False
        seat.player.reseed(np.array([seat.number]), self._seed)
        action = seat.choose(line)
        return Chosen(None if action == RESIGN else action, self.value(line))

    def _seated(self, game: Game) -> Seat:
        if self._seat is None or self._seat[0] is not game:
            self._seat, self._begins = (game, Seat(player_of(self._settings, game))), True
        return self._seat[1]

    # -- judgements ----------------------------------------------------------------------------

    def evaluator(self, game: Game) -> Evaluator:
        """Return what judges a search: the network, or random games where there is none."""
        try:
            return network_of(game, self._settings.weights)
        except NetworkError:
            if self._settings.weights:
                raise
            return RolloutEvaluator(game)

    def judged(self, line: GameLine) -> Evaluation | None:
        """Return what the network says of the end of a line; None without a network."""
        return self.judge(line.game, line.state[None])

    def judge(self, game: Game, states: NDArray[np.uint64]) -> Evaluation | None:
        """Return what the network says of positions [n, S]; None without a network."""
        settings = self._settings
        own = parse_spec(settings.player)[1].get("net") if settings.player else None
        try:
            network = network_of(game, settings.weights or own)
        except NetworkError:
            return None
        said = network.evaluate(game.as_roots(states))
        return Evaluation(**{name: x.copy() for name, x in said._asdict().items() if x is not None})

    def value(self, line: GameLine) -> float | None:
        """Return the network's value for the side to move."""
        said = self.judged(line)
        return None if said is None else float(said.values[0])


def _standing(line: GameLine) -> GameLine:
    """Return a line that ends with a pass that nobody made as one that begins after it.

    A tree that goes along the game would take that pass for a real one, which the next pass ends.
    """
    return GameLine(line.game, line.state) if line.marks[-1:] == [IMPLIED] else line


def player_of(settings: Settings, game: Game) -> Player:
    """Return the player that the settings name; EvenmatchError if there is none of this game."""
    assert settings.player is not None
    return make_player(
        settings.player, game, **({"net": settings.weights} if settings.weights else {})
    )
