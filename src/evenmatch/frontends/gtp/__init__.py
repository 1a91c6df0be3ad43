"""``evenmatch gtp``: the Go Text Protocol, version 2, so that Go programs can play against us.

protocol.py   lines, answers, and the table of parameters
engine.py     the conversation, a dialect of `frontends.engine`
commands.py   the tables of commands
analysis.py   the commands that report a search
raw.py        the commands that report what a network says
games.py      the game in progress: coordinates, sizes, turns, scores
rules.py      rules of Go by their names
go.py         the game of Go, and its commands: komi, handicaps, dead stones, SGF files
"""

import os
from pathlib import Path

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.engine import loop
from evenmatch.frontends.engine.options import Value
from evenmatch.games.catalog import games_by
from evenmatch.network.imported import described

__all__ = ["serve"]


def serve(
    game: str,
    *,
    player: str | None,
    weights: str | None,
    people: str | None = None,
    **given: Value,
) -> None:
    """Talk to a Go program on standard input and output until it quits or sends no more.

    ``player``: the spec of the opponent; None: a search at full strength. ``weights``: the
    network's file; None: the shipped one. ``people``: that of the network of people's moves.
    ``given``: parameters that replace the defaults.
    What a network of KataGo's is is written to standard error. UsageError if the game is not
    played by this protocol or there is no such file; another EvenmatchError if a network cannot be
    used or the player does not play the game.
    """
    games = games_by("gtp")
    if game not in games:
        raise UsageError(
            f"evenmatch gtp has no game {quoted(game)}; choose one of: {', '.join(games)}"
        )
    for file in (weights, people):
        if file is not None and not os.path.isfile(file):
            raise UsageError(f"no network file {file}; name one that exists")
        if file is not None and (text := described(Path(file))):
            loop.warn(text)

    with loop.noting_compilation(game, loop.warn):
        from evenmatch.frontends.gtp.commands import converse

        files = {"weights": weights, "people": people}
        loop.serve(lambda send: converse(send, game, player=player, given=given, **files))
