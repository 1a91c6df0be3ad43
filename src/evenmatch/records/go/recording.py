"""A game of Go that was played here as an SGF game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.records.go.game_text import SgfGame

if TYPE_CHECKING:
    from evenmatch.games.go import Go

RULES = "Tromp-Taylor"  #: all games have area scoring, superko, and no points for handicap stones


def recorded(game: Go, start: NDArray[np.uint64], actions: Sequence[int], **told: Any) -> SgfGame:
    """Return a game from its ``start`` [S] and its actions; ``told`` are other fields of SgfGame.

    Komi has in it what White gets for handicap stones, so the rules give nothing more for them.
    """
    stones = game.stones(start[None])[0]
    black, white = (tuple(np.flatnonzero(stones == side).tolist()) for side in (1, -1))
    first = int(game.to_play(start[None])[0])
    given = len(black) if first < 0 and len(black) > 1 and not white else 0
    return SgfGame(
        size=game.size,
        moves=tuple((first * (-1) ** ply, int(action)) for ply, action in enumerate(actions)),
        komi=float(game.komi_of(start[None])[0]),
        rules=RULES,
        handicap=given,
        black=black,
        white=white,
        to_play=first if black or white or first < 0 else 0,
        **told,
    )
