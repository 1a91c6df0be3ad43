"""A game against an opponent: from the options of ``evenmatch play`` to a session.

Nothing is printed: notes for the person come back as text.
"""

import os
import secrets
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path

from evenmatch.app.game_words import FILES, name_of, network_notes
from evenmatch.app.match_level import (
    WORDS,
    YourLevel,
    checked_target,
    has_levels,
    level_option,
    player_at,
    rating_said,
    stays_matched,
)
from evenmatch.errors import StateError, UsageError, as_sentence, counted, quoted
from evenmatch.games import GAMES, get_game
from evenmatch.games.catalog import GameInfo, game_info
from evenmatch.games.game import AreaGame, Game
from evenmatch.games.line import GIVEN
from evenmatch.network.artifact import named_path
from evenmatch.opponents.rated import USUAL
from evenmatch.opponents.rating_range import clamp_spec
from evenmatch.play.clock import Clock, read_clock
from evenmatch.play.saved import YOU, Saved
from evenmatch.play.session import Session
from evenmatch.profiles import NAME, KeptGame, Profile, unusable
from evenmatch.profiles.levels import EVEN_SCORE
from evenmatch.profiles.people import named
from evenmatch.profiles.raters import LADDER, scale_of
from evenmatch.progress import Progress, no_progress
from evenmatch.records.codec import codec_for
from evenmatch.records.record import Fault

Busy = Callable[[Game], AbstractContextManager[object]]  #: entered while a game is set up

NOT_MEASURED = (
    "Levels were measured with evenmatch's own networks; with another network how strong it plays "
    "was not measured."
)
SIDES = {"first": 1, "second": -1}
SLOWEST = 600.0  #: seconds per move, of --pace
#: Options that exclude each other, by their fields, and what both of them set.
CONFLICTS = (
    (("target", "i_am"), ("opponent", "elo", "rank", "net", "search_net"), "how strong"),
    (("elo", "rank"), ("opponent",), "who plays"),
    (("source",), ("moves", "fen"), "where to begin"),
    (("fen",), ("handicap", "komi"), "how to begin"),
)
OPTIONS = {"place": "--as", "source": "--from", "person": "--name"}  #: named otherwise than fields


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """The options of ``evenmatch play``; None for one that was not given."""

    game: str | None = None  #: a game, or the name of an unfinished one
    opponent: str | None = None
    elo: float | None = None
    rank: str | None = None
    net: Path | None = None  #: the opponent's network
    search_net: Path | None = None  #: that judges positions in its search
    i_am: str | None = None
    place: str | None = None  #: the side
    seed: int | None = None
    moves: str | None = None  #: of both sides
    fen: str | None = None
    handicap: int | None = None
    komi: float | None = None
    source: Path | None = None
    at: int | None = None  #: how many of the moves
    person: str | None = None
    time: str | None = None
    target: float | None = None
    pace: float | None = None
    forget: bool = False
    play_on: bool = False
    resume: bool = False

    @property
    def command(self) -> str:
        """The command line with these options."""
        words, flags = ["evenmatch", "play", self.game or ""], []
        for field in fields(self):
            value, option = getattr(self, field.name), option_of(field.name)
            if value is True:
                flags.append(option)
            elif field.name != "game" and value not in (None, False):
                words += [option, f"{value:g}" if isinstance(value, float) else str(value)]
        return shlex.join(words + flags)

    def given(self, *names: str) -> str:
        """Return the first option of these fields that was given, empty if none was."""
        return next((option_of(name) for name in names if getattr(self, name) is not None), "")

    def check(self) -> None:
        """Refuse options that exclude each other. UsageError."""
        for one, other, what in CONFLICTS:
            if (first := self.given(*one)) and (second := self.given(*other)):
                raise UsageError(f"{first} and {second} both say {what}; keep one of them")
        if self.pace is not None and not 0 <= self.pace <= SLOWEST:
            raise UsageError(f"--pace {self.pace:g} is outside 0 to {SLOWEST:g} seconds a move")


def option_of(name: str) -> str:
    """Return the option of the command line that sets a field of `PlayOptions`."""
    return OPTIONS.get(name, f"--{name.replace('_', '-')}")


@dataclass(frozen=True)
class Started:
    """A game that can be played."""

    session: Session
    profile: Profile
    note: str  #: sentences for the person, may be empty
    command: str  #: the command line that starts such a game again
    kept: KeptGame | None = None  #: the saved game; None for a new one
    yours: YourLevel | None = None  #: chooses the next opponent; None if one was named


