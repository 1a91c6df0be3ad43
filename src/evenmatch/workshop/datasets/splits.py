"""Players divided into those to train on, to tune by, to compare with, and to be judged by.

A split belongs to a *side*, one player's half of a game: the same player is never in two splits.
Where the two players of a game are in different splits the game is in both, each time for its
own side alone: its moves and rating are learned from in one, judged by in the other. Leaving
such games out would leave out most (with 75/5/10/10 a query player meets a query player once in
ten games), and the rarer the players, the more. What remains shared is the opponent's moves as
part of the positions; ``Dataset.select(both=True)`` leaves these games out.

The split is drawn by a salted hash of the name, so it is the same on every machine, in every
data set with the same salt and shares, whatever else is in it.
"""

import hashlib
from collections.abc import Sequence

from evenmatch.errors import UsageError, quoted

SPLITS = ("train", "tune", "candidate", "query")
SHARES = (75, 5, 10, 10)  #: default, percent
SALT = "evenmatch"  #: default
NO_SPLIT = 255  #: in arrays, the split of a side whose player is not named


def split_of(name: str, shares: Sequence[int] = SHARES, salt: str = SALT) -> int:
    """Return the split of a player, an index of SPLITS; ``shares`` are relative."""
    digest = hashlib.blake2b(f"{salt}\n{name}".encode(), digest_size=8).digest()
    drawn, bound = int.from_bytes(digest, "big") * sum(shares), 0
    for split, share in enumerate(shares):
        bound += share << 64
        if drawn < bound:
            return split
    raise AssertionError("the shares of the splits are checked before")


def read_shares(text: str) -> tuple[int, ...]:
    """Read shares such as 75/5/10/10. Raises UsageError."""
    parts = text.split("/")
    if len(parts) != len(SPLITS) or not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(
            f"cannot read {quoted(text)} as shares of {', '.join(SPLITS)}; write them as 75/5/10/10"
        )
    shares = tuple(int(part[:9]) for part in parts)
    if sum(shares) == 0:
        raise UsageError("the shares of all splits are 0; write them as 75/5/10/10")
    return shares
