"""The position at the end of a whole game of Go, as the start of another game."""

from __future__ import annotations

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.games.game import States
from evenmatch.games.go import Go
from evenmatch.games.go.rule_sets import bonus_of, rules_of
from evenmatch.games.go.setup import HANDICAP_KOMI, setup_text
from evenmatch.games.go.text import point_text
from evenmatch.records.go.game_text import SgfGame


def end_text(game: Go, record: SgfGame) -> str:
    """Return the position at the end of a record's main line, as `Go.read_position` reads it.

    It has the komi of the record, and what White gets there for handicap stones. A ko that the
    last move began is forgotten: the position has no past. UsageError or
    RecordError says what is wrong with the record, or does not fit the game.
    """
    if record.size != game.size:
        raise UsageError(
            f"that record has a board of {record.size}x{record.size}, and this game one of "
            f"{game.size}x{game.size}; choose the other game, or paste another record"
        )
    _require_handicap(record)
    state, to_play = _played(game, record)
    return _text(game, record, state, to_play)


def _require_handicap(record: SgfGame) -> None:
    """Raise UsageError where handicap stones are told and lie nowhere."""
    free = [side for side, _ in record.moves[:2]] == [1, 1]
    if record.handicap > 1 and not record.black and not free:
        raise UsageError(
            f"the record tells of {record.handicap} handicap stones (HA) and places none (AB); "
            "add them, or leave out HA"
        )


def _played(game: Go, record: SgfGame) -> tuple[States, int]:
    """Return the position [1, S] behind the moves of a record, and who is to move there."""
    begun = game.start(black=record.black, white=record.white, to_play=record.to_move)
    state, to_play = begun[None], record.to_move
    for number, (side, action) in enumerate(record.moves, start=1):
        to_play = -side
        if action == game.points:  # a pass, which leaves the stones as they are
            continue
        if game.to_play(state)[0] != side or not _is_legal(game, state, action):
            state = _anew(game, state, side)  # other rules repeat positions
        if not _is_legal(game, state, action):
            raise UsageError(
                f"move {number} of the record, {point_text(action, game.size)}, is not legal; "
                "correct it, or paste the position alone"
            )
        state = game.after(state, np.array([action]))
    return state, to_play


def _is_legal(game: Go, state: States, action: int) -> bool:
    return action in game.legal_actions(state)[0]


def _anew(game: Go, state: States, side: int) -> States:
    """Return a position [1, S] without its past, and with ``side`` to move."""
    black, white = _stones(game, state)
    return game.start(black=black, white=white, to_play=side)[None]


def _stones(game: Go, state: States) -> tuple[list[int], list[int]]:
    """Return the points of Black's stones and White's in a position [1, S]."""
    stones = game.stones(state)[0]
    return (stones > 0).nonzero()[0].tolist(), (stones < 0).nonzero()[0].tolist()


def _text(game: Go, record: SgfGame, state: States, to_play: int) -> str:
    black, white = _stones(game, state)
    rules, stones = rules_of(record.rules), record.handicap
    given = stones if bonus_of(rules, stones) else 0
    komi = HANDICAP_KOMI if record.komi is None and stones > 1 else record.komi
    return setup_text(
        game.size,
        komi=komi,
        rules=rules if given else "",
        handicap=given,
        black=black,
        white=white,
        to_play=to_play,
    )
