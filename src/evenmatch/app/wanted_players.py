"""Whose games are wanted, by name, and the names most like a wrong one."""

import difflib
import re

from evenmatch.errors import quoted
from evenmatch.estimation.running import RunningEstimates, folded

SUGGESTED = 3  # names


class Wanted:
    """Tells whose games are wanted, and remembers the names of the others."""

    def __init__(self, player: str | None):
        """``player`` is one name, or None if everybody is wanted."""
        self.player = player
        self._folded = None if player is None else folded(player)
        self._others: dict[str, str] = {}  # as the games spell them, by the folded name

    def __call__(self, name: str) -> bool:
        """Return whether a name is wanted: as it is or in another spelling of case and spaces."""
        if self._folded is None or folded(name) == self._folded:
            return True
        self._others.setdefault(folded(name), name)
        return False

    def nearest(self) -> list[str]:
        """Return the names most like the one that is wanted, at most ``SUGGESTED``.

        Those that have all words of it, in whatever order, come first.
        """
        assert self._folded is not None, "one player is wanted"
        words = set(_words(self._folded))
        same = [key for key in self._others if words and words <= set(_words(key))]
        like = difflib.get_close_matches(self._folded, self._others, SUGGESTED)
        return [self._others[key] for key in dict.fromkeys([*same, *like])][:SUGGESTED]

    def others(self) -> str:
        """Return names that are not wanted, the nearest in front, and how many more there are."""
        names = sorted(filter(None, self._others.values()), key=str.casefold)
        shown = list(dict.fromkeys([*self.nearest(), *names]))[:SUGGESTED]
        more = len(names) - len(shown)
        return ", ".join(map(quoted, shown)) + (f" and {more:,} more" if more else "")


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", name)


def nobody(wanted: Wanted, estimates: RunningEstimates) -> str:
    """Say why there is nobody to rate."""
    rated = "moves that were answered and that the player chose alone"
    if wanted.player is None:
        return f"no player can be rated; give games that name the players and have {rated}"
    if estimates.tallies:
        return f"{quoted(wanted.player)} cannot be rated; give games that have {rated}"
    near = [quoted(name) for name in wanted.nearest()]
    if not near:
        return f"no game of {quoted(wanted.player)}; write the name as the games do"
    names = near[0] if len(near) == 1 else f"{', '.join(near[:-1])} or {near[-1]}"
    return f"no game of {quoted(wanted.player)}; did you mean {names}?"
