"""What a room has done so far, in numbers: calls, moves, how long they took and waited."""

from collections import Counter
from dataclasses import dataclass, field

LATEST = 0.2  #: the weight of the latest batch in the mean time of a move


@dataclass
class Figures:
    """What a room has done so far."""

    calls: int = 0  #: of players, each for any number of games
    moves: int = 0  #: that were found
    seconds: float = 0.0  #: that they took
    a_move: float = 0.0  #: mean seconds a move, of the latest calls
    waited: float = 0.0  #: seconds that moves were pending before they were looked for, in all
    together: Counter[int] = field(default_factory=Counter)  #: calls, by how many moves they found

    def count(self, moves: int, seconds: float, waited: float) -> None:
        """Count a call that found some moves, which had waited so many seconds in all."""
        self.a_move += (seconds / moves - self.a_move) * (LATEST if self.calls else 1)
        self.calls += 1
        self.moves += moves
        self.seconds += seconds
        self.waited += waited
        self.together[moves] += 1
