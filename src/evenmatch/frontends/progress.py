"""Lines of progress on standard error, drawn only where somebody looks on."""

import sys
from typing import Any, Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from evenmatch.frontends import console


class Line:
    """One line of a task's progress, as a context manager; it is gone when the task is done."""

    def __init__(self, title: str, *columns: ProgressColumn):
        self._bar = Progress(
            *columns,
            console=console.errors(),
            transient=True,
            disable=not console.is_terminal(sys.stderr),
        )
        self._task = self._bar.add_task(title, total=None, note="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, **fields: Any) -> None:
        """Show new values of the columns."""
        self._bar.update(self._task, **fields)

    def counted(self, count: int, what: str) -> str:
        """Return "12 games, 3/s", by the time since the line began."""
        seconds = self._bar.tasks[0].elapsed or 0
        return f"{count:,} {what}" + (f", {count / seconds:,.0f}/s" if seconds > 0 else "")


class GameLine(Line):
    """A bar of games that are over."""

    def __init__(self, title: str):
        super().__init__(
            title,
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=36),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeElapsedColumn(),
        )

    def update(self, done: int, due: int) -> None:
        """Show that ``done`` of ``due`` games are over."""
        self.show(completed=done, total=due)
