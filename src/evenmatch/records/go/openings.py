"""How games of Go begin: the start of each as the properties of an SGF root.

Handicap stones are set up (AB), or are Black's first moves in a row, as Fox and OGS have them; both
become stones of the start. Where a file names no komi it is that of the game, or half a point where
stones are given.
"""

import numpy as np

from evenmatch.games.go.rule_sets import bonus_of, rules_of
from evenmatch.games.go.setup import HANDICAP_KOMI, setup_text
from evenmatch.records.go.sgf import SgfBatch
from evenmatch.records.go.tokens import Prop
from evenmatch.records.go.values import handicap_of, komi_of, to_play_of
from evenmatch.records.record import Reason


class Openings:
    """The starts of the games of a batch. G games."""

    def __init__(self, text: SgfBatch):
        """Games whose handicap stones are nowhere get a reason."""
        self._text = text
        self.begins = text.first[:-1].copy()  #: [G] the first move behind handicap stones
        self.ends = text.first[1:]  #: [G] behind the last move
        self._rules = text.values(Prop.RU, rules_of)
        self._komi = text.values(Prop.KM, komi_of)
        self._stones = text.values(Prop.HA, handicap_of)
        self._told = text.values(Prop.PL, to_play_of)
        free = self._free_handicap()
        has_setup = np.diff(text.tokens.setup_first[: text.count + 1]) > 0
        self.texts = [
            self._start(game, free.get(game, ()), bool(has_setup[game]))
            for game in range(text.count)
        ]  #: [G]

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
            if len(set(points)) == count and max(points) < sizes[game] ** 2:
                free[game] = tuple(sorted(points))
                self.begins[game] += count
        return free

    def _start(self, game: int, free: tuple[int, ...], has_setup: bool) -> str:
        """Return a game's start as text."""
        text, size = self._text, int(self._text.sizes[game])
        black, white = (text.setup(game) if has_setup else None) or ((), ())
        black = tuple(sorted({*black, *free}))
        stones = self._stones[game] or len(free)
        if stones > 1 and not black:
            text.fail(game, Reason.no_stones, Prop.HA)
        komi = self._komi[game]
        if komi is None or komi != komi:  # not told
            komi = HANDICAP_KOMI if stones > 1 else None
        return setup_text(
            size,
            komi=komi,
            rules=self._rules[game],
            handicap=stones if stones > 1 or bonus_of(self._rules[game], stones) else 0,
            black=black,
            white=white,
            to_play=self._to_play(game, stones > 1) or (1 if black else 0),
        )

    def _to_play(self, game: int, handicap: bool) -> int:
        """Return -1 if White moves first, else 0; without moves by what the root tells."""
        first = int(self.begins[game])
        if first < self.ends[game]:
            side = int(self._text.sides[first])
        else:
            side = self._told[game] or (-1 if handicap else 1)
        return min(side, 0)
