"""Games as the chances of one side, written down by hand."""

import numpy as np

from evenmatch_lab.shared.own_turns import OwnTurns

#: How a game ends -> the side's result, and whether it is over on the board.
ENDS = {
    "resigns": (-1, False),
    "is mated": (-1, True),
    "wins": (1, True),
    "agrees": (0, False),
    "is stalemated": (0, True),
}


def own_turns(*games, start=40, increment=5, ratings=1600):
    """Sides of different people: ``games`` are chances from ply ``start`` on, and how they end.

    The last chance is that of the end, where the side is to move.
    """
    lengths = [len(chances) for chances, _ in games]
    number = np.repeat(np.arange(len(games)), lengths)
    last = np.append(number[1:] != number[:-1], True)
    ends = [ENDS[end] for _, end in games]
    over = last & np.array([on_board for _, on_board in ends])[number]
    count = len(games)
    return OwnTurns(
        side=number,
        plies=np.concatenate([start + 2 * np.arange(length) for length in lengths]),
        chances=np.concatenate([np.array(chances, float) for chances, _ in games]),
        evals=np.full(len(number), np.nan),
        own=np.ones(len(number), bool),
        over=over,
        last=last,
        results=np.array([result for result, _ in ends]),
        ratings=np.broadcast_to(ratings, count),
        people=np.arange(count),
        increments=np.full(count, increment),
    )
