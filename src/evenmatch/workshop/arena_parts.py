"""Games of the arena in parts: side by side on this machine, or on a cluster.

A game depends on its entrants, its opening and its place among all pairings. So a part is a range
of these, and its games are those that `arena.play` would play of all.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.play.arena import Finished, Pairing, Played, Specs, play
from evenmatch.progress import Progress, ignore
from evenmatch.workshop.cluster import Executor, SideBySide
from evenmatch.workshop.cluster.side_by_side import Lost

GAMES = 16  #: of a part: eight pairs from one opening. A network's calls are for all of them


class InParts:
    """Plays as `arena.play` does, by the parts that an executor does.

    Wherever parts are done, their games are the same. They may differ from those of all at once, as
    a network rounds differently in calls of another size. The executor is not closed.
    """

    def __init__(self, executor: Executor, lost: Lost = ignore):
        self._executor, self._lost = executor, lost

    def __call__(
        self,
        specs: Specs,
        pairings: Sequence[Pairing],
        game: Game,
        *,
        seed: int = 0,
        openings: int = 0,
        progress: Progress = ignore,
        finished: Finished = ignore,
    ) -> list[Played]:
        """Play all pairings; ``finished`` hears of the games of a part once it is done."""
        counts: dict[str, int] = {}

        def started(key: str) -> Progress:
            def hears(done: int, _due: int) -> None:
                counts[key] = done
                progress(sum(counts.values()), len(pairings))

            return hears

        parts = SideBySide(self._executor, started, self._lost)
        asked = (tuple(specs), tuple(pairings), game.id, seed, openings)
        for begin in range(0, len(pairings), GAMES):
            some = range(begin, min(begin + GAMES, len(pairings)))
            work = partial(play_some, *asked, some)
            parts.add_ready(f"games {some[0] + 1} to {some[-1] + 1}", work)
        played: dict[int, Played] = {}
        while parts.busy:
            parts.begin()
            for key, result in parts.ended():
                counts[key] = len(result["played"])
                progress(sum(counts.values()), len(pairings))
                for place, outcome, actions in result["played"]:
                    played[place] = Played(pairings[place], outcome, tuple(actions))
                    finished(played[place])
        return [played[place] for place in range(len(pairings))]


def play_some(
    specs: Specs,
    pairings: Sequence[Pairing],
    game_id: str,
    seed: int,
    openings: int,
    some: Sequence[int],
    key: str,
    progress: Progress,
) -> dict[str, Any]:
    """Play the pairings of a part; return their places, results and actions."""
    played = play(
        specs, pairings, get_game(game_id), seed=seed, openings=openings, progress=progress,
        only=some,
    )  # fmt: skip
    rows = zip(some, played, strict=True)
    return {"played": [(place, one.result, one.actions) for place, one in rows]}
