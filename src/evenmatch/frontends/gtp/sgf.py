"""Games of SGF files to go on from, and the game in progress as SGF."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.gtp.go_rules import GoForm
from evenmatch.frontends.gtp.protocol import BLACK, GtpError
from evenmatch.frontends.gtp.record import Record
from evenmatch.frontends.gtp.settings import NAMED_RULES
from evenmatch.games.go.setup import properties, read_setup
from evenmatch.records.go.codec import GoCodec
from evenmatch.records.go.game_text import write_sgf
from evenmatch.records.go.recording import recorded
from evenmatch.records.go.sgf import first_size
from evenmatch.sessions.game_line import GameLine


def loaded(form: GoForm, path: Path, most: int | None = None) -> Record:
    """Return the first game of a file, ``most`` moves of it; GtpError if it cannot be played.

    What was passed over is written to standard error, one line each.
    """
    try:
        sized = form.sized(first_size(path))
        found = GoCodec(sized.go).first_of(path, most)
        record = _played(sized, found.record.start, found.record.moves.tolist(), found.implied)
    except (EvenmatchError, GtpError) as error:
        raise GtpError(f"cannot load file: {error}") from None
    for fault in found.faults:
        print(fault, file=sys.stderr)
    return record


def _played(form: GoForm, start: str, moves: Sequence[int], implied: Sequence[bool]) -> Record:
    """Return a game from its start; a pass that nobody wrote is taken back with the next move."""
    told, stones = properties(start), read_setup(start, form.go.size)
    rules = told.get("RU", [""])[0]
    bonus = NAMED_RULES.get(rules, "0") if rules else form.setup.bonus
    form.setup = replace(form.setup, komi=stones.get("komi"), bonus=bonus)
    line = form.begun(
        stones.get("black", ()),
        stones.get("white", ()),
        to_play=stones.get("to_play", BLACK),
        handicap=int(told.get("HA", ["0"])[0]),
    )
    record = Record(form, line)
    side = line.side
    for action, is_implied in zip(moves, implied, strict=True):
        if not is_implied:
            record.push(record.turned(side), action)
        side = -side
    return record


def written(form: GoForm, line: GameLine, result: str) -> str:
    """Return a game as SGF; ``result`` is what `Form.score` says, empty while the game goes on."""
    result = "Draw" if result == "0" else result
    return write_sgf(recorded(form.go, line.states[0], line.actions, result=result))
