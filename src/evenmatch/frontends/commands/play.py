"""``evenmatch play``: from the options to a game in the terminal."""

import os
import secrets
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from evenmatch.app.compiling import compiling_told
from evenmatch.app.match_level import (
    WORDS,
    YourLevel,
    checked_target,
    has_levels,
    level_option,
    player_at,
    rating_said,
)
from evenmatch.app.start_position import PlayOptions, beginning
from evenmatch.errors import StateError, UsageError, counted, quoted
from evenmatch.frontends import console
from evenmatch.frontends.progress_bars import moves_done
from evenmatch.games import GAMES, get_game
from evenmatch.games.catalog import GameInfo, game_info
from evenmatch.games.game import Game
from evenmatch.players.measured import as_measured
from evenmatch.profiles import NAME, KeptGame, Profile, unusable
from evenmatch.profiles.people import named
from evenmatch.records.marks import GIVEN
from evenmatch.sessions.clock import Clock, read_clock
from evenmatch.sessions.saved import YOU, Saved

if TYPE_CHECKING:
    from evenmatch.sessions.session import Session

FILE = "net"  #: the key of specs that names a file
ADAPTS = "even"  #: a default opponent that finds the person's level by itself
SIDES = {"first": 1, "second": -1}
SLOWEST = 600.0  #: seconds a move, of --pace


def start(asked: PlayOptions) -> None:
    """Play the game that is asked for."""
    if sys.stdin is None:
        raise UsageError("standard input is closed; play in a terminal, or pipe moves in")
    asked = replace(asked, person=None if asked.person is None else named(asked.person))
    if asked.pace is not None and not 0 <= asked.pace <= SLOWEST:
        raise UsageError(f"--pace {asked.pace:g} is outside 0 to {SLOWEST:g} seconds a move")
    if asked.resume or (asked.game and NAME.fullmatch(asked.game.lower())):
        _resume(asked)
    elif asked.game is None:
        raise UsageError(f"say which game: evenmatch play GAME; choose one of {', '.join(GAMES)}")
    else:
        _begin(asked, get_game(asked.game))


# -- a new game ----------------------------------------------------------------------------------


def _begin(asked: PlayOptions, game: Game) -> None:
    """Play a new game."""
    side = None if asked.place is None else _side_of(game, asked.place)
    position, moves, begun = beginning(asked, game)
    profile = Profile()
    yours = _your_level(asked, game, profile)
    spec, note = _opponent(asked, game, yours)
    if side is None:
        side = (
            1
            if not position or asked.handicap
            else int(game.to_play(game.read_position(position)[None])[0])
        )
    clock = None if asked.time is None else read_clock(asked.time)
    saved = Saved(
        game=game.id,
        opponent=spec,
        side=side,
        seed=secrets.randbits(32) if asked.seed is None else asked.seed,
        person=asked.person or YOU,
        start=position,
        forgets=asked.forget,
        plays_on=asked.play_on,
        pace=asked.pace,
        clock=() if clock is None else _kept(clock, side),
    )
    with _busy(game):
        session = _session(profile, saved)
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
        _stranger(asked, game, yours),
        _acquaintance(profile, session, saved),
        note,
        _too_many(asked, game),
        _unfinished(profile, game, saved.person),
    ]
    _run(profile, session, asked, None, " ".join(filter(None, notes)), yours)


def _stranger(asked: PlayOptions, game: Game, yours: YourLevel | None) -> str:
    """Tell somebody of whom nothing is known how to say their level."""
    if yours is None or yours.known:
        return ""
    example = next(iter(WORDS[game_info(game.id).written].values()))
    name = "" if asked.person is None else f" --name {shlex.quote(asked.person)}"
    say = f"evenmatch play {game.id}{name} --i-am {example}"
    return f"Your level is not known yet; to say it: {say}, or --i-am beginner."


def _too_many(asked: PlayOptions, game: Game) -> str:
    """Tell that the handicap leaves the other side nothing to play for, if it does."""
    most = game_info(game.id).fair_handicap
    if asked.handicap is None or asked.handicap <= most:
        return ""
    return f"With more than {most} stones the network takes this game for lost, and may pass."


