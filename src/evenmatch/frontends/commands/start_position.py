"""The position that a new game begins from, and the moves since, as options or a file tell."""

import re

from evenmatch.errors import UsageError
from evenmatch.frontends.commands.play_options import PlayOptions
from evenmatch.games import GAMES
from evenmatch.games.area import AreaGame
from evenmatch.games.game import Game

MOVE_NUMBER = re.compile(r"\d+\.+")  #: as chess games are written: 1. e4 e5 2. Nf3


def beginning(asked: PlayOptions, game: Game) -> tuple[str, list[str]]:
    """Return the position a game begins from, empty for the usual one, and the moves since."""
    position, words = _told(asked, game)
    moves = [word for word in words if not MOVE_NUMBER.fullmatch(word)]
    if asked.at is None:
        return position, moves
    if asked.at > len(moves):
        more = "" if moves else "; give some with --from or --moves"
        raise UsageError(f"--at {asked.at} is too late: there are {len(moves)} moves{more}")
    return position, moves[: asked.at]


def _told(asked: PlayOptions, game: Game) -> tuple[str, list[str]]:
    """Return the position and the words that options or a file give."""
    given = {"--moves": asked.moves, "--fen": asked.fen, "--from": asked.source}
    named = [name for name, value in given.items() if value is not None]
    begun = _rules_asked(asked, game)
    if "--from" in named and len(named) > 1:
        raise UsageError(f"--from and {named[0]} both say where to begin; keep one of them")
    if asked.source is not None:
        from evenmatch.frontends.terminal.start import read_file

        position, moves = read_file(game, asked.source)
        rules = {"--handicap": asked.handicap, "--komi": asked.komi}
        for option in (name for name, value in rules.items() if position and value is not None):
            raise UsageError(f"--from and {option} both say how to begin; keep one of them")
        return position or begun, moves
    if asked.fen is not None:
        game.read_position(asked.fen)  # refuses what is none
    return asked.fen or begun, (asked.moves or "").split()


def _rules_asked(asked: PlayOptions, game: Game) -> str:
    """Return the start with the handicap and the komi that are asked for, empty for the usual."""
    rules = {"--handicap": asked.handicap, "--komi": asked.komi}
    named = [name for name, value in rules.items() if value is not None]
    if not named:
        return ""
    if not isinstance(game, AreaGame):
        known = ", ".join(other.id for other in GAMES.values() if isinstance(other, AreaGame))
        raise UsageError(f"{named[0]} is for {known}; {game.title} has none, so leave it out")
    if asked.fen is not None:
        raise UsageError(f"--fen and {named[0]} both say how to begin; keep one of them")
    return game.beginning(asked.komi, asked.handicap)
