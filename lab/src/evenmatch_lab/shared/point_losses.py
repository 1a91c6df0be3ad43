"""What moves of Go lose in points, by a search: a scale on which people of all servers stand.

A move's loss is by how many points fewer its mover leads after it, as searches of both positions
say. It may be negative: a search of the position before may have missed what the move gains. Such
errors cancel in means of many moves. Late in a game, where a pass is the only good move, it is not
to be relied on yet, for it does not pass.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.go.go import Go
from evenmatch.players.evaluators import network_of
from evenmatch.progress import Progress, ignore
from evenmatch.search import NOTHING, Evaluation, Plan, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.runner import digest

VISITS = 50  #: of a search
UNIT = 40.0  #: points that count as much as a game in the search
BATCH = 64  #: positions searched side by side
NO_PASS = -30.0  #: logit of a pass

Floats = NDArray[np.float64]


class Leads:
    """Values of positions are points: the score lead for the side to move, in `UNIT`.

    Passes are hardly looked at. Two of them would end the game in the search, with a value of 1 or
    -1, whatever the score.
    """

    def __init__(self, game: Go):
        self._network, self._pass = network_of(game), game.num_actions - 1

    def evaluate(self, states, request=NOTHING) -> Evaluation:
        """Judge positions [n, S]."""
        said = self._network.evaluate(states, request)
        assert said.leads is not None
        logits = said.logits.copy()
        logits[:, self._pass] = NO_PASS
        return Evaluation(logits, said.leads / np.float32(UNIT))


class PointJudge:
    """Says by how many points sides lead, and what moves lose. Equal positions get equal words."""

    def __init__(self, game: Go, visits: int = VISITS):
        self.game, self._visits = game, visits
        self._search = Search(game, Leads(game), trees=BATCH, nodes=visits + 8)
        self._known: dict[bytes, float] = {}

    def worth(self, states: NDArray[np.uint64], progress: Progress = ignore) -> Floats:
        """Return by how many points the side to move leads in positions [n, S].

        It is what the move of most visits leads to; in a game that is over, the score.
        """
        keys = [state.tobytes() for state in states]
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        rows = np.array(list(new.values()), np.intp)
        over = self.game.outcome(states[rows])[0] if len(rows) else np.zeros(0, np.bool_)
        for row in rows[over]:
            lead = self.game.lead(states[row][None])[0] * self.game.to_play(states[row][None])[0]
            self._known[keys[row]] = float(lead)
        self._judge(states, keys, rows[~over], progress)
        return np.array([self._known[key] for key in keys])

    def _judge(
        self, states: NDArray, keys: list[bytes], rows: NDArray[np.intp], progress: Progress
    ) -> None:
        for at in range(0, len(rows), BATCH):
            some = rows[at : at + BATCH]
            trees = np.arange(len(some))
            self._search.plant(trees, states[some], seeds_from(1, len(some)))
            stats = self._search.run(trees, Plan(simulations=self._visits))
            leads = UNIT * stats.means[trees, stats.best()]
            self._known |= dict(zip([keys[row] for row in some], leads.tolist(), strict=True))
            progress(at + len(some), len(rows))

    def losses(
        self,
        states: NDArray[np.uint64],
        before: Floats,
        actions: NDArray[np.int64],
        progress: Progress = ignore,
    ) -> Floats:
        """Return what actions [n] lose in states [n, S], in which the movers lead by ``before``."""
        return before + self.worth(self.game.after(states, actions), progress)


def judge_settings(game_id: str, visits: int) -> dict[str, Any]:
    """Return what the judge's words depend on."""
    return {"network": digest(game_id), "visits": visits, "unit": UNIT}
