"""The request for a new game: its opponent, side, clock and start.

Visitors may ask for no player that reads files or starts programs, and not for large searches.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, field

from evenmatch.app.match_level import has_levels, rating_said
from evenmatch.errors import EvenmatchError, SpecError, UsageError, as_sentence, quoted
from evenmatch.frontends.web.service import JUDGED_TO_MATCH
from evenmatch.games import get_game
from evenmatch.games.catalog import GameInfo, game_info
from evenmatch.games.game import AreaGame, Game
from evenmatch.opponents import Engine, parse_spec, resolve
from evenmatch.opponents.rating_range import clamp_spec, spec_at_rating
from evenmatch.opponents.spec import Key
from evenmatch.opponents.table import PLAYERS
from evenmatch.play.clock import MOST_INCREMENT, MOST_MINUTES
from evenmatch.play.saved import Saved
from evenmatch.profiles import Profile
from evenmatch.profiles.levels import matched
from evenmatch.records.codec import codec_for
from evenmatch.records.streams import Text

PROGRAMS = ("engine",)  #: players that start a program
HIDDEN = (
    "net", "search_net", "cmd", "seconds", "leaves", "reuse", "answers"
)  #: keys of whoever runs the server  # fmt: skip
MAX_VALUES = {"sims": 1000.0, "looks": 48.0, "nmax": 2000.0, "depth": 4.0}  #: of keys that cost
MAX_VALUES_OF_MANY = MAX_VALUES | {"sims": 200.0}  #: where many people play


def max_values(person: str | None) -> dict[str, float]:
    """Return the largest values of keys, where one ``person`` plays, or many (None)."""
    return MAX_VALUES_OF_MANY if person is None else MAX_VALUES


def keys_of(name: str) -> dict[str, Key]:
    """Return the keys of a player that visitors may set."""
    return {key: one for key, one in PLAYERS[name].keys.items() if key not in HIDDEN}


@lru_cache(maxsize=16)
def players_of(game: Game, engine: Engine) -> tuple[str, ...]:
    """Return the names of the players that can play a game."""
    return tuple(name for name in PLAYERS if name not in PROGRAMS and _plays(name, game, engine))


def _plays(name: str, game: Game, engine: Engine) -> bool:
    try:
        engine.player(resolve(name, game, own=True))
    except EvenmatchError:
        return False
    return True


def as_offered(spec: str, most: dict[str, float]) -> str:
    """Return a spec as a visitor may ask for it; SpecError or UsageError if it is not offered."""
    name, values = parse_spec(spec)
    return spec_of(name, {key: str(value) for key, value in values.items()}, most)


def spec_of(name: str, keys: Mapping[str, str], most: dict[str, float] = MAX_VALUES) -> str:
    """Return the spec of an opponent; SpecError or UsageError if it is not offered to visitors.

    ``most`` has the largest values of keys.
    """
    if name not in PLAYERS or name in PROGRAMS:
        raise SpecError(f"there is no player {quoted(name)} here; choose one of the list")
    known = keys_of(name)
    for key, value in keys.items():
        if key not in known:
            raise SpecError(f"{name} has no setting {quoted(key)}; leave it out")
        if any(letter in value for letter in ",=:/\\"):
            raise SpecError(f"{quoted(value)} is no value for {key}; write a number or a word")
    pairs = ",".join(f"{key}={value.strip()}" for key, value in keys.items() if value.strip())
    spec = f"{name}:{pairs}" if pairs else name
    for key, value in parse_spec(spec)[1].items():
        if key in most and float(value) > most[key]:
            raise UsageError(f"{key} is at most {most[key]:g} here; choose a smaller number")
    return spec


SIDES = {"first": 1, "second": -1}
LONGEST_START = 50_000  #: letters of a position, or of a whole game
MOST_KOMI = 100.0
FIRST_OF = "What you pasted has {} games; you continue from the end of the first."
NOT_PLAYED = "that game is not played here; choose one of the page"


class OpponentRequest(Struct):
    """An opponent by name, or at a level; with neither, one at the person's level."""

    name: str | None = None
    keys: dict[str, str] = {}
    level: str | None = None
    i_am: str | None = None  #: the person's level in their own words


class ClockRequest(Struct):
    """A clock."""

    minutes: Annotated[float, Meta(gt=0, le=MOST_MINUTES)]
    increment: Annotated[float, Meta(ge=0, le=MOST_INCREMENT)] = 0.0  #: seconds a move


