"""Games of the arena as tasks: side by side on this machine, or on a cluster.

A game depends on its entrants, its opening and its place among all pairings. So a task is a range
of places, and its games are those that `arena.play` would play there.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.play.arena import Finished, Pairing, Played, Specs, play
from evenmatch.progress import Progress, ignore
from evenmatch.workshop.tasks import Executor, OnRetry, TaskPool, total_progress

GAMES = 16  #: of a task: eight pairs from one opening. Calls of a network are for all of them


class MatchTasks:
    """Plays as `arena.play` does, by tasks on an executor, which is not closed.

    The games are the same on every executor. They may differ from those of one call, because a
    network rounds differently in batches of another size.
    """

    def __init__(self, executor: Executor, on_retry: OnRetry = ignore):
        self._executor, self._on_retry = executor, on_retry

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
        """Play all pairings; ``finished`` gets the games of a task once it has ended."""
        started = total_progress(progress, len(pairings))
        tasks = TaskPool(self._executor, started, self._on_retry)
        settings = (tuple(specs), tuple(pairings), game.id, seed, openings)
        for begin in range(0, len(pairings), GAMES):
            places = range(begin, min(begin + GAMES, len(pairings)))
            work = partial(play_some, *settings, places)
            tasks.add(f"games {places[0] + 1} to {places[-1] + 1}", work)
        played: dict[int, Played] = {}
        for _, result in tasks.results():
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
    places: Sequence[int],
    key: str,
    progress: Progress,
) -> dict[str, Any]:
    """Play the pairings at ``places``; return places, results and actions."""
    played = play(
        specs, pairings, get_game(game_id), seed=seed, openings=openings, progress=progress,
        only=places,
    )  # fmt: skip
    rows = zip(places, played, strict=True)
    return {"played": [(place, one.result, one.actions) for place, one in rows]}
