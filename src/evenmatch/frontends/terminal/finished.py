"""Finished games, kept for other programs: chess as PGN, which is rated too, and Go as SGF."""

import datetime
import os
from pathlib import Path
from typing import cast

from evenmatch.domains import domain_of
from evenmatch.frontends.terminal.screen import who_plays
from evenmatch.games.go import Go
from evenmatch.players import parse_spec
from evenmatch.profiles.folder import THEIRS_ALONE, folder
from evenmatch.ratings.scale import SCALES
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.go.game_text import result_text, write_sgf
from evenmatch.records.go.recording import recorded
from evenmatch.sessions.saved import YOU
from evenmatch.sessions.session import End, Session

SGF_ENDS = {End.YOU_RESIGNED: "R", End.OPPONENT_RESIGNED: "R"}
SGF_ENDS |= {End.YOUR_TIME: "T", End.OPPONENTS_TIME: "T"}


def path(game_id: str) -> Path:
    """Return the file of all games of a kind."""
    return folder() / f"games.{domain_of(game_id).notation}"


def keep(session: Session) -> Path | None:
    """Add a finished game to the file, and return that; None for a game that has no notation.

    Nothing is kept where the person did not move. Raises OSError if the file cannot be written.
    """
    notation = domain_of(session.game.id).notation
    if not notation or not session.begun:
        return None
    write = {"pgn": pgn_of, "sgf": sgf_of}[notation]
    text, file = write(session, datetime.datetime.now().date()), path(session.game.id)
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, THEIRS_ALONE)
    with os.fdopen(descriptor, "a", encoding="utf-8") as out:
        out.write(text)  # one write of one game: two programs do not mix theirs
        out.flush()
        os.fsync(descriptor)
    return file


def pgn_of(session: Session, day: datetime.date) -> str:
    """Return a game in PGN, with an empty line after it."""
    white, black = _names(session)
    white_elo, black_elo = _ratings(session)
    tags = {
        "Event": "evenmatch",
        "Date": day.strftime("%Y.%m.%d"),
        "White": white,
        "Black": black,
        "WhiteElo": white_elo or "?",
        "BlackElo": black_elo or "?",
    }
    if session.clock is not None:
        tags["TimeControl"] = session.clock.control
    if session.end is not None:
        tags["Termination"] = session.end.value[1]
    moves = [session.text(ply) for ply in range(session.ply)]
    result = session.result * session.side
    return pgn_text(tags, moves, result, marks=session.marks, fen=session.start or None)


def sgf_of(session: Session, day: datetime.date) -> str:
    """Return a game in SGF, with an empty line after it; its result is the score agreed on."""
    clock, score = session.clock, session.score()
    assert score is not None, "a game of Go has a score"
    by = abs(score.lead) if session.end is None else SGF_ENDS[session.end]
    game = recorded(
        cast(Go, session.game),
        session.states[0],
        session.actions,
        result=result_text(session.result * session.side, by),
        players=_names(session),
        ranks=_ratings(session),
        date=day.isoformat(),
        event="evenmatch",
        time="" if clock is None else f"{clock.base:g}",
        overtime="" if clock is None or not clock.increment else f"{clock.increment:g} fischer",
    )
    return f"{write_sgf(game, marks=session.marks)}\n"


def _names(session: Session) -> tuple[str, str]:
    """Return the names of who moves first by the rules, and of the other."""
    person = "You" if session.person in (None, YOU) else str(session.person)
    person = "".join(letter if letter.isprintable() else " " for letter in person)
    name = who_plays(session.opponent)
    ours = name == parse_spec(session.opponent)[0]
    return _by_side(session, person, f"evenmatch {name}" if ours else name)


def _ratings(session: Session) -> tuple[str, str]:
    """Return their ratings as the game's records have them, empty if unknown."""
    if session.rating is None:
        return "", ""
    return _by_side(session, "", SCALES[domain_of(session.game.id).written].write(session.rating))


def _by_side(session: Session, mine: str, theirs: str) -> tuple[str, str]:
    return (mine, theirs) if session.side > 0 else (theirs, mine)
