"""Games of SGF files to go on from, and the game in progress as SGF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.gtp.go_rules import GoForm
from evenmatch.frontends.gtp.protocol import GtpError
from evenmatch.frontends.gtp.record import Record
from evenmatch.records.go.game_text import SgfGame, write_sgf
from evenmatch.records.go.recording import recorded
from evenmatch.records.go.sgf import first_game
from evenmatch.sessions.game_line import GameLine


def loaded(form: GoForm, path: Path, most: int | None = None) -> Record:
    """Return the first game of a file, ``most`` moves of it; GtpError if it cannot be played."""
    try:
        game = first_game(path)
        return _played(form, game, game.moves[:most] if most is not None else game.moves)
    except (EvenmatchError, GtpError) as error:
        raise GtpError(f"cannot load file: {error}") from None


def _played(form: GoForm, game: SgfGame, moves: tuple[tuple[int, int], ...]) -> Record:
    sized = form.sized(game.size)
    sized.setup = replace(sized.setup, komi=game.komi)
    line = sized.begun(game.black, game.white, to_play=game.to_move, handicap=game.handicap)
    record = Record(sized, line)
    for number, (side, action) in enumerate(moves, start=1):
        before = record.turned(side)
        if before.side != side or action not in before.legal:
            raise GtpError(f"move {number} is illegal")
        record.push(before, action)
    return record


def written(form: GoForm, line: GameLine, result: str) -> str:
    """Return a game as SGF; ``result`` is what `Form.score` says, empty while the game goes on."""
    result = "Draw" if result == "0" else result
    return write_sgf(recorded(form.go, line.states[0], line.actions, result=result))
