"""The request for a new game: its opponent, side, clock and start.

Visitors may ask for no player that reads files or starts programs, and not for large searches.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evenmatch.app.match_level import has_levels, rating_said
from evenmatch.errors import EvenmatchError, SpecError, UsageError, as_sentence, quoted
from evenmatch.frontends.web.http_json import word_of
from evenmatch.frontends.web.service import JUDGED_TO_MATCH
from evenmatch.games import get_game
from evenmatch.games.catalog import GameInfo, game_info
from evenmatch.games.game import AreaGame, Game
from evenmatch.opponents import parse_spec, resolve
from evenmatch.opponents.rating_range import as_measured, at_level
from evenmatch.opponents.spec import Key
from evenmatch.opponents.table import PLAYERS
from evenmatch.play.batcher import Batcher
from evenmatch.play.clock import MOST_INCREMENT, MOST_MINUTES
from evenmatch.play.saved import Saved
from evenmatch.profiles import Profile
from evenmatch.profiles.levels import matched
from evenmatch.records.codec import codec_for
from evenmatch.records.streams import Text

PROGRAMS = ("engine",)  #: players that start a program
HIDDEN = ("net", "cmd", "seconds", "leaves", "reuse", "answers")  #: keys of whoever runs the server
MAX_VALUES = {"sims": 1000.0, "looks": 48.0, "nmax": 2000.0, "depth": 4.0}  #: of keys that cost
MAX_VALUES_OF_MANY = MAX_VALUES | {"sims": 200.0}  #: where many people play


def max_values(person: str | None) -> dict[str, float]:
    """Return the max_values values of keys, where one ``person`` plays, or many (None)."""
    return MAX_VALUES_OF_MANY if person is None else MAX_VALUES


def keys_of(name: str) -> dict[str, Key]:
    """Return the keys of a player that visitors may set."""
    return {key: one for key, one in PLAYERS[name].keys.items() if key not in HIDDEN}


@lru_cache(maxsize=16)
def players_of(game: Game, batcher: Batcher) -> tuple[str, ...]:
    """Return the names of the players that can play a game."""
    return tuple(name for name in PLAYERS if name not in PROGRAMS and _plays(name, game, batcher))


def _plays(name: str, game: Game, batcher: Batcher) -> bool:
    try:
        batcher.player(resolve(name, game, own=True))
    except EvenmatchError:
        return False
    return True


def as_offered(spec: str, most: dict[str, float]) -> str:
    """Return a spec as a visitor may ask for it; SpecError or UsageError if it is not offered."""
    name, values = parse_spec(spec)
    return spec_of(name, {key: str(value) for key, value in values.items()}, most)


def spec_of(name: str, keys: dict[str, Any], most: dict[str, float] = MAX_VALUES) -> str:
    """Return the spec of what a visitor asks for; SpecError or UsageError if it is not offered.

    ``most`` has the max_values values of keys.
    """
    if name not in PLAYERS or name in PROGRAMS:
        raise SpecError(f"there is no player {quoted(name)} here; choose one of the list")
    known = keys_of(name)
    for key, value in keys.items():
        if key not in known:
            raise SpecError(f"{name} has no setting {quoted(str(key))}; leave it out")
        if not isinstance(value, str) or any(letter in value for letter in ",=:/\\"):
            raise SpecError(f"{quoted(str(value))} is no value for {key}; write a number or a word")
    pairs = ",".join(f"{key}={value.strip()}" for key, value in keys.items() if value.strip())
    spec = f"{name}:{pairs}" if pairs else name
    for key, value in parse_spec(spec)[1].items():
        if key in most and float(value) > most[key]:
            raise UsageError(f"{key} is at most {most[key]:g} here; choose a smaller number")
    return spec


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
    profile: Profile, person: str, asked: dict[str, Any], most: dict[str, float] = MAX_VALUES
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