def start(
    options: PlayOptions,
    busy: Busy = lambda game: nullcontext(),
    judging: Callable[[], AbstractContextManager[Progress]] = no_progress,
    profile: Profile | None = None,
) -> Started:
    """Begin a new game, or continue an unfinished one, by the options. UsageError.

    ``busy`` is entered while the board is set up, ``judging`` while earlier games are rated. The
    ``profile`` is that of the state folder by default.
    """
    person = None if options.person is None else named(options.person)
    options = replace(options, person=person)
    options.check()
    if options.resume or (options.game and NAME.fullmatch(options.game.lower())):
        return _resume(options, busy, judging, profile or Profile())
    if options.game is None:
        raise UsageError(f"say which game: evenmatch play GAME; choose one of {', '.join(GAMES)}")
    return _begin(options, get_game(options.game), busy, judging, profile or Profile())


# -- a new game ----------------------------------------------------------------------------------


def _begin(
    options: PlayOptions,
    game: Game,
    busy: Busy,
    judging: Callable[[], AbstractContextManager[Progress]],
    profile: Profile,
) -> Started:
    """Begin a new game."""
    side = None if options.place is None else _side_of(game, options.place)
    position, moves, begun = beginning(options, game)
    yours = _your_level(options, game, profile, judging)
    found = None if yours is None else yours.opponent()
    spec, note = _opponent(options, game) if found is None else found
    if side is None:
        side = (
            1
            if not position or options.handicap
            else int(game.to_play(game.read_position(position)[None])[0])
        )
    clock = None if options.time is None else read_clock(options.time)
    saved = Saved(
        game=game.id,
        opponent=spec,
        side=side,
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        person=options.person or YOU,
        start=position,
        by_profile=yours is not None,
        forgets=options.forget,
        plays_on=options.play_on,
        pace=options.pace,
        clock=() if clock is None else _kept(clock, side),
    )
    with busy(game):
        session = Session.resumed(saved, profile.memories)
        for text in moves:
            session.push(game.read_action(session.state, text), GIVEN)
        if session.over:
            earlier = f" after {session.ply} moves; begin earlier, such as --at {session.ply - 2}"
            raise UsageError(
                f"that game is finished{earlier if moves else '; begin from an earlier position'}"
            )
        session.value()  # loads what the first screen needs
    notes = [
        begun,
        network_notes(spec),
        _stranger(options, game, yours),
        _acquaintance(profile, session, saved),
        note,
        _too_many(options, game),
        _unfinished(profile, game, saved.person),
    ]
    note = " ".join(filter(None, notes))
    return Started(session, profile, note, options.command, yours=yours)


def _stranger(options: PlayOptions, game: Game, yours: YourLevel | None) -> str:
    """Explain how to report a level, to a person without games, where people have levels."""
    if yours is None or yours.known:
        return ""
    example = next(iter(WORDS[game_info(game.id).written].values()))
    number = "" if scale_of(game.id) == LADDER else f"{example}, or --i-am "
    name = "" if options.person is None else f" --name {shlex.quote(options.person)}"
    say = f"evenmatch play {game.id}{name} --i-am {number}beginner"
    target = "" if yours.target == EVEN_SCORE else f", and --target {yours.target:g} counts then"
    return f"Your level is not known yet. To report it: {say}{target}."


def _too_many(options: PlayOptions, game: Game) -> str:
    """Warn of a handicap with which the network takes the game for decided."""
    most = game_info(game.id).fair_handicap
    if options.handicap is None or options.handicap <= most:
        return ""
    return f"With more than {most} stones the network takes this game for lost, and may pass."


def _your_level(
    options: PlayOptions,
    game: Game,
    profile: Profile,
    judging: Callable[[], AbstractContextManager[Progress]],
) -> YourLevel | None:
    """Return what finds opponents at the person's level.

    None if the opponent was named, is to forget the person, or finds the level by itself.
    """
    given, info = options.given("target", "i_am"), game_info(game.id)
    if not has_levels(game.id):
        if given:
            raise UsageError(
                f"{given} needs ratings, which {game.title} does not have; {_remedy(info)}"
            )
        return None
    if options.forget and given:
        raise UsageError(
            f"{given} counts your games in, and --forget leaves them out; keep one, or write "
            f"--opponent even:{info.level}={USUAL[info.written]}"
        )
    if options.given("opponent", "elo", "rank", *FILES) or options.forget:
        return None
    person = options.person or YOU
    target = checked_target(options.target, info)
    if options.i_am is not None:
        profile.levels.claim(person, game.id, rating_said(options.i_am, info, "--i-am"))
    return YourLevel(profile, person, game.id, target, judging)


def _remedy(info: GameInfo) -> str:
    """Say how to get ratings of a game, if that is possible."""
    can_be = info.rated is not None and not info.servers
    return f"measure them: evenmatch calibrate {info.game}" if can_be else "leave it out"


