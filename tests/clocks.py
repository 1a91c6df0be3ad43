"""A clock that tests set."""


class Clock:
    """Tells ``now`` until it is set to another time."""

    def __init__(self, now: float):
        self.now = now

    def __call__(self) -> float:
        return self.now
