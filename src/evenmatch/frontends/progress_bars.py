"""Lines of progress on standard error, drawn only on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from evenmatch.frontends import console
from evenmatch.progress import Progress as Report


def bars(*columns: ProgressColumn) -> Progress:
    """Return bars with such columns, not begun yet."""
    return Progress(
        *columns,
        console=console.errors(),
        transient=True,
        disable=not console.is_terminal(sys.stderr),
    )


class Line:
    """One line of a task's progress, as a context manager; it is gone when the task is done."""

    def __init__(self, title: str, *columns: ProgressColumn):
        self._bar = bars(*columns)
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


def game_columns() -> list[ProgressColumn]:
    """Return the columns of a bar of games that are over."""
    return [
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=36),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeElapsedColumn(),
    ]


def move_columns() -> list[ProgressColumn]:
    """Return the columns of a bar of moves, with the time that is left."""
    return [
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=36),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    ]


@contextmanager
def moves_done(title: str) -> Iterator[Report]:
    """Show a bar of moves, with the time that is left, while the context lasts."""
    with Line(title, *move_columns()) as line:
        yield lambda done, due: line.show(completed=done, total=due)


class GameProgress(Line):
    """A bar of games that are over."""

    def __init__(self, title: str):
        super().__init__(title, *game_columns())

    def update(self, done: int, due: int) -> None:
        """Show that ``done`` of ``due`` games are over."""
        self.show(completed=done, total=due)


class GameProgressBars:
    """Such bars one below the other, as a context manager."""

    def __init__(self) -> None:
        self._bars = bars(*game_columns())
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def begin(self, title: str) -> Callable[[int, int], None]:
        """Add a bar; return what shows how many games of how many are over."""
        self._tasks[title] = task = self._bars.add_task(title, total=None)
        return lambda done, due: self._bars.update(task, completed=done, total=due)

    def end(self, title: str) -> None:
        """Take a bar away."""
        self._bars.remove_task(self._tasks.pop(title))

    def stop(self) -> None:
        """Take all away."""
        self._bars.stop()
