"""Positions, people's and given ones, for players to be asked what they would do there."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.chess import Chess
from evenmatch.games.game import Game
from evenmatch.players import Player, Turns, make_player
from evenmatch.progress import Progress, ignore
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


class DrawnPositions:
    """Games that begin anywhere: n positions, and the moves played from there."""

    def __init__(
        self, states: NDArray[np.uint64], plies: NDArray[np.intp], most_moves: int, game: Game
    ):
        """``states`` [n, S] come after ``plies`` [n]; up to ``most_moves`` will be played."""
        self.game = game
        self.plies = np.array(plies)
        shape = len(states), int(self.plies.max()) + most_moves
        self.history = np.repeat(states[:, None], shape[1] + 1, 1)
        self.actions = np.full(shape, -1, np.int32)

    @classmethod
    def of_fens(cls, fens: Sequence[str], most_moves: int) -> "DrawnPositions":
        """Read positions of chess."""
        chess = Chess()
        states = np.stack([chess.from_fen(fen) for fen in fens])
        return cls(states, np.array([_ply(fen) for fen in fens]), most_moves, chess)

    @property
    def states(self) -> NDArray[np.uint64]:
        """The positions now, [n, S]."""
        return self.history[np.arange(len(self.plies)), self.plies]

    def push(self, games: NDArray[np.intp], actions: NDArray) -> None:
        """Play actions [k] in some games [k]."""
        plies = self.plies[games]
        self.actions[games, plies] = actions
        self.plies[games] += 1
        self.history[games, plies + 1] = self.game.after(self.history[games, plies], actions)

    def ask(self, player: Player, games: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return a player's actions in some games."""
        return player.choose(Turns(games, self.plies[games], self.history, self.actions))

    def read(self, game: int, word: str) -> int:
        """Return the action that a move in UCI is now."""
        return self.game.read_action(self.history[game, self.plies[game]], word)


def chosen(
    spec: str, moves: DrawnMoves, at_once: int, seed: int, progress: Progress = ignore, **keys: str
) -> NDArray[np.intp]:
    """Return what a player would do before each of some moves, [n]; ``keys`` go to its spec."""
    actions_chosen, game = [np.empty(0, np.intp)], moves.game
    for at in range(0, len(moves.states), at_once):
        rows = slice(at, at + at_once)
        positions = DrawnPositions(moves.states[rows], moves.plies[rows], 1, game)
        games = np.arange(len(positions.plies))
        player = make_player(spec, game, len(games), None, **keys)
        player.begin(games, game.to_play(positions.states).astype(np.int8), seed)
        actions_chosen.append(positions.ask(player, games))
        progress(at + len(games), len(moves.states))
    return np.concatenate(actions_chosen)


def _ply(fen: str) -> int:
    words = fen.split()
    return 2 * (max(int(words[5]), 1) - 1) + (words[1] == "b")
