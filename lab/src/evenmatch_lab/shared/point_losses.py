"""What moves of Go lose in points, by a search: a scale on which people of all servers stand.

A move's loss is by how many points its mover would lead further after the judge's own move. One
search chooses that move. Two others, with equal visits, say who leads after it and after the move
that was played. So what such searches get wrong is mostly the same in both and falls out of the
difference; and no number is the best of several, which would be too high by what chance adds (as
in double Q-learning: van Hasselt 2010, "Double Q-learning", NeurIPS 23). A loss is negative if the
move played proves better than the judge's.

``docs/notes/archive/points.md`` has what else was tried.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.go.go import Go
from evenmatch.network.inference import network_of
from evenmatch.progress import Progress, ignore
from evenmatch.search import NOTHING, Evaluation, Plan, RootStats, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.runner import digest

VISITS = 100  #: of a search
CHOOSING = 4  #: times as many visits to choose the judge's own move
MOST = 15.0  #: points; a loss or gain counts as no more, as it decides the game
UNIT = 10.0  #: points that count as much as a game in the search
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
        nodes = CHOOSING * visits + 8
        self._search = Search(game, Leads(game), trees=BATCH, nodes=nodes)
        self._leads: dict[bytes, float] = {}

    def leads(self, states: NDArray[np.uint64], progress: Progress = ignore) -> Floats:
        """Return by how many points the side to move leads in positions [n, S].

        It is the mean over a search, or the score of a game that is over.
        """
        keys = [state.tobytes() for state in states]
        new = {key: i for i, key in enumerate(keys) if key not in self._leads}
        rows = np.array(list(new.values()), np.intp)
        over = self.game.outcome(states[rows])[0] if len(rows) else np.zeros(0, np.bool_)
        ended = states[rows[over]]
        scores = self.game.lead(ended) * self.game.to_play(ended)
        found = self._searched(states[rows[~over]], self._visits, progress)
        means = [UNIT * mean_of(stats) for stats in found]
        for some, said in ((rows[over], scores), (rows[~over], np.concatenate([[], *means]))):
            self._leads |= dict(zip([keys[row] for row in some], said.tolist(), strict=True))
        return np.array([self._leads[key] for key in keys])

    def worth(self, states: NDArray[np.uint64], progress: Progress = ignore) -> Floats:
        """Return by how many points the side to move leads after the judge's move in [n, S]."""
        n = len(states)
        found = self._searched(states, CHOOSING * self._visits, lambda at, _: progress(at, 2 * n))
        best = np.concatenate([[], *(stats.best() for stats in found)]).astype(np.int64)
        after = self.game.after(states, best)
        return -self.leads(after, lambda at, of: progress(2 * n - of + at, 2 * n))

    def _searched(
        self, states: NDArray[np.uint64], visits: int, progress: Progress
    ) -> Iterator[RootStats]:
        """Search positions [n, S], some at a time."""
        for at in range(0, len(states), BATCH):
            some = states[at : at + BATCH]
            trees = np.arange(len(some))
            self._search.plant(trees, some, seeds_from(1, len(some)))
            yield self._search.run(trees, Plan(simulations=visits))
            progress(at + len(some), len(states))

    def losses(
        self,
        states: NDArray[np.uint64],
        before: Floats,
        actions: NDArray[np.int64],
        progress: Progress = ignore,
    ) -> Floats:
        """Return what actions [n] lose in states [n, S], whose `worth` is ``before`` [n].

        At most `MOST` points, and at least as many less than none.
        """
        losses = before + self.leads(self.game.after(states, actions), progress)
        return np.clip(losses, -MOST, MOST)


def mean_of(stats: RootStats) -> Floats:
    """Return the mean value [n] of all that was visited, for the side to move at the root."""
    return (stats.values + (stats.visits * stats.means).sum(1)) / (1 + stats.visits.sum(1))


def judge_settings(game_id: str, visits: int) -> dict[str, Any]:
    """Return what the judge's words depend on."""
    return {
        "network": digest(game_id),
        "visits": visits,
        "unit": UNIT,
        "choosing": CHOOSING,
        "most": MOST,
    }
