"""The position that a new game begins from, and the moves since, as options or a file tell."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from evenmatch.errors import UsageError, as_sentence
from evenmatch.games import GAMES
from evenmatch.games.area import AreaGame
from evenmatch.games.game import Game
from evenmatch.records.codec import codec_for
from evenmatch.records.record import Fault


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """What the options ask for; None stands for what was not said."""

    game: str | None  #: a game, or the name of an unfinished one
    opponent: str | None = None
    elo: float | None = None
    rank: str | None = None
    place: str | None = None  #: --as
    seed: int | None = None
    resume: bool = False
    moves: str | None = None  #: of both sides
    fen: str | None = None
    source: Path | None = None  #: --from
    at: int | None = None  #: how many of the moves
    person: str | None = None
    forget: bool = False
    time: str | None = None
    pace: float | None = None
    play_on: bool = False
    handicap: int | None = None
    komi: float | None = None
    target: float | None = None
    i_am: str | None = None

    @property
    def command(self) -> str:
        """The command line that asks for this."""
        options = {
            "--opponent": self.opponent,
            "--elo": None if self.elo is None else f"{self.elo:g}",
            "--rank": self.rank,
            "--i-am": self.i_am,
            "--as": self.place,
            "--seed": self.seed,
            "--moves": self.moves,
            "--fen": self.fen,
            "--handicap": self.handicap,
            "--komi": None if self.komi is None else f"{self.komi:g}",
            "--from": self.source,
            "--at": self.at,
            "--name": self.person,
            "--time": self.time,
            "--target": None if self.target is None else f"{self.target:g}",
            "--pace": None if self.pace is None else f"{self.pace:g}",
        }
        words = ["evenmatch", "play", self.game or ""]
        for name, value in options.items():
            words += [] if value is None else [name, str(value)]
        words += ["--forget"] * self.forget + ["--play-on"] * self.play_on
        return shlex.join(words)


def beginning(asked: PlayOptions, game: Game) -> tuple[str, list[str], str]:
    """Return the position a game begins from, empty for the usual one, and the moves since.

    And a note on what was passed over in the text of them.
    """
    position, moves, faults = _told(asked, game)
    said = position or asked.fen is not None
    position, notes = game.position_text(position) if said else ("", ())
    note = " ".join([*map(as_sentence, notes), *(as_sentence(str(fault)) for fault in faults)])
    if asked.at is None:
        return position, moves, note
    if asked.at > len(moves):
        more = "" if moves else "; give some with --from or --moves"
        raise UsageError(f"--at {asked.at} is too late: there are {len(moves)} moves{more}")
    return position, moves[: asked.at], note


def _told(asked: PlayOptions, game: Game) -> tuple[str, list[str], list[Fault]]:
    """Return the position and the moves that options or a file give, and what was passed over."""
    given = {"--moves": asked.moves, "--fen": asked.fen, "--from": asked.source}
    named = [name for name, value in given.items() if value is not None]
    begun = _rules_asked(asked, game)
    if "--from" in named and len(named) > 1:
        raise UsageError(f"--from and {named[0]} both say where to begin; keep one of them")
    if asked.source is not None:
        position, moves, faults = from_file(game, asked.source)
        rules = {"--handicap": asked.handicap, "--komi": asked.komi}
        for option in (name for name, value in rules.items() if position and value is not None):
            raise UsageError(f"--from and {option} both say how to begin; keep one of them")
        return position or begun, moves, faults
    return asked.fen or begun, codec_for(game.id).words(asked.moves or ""), []


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
