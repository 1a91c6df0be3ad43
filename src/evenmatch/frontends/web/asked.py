"""What a visitor asks of a new game: its opponent, side, clock and start."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import Any

from evenmatch.app.match_level import has_levels, rating_said
from evenmatch.errors import UsageError, as_sentence, quoted
from evenmatch.frontends.web.body import word_of
from evenmatch.frontends.web.offered import LARGEST, spec_of
from evenmatch.frontends.web.service import JUDGED_TO_MATCH
from evenmatch.games import get_game
from evenmatch.games.area import AreaGame
from evenmatch.games.catalog import GameInfo, game_info
from evenmatch.games.game import Game
from evenmatch.players.measured import as_measured, at_level
from evenmatch.profiles import Profile
from evenmatch.profiles.levels import matched
from evenmatch.records.codec import codec_for
from evenmatch.records.streams import Text
from evenmatch.sessions.clock import MOST_INCREMENT, MOST_MINUTES
from evenmatch.sessions.saved import Saved

SIDES = {"first": 1, "second": -1}
LONGEST_START = 50_000  #: letters of a position, or of a whole game
MOST_KOMI = 100.0
FIRST_OF = "What you pasted has {} games; you go on from the end of the first."
NOT_PLAYED = "that game is not played here; choose one of the page"


@dataclass(frozen=True)
class NewGame:
    """A game that was asked for."""

    saved: Saved
    mine: bool  #: whether the opponent is to be at the person's level
    note: str  #: what is to be told of the opponent and the start


def is_matched(asked: dict[str, Any]) -> bool:
    """Tell whether the opponent is to be at the person's level, so that games may be judged."""
    opponent = _group(asked, "opponent")
    return "name" not in opponent and "level" not in opponent and has_levels(asked["game"])


def new_game(
    profile: Profile, person: str, asked: dict[str, Any], most: dict[str, float] = LARGEST
) -> NewGame:
    """Return what was asked for. Raises an EvenmatchError that says what is wrong with it.

    ``most`` is as `spec_of` has it.
    """
    game = get_game(word_of(asked, "game"))
    spec, note, mine = _opponent(profile, person, game, _group(asked, "opponent"), most)
    start, of_start = _start(game, asked)
    side = _side(asked)
    clock = _clock(_group(asked, "clock"))
    saved = Saved(
        game=game.id,
        opponent=spec,
        side=side,
        seed=secrets.randbits(32),
        person=person,
        start=start,
        forgets=asked.get("forgets") is True,
        clock=clock,
    )
    return NewGame(saved, mine, " ".join(filter(None, [note, of_start])))


def _side(asked: dict[str, Any]) -> int:
    """Return the person's side, drawn unless the request says one."""
    side = asked.get("side") or "random"
    if not isinstance(side, str):
        raise UsageError("the side cannot be read; reload the page")
    return SIDES.get(side) or secrets.choice((1, -1))


def _group(asked: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what a request says in more words than one, empty if it does not."""
    group = asked.get(name) or {}
    if not isinstance(group, dict):
        raise UsageError(f"the {name} cannot be read; reload the page")
    return group


def _number(asked: dict[str, Any], name: str, least: float, most: float) -> float | None:
    """Return a number that was asked for, None if it was not."""
    value = asked.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise UsageError(f"{name} is a number from {least:g} to {most:g}")
    return float(value)


def _opponent(
    profile: Profile, person: str, game: Game, asked: dict[str, Any], most: dict[str, float]
) -> tuple[str, str, bool]:
    """Return the opponent's spec, what to tell of it, and whether it is at the person's level."""
    info = game_info(game.id)
    if "name" in asked:
        spec = spec_of(word_of(asked, "name"), _group(asked, "keys"), most)
        return (*as_measured(game.id, spec), False)
    if "level" in asked:
        return (*_at_level(info, word_of(asked, "level")), False)
    if not has_levels(game.id):
        return info.opponent, "", True
    if asked.get("i_am"):
        profile.levels.claim(person, game.id, rating_said(word_of(asked, "i_am"), info))
    found = matched(profile.levels, person, game.id, max_new=JUDGED_TO_MATCH)
    return (info.opponent, "", True) if found is None else (found.spec, found.note, True)


def _at_level(info: GameInfo, text: str) -> tuple[str, str]:
    if info.rated is None:
        raise UsageError("nobody plays at a level in this game; choose a player")
    return at_level(info.game, text.strip(), quoted(text.strip()))


def _start(game: Game, asked: dict[str, Any]) -> tuple[str, str]:
    """Return the position that the game begins from, empty for the usual one, and what to tell."""
    start = asked.get("start") or ""
    komi, stones = _number(asked, "komi", -MOST_KOMI, MOST_KOMI), _number(asked, "handicap", 0, 9)
    if start:
        if komi is not None or stones:
            raise UsageError("a position has its own komi and handicap; leave both empty")
        return _position(game, start)
    if not isinstance(game, AreaGame):
        return "", ""
    return game.beginning(komi, round(stones) if stones else None), ""


def _position(game: Game, text: Any) -> tuple[str, str]:
    """Return the start from a position or the end of a whole game, and what to tell of it."""
    if not isinstance(text, str) or len(text) > LONGEST_START:
        raise UsageError(f"a position has at most {LONGEST_START} letters; paste a shorter one")
    if not text.isascii() and any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
        raise UsageError("that position has characters that cannot be read; paste it again")
    codec = codec_for(game.id)
    record, games, faults = codec.first(Text(text.strip().encode(), "that text"))
    start = codec.end_text(record)
    start, notes = game.position_text(start)  # refuses what is none
    position = game.read_position(start)[None]
    if isinstance(game, AreaGame) and abs(game.komi_of(position)[0]) > MOST_KOMI:
        raise UsageError(f"that position has a komi beyond {MOST_KOMI:g}; correct KM in it")
    if not len(game.legal_actions(position)[0]):
        raise UsageError("the game is over in that position; paste another")
    first = FIRST_OF.format(games) if games > 1 else ""
    return start, " ".join([*filter(None, [first]), *map(as_sentence, [*notes, *map(str, faults)])])


def _clock(asked: dict[str, Any]) -> tuple[float, ...]:
    """Return the clock as it is saved, empty for none."""
    if not asked:
        return ()
    minutes = _number(asked, "minutes", 0, MOST_MINUTES)
    increment = _number(asked, "increment", 0, MOST_INCREMENT) or 0.0
    if not minutes or not math.isfinite(minutes):
        raise UsageError("a clock has some minutes; choose another, or none")
    return 60 * minutes, increment, 60 * minutes, 60 * minutes