def _your_level(asked: PlayOptions, game: Game, profile: Profile) -> YourLevel | None:
    """Return who finds opponents at the person's level, None if the opponent was named."""
    options = {"--target": asked.target, "--i-am": asked.i_am}
    given = next((name for name, value in options.items() if value is not None), None)
    named = {"--opponent": asked.opponent, "--elo": asked.elo, "--rank": asked.rank}
    fixed = next((name for name, value in named.items() if value is not None), None)
    if given and fixed:
        raise UsageError(f"{given} and {fixed} both say how strong; keep one of them")
    info = game_info(game.id)
    if not has_levels(game.id):
        if given:
            raise UsageError(
                f"{given} needs ratings, which {game.title} does not have; {_remedy(info)}"
            )
        return None
    if fixed or (given is None and info.opponent == ADAPTS):
        return None
    person = asked.person or YOU
    target = checked_target(asked.target, info)
    if asked.i_am is not None:
        profile.levels.claim(person, game.id, rating_said(asked.i_am, info, "--i-am"))
    return YourLevel(profile, person, game.id, target, lambda: moves_done("judging your games"))


def _remedy(info: GameInfo) -> str:
    """Say how ratings of a game come to be known, if they can be."""
    can_be = info.rated is not None and not info.servers
    return f"measure them: evenmatch calibrate {info.game}" if can_be else "leave it out"


def _opponent(asked: PlayOptions, game: Game, yours: YourLevel | None = None) -> tuple[str, str]:
    """Return the spec of the opponent, and what to tell of it."""
    level = level_option(asked.elo, asked.rank)
    if yours is not None and (found := yours.opponent()) is not None:
        return found
    if level is None:
        spec = with_whole_paths(asked.opponent or game_info(game.id).opponent)
        return as_measured(game.id, spec)
    if asked.opponent is not None:
        raise UsageError(f"{level.option} and --opponent both say who plays; keep one of them")
    return player_at(level, game_info(game.id))


def _side_of(game: Game, place: str) -> int:
    """Return the side that moves first or second, or is called so; UsageError if none is."""
    names = SIDES | dict(zip((name.lower() for name in game.players), (1, -1), strict=True))
    if place.lower() not in names:
        raise UsageError(f"nobody in {game.id} is {quoted(place)}; choose {', '.join(names)}")
    return names[place.lower()]


def with_whole_paths(spec: str) -> str:
    """Return a spec whose network files are named in full, so that a game goes on anywhere."""
    name, _, rest = spec.partition(":")
    pairs = []
    for pair in rest.split(","):
        key, equals, text = pair.partition("=")
        if key.strip() == FILE and os.path.exists(text.strip()):
            text = os.path.abspath(text.strip())
        pairs.append(key + equals + text)
    return f"{name}:{','.join(pairs)}" if rest else spec


def _kept(clock: Clock, side: int) -> tuple[float, ...]:
    return clock.base, clock.increment, clock.left[side], clock.left[-side]


def _unfinished(profile: Profile, game: Game, person: str) -> str:
    """Say how many games of this kind the person could go on with."""
    try:
        kept = [one.saved for one in profile.games.unfinished()]
    except (StateError, OSError):
        return ""  # the first save will tell
    theirs = [x for x in kept if (x.game, x.person.casefold()) == (game.id, person.casefold())]
    if not theirs:
        return ""
    some = counted(len(theirs), "unfinished game")
    return f"You have {some} of {game.title}; to see: evenmatch play --saved"


def _acquaintance(profile: Profile, session: "Session", saved: Saved) -> str:
    """Say what the opponent remembers of the person, or is about to forget."""
    from evenmatch.app.game_words import name_of

    name, who = name_of(session), saved.person
    if saved.forgets:
        games = profile.memories.games_known(saved.game, saved.opponent, who)
        if games is None:
            return f"{name} remembers nothing of {who}."
        of = "what it learned" if not games else f"what it learned in {counted(games, 'game')}"
        return f"With your first move {name} forgets {of} with {who}."
    return f"{name} remembers {who} (--forget to start anew)." if session.recognised else ""


# -- an unfinished game --------------------------------------------------------------------------


