"""The sequential Elo of Fujita 2022 ("AlphaDDA", PeerJ Comput. Sci. 8:e1123), eqs. 16 and 17.

    e'(A) = e(A) + K (N_win - N_G p(A defeats B)),      K = 8, every player starting at 1500

The paper's Table 4 is the end of 50 round-robin tournaments. This module updates all players at
once after each tournament, from the ratings before it, summing eq. 17 over A's opponents: so the
order of the games within a tournament does not matter, the order of the tournaments does, and the
total of the ratings is kept (it is, to 0.04 %, in Table 4). The paper does not say how many games a
pair plays in a tournament; two, one with each side, fits the spread of Table 4 best.

Two choices are ours. `N_win` counts a draw as half a win, which the paper leaves open: counting
wins alone would take rating from both players of every draw. `fixed` players keep their rating
while others are rated against them, as the paper does for its Figs. 3 and 4.

Not done: error bars. K = 8 forgets slowly and the end still leans on the start, so use
`BradleyTerry` for measuring and this for reproducing the paper.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from evenmatch.errors import UsageError
from evenmatch.ratings import PairingScore, expected_score


@dataclass(frozen=True, kw_only=True)
class SequentialElo:
    """Settings of the sequential Elo.

    k: the paper's K, in Elo points per game; positive.
    initial: rating of a player not rated before, in Elo.
    fixed: names of players whose rating never changes.
    """

    k: float = 8.0
    initial: float = 1500.0
    fixed: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.k > 0:
            raise UsageError(f"k is a positive number of Elo points, not {self.k}")
        if isinstance(self.fixed, str):
            raise UsageError(f"fixed is a set of names: write {{{self.fixed!r}}}")

    def update(
        self, ratings: Mapping[str, float], pairings: Iterable[PairingScore]
    ) -> dict[str, float]:
        """Ratings (name -> Elo) after one tournament, from those before it: eq. 17 once.

        Players of `pairings` that `ratings` lacks start at `initial`; `ratings` is left unchanged.
        """
        games = list(pairings)
        before = dict(ratings)
        for pairing in games:
            before.setdefault(pairing.first, self.initial)
            before.setdefault(pairing.second, self.initial)
        after = dict(before)
        for pairing in games:
            gain = self.k * _surplus(before, pairing)
            after[pairing.first] += gain
            after[pairing.second] -= gain
        return {name: before[name] if name in self.fixed else after[name] for name in after}

    def run(
        self,
        tournaments: Iterable[Iterable[PairingScore]],
        ratings: Mapping[str, float] | None = None,
    ) -> list[dict[str, float]]:
        """Ratings after each tournament in turn; the last entry is the paper's Table 4.

        `ratings` are those before the first tournament; without it everyone starts at `initial`.
        """
        history: list[dict[str, float]] = []
        current = dict(ratings or {})
        for pairings in tournaments:
            current = self.update(current, pairings)
            history.append(current)
        return history


def _surplus(ratings: Mapping[str, float], pairing: PairingScore) -> float:
    """Points the first player won beyond those expected: `N_win - N_G p` of eq. 17."""
    p = expected_score(ratings[pairing.first] - ratings[pairing.second])
    return pairing.score.points - pairing.score.games * p
