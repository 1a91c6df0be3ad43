"""When the engine gives a game up."""

from evenmatch.frontends.gtp.settings import Settings


class Resigning:
    """Keeps what each side thought of its game at its turns."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._values: dict[int, list[float]] = {}

    def restart(self) -> None:
        """Forget what was: another game, or a move that was taken back."""
        self._values.clear()

    def resigns(self, side: int, value: float | None, handicap: int) -> bool:
        """Tell whether a side gives up at a turn of ``value`` for it; None: nobody knows.

        Not in games with handicap stones, which are lost to White by the value at first.
        """
        if not self._settings.resigns or handicap or value is None:
            return False
        from evenmatch.sessions.resigning import gives_up

        values = self._values.setdefault(side, [])
        values.append(value)
        return gives_up(values, self._settings.resign_below, self._settings.resign_turns)
