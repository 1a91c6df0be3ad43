"""When a player whose rating nobody knows gives a game up: it was lost at some turns in a row."""

from collections.abc import Sequence

BELOW = -0.9  #: the value, in [-1, 1], below which a position is lost
TURNS = 3  #: own turns in a row


def gives_up(values: Sequence[float], below: float = BELOW, turns: int = TURNS) -> bool:
    """Tell whether a side gives up; ``values`` are its own at its turns so far, the latest last."""
    latest = values[-turns:]
    return len(latest) == turns and all(value < below for value in latest)
