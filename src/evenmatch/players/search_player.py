"""Players that search: a controller decides the plan and the action of each game."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError, UsageError
from evenmatch.games.game import Game
from evenmatch.players.player import Player, Turns, grown, turn_seeds
from evenmatch.search import Evaluator, Request, RootStats, Search
from evenmatch.search.forest import seeds_from
from evenmatch.strength import Controller, Reply, Root, View


class ControlledPlayer(Player):
    """Keeps one controller a game, and shows it the game as a network judges it."""

    def __init__(
        self, game: Game, games: int, judge: Evaluator, make_controller: Callable[[], Controller]
    ):
        self._game = game
        self._judge = judge
        self.make_controller = make_controller
        self.games = games
        self._makers: dict[int, Callable[[], Controller]] = {}
        self._controllers: dict[int, Controller] = {}
        self._memories: dict[int, dict[str, Any]] = {}
        self._seeds = np.zeros(games, np.uint64)
        self._sides = np.zeros(games, np.int8)
        self._moved = np.zeros(games, np.bool_)  # whether a game's controller has moved in it

    def resize(self, games):
        """Make room for more games."""
        super().resize(games)
        self._seeds, self._sides = grown(self._seeds, games), grown(self._sides, games)
        self._moved = grown(self._moved, games)

    def reseed(self, games, seed):
        """Draw otherwise from now on; what controllers know stays."""
        self._seeds[games] = seeds_from(seed, len(games))

    def let_decide(self, game: int, make_controller: Callable[[], Controller]) -> None:
        """Let another kind of controller decide in a game from its next beginning on."""
        self._makers[game] = make_controller
        self._memories.pop(game, None)

    def begin(self, games, sides, seed):
        """Give each game its own random numbers and a controller with what earlier ones learned."""
        self.reseed(games, seed)
        self._sides[games] = sides
        self._moved[games] = False
        for game in map(int, games):
            self._controllers[game] = self._new_controller(game)

    def _made_for(self, game: int) -> Controller:
        return self._makers.get(game, self.make_controller)()

    def _new_controller(self, game: int) -> Controller:
        controller = self._made_for(game)
        if game in self._memories:
            controller.recall(self._memories[game])
        return controller

    def finish(self, game, result):
        """Let the game's controller hear the result, and keep what it learned."""
        controller = self._controllers.pop(game)
        controller.finish(result)
        learned = controller.remember()
        if learned is not None:
            self._memories[game] = learned

    def remember(self, game):
        """Return what the controllers of a game's opponent learned in finished games."""
        return self._memories.get(game)

    def recall(self, game, state):
        """Let the next game of this number go on from ``state``."""
        self._made_for(game).recall(state)  # refuses what is foreign
        self._memories[game] = state

    def rebase(self, game, state):
        """Let a controller take ``state`` for what was known before its game."""
        nothing = self._made_for(game).remember()
        if nothing is not None:
            self._controllers[game].rebase(nothing if state is None else state)

    def snapshot(self, game):
        """Return what the game's controller has come to, and whether it has moved."""
        moved = bool(self._moved[game])
        return {"moved": moved, "controller": self._controllers[game].snapshot()}

    def restore(self, game, state):
        """Take the game's controller back."""
        within = state.get("controller")
        if not isinstance(within, dict) or not isinstance(state.get("moved"), bool):
            raise StateError("the state of an opponent within a game is damaged; start without it")
        self._controllers[game].restore(within)
        self._moved[game] = state["moved"]

    def forget(self, game):
        """Begin the next game of this number without what was learned."""
        self._memories.pop(game, None)

    def controller(self, game: int) -> Controller:
        """Return the controller of a game in progress."""
        return self._controllers[game]

    def played_at(self, game):
        """Return what the game's controller says, None if no such game is in progress."""
        controller = self._controllers.get(game)
        return None if controller is None else controller.played_at

    def views(self, turns: Turns) -> list[View]:
        """Return what each game's controller may see before it plans."""
        controllers = [self._controllers[int(game)] for game in turns.games]
        wanted = np.array([max(c.value_history, 2 * c.reads_replies) for c in controllers])
        counts = np.minimum(wanted, turns.plies + 1)
        values, logits = self._judged(turns, counts, controllers)
        by_rating = self._by_rating(turns, controllers)
        views = []
        for i, (game, ply) in enumerate(zip(turns.games, turns.plies, strict=True)):
            reply = None
            if controllers[i].reads_replies and ply > 0 and self._is_reply(turns, game, ply):
                reply = Reply(logits[i], int(turns.actions[game, ply - 1]), by_rating[i])
            seen = values[i][: controllers[i].value_history]
            views.append(View(int(ply), int(self._sides[game]), seen, reply))
        self._moved[turns.games] = True
        return views

    def _is_reply(self, turns: Turns, game: int, ply: int) -> bool:
        """Tell whether the opponent chose the latest action; of an opening nobody did."""
        if turns.own is not None:
            return bool(turns.own[game, ply - 1])
        return ply == 1 or bool(self._moved[game])

    def _judged(
        self, turns: Turns, counts: NDArray[np.intp], controllers: list[Controller]
    ) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
        """Judge each game's latest ``counts`` positions: own values, logits one ply ago."""
        nothing = np.empty(0, np.float32)
        if not counts.any():
            return [nothing] * len(counts), [nothing] * len(counts)
        games = np.repeat(turns.games, counts)
        back = np.concatenate([np.arange(count) for count in counts])
        states = turns.history[games, np.repeat(turns.plies, counts) - back]
        dropout = np.repeat([c.value_dropout for c in controllers], counts)
        seeds = turn_seeds(self._seeds[games], np.repeat(turns.plies, counts) + 1000 * (1 + back))
        damaged = dropout if dropout.any() else None
        judged = self._judge.evaluate(states, Request(dropout=damaged, seeds=seeds))
        values = np.clip(judged.values, -1, 1)
        values *= self._game.to_play(states) * self._sides[games]
        logits = np.where(self._game.legal_mask(states), judged.logits, -np.inf)
        at = np.cumsum(counts)[:-1]
        rows = np.split(logits.astype(np.float32), at)
        return np.split(values, at), [row[1] if len(row) > 1 else nothing for row in rows]

    def _by_rating(
        self, turns: Turns, controllers: list[Controller]
    ) -> list[NDArray[np.float32] | None]:
        """Return the logits one ply ago, [K, A], of people of the ratings that controllers name."""
        found: list[NDArray[np.float32] | None] = [None] * len(controllers)
        asked = [i for i, c in enumerate(controllers) if c.reply_ratings and turns.plies[i] > 0]
        if not asked:
            return found
        counts = [len(controllers[i].reply_ratings) for i in asked]
        rows = np.repeat(asked, counts)
        states = turns.history[turns.games[rows], turns.plies[rows] - 1]
        request = Request(
            ratings=np.concatenate([controllers[i].reply_ratings for i in asked]),
            scales=np.array([controllers[i].reply_scale for i in rows], np.int32),
        )
        judged = self._judge.evaluate(states, request).logits
        logits = np.where(self._game.legal_mask(states), judged, -np.inf).astype(np.float32)
        for i, part in zip(asked, np.split(logits, np.cumsum(counts)[:-1]), strict=True):
            found[i] = part
        return found


