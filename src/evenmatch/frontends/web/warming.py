"""What first visitors would wait for, done before: kernels compiled, networks loaded."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event, Thread

from evenmatch.app.compiling import first_move, is_compiled
from evenmatch.errors import EvenmatchError
from evenmatch.frontends import console
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info


class Warming:
    """Lets the usual opponents of some games make a move.

    Where a game was never compiled here that takes minutes, and nobody could play meanwhile. Else
    it takes seconds, and goes on behind the page.
    """

    def __init__(self, games: Sequence[str]):
        self._games = games
        self._stopped = Event()
        self._behind = Thread(target=self._warm, name="warming")

    def begin(self) -> None:
        """Begin; if it takes minutes, say so and return when it is done."""
        if all(is_compiled(get_game(game)) for game in self._games):
            self._behind.start()
            return
        console.tell("Preparing the games; this takes some minutes the first time.")
        self._warm()

    def stop(self) -> None:
        """Stop after the move that is being made."""
        self._stopped.set()
        if self._behind.is_alive():
            self._behind.join()

    def _warm(self) -> None:
        for game in self._games:
            info = game_info(game)
            for spec in dict.fromkeys(filter(None, (info.opponent, info.rated))):
                if self._stopped.is_set():
                    return
                try:
                    first_move(spec, get_game(game))
                except EvenmatchError:
                    continue  # whoever wants to play with it is told
