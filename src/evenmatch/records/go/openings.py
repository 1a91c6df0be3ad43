"""How games of Go begin, and whose turn it is: the start of each, and its moves one by one in turn.

A start is text, the properties of an SGF root. Handicap stones are set up (AB), or are Black's
first moves in a row, as Fox and OGS have them; both become stones of the start. Where a file names
no komi it is that of the game, or half a point where stones are given.

Two moves of a colour in a row have a pass between them that nobody wrote. It ends nothing: a pass
that was written beside it falls away with it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.go.text import HANDICAP_KOMI, bonus_of, rules_of, setup_text
from evenmatch.records.go.sgf import SgfBatch
from evenmatch.records.go.tokens import Prop
from evenmatch.records.go.values import handicap_of, komi_of, to_play_of
from evenmatch.records.record import Reason


class Turn(NamedTuple):
    """A move in its turn."""

    action: int
    place: int  #: of the move, or of the one that a pass comes before
    implied: bool  #: whether it is a pass that nobody wrote


def in_turn(
    sides: Sequence[int],
    actions: Sequence[int],
    places: Sequence[int],
    passing: int,
    *,
    resumes: bool = False,
) -> list[Turn]:
    """Return moves with the passes between two of a side; ``passing`` is the action of a pass.

    With ``resumes``, two passes before a stone fall away: the players resumed the game.
    """
    turns: list[Turn] = []
    due = sides[0] if len(sides) else 0
    for at, (side, action, place) in enumerate(zip(sides, actions, places, strict=True)):
        if action == passing:
            if side != due or (at + 1 < len(sides) and sides[at + 1] == side):
                continue
        elif side != due:
            turns.append(Turn(passing, place, True))
        elif resumes and [turn.action for turn in turns[-2:]] == [passing, passing]:
            del turns[-2:]
        turns.append(Turn(action, place, False))
        due = -side
    return turns


class Openings:
    """The starts of the games of a batch, and their moves behind them. G games."""

    def __init__(self, text: SgfBatch):
        """Games whose handicap stones are nowhere get a reason."""
        self._text = text
        self.begins = text.first[:-1].copy()  #: [G] the first move behind handicap stones
        self.ends = text.first[1:].copy()  #: [G] behind the last move
        self._rules = text.values(Prop.RU, rules_of)
        self._komi = text.values(Prop.KM, komi_of)
        self._stones = text.values(Prop.HA, handicap_of)
        self._told = text.values(Prop.PL, to_play_of)
        self._has_setup = np.diff(text.tokens.setup_first[: text.count + 1]) > 0
        self.free = self._free_handicap()  #: Black's first moves in a row, as points, by game
        self._require_stones()
        self.texts = [self._start(game) for game in range(text.count)]  #: [G]
        self.actions, self.places = self._moves()  #: [M] or more, of all games

    def _free_handicap(self) -> dict[int, tuple[int, ...]]:
        """Return Black's first moves in a row, where they are several, by game; pass over them."""
        sides, actions, sizes = self._text.sides, self._text.actions, self._text.sizes
        several = np.flatnonzero(self.ends - self.begins > 1)
        at = self.begins[several]
        several = several[(sides[at] == 1) & (sides[at + 1] == 1)]
        free = {}
        for game in several.tolist():
            begin, end = int(self.begins[game]), int(self.ends[game])
            white = np.flatnonzero(sides[begin:end] < 0)
            count = int(white[0]) if len(white) else end - begin
            points = actions[begin : begin + count].tolist()
            placed = len(set(points)) == count and max(points) < sizes[game] ** 2
            if placed and not self.stones(game)[1]:  # which Black could capture
                free[game] = tuple(points)
                self.begins[game] += count
        return free

    def stones(self, game: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the points of Black's stones and White's that are set up before the first move."""
        return (self._text.setup(game) if self._has_setup[game] else None) or ((), ())

    def _require_stones(self) -> None:
        """Give a reason to games whose handicap stones are nowhere."""
        for game, stones in enumerate(self._stones):
            if stones and stones > 1 and game not in self.free and not self.stones(game)[0]:
                self._text.fail(game, Reason.no_stones, Prop.HA)

    def _start(self, game: int) -> str:
        """Return a game's start as text."""
        black, white = self.stones(game)
        first = int(self.begins[game])
        side = int(self._text.sides[first]) if first < self.ends[game] else self.due(game)
        return self.text(game, sorted({*black, *self.free.get(game, ())}), white, side)

    def given(self, game: int) -> int:
        """Return how many handicap stones Black has."""
        return self._stones[game] or len(self.free.get(game, ()))

    def due(self, game: int) -> int:
        """Return the side to move in a game without moves, by the properties of its root."""
        return self._told[game] or (-1 if self.given(game) > 1 else 1)

    def text(self, game: int, black: Sequence[int], white: Sequence[int], side: int) -> str:
        """Return the start of a game that has these stones, with a ``side`` to move, as text."""
        stones, komi = self.given(game), self._komi[game]
        if komi is None or komi != komi:  # not told
            komi = HANDICAP_KOMI if stones > 1 else None
        return setup_text(
            int(self._text.sizes[game]),
            komi=komi,
            rules=self._rules[game],
            handicap=stones if stones > 1 or bonus_of(self._rules[game], stones) else 0,
            black=black,
            white=white,
            to_play=-1 if side < 0 else (1 if black else 0),
        )

    def _moves(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the actions and places of all moves, those of games out of turn put in turn."""
        text = self._text
        actions, places = text.actions, text.tokens.places[: text.first[-1]]
        again = np.flatnonzero(text.sides[1:] == text.sides[:-1]) + 1
        games = np.searchsorted(text.first, again, side="right") - 1
        more: list[Turn] = []
        for game in np.unique(games[again > self.begins[games]]).tolist():
            part = slice(self.begins[game], self.ends[game])
            turns = in_turn(
                text.sides[part].tolist(), actions[part].tolist(), places[part].tolist(),
                int(text.sizes[game]) ** 2,
            )  # fmt: skip
            self.begins[game] = len(actions) + len(more)
            more += turns
            self.ends[game] = len(actions) + len(more)
        if not more:
            return actions, places
        return (
            np.append(actions, np.array([turn.action for turn in more], np.int32)),
            np.append(places, np.array([turn.place for turn in more], np.int32)),
        )