class SearchPlayer(ControlledPlayer):
    """A tree search whose plan and action a controller decides."""

    def __init__(
        self,
        game: Game,
        games: int,
        evaluator: Evaluator,
        make_controller: Callable[[], Controller],
        *,
        judge: Evaluator | None = None,
        leaves: int = 1,
        reuse: bool = False,
        seconds: float | None = None,
    ):
        """Search with ``evaluator``; ``judge`` (the same by default) is what controllers see."""
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"seconds={seconds} is outside (0, inf); choose one inside")
        super().__init__(game, games, judge or evaluator, make_controller)
        self._reuse = reuse
        self.seconds = seconds  #: time limit per move; None for none
        self.stopped: Callable[[], bool] | None = None  #: whether a move is wanted at once
        self._search = Search(game, evaluator, trees=games, nodes=64, leaves=leaves)
        self._leaves = leaves
        self._rooted = np.full(games, -1)  # ply of each tree's root
        self.last: RootStats | None = None  #: what the latest search found, for those who show it

    def resize(self, games):
        """Make room for the trees of more games."""
        before = self.games
        super().resize(games)
        self._search.resize(games)
        self._rooted = grown(self._rooted, games)
        self._rooted[before:] = -1

    @property
    def forest_key(self) -> tuple:
        """What players have in common whose games can grow in one forest."""
        return (
            type(self), id(self._search.evaluator), id(self._judge), self._leaves, self._reuse,
            self.seconds,
        )  # fmt: skip

    def begin(self, games, sides, seed):
        """Forget the games' trees."""
        super().begin(games, sides, seed)
        self._rooted[games] = -1

    def snapshot(self, game):
        """Return what the game's controller has come to; None where trees are kept as well."""
        return None if self._reuse else super().snapshot(game)

    def choose(self, turns):
        """Ask the controllers for plans, search all trees together, ask for actions."""
        seeds = turn_seeds(self._seeds[turns.games], turns.plies)
        controllers = [self._controllers[int(game)] for game in turns.games]
        plans = [c.plan(view) for c, view in zip(controllers, self.views(turns), strict=True)]
        self._root(turns, seeds)
        stats = self._search.run(turns.games, plans, seconds=self.seconds, stopped=self.stopped)
        self.last = stats
        roots = root_rows(stats)
        self._look_again(turns, seeds, controllers, roots)
        return np.array(
            [
                controller.choose(root, np.random.default_rng(int(seed)))
                for controller, root, seed in zip(controllers, roots, seeds, strict=True)
            ]
        )

    def expects(self, at):
        """Return the worth of the best move of the latest search."""
        if self.last is None:
            return None
        return float(1 + self.last.means[at, self.last.best()[at]]) / 2

    def _look_again(self, turns: Turns, seeds, controllers, roots: list[Root]) -> None:
        """Search once more, from fresh trees, for the controllers that want it."""
        plans = [c.look_again(root) for c, root in zip(controllers, roots, strict=True)]
        again = np.array([i for i, plan in enumerate(plans) if plan is not None], int)
        if not len(again):
            return
        games = turns.games[again]
        self._search.plant(games, turns.states[again], seeds[again] ^ np.uint64(1 << 63))
        self._rooted[games] = -1
        wanted = [plan for plan in plans if plan is not None]
        stats = self._search.run(games, wanted, stopped=self.stopped)
        for i, second in zip(again, root_rows(stats), strict=True):
            roots[i] = replace(roots[i], second=second)

    def _root(self, turns: Turns, seeds: NDArray[np.uint64]) -> None:
        """Put the positions at the roots: by following the game's actions if trees are kept."""
        kept = (self._rooted[turns.games] >= 0) & self._reuse
        new = ~kept
        self._search.plant(turns.games[new], turns.states[new], seeds[new])
        for game, ply in zip(turns.games[kept], turns.plies[kept], strict=True):
            for before in range(self._rooted[game], ply):
                after = turns.history[game, before + 1]
                self._search.follow([game], [turns.actions[game, before]], after[None])
        self._rooted[turns.games] = turns.plies


def root_rows(stats: RootStats) -> list[Root]:
    """Return the statistics of each tree by itself."""
    best = stats.best()
    return [
        Root(
            stats.visits[i],
            stats.means[i],
            stats.priors[i],
            stats.legal[i],
            float(stats.values[i]),
            int(best[i]),
        )
        for i in range(len(best))
    ]
