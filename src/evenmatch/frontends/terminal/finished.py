"""Finished games, kept for other programs: chess as PGN, which is rated too, and Go as SGF."""

import os
import time
from pathlib import Path

from evenmatch.files import state_folder
from evenmatch.games.catalog import game_info
from evenmatch.profiles import Finished, Outcome
from evenmatch.profiles.database import OWNER_ONLY
from evenmatch.profiles.export import text_of
from evenmatch.sessions.session import Session


def path(game_id: str) -> Path:
    """Return the file of all games of a kind."""
    return state_folder() / f"games.{game_info(game_id).notation}"


def keep(session: Session) -> Path | None:
    """Add a finished game to the file, and return that; None for a game that has no notation.

    Nothing is kept where the person did not move. Raises OSError if the file cannot be written.
    """
    if not game_info(session.game.id).notation or not session.begun:
        return None
    text, file = text_of(finished_of(session, time.time())), path(session.game.id)
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_ONLY)
    with os.fdopen(descriptor, "a", encoding="utf-8") as out:
        out.write(text)  # one write of one game: two programs do not mix theirs
        out.flush()
        os.fsync(descriptor)
    return file


def finished_of(session: Session, when: float) -> Finished:
    """Return a game that ended at a time, in seconds since 1970."""
    return Finished(saved=session.saved, outcome=Outcome.of(session), begun=when, ended=when)
