"""The score of a game of area, and which stones are dead at its end.

A network says who will own each point. A chain is dead if it gives the chain's points to the other
side, on average. Dead stones are taken off, and area is counted. A person who disagrees plays on
and captures them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import AreaGame
from evenmatch.games.line import Line
from evenmatch.search import CachedEvaluator, Evaluation, Evaluator
from evenmatch.search.evaluator import evaluated


@dataclass(frozen=True, kw_only=True)
class Score:
    """A game of P points counted by area, dead stones taken off."""

    areas: tuple[int, int]  #: points of the first and of the second player, komi left out
    komi: float  #: what the second player gets
    owners: NDArray[np.int8]  #: [P] 1 the first player's point, -1 the second's, 0 neither's
    dead: tuple[int, ...] = ()  #: points of stones that count as captured
    judged: bool = False  #: whether dead stones were determined; otherwise all are alive

    @property
    def lead(self) -> float:
        """Points by which the first player leads, negative if the second does."""
        return self.areas[0] - self.areas[1] - self.komi

    @property
    def text(self) -> str:
        """The result as Go programs write it: B+3.5, W+0.5, 0 for a draw."""
        return result_text(self.lead)


def result_text(lead: float) -> str:
    """Write by how many points Black (more than 0) or White (less) has won."""
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"


def score_of(
    game: AreaGame, state: NDArray[np.uint64], ownership: NDArray[np.floating] | None = None
) -> Score:
    """Count a position [S]; without ``ownership`` [P], as of `ownership_of`, all stones live."""
    dead = () if ownership is None else dead_stones(game, state, ownership)
    owners = game.owners(game.without(state[None], np.array(dead, np.intp)))[0]
    return Score(
        areas=(int((owners == 1).sum()), int((owners == -1).sum())),
        komi=float(game.komi_of(state[None])[0]),
        owners=owners,
        dead=dead,
        judged=ownership is not None,
    )


def dead_stones(
    game: AreaGame, state: NDArray[np.uint64], ownership: NDArray[np.floating]
) -> tuple[int, ...]:
    """Return the points of dead stones in a position [S].

    ``ownership`` [P] is 1 where a point will surely be the first player's, -1 the second's.
    """
    board = game.board(state[None])[0]
    return tuple(
        point
        for chain in chains_of(board)
        if ownership[chain].mean() * board.flat[chain[0]] < 0
        for point in chain
    )


def chains_of(board: NDArray[np.int8]) -> list[list[int]]:
    """Return the chains of a board [H, W], each as its points, in order of their first."""
    height, width = board.shape
    seen: set[int] = set()
    chains = []
    for first in map(int, np.flatnonzero(board)):
        if first in seen:
            continue
        chain = [first]
        seen.add(first)
        for point in chain:  # which grows meanwhile
            for near in neighbours(point, height, width):
                if near not in seen and board.flat[near] == board.flat[first]:
                    seen.add(near)
                    chain.append(near)
        chains.append(chain)
    return chains


def neighbours(point: int, height: int, width: int) -> list[int]:
    """Return the points next to a point."""
    row, column = divmod(point, width)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * width + c for r, c in near if 0 <= r < height and 0 <= c < width]


def ownership_of(
    evaluator: Evaluator | None, game: AreaGame, state: NDArray[np.uint64]
) -> NDArray[np.floating] | None:
    """Return who will own each point of a position [S], [P]: 1 the first player, -1 the second.

    None without a network, or with one that has no ownership head.
    """
    outlook = _outlook(evaluator, state)
    if outlook is None or outlook.ownership is None:
        return None
    return outlook.ownership[0].ravel() * float(game.to_play(state[None])[0])


def expected_lead(
    evaluator: Evaluator | None, game: AreaGame, state: NDArray[np.uint64]
) -> float | None:
    """Return by how many points the first player will lead at the end, as a network expects.

    ``state`` is a position [S]. None without a network, or with one that has no lead head.
    """
    outlook = _outlook(evaluator, state)
    if outlook is None or outlook.leads is None:
        return None
    return float(outlook.leads[0] * game.to_play(state[None])[0])


def _outlook(evaluator: Evaluator | None, state: NDArray[np.uint64]) -> Evaluation | None:
    """Return all that a network says of a position; caches keep no more than value and policy."""
    if evaluator is None:
        return None
    source = evaluator.source if isinstance(evaluator, CachedEvaluator) else evaluator
    return evaluated(source, state[None])


# -- passing when nothing is left to gain ------------------------------------------------------

SURE = 0.9  #: how sure it is at least who will own a settled point, 0 to 1


def answers_by_passing(line: Line, evaluator: Evaluator | None, disputed: bool) -> bool:
    """Tell whether the opponent, about to move, passes: the person has passed, and all is settled.

    Players choose as people do, or by a search that sees no harm in one more stone: far ahead they
    would fill their own area for a while.

    ``disputed`` as `is_settled` has it.
    """
    game = line.game
    if not isinstance(game, AreaGame) or not line.ply:
        return False
    if game.action_cells(line.states[-2], line.actions[-1]):
        return False  # no pass
    ownership = ownership_of(evaluator, game, line.state)
    return ownership is not None and is_settled(game, line.state, ownership, disputed)


def is_settled(
    game: AreaGame, state: NDArray[np.uint64], ownership: NDArray[np.floating], disputed: bool
) -> bool:
    """Tell whether each point of a position [S] counts now for whom it will surely be.

    ``ownership`` [P] is as of `ownership_of`. Where the dead are ``disputed``, every stone counts
    as alive, so one that is to be captured first leaves the position open. So do neutral points.
    """
    score = score_of(game, state, None if disputed else ownership)
    return bool((ownership * score.owners).min() >= SURE)
