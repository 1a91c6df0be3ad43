"""Positions, people's and given ones, for players to be asked what they would do there."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, Turn, resolve
from evenmatch.progress import Progress, ignore
from evenmatch.search.forest import seeds_from
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch_lab.shared.agents import still_open


class DrawnMoves(NamedTuple):
    """Moves that people made."""

    states: NDArray[np.uint64]  # [n, S] before them
    plies: NDArray[np.int64]  # [n] moves played before them
    actions: NDArray[np.int64]  # [n]
    people: NDArray[np.int64] | None = None  # [n] who made them, if that is known
    game_id: str = "chess"

    @property
    def game(self) -> Game:
        """The game that they are of."""
        return get_game(self.game_id)


def drawn_moves(
    dataset: Dataset,
    split: str | Sequence[str],
    band: tuple[float, float],
    most: int,
    seed: int,
    skip: int = 0,
    of_one: int | None = None,
) -> DrawnMoves:
    """Draw moves of people of a band of ratings, after the first ``skip`` of the draw.

    ``split`` may be several. No more than ``of_one`` moves are one person's, if that is given.
    UsageError if there are none.
    """
    splits = (split,) if isinstance(split, str) else split
    turns = [band_turns(dataset, some, band) for some in splits]
    games, plies = (np.concatenate(column) for column in zip(*turns, strict=True))
    order = np.random.default_rng(seed).permutation(len(games))
    people = dataset.games["players"][games, plies % 2].astype(np.int64)
    if of_one is not None:
        order = order[earlier_alike(people[order]) < of_one]
    kept = order[skip : skip + most]
    codec = dataset.codec
    replayed = dataset.states(games[kept], plies[kept])
    going = still_open(replayed.states, codec.game)
    states, at = replayed.states[going], kept[going]
    actions = codec.actions(states, replayed.moves[going])
    return DrawnMoves(states, plies[at], actions, people[at], codec.game.id)


def earlier_alike(values: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return how many earlier values [n] are the same as each, [n]."""
    order = np.argsort(values, kind="stable")
    counts = np.unique(values, return_counts=True)[1]
    earlier = np.empty(len(values), np.intp)
    earlier[order] = np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts)
    return earlier


def joined(some: Sequence[DrawnMoves]) -> DrawnMoves:
    """Return moves of one game as one."""
    states, plies, actions, people = (
        np.concatenate(column) for column in zip(*(moves[:4] for moves in some), strict=True)
    )
    return DrawnMoves(states, plies, actions, people, some[0].game_id)


def band_turns(
    dataset: Dataset, split: str, band: tuple[float, float]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the (games [K], plies [K]) of people of a band of ratings, its end excluded."""
    sides = dataset.select(split=split)
    ratings = dataset.games["ratings"][sides.games, sides.sides].astype(int)
    fits = (ratings >= band[0]) & (ratings < band[1])
    games, plies = dataset.turns(type(sides)(sides.games[fits], sides.sides[fits]))
    if not len(games):
        raise UsageError(
            f"no moves of players rated {band[0]:g} to {band[1]:g} in split {split}; add games of "
            "some"
        )
    return games, plies


def chosen(
    spec: str, moves: DrawnMoves, at_once: int, seed: int, progress: Progress = ignore, **keys: Any
) -> NDArray[np.intp]:
    """Return what an opponent would play before each of some moves, [n]; ``keys`` go to its spec.

    ``at_once`` positions are decided in one call.
    """
    game = moves.game
    engine, opponent = Engine(game), resolve(spec, game, **keys)
    found: list[int] = []
    for at in range(0, len(moves.states), at_once):
        rows = slice(at, at + at_once)
        states, plies = moves.states[rows], moves.plies[rows]
        sides = game.to_play(states)
        turns = [
            Turn(Line(game, state).after_unknown(int(ply)), int(side), int(word))
            for state, ply, side, word in zip(
                states, plies, sides, seeds_from(seed, len(states)), strict=True
            )
        ]
        found += [one.action for one in engine.think([(opponent, turn) for turn in turns])]
        progress(len(found), len(moves.states))
    return np.array(found, np.intp)
