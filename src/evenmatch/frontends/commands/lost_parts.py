"""Parts whose workers were lost: told of as it happens, and counted at the end."""

from evenmatch.frontends import console


class Lost:
    """Hears of parts that are done again."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, part: str, how: str) -> None:
        """Tell of one."""
        self.count += 1
        console.note(f"{part} begins again: {how}")

    def tell(self) -> None:
        """Say how many there were, if any."""
        if self.count:
            console.tell(f"{console.counted(self.count, 'lost part')} done again")