def _opponent(options: PlayOptions, game: Game) -> tuple[str, str]:
    """Return the spec of the opponent that was named, or that strangers meet, and a note on it."""
    level = level_option(options.elo, options.rank)
    keys = _files(options)
    info = game_info(game.id)
    if level is not None:
        spec, note = player_at(level, info, keys)
        return spec, f"{note} {NOT_MEASURED}".strip() if keys else note
    spec = with_whole_paths(options.opponent or info.opponent)
    if keys:
        return spec + (keys if ":" in spec else f":{keys[1:]}"), NOT_MEASURED
    return clamp_spec(game.id, spec)


def _files(options: PlayOptions) -> str:
    """Return the keys of a spec that name the network files of the options. UsageError."""
    keys = ""
    for name in FILES:
        file = getattr(options, name)
        if file is not None:
            path = str(named_path(file) or file.resolve())
            if "," in path:
                raise UsageError(f"the path {path} has a comma; move the network elsewhere")
            if not os.path.isfile(path):
                raise UsageError(f"no network file {file}; name one that exists")
            keys += f",{name}={path}"
    return keys


def _side_of(game: Game, place: str) -> int:
    """Return the side that moves first or second, or has this colour; UsageError otherwise."""
    names = SIDES | dict(zip((name.lower() for name in game.players), (1, -1), strict=True))
    if place.lower() not in names:
        raise UsageError(f"unknown side {quoted(place)} in {game.id}; choose {', '.join(names)}")
    return names[place.lower()]


def with_whole_paths(spec: str) -> str:
    """Return a spec whose network files are named in full, so that a game can continue anywhere."""
    name, _, rest = spec.partition(":")
    pairs = []
    for pair in rest.split(","):
        key, equals, text = pair.partition("=")
        if key.strip() in FILES and os.path.exists(text.strip()):
            text = os.path.abspath(text.strip())
        pairs.append(key + equals + text)
    return f"{name}:{','.join(pairs)}" if rest else spec


def _kept(clock: Clock, side: int) -> tuple[float, ...]:
    return clock.base, clock.increment, clock.left[side], clock.left[-side]


def _unfinished(profile: Profile, game: Game, person: str) -> str:
    """Say how many games of this kind the person could continue."""
    try:
        kept = [one.saved for one in profile.games.unfinished()]
    except (StateError, OSError):
        return ""  # the first save will report it
    theirs = [x for x in kept if (x.game, x.person.casefold()) == (game.id, person.casefold())]
    if not theirs:
        return ""
    some = counted(len(theirs), "unfinished game")
    return f"You have {some} of {game.title}; to see: evenmatch play --saved"


def _acquaintance(profile: Profile, session: Session, saved: Saved) -> str:
    """Say what the opponent remembers of the person, or will forget."""
    name, who = name_of(session), saved.person
    if not saved.forgets:
        return f"{name} remembers {who} (--forget to start again)." if session.recognised else ""
    try:
        games = profile.memories.games_known(saved.game, saved.opponent, who)
    except StateError:  # of what is damaged, which --forget mends
        games = 0
    notes = []
    tally = profile.games.tallies(who).get(saved.game)
    if tally and has_levels(saved.game) and saved.opponent == game_info(saved.game).opponent:
        whose = "yours" if who == YOU else f"{who}'s"
        notes.append(f"{name} begins without {counted(tally.games, 'earlier game')} of {whose}.")
    if games is not None:
        of = f"what it learned in {counted(games, 'game')}" if games else "what it learned"
        notes.append(f"With your first move {name} forgets {of} with {who}.")
    return " ".join(notes) or f"{name} remembers nothing of {who}."


# -- an unfinished game --------------------------------------------------------------------------


def _resume(
    options: PlayOptions,
    busy: Busy,
    judging: Callable[[], AbstractContextManager[Progress]],
    profile: Profile,
) -> Started:
    """Continue an unfinished game: the one named, or the latest."""
    named = options.game and NAME.fullmatch(options.game.lower())
    wanted = None if options.game is None else options.game.lower() if named else None
    if options.game is not None and not named:
        wanted = get_game(options.game).id
    kept, saved = profile.games.resume(wanted, "" if named else options.person or YOU)
    try:
        _check_same_game(saved, options)
        if options.pace is not None or options.play_on:
            saved = replace(
                saved,
                pace=saved.pace if options.pace is None else options.pace,
                plays_on=saved.plays_on or options.play_on,
            )
        with busy(get_game(saved.game)):
            try:
                session = Session.resumed(saved, profile.memories)
            except StateError:  # of what the opponent remembers
                raise
            except UsageError as error:
                raise unusable(kept.name, error) from error
            session.value()
    except BaseException:
        kept.leave()
        raise
    note = _continued(saved, kept.name, by_name=wanted == kept.name)
    again = PlayOptions(
        game=saved.game,
        opponent=saved.opponent,
        place=_place(saved.side),
        person=None if saved.person == YOU else saved.person,
        pace=saved.pace,
        play_on=saved.plays_on,
    )
    known = _acquaintance(profile, session, saved)
    yours = None
    if stays_matched(saved):
        yours = YourLevel(profile, saved.person, saved.game, judging=judging)
        again = replace(again, opponent=None)
    return Started(session, profile, f"{known} {note}".strip(), again.command, kept, yours)


