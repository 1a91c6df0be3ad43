"""Other programs' rules and random games of Go, beside ours: OpenSpiel and GNU Go."""

import random
import shutil
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from evenmatch.opponents.gtp_program import GtpEngine, command_of
from evenmatch_lab.bench.bench import Rival
from evenmatch_lab.bench.timing import timed

GNUGO = "gnugo --mode gtp --monte-carlo --mc-patterns uniform --level 1 --mc-games-per-level"
GNUGO_SIZE = 9  # the largest board that its Monte Carlo plays on
ROLLOUTS = {9: 100, 13: 50, 19: 20}  # of OpenSpiel in one call, by size
OPENING = ("play b C3", "play w G7", "play b G2", "play w B6")  # behind GNU Go's book


def _spiel(size: int) -> Any:
    """Return OpenSpiel's game with our limit of plies."""
    import pyspiel

    return pyspiel.load_game(f"go(board_size={size},max_game_length={3 * size * size})")


def _spiel_name() -> str:
    return f"OpenSpiel {metadata.version('open_spiel')}"


def openspiel_positions(size: int, planes: bool) -> Rival | None:
    """Return OpenSpiel stepping from positions of a random game; None if it is not installed."""
    if find_spec("open_spiel") is None:
        return None
    state, rng, steps = _spiel(size).new_initial_state(), random.Random(1), []
    for _ in range(size * size // 2):
        steps.append((state.clone(), rng.choice(state.legal_actions()[:-1])))
        state.apply_action(steps[-1][1])

    def work() -> None:
        for before, action in steps:
            child = before.child(action)
            child.legal_actions()
            if planes:
                child.observation_tensor(0)

    note = "child, legal_actions" + (", observation_tensor of 4 planes" if planes else "")
    return Rival(_spiel_name(), timed(work, len(steps)), f"{note}; C++, called from Python")


def playout_rivals(size: int, gnugo_games: int) -> Iterator[Rival]:
    """Yield the random games of others that are installed."""
    if find_spec("open_spiel") is not None:
        yield openspiel_playouts(size)
    if size <= GNUGO_SIZE and shutil.which(command_of(GNUGO)[0]):
        yield gnugo_playouts(size, gnugo_games)


def openspiel_playouts(size: int) -> Rival:
    """Return a search of two simulations by OpenSpiel, each of which plays many games."""
    import pyspiel

    game, games = _spiel(size), ROLLOUTS[size]
    rollouts = pyspiel.RandomRolloutEvaluator(games, 1)
    bot = pyspiel.MCTSBot(game, rollouts, 1.0, 2, 100, False, 1, False)
    start = game.new_initial_state()
    note = "RandomRolloutEvaluator, all C++; it fills eyes, so its games are longer"
    return Rival(_spiel_name(), timed(lambda: bot.step(start), 2 * games), note)


def gnugo_playouts(size: int, games: int) -> Rival:
    """Return GNU Go's Monte Carlo with uniform patterns, a move of so many games."""
    engine = GtpEngine(f"{GNUGO} {games}")
    for command in (f"boardsize {size}", *OPENING):
        engine.ask(command)

    def work() -> None:
        engine.ask("genmove b")
        engine.ask("undo")

    name = f"{engine.name} {engine.ask('version')}"
    note = f"--monte-carlo --mc-patterns uniform, {games} games per move, its tree included"
    return Rival(name, timed(work, games), note)
