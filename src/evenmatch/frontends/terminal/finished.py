"""Finished games of chess, kept as PGN, for other programs and for ``evenmatch estimate``."""

import datetime
import os
from pathlib import Path

from evenmatch.domains import domain_of
from evenmatch.frontends.terminal.saves import THEIRS_ALONE, folder
from evenmatch.players import parse_spec
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.sessions.saved import YOU
from evenmatch.sessions.session import Session


def path() -> Path:
    """Return the file of all games."""
    return folder() / "games.pgn"


def keep(session: Session) -> Path | None:
    """Add a finished game to the file, and return that; None for a game that has no PGN.

    Nothing is kept where the person did not move. Raises OSError if the file cannot be written.
    """
    if not domain_of(session.game.id).pgn or not session.begun:
        return None
    text, file = pgn_of(session, datetime.datetime.now().date()), path()
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, THEIRS_ALONE)
    with os.fdopen(descriptor, "a", encoding="utf-8") as out:
        out.write(text)  # one write of one game: two programs do not mix theirs
        out.flush()
        os.fsync(descriptor)
    return file


def pgn_of(session: Session, day: datetime.date) -> str:
    """Return a game in PGN, with an empty line after it."""
    name = parse_spec(session.opponent)[0]
    person = "You" if session.person in (None, YOU) else str(session.person)
    person = "".join(letter if letter.isprintable() else " " for letter in person)
    names = [person, f"evenmatch {name}"]
    ratings = ["?", "?" if session.rating is None else f"{session.rating:g}"]
    white, black = (0, 1) if session.side > 0 else (1, 0)
    tags = {
        "Event": "evenmatch",
        "Date": day.strftime("%Y.%m.%d"),
        "White": names[white],
        "Black": names[black],
        "WhiteElo": ratings[white],
        "BlackElo": ratings[black],
    }
    if session.clock is not None:
        tags["TimeControl"] = session.clock.control
    if session.end is not None:
        tags["Termination"] = session.end.value[1]
    moves = [session.text(ply) for ply in range(session.ply)]
    result = session.result * session.side
    return pgn_text(tags, moves, result, marks=session.marks, fen=session.start or None)
