"""Games that a person played elsewhere, taken into a profile."""

import datetime
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenmatch.app.estimate_reader import Wanted, rater, what_was_passed_over
from evenmatch.errors import RecordError, counted, quoted
from evenmatch.games.catalog import CATALOG, RatingSource, game_info, game_of_files
from evenmatch.games.line import HINT, OWN
from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, Profile
from evenmatch.profiles.export import moment_of
from evenmatch.profiles.saved_game import RecordMetadata
from evenmatch.records.codec import codec_for
from evenmatch.records.record import Fault, GameRecord, Reason, Speed


def add_games(
    profile: Profile,
    person: str,
    files: Sequence[tuple[Path, Sequence[str]]],
    player: str,
    where: str,
    most: int | None = None,
) -> list[str]:
    """Add a player's games of files to a person's; return notes, the last on how many were added.

    Each file comes with the games that its records may be of. RecordError if there are none of that
    player, which says to check ``where`` the name was given; UsageError if more than ``most`` are
    new.
    """
    faults: list[Fault] = []
    found: list[tuple[str, Finished]] = []
    taken: list[GameRecord] = []
    wanted = Wanted(player)
    unfinished = 0
    for record in (one for path, kinds in files for one in _read(path, kinds, faults)):
        theirs = [wanted(side) for side in record.players]
        unfinished += any(theirs) and record.result is None
        if any(theirs) and record.result is not None:
            taken.append(record)
            found.append((_key(record), _finished(record, theirs.index(True), person)))
    if not found:
        others = wanted.others()
        known = f"; {counted(unfinished, 'game')} without a result" if unfinished else ""
        known += f"; the files have games of {others}" if others else ""
        if skipped := [fault for fault in faults if not fault.keeps_game]:
            known += f"; {counted(len(skipped), 'game')} could not be read: {skipped[0]}"
        raise RecordError(f"no finished game of {quoted(player)}{known}; check {where}")
    notes = []
    slow = [record for record in taken if not _has_speed(record)]
    if slow and (source := _source(slow[0].game)):
        notes.append(
            f"Levels are for {source.speed} games. "
            f"{counted(len(slow), 'game')} of another speed: the moves count, the results do not."
        )
    added = profile.games.add(found, most)
    notes += what_was_passed_over(faults)
    if unfinished:
        notes.append(f"Skipped {counted(unfinished, 'game')} without a result.")
    if undated := sum(moment_of(record.known_date) is None for record in taken):
        notes.append(f"{counted(undated, 'game')} without a date, counted as played today.")
    if added.completed:
        notes.append(f"Updated the details of {counted(added.completed, 'game')}.")
    if added.turned:
        games = counted(added.turned, "game")
        notes.append(f"You are {quoted(player)} now in {games} that you had already.")
    if again := len(found) - sum(added):
        notes.append(f"Skipped {counted(again, 'game')} that you have already.")
    return [*notes, f"Added {counted(added.new, 'game')}."]


def kinds_of(path: Path) -> list[str]:
    """Return the games that a file's records may be of, by its name; otherwise chess."""
    known = game_info(game_of_files([path]) or "chess")
    others = [one.game for one in CATALOG.values() if known.codec and one.codec == known.codec]
    return [known.game, *(game for game in others if game != known.game)]


def _read(path: Path, kinds: Sequence[str], faults: list[Fault]) -> Iterator[GameRecord]:
    """Yield the records of a file that are of one of some games; note those that cannot be read.

    A board of another size is a fault only where no game of them has it.
    """
    sized: dict[tuple[str, int], list[Fault]] = {}
    others: dict[tuple[str, int], Fault] = {}

    def missed(fault: Fault) -> None:
        at = fault.source, fault.line
        if fault.reason is Reason.other_size:
            sized.setdefault(at, []).append(fault)
        else:
            others[at] = fault

    for kind in kinds:
        yield from codec_for(kind).games(path, missed)
    unknown = [of[0] for of in sized.values() if len(of) == len(kinds)]
    faults += sorted([*others.values(), *unknown], key=lambda fault: (fault.source, fault.line))


def _key(record: GameRecord) -> str:
    """Return what a game is known by, to take it in once: from one side alone."""
    facts = (record.game, record.players, record.year, record.event, record.start, record.result)
    return hashlib.sha256(repr(facts).encode() + record.moves.tobytes()).hexdigest()[:32]


def _is_of_scale(record: GameRecord) -> bool:
    """Return whether a game's ratings are on the scale of levels."""
    source = _source(record.game)
    return source is not None and rater(record) in source.servers and _has_speed(record)


def _has_speed(record: GameRecord) -> bool:
    """Return whether a game is of the speed of the scale of levels, as far as is known."""
    source = _source(record.game)
    speed = source.speed if source else ""
    return not speed or record.speed.name in (speed, Speed.unknown.name)


def _source(game: str) -> RatingSource | None:
    """Return the source of the ratings that a game's levels are on; None if there is none."""
    return next(iter(game_info(game).sources), None)


def _finished(record: GameRecord, number: int, person: str) -> Finished:
    """Return a game as the player of that number in the record's pairs played it."""
    other = 1 - number
    assert record.result is not None, "finished games alone are taken in"
    when = (moment_of(record.known_date) or datetime.datetime.now()).timestamp()
    codec = codec_for(record.game)
    states = codec.played(record.moves, record.start)
    first = int(codec.game.to_play(states[:1])[0])  # -1 where White has given a handicap
    side = (first, -first)[number]
    saved = Saved(
        game=record.game,
        opponent=record.players[other] or "somebody",
        side=side,
        seed=0,
        actions=tuple(codec.actions(states[:-1], record.moves).tolist()),
        marks=() if record.aided is None else tuple(HINT if x else OWN for x in record.aided),
        person=person,
        start=record.start,
    )
    level = record.ratings[other] if _is_of_scale(record) else None
    outcome = Outcome(record.result * side, "", level)
    return Finished(
        saved=saved,
        outcome=outcome,
        begun=when,
        ended=when,
        metadata=RecordMetadata.of(record, first),
    )