class NewGameRequest(Struct):
    """The body of a request for a new game."""

    game: str
    opponent: OpponentRequest = field(default_factory=OpponentRequest)
    side: Literal["first", "second", "random"] = "random"
    clock: ClockRequest | None = None
    start: Annotated[str, Meta(max_length=LONGEST_START)] = ""
    komi: Annotated[float, Meta(ge=-MOST_KOMI, le=MOST_KOMI)] | None = None
    handicap: Annotated[int, Meta(ge=0, le=9)] | None = None
    forgets: bool = False

    @property
    def is_matched(self) -> bool:
        """Whether the opponent is to be at the person's level, so that games may be rated."""
        named = self.opponent.name is not None or self.opponent.level is not None
        return not named and has_levels(self.game)


@dataclass(frozen=True)
class NewGame:
    """A new game, before it begins."""

    saved: Saved
    mine: bool  #: whether the opponent is to be at the person's level
    note: str  #: on the opponent and the start, for the person


def new_game(
    profile: Profile, person: str, body: NewGameRequest, most: dict[str, float] = MAX_VALUES
) -> NewGame:
    """Return the game that a request describes; EvenmatchError for what cannot be played.

    ``most`` is as `spec_of` has it.
    """
    game = get_game(body.game)
    chosen = _opponent(profile, person, game_info(game.id), body, most)
    start, of_start = _start(game, body)
    clock: tuple[float, ...] = ()
    if body.clock is not None:
        seconds = 60 * body.clock.minutes
        clock = seconds, body.clock.increment, seconds, seconds
    saved = Saved(
        game=game.id,
        opponent=chosen.spec,
        side=SIDES.get(body.side) or secrets.choice((1, -1)),
        seed=secrets.randbits(32),
        person=person,
        start=start,
        by_profile=chosen.by_profile,
        forgets=body.forgets,
        clock=clock,
    )
    return NewGame(saved, chosen.mine, " ".join(filter(None, [chosen.note, of_start])))


class _Chosen(NamedTuple):
    """An opponent."""

    spec: str
    note: str  #: on it, for the person
    mine: bool = False  #: whether it is to be at the person's level
    by_profile: bool = False  #: as `Saved.by_profile`


def _opponent(
    profile: Profile, person: str, info: GameInfo, body: NewGameRequest, most: dict[str, float]
) -> _Chosen:
    """Return the opponent that is named, or one at the person's level."""
    of = body.opponent
    if of.name is not None:
        return _Chosen(*clamp_spec(info.game, spec_of(of.name, of.keys, most)))
    if of.level is not None:
        if info.rated is None:
            raise UsageError("nobody plays at a level in this game; choose a player")
        level = of.level.strip()
        return _Chosen(*spec_at_rating(info.game, level, quoted(level)))
    if of.i_am and has_levels(info.game):
        profile.levels.claim(person, info.game, rating_said(of.i_am, info))
    found = None
    if has_levels(info.game) and not body.forgets:
        found = matched(profile.levels, person, info.game, max_new=JUDGED_TO_MATCH)
    if found is None:
        mine = not body.forgets
        return _Chosen(info.opponent, "", mine, mine and has_levels(info.game))
    return _Chosen(found.spec, found.note, mine=True, by_profile=True)


def _start(game: Game, body: NewGameRequest) -> tuple[str, str]:
    """Return the position that the game begins from, empty for the usual one, and a note on it."""
    if body.start:
        if body.komi is not None or body.handicap:
            raise UsageError("a position has its own komi and handicap; leave both empty")
        return _position(game, body.start)
    if not isinstance(game, AreaGame):
        return "", ""
    return game.beginning(body.komi, body.handicap or None), ""


def _position(game: Game, text: str) -> tuple[str, str]:
    """Return the start from a position or the end of a whole game, and a note on it."""
    codec = codec_for(game.id)
    record, games, faults = codec.first(Text(text.strip().encode(), "that text"))
    start, notes = game.position_text(codec.end_text(record))  # refuses what is none
    position = game.read_position(start)[None]
    if isinstance(game, AreaGame) and abs(game.komi_of(position)[0]) > MOST_KOMI:
        raise UsageError(f"that position has a komi beyond {MOST_KOMI:g}; correct KM in it")
    if not len(game.legal_actions(position)[0]):
        raise UsageError("the game is over in that position; paste another")
    first = FIRST_OF.format(games) if games > 1 else ""
    return start, " ".join([*filter(None, [first]), *map(as_sentence, [*notes, *map(str, faults)])])