def _continued(saved: Saved, name: str, by_name: bool) -> str:
    """Say which game is continued, and whose it is if it is of a person with a name."""
    if saved.person != YOU:
        return f"You continue {name}, {saved.person}'s game: its result is {saved.person}'s."
    return "" if by_name else f"You continue {name}."


def _check_same_game(saved: Saved, options: PlayOptions) -> None:
    """Refuse to resume a game other than the one asked for."""
    game = get_game(saved.game)
    side = None if options.place is None else _side_of(game, options.place)
    by = options.given("elo", "rank", "opponent")
    opponent = _opponent(options, game)[0] if by else None
    begun = options.given("moves", "fen", "source", "at")
    person = options.person and options.person.casefold()
    whose = "yours" if saved.person == YOU else f"{saved.person}'s"
    differs = (
        (opponent not in (None, saved.opponent), f"is against {saved.opponent}", by),
        (side not in (None, saved.side), f"has you move {_place(saved.side)}", "--as"),
        (options.seed not in (None, saved.seed), f"has the seed {saved.seed}", "--seed"),
        (begun, "has its moves already", begun),
        (options.time is not None, "has its clock already", "--time"),
        (options.handicap is not None, "has its handicap already", "--handicap"),
        (options.komi is not None, "has its komi already", "--komi"),
        (person not in (None, saved.person.casefold()), f"is {whose}", "--name"),
        (options.forget, "keeps what was learned", "--forget"),
    )
    for wrong, what, option in differs:
        if wrong:
            raise UsageError(f"the unfinished game {what}; leave out {option}, or start a new game")


def _place(side: int) -> str:
    """Return the word for a side: first or second."""
    return next(name for name, value in SIDES.items() if value == side)


# -- where a game begins -------------------------------------------------------------------------


def beginning(options: PlayOptions, game: Game) -> tuple[str, list[str], str]:
    """Return the position a game begins from ("" for the usual one), and the moves since.

    The third value is a note on what was passed over in their text.
    """
    begun = _handicap_start(options, game)
    if options.source is None:
        position, faults = options.fen or begun, list[Fault]()
        moves = codec_for(game.id).words(options.moves or "")
    else:
        position, moves, faults = from_file(game, options.source)
        if position and (option := options.given("handicap", "komi")):
            raise UsageError(f"--from and {option} both say how to begin; keep one of them")
        position = position or begun
    given = position or options.fen is not None
    position, notes = game.position_text(position) if given else ("", ())
    note = " ".join([*map(as_sentence, notes), *(as_sentence(str(fault)) for fault in faults)])
    if options.at is None:
        return position, moves, note
    if options.at > len(moves):
        more = "" if moves else "; give some with --from or --moves"
        raise UsageError(f"--at {options.at} is too late: there are {len(moves)} moves{more}")
    return position, moves[: options.at], note


def from_file(game: Game, path: Path) -> tuple[str, list[str], list[Fault]]:
    """Return the start ("" for the usual one) and the moves of a file's first game, as text.

    With them comes what was passed over. The file has a game or a position, in any form that
    `RecordCodec.first` reads. UsageError says what is wrong with it.
    """
    codec = codec_for(game.id)
    record, _, faults = codec.first(path)
    states = codec.played(record.moves, record.start)
    actions = codec.actions(states[:-1], record.moves).tolist()
    texts = [
        game.action_text(state, action) for state, action in zip(states[:-1], actions, strict=True)
    ]
    return record.start, texts, faults


def _handicap_start(options: PlayOptions, game: Game) -> str:
    """Return the start with the handicap and the komi of the options, "" for the usual one."""
    option = options.given("handicap", "komi")
    if not option:
        return ""
    if not isinstance(game, AreaGame):
        known = ", ".join(other.id for other in GAMES.values() if isinstance(other, AreaGame))
        raise UsageError(f"{option} is for {known}; {game.title} has none, so leave it out")
    return game.beginning(options.komi, options.handicap)
