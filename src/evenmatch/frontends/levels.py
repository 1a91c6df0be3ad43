"""From ``--elo`` or ``--rank`` to the spec of who plays at that level."""

from typing import NamedTuple

from evenmatch.errors import UsageError
from evenmatch.frontends import console
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG, GameInfo, game_info
from evenmatch.players.measured import at_level
from evenmatch.players.rated import USUAL


class LevelOption(NamedTuple):
    """A level as it was asked for."""

    option: str  #: --elo or --rank
    text: str  #: what was written after it


def level_option(elo: float | None, rank: str | None) -> LevelOption | None:
    """Return what was asked for; None if no level was. UsageError if two were."""
    if elo is not None and rank is not None:
        raise UsageError("--elo and --rank both say the level; keep one of them")
    if rank is not None:
        return LevelOption("--rank", rank)
    return None if elo is None else LevelOption("--elo", f"{elo:g}")


def player_at(level: LevelOption, info: GameInfo) -> tuple[str, str]:
    """Return the spec of who plays at a level, and what to tell of it.

    UsageError if it is none of the game's.
    """
    option = f"--{info.level}"
    if info.rated is None:
        rated = [x.game for x in CATALOG.values() if x.rated and f"--{x.level}" == level.option]
        known = ", ".join(rated) or "no game yet"
        raise UsageError(f"{level.option} is for {known}; even finds your level in {info.game}")
    if level.option != option:
        right = f"{option} {USUAL[info.written]}"
        raise UsageError(f"{level.option} is not for {info.game}; write {right}, for example")
    return at_level(info.game, level.text, f"{option} {level.text}")


def ranked(player: str | None, rank: str, game: str) -> str:
    """Return the spec of who plays at a rank, where ``player`` is not given too; tell what to."""
    if player is not None:
        raise UsageError("--rank and --player both say who plays; keep one of them")
    spec, note = player_at(LevelOption("--rank", rank), game_info(get_game(game).id))
    if note:
        console.note(note)
    return spec
