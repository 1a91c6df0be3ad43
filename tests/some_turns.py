"""Players of specs, and turns for them."""

import numpy as np

from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, Player, Turn, resolve
from evenmatch.opponents.controller import NEW, Mind, Root, View
from evenmatch.search.forest import seeds_from

EARLY = View(0, 1, np.empty(0, np.float32))


def player_of(spec: str, game: Game, own: bool = False, **others) -> Player:
    """Return what decides the turns of a spec's opponent."""
    return Engine(game).player(resolve(spec, game, own=own, **others))


def first_turns(game: Game, count: int = 1, seed: int = 1) -> list[Turn]:
    """Return first turns of games, each with random numbers of its own."""
    return [Turn(Line(game), 1, int(word)) for word in seeds_from(seed, count)]


def drawn(controller, root: Root, seed: int = 0, view: View = EARLY, mind: Mind = NEW) -> int:
    """Return the action that a controller chooses."""
    return controller.choose(root, view, mind, np.random.default_rng(seed))[0]


def drawn_often(controller, root: Root, draws: int, view: View = EARLY, mind: Mind = NEW):
    """Return the shares of actions [A] in many draws with one generator."""
    rng = np.random.default_rng(1)
    actions = [controller.choose(root, view, mind, rng)[0] for _ in range(draws)]
    return np.bincount(actions, minlength=len(root.visits)) / draws