def _resume(asked: PlayOptions) -> None:
    """Go on with an unfinished game: the one named, or the latest."""
    named = asked.game and NAME.fullmatch(asked.game.lower())
    wanted = None if asked.game is None else asked.game.lower() if named else None
    if asked.game is not None and not named:
        wanted = get_game(asked.game).id
    profile = Profile()
    kept, saved = profile.games.resume(wanted, "" if named else asked.person or YOU)
    try:
        _check_asked(saved, asked)
        if asked.pace is not None or asked.play_on:
            saved = replace(
                saved,
                pace=saved.pace if asked.pace is None else asked.pace,
                plays_on=saved.plays_on or asked.play_on,
            )
        with _busy(get_game(saved.game)):
            try:
                session = _session(profile, saved)
            except StateError:  # of what the opponent remembers
                raise
            except UsageError as error:
                raise unusable(kept.name, error) from error
            session.value()
    except BaseException:
        kept.leave()
        raise
    note = _gone_on_with(saved, kept.name, by_name=wanted == kept.name)
    again = PlayOptions(
        game=saved.game,
        opponent=saved.opponent,
        place=next(name for name, value in SIDES.items() if value == saved.side),
        person=None if saved.person == YOU else saved.person,
        pace=saved.pace,
        play_on=saved.plays_on,
    )
    known = _acquaintance(profile, session, saved)
    _run(profile, session, again, kept, f"{known} {note}".strip())


def _gone_on_with(saved: Saved, name: str, by_name: bool) -> str:
    """Say which game is gone on with, and whose it is if it is of a person with a name."""
    if saved.person != YOU:
        return f"You go on with {name}, {saved.person}'s game: its result is {saved.person}'s."
    return "" if by_name else f"You go on with {name}."


def _whose(person: str) -> str:
    """Say whose something is."""
    return "yours" if person == YOU else f"{person}'s"


def _check_asked(saved: Saved, asked: PlayOptions) -> None:
    """Refuse to resume a game other than the one asked for."""
    place = next(name for name, value in SIDES.items() if value == saved.side)
    side = None if asked.place is None else _side_of(get_game(saved.game), asked.place)
    opponent = None
    level = level_option(asked.elo, asked.rank)
    if asked.opponent is not None or level is not None:
        opponent = _opponent(asked, get_game(saved.game))[0]
    beginnings = {"--moves": asked.moves, "--fen": asked.fen, "--from": asked.source}
    begun = next((name for name, value in beginnings.items() if value), "--at")
    person = asked.person and asked.person.casefold()
    by = "--opponent" if level is None else level.option
    differs = (
        (opponent not in (None, saved.opponent), f"is against {saved.opponent}", by),
        (side not in (None, saved.side), f"has you move {place}", "--as"),
        (asked.seed not in (None, saved.seed), f"has the seed {saved.seed}", "--seed"),
        (begun != "--at" or asked.at is not None, "has its moves already", begun),
        (asked.time is not None, "has its clock already", "--time"),
        (asked.handicap is not None, "has its handicap already", "--handicap"),
        (asked.komi is not None, "has its komi already", "--komi"),
        (person not in (None, saved.person.casefold()), f"is {_whose(saved.person)}", "--name"),
        (asked.forget, "goes on with what was learned", "--forget"),
    )
    for wrong, what, option in differs:
        if wrong:
            raise UsageError(f"the unfinished game {what}; leave out {option}, or start a new game")


# -- both ----------------------------------------------------------------------------------------


@contextmanager
def _busy(game: Game) -> Iterator[None]:
    """Tell somebody who waits why."""
    out = console.errors()
    note = f"Compiling {game.title}: this takes a minute or two, the first time only."
    status = out.status("Setting up the board") if sys.stdin.isatty() else nullcontext()
    with compiling_told(lambda: out.print(note, style="dim")), status:
        yield


def _session(profile: Profile, saved: Saved) -> "Session":
    from evenmatch.sessions.session import Session

    return Session.resumed(saved, profile.memories)


def _run(
    profile: Profile,
    session: "Session",
    asked: PlayOptions,
    kept: KeptGame | None,
    note: str,
    yours: YourLevel | None = None,
) -> None:
    from evenmatch.frontends.terminal.terminal import TerminalGame

    TerminalGame(
        session, note, profile=profile, kept=kept, command=asked.command, yours=yours
    ).run()
