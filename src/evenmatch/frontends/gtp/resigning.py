"""When the engine gives a game up."""

from evenmatch.frontends.gtp.settings import Settings


class Resigning:
    """Counts the turns of each side at which the game was lost to it."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._lost: dict[int, int] = {}

    def restart(self) -> None:
        """Forget what was: another game, or a move that was taken back."""
        self._lost.clear()

    def resigns(self, side: int, value: float | None, handicap: int) -> bool:
        """Tell whether a side gives up at a turn of ``value`` for it; None: nobody knows.

        Not in games with handicap stones, which are lost to White by the value at first.
        """
        if not self._settings.resigns or handicap or value is None:
            return False
        lost = value < self._settings.resign_below
        self._lost[side] = self._lost.get(side, 0) + 1 if lost else 0
        return self._lost[side] >= self._settings.resign_turns
