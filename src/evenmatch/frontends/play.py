"""``evenmatch play``: from the options to a game in the terminal."""

import os
import re
import secrets
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from evenmatch.errors import SpecError, UsageError, quoted
from evenmatch.frontends import console, memory, saves
from evenmatch.frontends.saves import Saved
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.strength.fitted import PIKL_LEVELS

if TYPE_CHECKING:
    from evenmatch.frontends.session import Session

DEFAULT_OPPONENTS = {"chess": "pikl"}  #: by game; "even" for all others
FILE = "net"  #: the key of specs that names a file
RATED = {"chess": "pikl"}  #: by game, who plays at a rating
MOVE_NUMBER = re.compile(r"\d+\.+")  #: as chess games are written: 1. e4 e5 2. Nf3
SIDES = {"first": 1, "second": -1}
LOWEST, HIGHEST = min(PIKL_LEVELS), max(PIKL_LEVELS)  #: ratings to whose people pikl is set


def start(
    game_id: str,
    opponent: str | None,
    elo: float | None,
    place: str | None,
    seed: int | None,
    resume: bool,
    moves: str | None,
    person: str | None,
    forget: bool,
) -> None:
    """Play; None stands for what was not asked for. ``moves`` are those of both sides."""
    if sys.stdin is None:
        raise UsageError("standard input is closed; play in a terminal, or pipe moves in")
    game = get_game(game_id)
    game_id = game.id  # in lower case
    side = None if place is None else _side_of(game, place)
    note = ""
    if elo is not None:
        opponent = _of_rating(game_id, elo, opponent)
        if not LOWEST <= elo <= HIGHEST:
            note = f"Opponents are set to people of {LOWEST:g} to {HIGHEST:g}; {elo:g} is a guess."
    if person is not None and not person.strip():
        raise UsageError("a name has at least one letter; write --name NAME, or leave it out")
    if resume:
        saved = saves.read(game_id)
        asked_by = "--opponent" if elo is None else "--elo"
        _check_asked(saved, opponent, asked_by, side, seed, moves, person)
    else:
        saved = Saved(
            game=game_id,
            opponent=with_whole_paths(opponent or DEFAULT_OPPONENTS.get(game_id, "even")),
            side=side or 1,
            seed=secrets.randbits(32) if seed is None else seed,
            actions=(),
            person=person or saves.YOU,
        )
        if os.path.exists(saves.path_of(game_id)):  # False for a folder one may not enter
            unfinished = "An unfinished game is saved (--resume); your first move replaces it."
            note = f"{note} {unfinished}".strip()
    busy = console.errors().status("Setting up the board") if sys.stdin.isatty() else nullcontext()
    with busy:
        from evenmatch.frontends.terminal import TerminalGame

        session, told = _met(saved, resume, forget)
        note = f"{told} {note}".strip()
        for text in (moves or "").split():
            if not MOVE_NUMBER.fullmatch(text):
                session.push(game.read_action(session.state, text))
        session.given = 0 if resume else session.ply
        session.value()  # loads what the first screen needs
    TerminalGame(session, note, kept=resume).run()


def _side_of(game: Game, place: str) -> int:
    """Return the side that moves first or second, or is called so; UsageError if none is."""
    names = SIDES | dict(zip((name.lower() for name in game.players), (1, -1), strict=True))
    if place.lower() not in names:
        raise UsageError(f"nobody in {game.id} is {quoted(place)}; choose {', '.join(names)}")
    return names[place.lower()]


def _of_rating(game_id: str, elo: float, opponent: str | None) -> str:
    """Return the spec of an opponent of a rating; UsageError if there is none."""
    if opponent is not None:
        raise UsageError("--elo and --opponent both say who plays; keep one of them")
    if game_id not in RATED:
        raise UsageError(f"--elo is for {', '.join(RATED)}; even finds your level in {game_id}")
    return f"{RATED[game_id]}:elo={elo:g}"


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


def _met(saved: Saved, resume: bool, forget: bool) -> tuple["Session", str]:
    """Return the session, and what the opponent remembers or has forgotten."""
    from evenmatch.frontends.session import Session

    who = saved.person
    forgotten = forget and memory.forget(saved.game, saved.opponent, who)
    try:
        session = Session.resumed(saved)
    except SpecError as error:
        raise (saves.unusable(saved.game, error) if resume else error) from error
    if session.recognised:
        return session, f"{saved.opponent} remembers {who} (--forget to start anew)."
    if forgotten:
        return session, f"{saved.opponent} has forgotten {who}."
    return session, f"{saved.opponent} knew nothing of {who}." if forget else ""


def _check_asked(
    saved: Saved,
    opponent: str | None,
    asked_by: str,
    side: int | None,
    seed: int | None,
    moves: str | None,
    person: str | None,
) -> None:
    """Refuse to resume a game other than the one asked for; the opponent by the option named."""
    place = next(name for name, value in SIDES.items() if value == saved.side)
    differs = (
        (opponent not in (None, saved.opponent), f"is against {saved.opponent}", asked_by),
        (side not in (None, saved.side), f"has you move {place}", "--as"),
        (seed not in (None, saved.seed), f"has the seed {saved.seed}", "--seed"),
        (moves is not None, "has its moves already", "--moves"),
        (person not in (None, saved.person), f"is {saved.person}'s", "--name"),
    )
    for wrong, what, option in differs:
        if wrong:
            raise UsageError(f"the unfinished game {what}; leave out {option} or --resume")
