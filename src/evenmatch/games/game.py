"""What a game supplies, with area scoring or without, and the test that any game must pass.

A game is pure rules. It knows neither search nor network. Positions are rows of unsigned
integers, many to an array, so that one call serves a whole forest of searches.

Shapes: B positions, S words of a packed state, A actions, E the most legal actions any
position has, C planes of H x W cells, K symmetries.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError, listed

PASS = "pass"  #: as games write and read it

States = NDArray[np.uint64]  # [B, S]
ONE_PLY = 1 / 1024  #: a known win in p plies is worth 1 - p of these


class Game(ABC):
    """Rules of a two-player, zero-sum, perfect-information game.

    Values are for the side to move, in [-1, 1]. Passing, where a game has it, is an action
    of its own. A position without legal actions is terminal.
    """

    id: str  #: short name used in specs, files and the command line
    title: str  #: name for people
    family: str = ""  #: what games share that differ in the board's size alone; one network serves
    num_actions: int  #: A
    max_legal: int  #: E, an upper bound on legal actions of any position
    max_plies: int  #: an upper bound on the actions of one game
    state_words: int  #: S
    planes: int  #: C
    height: int  #: H
    width: int  #: W
    searched_planes: tuple[int, ...] = ()
    """Planes of what a small search found, such as ladders of Go. What it finds may depend on the
    order in which it looks, so they need not turn with the board."""
    plane_formats: Mapping[int, str] = MappingProxyType({})  #: C of an encoding -> what it is
    variant: Mapping[str, float] = MappingProxyType({})
    """What distinguishes it from other games of the id, such as a board's size and komi; the rules
    of a position need it, a network's card names it."""
    players: tuple[str, str]  #: what the first and the second player are called
    draws_agreed: bool = False  #: whether players may agree on a draw
    drops: bool = False  #: whether a piece falls to the lowest empty cell of its column
    counts_pieces: bool = False  #: whether the side with more pieces wins
    cell_symmetries: NDArray[np.intp]  #: [K, H*W], new planes = planes[..., row]
    action_symmetries: NDArray[np.intp]  #: [K, A], new policy = policy[..., row]

    @property
    def search_words(self) -> int:
        """Words of a position within a search; S unless :meth:`as_roots` returns fewer."""
        return self.state_words

    # -- batched kernels -------------------------------------------------------------------

    @abstractmethod
    def initial(self, batch: int = 1) -> States:
        """Return ``batch`` start positions, [B, S]."""

    @abstractmethod
    def advance(self, states: States, actions: NDArray[np.int32], out: States) -> None:
        """Write the positions after legal ``actions`` [B] to ``out`` [B, S]; may be in place."""

    @abstractmethod
    def generate(
        self,
        states: States,
        actions: NDArray[np.int16],
        counts: NDArray[np.int32],
        values: NDArray[np.float32],
    ) -> None:
        """Write the legal actions of each position, or its outcome.

        ``actions`` [B, E] gets the legal actions in increasing order and ``counts`` [B] their
        number. A terminal position has none, and its outcome for the side to move goes to
        ``values`` [B]; other values become 0.
        """

    def settle(
        self,
        states: States,
        actions: NDArray[np.int16],
        counts: NDArray[np.int32],
        values: NDArray[np.float32],
    ) -> None:
        """Make terminal what needs no search: counts [B] 0, values [B] as if the game was over.

        The other arguments are as :meth:`generate` wrote them. A win in p plies is worth
        1 - p ``ONE_PLY``, a loss the negative. Here positions with a move that wins at once are
        settled, where outcomes are -1, 0 or 1; a game may know more, such as endings.
        """
        going = np.flatnonzero(counts)
        if not len(going):
            return
        chosen = np.arange(self.max_legal) < counts[going, None]
        parents = going[np.nonzero(chosen)[0]]
        played = actions[going][chosen].astype(np.int32)
        _, results = self.outcome(self.after(states[parents], played))
        won = parents[results <= -1]
        counts[won], values[won] = 0, 1 - ONE_PLY

    @abstractmethod
    def encode(self, states: States, out: NDArray[np.float32]) -> None:
        """Write the network's input planes, seen by the side to move, to ``out`` [B, C, H, W]."""

    def encoder(self, planes: int) -> Callable[[States, NDArray[np.float32]], None]:
        """Return the encoding of that many planes, C; UsageError if the game has none.

        Most games have :meth:`encode` alone; networks of other makers may want other planes.
        """
        if planes != self.planes:
            raise UsageError(f"{self.id} has {self.planes} planes, not {planes}")
        return self.encode

    @abstractmethod
    def playout(
        self, states: States, seeds: NDArray[np.uint64], values: NDArray[np.float32]
    ) -> None:
        """Play random actions to the end; write outcomes for the side to move, [B].

        How they are drawn is the game's own: uniformly from the legal ones, unless such a game
        would hardly end, as in Go, where nobody fills eyes. ``seeds`` [B], none of them 0, are
        advanced in place.
        """

    def as_roots(self, states: States) -> States:
        """Return positions [B, S] as a search is to start from them; most games: as they are.

        A game whose rules differ within a search, as chess counts repetitions, marks them. A game
        that remembers more than a search need copy, as Go all its positions, returns shorter rows,
        [B, ``search_words``]; kernels take both.
        """
        return states

    # -- for people ------------------------------------------------------------------------

    @abstractmethod
    def board(self, states: States) -> NDArray[np.int8]:
        """Return boards [B, H, W]: 1 first player's piece, -1 second player's, 0 empty.

        Row 0 is the top row as a person sees it.
        """

    def pieces(self, states: States) -> NDArray[np.int8]:
        """Return boards [B, H, W] of the kinds of pieces, with the signs of :meth:`board`.

        Kinds are numbered from 1; most games have one.
        """
        return self.board(states)

    @abstractmethod
    def to_play(self, states: States) -> NDArray[np.int8]:
        """Return the side to move, [B]: 1 for the first player, -1 for the second."""

    @abstractmethod
    def action_text(self, state: NDArray[np.uint64], action: int) -> str:
        """Write an action in the game's usual notation."""

    @abstractmethod
    def read_action(self, state: NDArray[np.uint64], text: str) -> int:
        """Read an action from text; MoveError if it is malformed or illegal in ``state`` [S]."""

    def action_cell(self, state: NDArray[np.uint64], action: int) -> int | None:
        """Return the cell (row * W + column) an action lands on, None for one without."""
        return None

    def action_cells(self, state: NDArray[np.uint64], action: int) -> tuple[int, ...]:
        """Return the cells that show an action to a person, where it lands the last of them."""
        cell = self.action_cell(state, action)
        return () if cell is None else (cell,)

    def ending(self, state: NDArray[np.uint64]) -> str:
        """Say why the game is over in ``state`` [S]; empty if the board shows it, or it is not."""
        return ""

    def winning_cells(self, state: NDArray[np.uint64]) -> frozenset[int]:
        """Return the cells of the lines that won the game in ``state`` [S]; empty without lines."""
        return frozenset()

    def alarm(self, state: NDArray[np.uint64]) -> str:
        """Say what the side to move in ``state`` [S] must see to by the rules: you are in check.

        Empty where there is nothing.
        """
        return ""

    def read_position(self, text: str) -> NDArray[np.uint64]:
        """Return the position [S] of a text, as games of this kind write it; UsageError if none."""
        raise UsageError(f"{self.title} has no notation for positions; start with --moves")

    def read_moves(self, text: str) -> list[int]:
        """Return the actions of a transcript, moves in a row; MoveError names what is not one."""
        raise UsageError(f"{self.title} has no transcripts; give moves with blanks between them")

    def position_text(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return a position's text as it is kept, and what was passed over in it; UsageError."""
        self.read_position(text)
        return text, ()

    def can_win(self, state: NDArray[np.uint64], side: int) -> bool:
        """Tell whether ``side`` (1 or -1) could win from ``state`` [S], were it given time."""
        return True

    # -- conveniences derived from the kernels ----------------------------------------------

    def legal_actions(self, states: States) -> list[NDArray[np.int16]]:
        """Return one array of legal actions per position, empty for terminal ones."""
        actions, counts, _ = self.examine(states)
        return [row[:count] for row, count in zip(actions, counts, strict=True)]

    def legal_mask(self, states: States) -> NDArray[np.bool_]:
        """Return the legal actions as a mask [B, A]."""
        actions, counts, _ = self.examine(states)
        return self.masked(actions, counts)

    def unclaimed(self, states: States) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Return the actions [B, E] that people can play, and their counts [B].

        They are the legal ones, and in games with draws to claim those of drawn positions too:
        people play on after draws that nobody claimed.
        """
        actions, counts, _ = self.examine(states)
        return actions, counts

    def unclaimed_mask(self, states: States) -> NDArray[np.bool_]:
        """Return those actions as a mask [B, A]."""
        return self.masked(*self.unclaimed(states))

    def masked(self, actions: NDArray, counts: NDArray) -> NDArray[np.bool_]:
        """Return lists of actions [B, E], of which ``counts`` [B] are there, as a mask [B, A]."""
        mask = np.zeros((len(actions), self.num_actions), bool)
        chosen = np.arange(self.max_legal) < counts[:, None]
        mask[np.nonzero(chosen)[0], actions[chosen]] = True
        return mask

    def outcome(self, states: States) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return (terminal [B], value [B] for the side to move, 0 if not terminal)."""
        _, counts, values = self.examine(states)
        return counts == 0, values

    def examine(
        self, states: States
    ) -> tuple[NDArray[np.int16], NDArray[np.int32], NDArray[np.float32]]:
        """Return (actions [B, E], counts [B], values [B]) as :meth:`generate` writes them."""
        batch = len(states)
        actions = np.empty((batch, self.max_legal), np.int16)
        counts = np.empty(batch, np.int32)
        values = np.empty(batch, np.float32)
        self.generate(states, actions, counts, values)
        return actions, counts, values

    def after(self, states: States, actions: NDArray) -> States:
        """Return the positions after legal ``actions`` [B], as new rows [B, S]."""
        out = np.empty_like(states)
        self.advance(states, np.asarray(actions, np.int32), out)
        return out

    def encoded(self, states: States) -> NDArray[np.float32]:
        """Return the input planes [B, C, H, W] of the positions."""
        out = np.empty((len(states), self.planes, self.height, self.width), np.float32)
        self.encode(states, out)
        return out

    def require_legal(self, state: NDArray[np.uint64], action: int, text: str) -> int:
        """Return ``action`` if it is legal in ``state`` [S]; MoveError naming legal ones if not."""
        legal = self.legal_actions(state[None])[0]
        if action in legal:
            return action
        names = listed([self.action_text(state, int(other)) for other in legal])
        raise MoveError(f"{text!r} is not legal here; legal moves: {names or 'none, game over'}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


def expand(game: Game, states: States) -> tuple[States, NDArray[np.intp], NDArray[np.int32]]:
    """Return every child of the positions: (children [M, S], parent row [M], action [M])."""
    actions, counts, _ = game.examine(states)
    chosen = np.arange(game.max_legal) < counts[:, None]
    parents = np.nonzero(chosen)[0]
    played = actions[chosen].astype(np.int32)
    return game.after(states[parents], played), parents, played


def perft(game: Game, depth: int, state: NDArray[np.uint64] | None = None) -> int:
    """Count the action sequences of exactly ``depth`` plies from ``state`` [S] or the start."""
    root = game.initial() if state is None else state[None]
    return _count_leaves(game, root, depth)


def _count_leaves(game: Game, states: States, depth: int, chunk: int = 1 << 16) -> int:
    if depth == 0:
        return len(states)
    if depth == 1:
        return int(game.examine(states)[1].sum())
    blocks = (states[start : start + chunk] for start in range(0, len(states), chunk))
    return sum(_count_leaves(game, expand(game, block)[0], depth - 1) for block in blocks)


def random_positions(game: Game, count: int, seed: int) -> Iterator[States]:
    """Yield the positions [n, S] of random games, ply by ply, ``count`` games side by side."""
    rng = np.random.default_rng(seed)
    states = game.initial(count)
    while len(states):
        yield states
        actions, counts, _ = game.examine(states)
        states, actions, counts = states[counts > 0], actions[counts > 0], counts[counts > 0]
        picks = (rng.random(len(states)) * counts).astype(np.intp)
        states = game.after(states, actions[np.arange(len(states)), picks])


def check_game(game: Game, games: int = 64, seed: int = 0) -> None:
    """Raise AssertionError where ``game`` breaks the seam; plays ``games`` random games.

    It does not know the rules: compare those with another implementation as well.
    """
    for plies, states in enumerate(random_positions(game, games, seed)):
        assert plies <= game.max_plies, "a game is longer than max_plies"
        _check_positions(game, states, seed)
    _check_symmetries(game, min(games, 8), seed)


def _check_positions(game: Game, states: States, seed: int) -> None:
    before = states.copy()
    actions, counts, values = game.examine(states)
    assert (states == before).all(), "generate changed its input"
    assert (game.examine(game.as_roots(states))[1] == counts).all(), "roots have other actions"
    assert (states == before).all(), "as_roots changed its input"
    assert (counts <= game.max_legal).all(), "more legal actions than max_legal"
    assert (values[counts > 0] == 0).all(), "a position that is not terminal has an outcome"
    assert (abs(values) <= 1).all(), "a value outside [-1, 1]"
    assert np.isin(game.to_play(states), (1, -1)).all(), "to_play is neither 1 nor -1"
    assert game.board(states).shape == (len(states), game.height, game.width)
    signs = np.sign(game.pieces(states)), np.sign(game.board(states))
    assert (signs[0] == signs[1]).all(), "pieces are not the board's"
    assert np.isfinite(game.encoded(states)).all(), "planes are not finite"
    for row in range(len(states)):
        legal = actions[row, : counts[row]].astype(int)
        assert (np.diff(legal) > 0).all(), "legal actions are not in increasing order"
        for action in legal[:3]:
            text = game.action_text(states[row], int(action))
            assert game.read_action(states[row], text) == action, f"{text!r} reads back wrongly"
            cells = game.action_cells(states[row], int(action))
            cell = game.action_cell(states[row], int(action))
            assert (cells[-1] if cells else None) == cell, "action_cells end elsewhere"
            assert game.ending(states[row]) == "", "a position that is not terminal has an ending"
    going = states[counts > 0]
    if len(going):
        children = game.after(going, actions[counts > 0, 0])
        in_place = going.copy()
        game.advance(in_place, actions[counts > 0, 0].astype(np.int32), in_place)
        assert (children == in_place).all(), "advance in place differs"
    seeds = np.arange(1, len(states) + 1, dtype=np.uint64) + np.uint64(seed)
    playouts = np.empty(len(states), np.float32)
    game.playout(states, seeds, playouts)
    assert np.isin(playouts, (-1, 0, 1)).all(), "a playout ended without an outcome"
    ended = counts == 0
    assert (playouts[ended] == values[ended]).all(), "a playout changes a finished game"


def _check_symmetries(game: Game, games: int, seed: int) -> None:
    cells, actions = game.cell_symmetries, game.action_symmetries
    assert (cells[0] == np.arange(game.height * game.width)).all(), "symmetry 0 is not identity"
    assert (actions[0] == np.arange(game.num_actions)).all(), "symmetry 0 is not identity"
    assert (np.sort(cells) == np.arange(game.height * game.width)).all(), "not a permutation"
    assert (np.sort(actions) == np.arange(game.num_actions)).all(), "not a permutation"
    inverses, states, rng = np.argsort(actions), game.initial(games), np.random.default_rng(seed)
    kept = _mirroring(game, states, [game.initial(games)] * len(cells), list(range(len(cells))))
    mirrored = [game.initial(games) for _ in kept]  # a start position may lack symmetries
    while len(states):  # mirrored games must have mirrored planes all the way
        found = _mirroring(game, states, mirrored, kept)
        assert found == kept, f"symmetry {min(set(kept) - set(found))} breaks the rules"
        legal, counts, _ = game.examine(states)
        going = counts > 0
        picks = (rng.random(going.sum()) * counts[going]).astype(np.intp)
        played = legal[going][np.arange(len(picks)), picks]
        states = game.after(states[going], played)
        mirrored = [
            game.after(there[going], inverses[k][played])
            for k, there in zip(kept, mirrored, strict=True)
        ]


def _mirroring(
    game: Game, states: States, mirrored: list[States], symmetries: list[int]
) -> list[int]:
    """Return the ``symmetries`` by which planes and legal actions of ``mirrored`` are mirrored."""
    batch = len(states)
    planes = game.encoded(states).reshape(batch, game.planes, -1)
    compared = np.setdiff1d(np.arange(game.planes), list(game.searched_planes))
    planes, legal = planes[:, compared], game.legal_mask(states)
    others = np.concatenate(mirrored)
    their_planes = game.encoded(others).reshape(len(others), game.planes, -1)[:, compared]
    their_legal = game.legal_mask(others)
    found = []
    for row, k in enumerate(symmetries):
        part = slice(row * batch, (row + 1) * batch)
        same_planes = planes[..., game.cell_symmetries[k]] == their_planes[part]
        same_legal = legal[:, game.action_symmetries[k]] == their_legal[part]
        if same_planes.all() and same_legal.all():
            found.append(k)
    return found


class AreaGame(Game):
    """A game whose score people agree on: komi, area, dead stones. P points, row by row."""

    stars: tuple[int, ...]  #: points that boards mark

    @abstractmethod
    def beginning(self, komi: float | None = None, handicap: int | None = None) -> str:
        """Return the text, for `read_position`, of a start with handicap stones and a komi.

        It is empty for the usual start. Raises UsageError for a komi or a number of stones that the
        game does not have.
        """

    @abstractmethod
    def passed_out(self, state: NDArray[np.uint64]) -> bool:
        """Tell whether two passes ended the game in ``state`` [S]."""

    @abstractmethod
    def owners(self, states: States) -> NDArray[np.int8]:
        """Return whose area each point is, [B, P]: 1 first player's, -1 second's, 0 neither's."""

    @abstractmethod
    def without(self, states: States, points: NDArray[np.intp]) -> States:
        """Return positions [B, S] with stones taken off, to count area; not to be played on."""

    @abstractmethod
    def komi_of(self, states: States) -> NDArray[np.float64]:
        """Return the points that the second player gets, for handicap stones too, [B]."""

    @abstractmethod
    def captures(self, states: States) -> NDArray[np.int64]:
        """Return how many stones the first and the second player have captured, [B, 2]."""


def dihedral(size: int, others: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the eight symmetries of a square board, the identity first.

    Cells [8, H*W]; actions [8, A], which are the cells and then ``others`` that stay, such as pass.
    """
    grid = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(grid, k) for k in range(4)]
    cells = np.stack([view.ravel() for turn in turned for view in (turn, turn[:, ::-1])])
    fixed = np.tile(np.arange(size * size, size * size + others), (8, 1))
    return cells, np.hstack([cells, fixed])
