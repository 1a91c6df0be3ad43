"""When the opponent of a session answers a pass by a pass: nobody can gain a point any more.

Players choose as people do, or by a search that sees no harm in one more stone: far ahead they
would fill their own area for a while. A person who has passed waits for nothing then.
"""

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import AreaGame
from evenmatch.search import Evaluator
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.scoring import ownership_of, score_of

SURE = 0.9  #: how sure it is at least who will own a settled point, 0 to 1


def answers_by_passing(line: GameLine, evaluator: Evaluator | None, disputed: bool) -> bool:
    """Tell whether the opponent, about to move, passes: the person has, and all is settled.

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
