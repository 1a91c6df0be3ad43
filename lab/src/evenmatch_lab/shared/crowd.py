"""People who play at once and think: when each moves, and how long the replies took."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

THINKING = 8.0  #: mean seconds that somebody thinks about a move; they are drawn exponentially
TAKING = (
    0.5  #: how often somebody takes who can, so that games of random moves are not lost at once
)
MOST_SECONDS, MOST_MEGABYTES = 1.5, 2000.0  #: p95 of a reply, and memory, where a way holds players
FEWEST, DRAWS = 8, 500  #: players for an interval, and how often they are drawn
GRACE = 30.0  #: seconds that moves of the window may still be answered in


@dataclass
class Window:
    """What happens between two times, of moves that were sent then."""

    begin: float  #: as ``time.monotonic`` tells it
    end: float
    thinking: float = THINKING  #: mean seconds that players think
    seated: int = 0  #: players whose first game had begun when the window did
    openings: list[float] = field(default_factory=list)  #: seconds until a game had begun
    replies: list[float] = field(default_factory=list)  #: seconds
    players: list[int] = field(default_factory=list)  #: whose replies they are
    unanswered: int = 0  #: moves whose reply never came; their seconds so far are among the replies
    answered: int = 0  #: replies that came within the window, whenever the move was sent
    refused: int = 0

    def sit(self, asked: float, first: bool) -> None:
        """Note that a game has begun that was asked for then."""
        now = time.monotonic()
        self.openings.append(now - asked)
        self.seated += first and now <= self.begin

    def note(self, sent: float, came: float | None, player: int = 0) -> None:
        """Note a player's move and when its reply came, None if it did not."""
        if came is not None and self.begin <= came < self.end:
            self.answered += 1
        if self.begin <= sent < self.end:
            self.replies.append((time.monotonic() if came is None else came) - sent)
            self.players.append(player)
            self.unanswered += came is None

    def facts(self) -> dict[str, Any]:
        """Return what is to be kept of it."""
        p50, p95 = np.quantile(self.replies, (0.5, 0.95)).tolist() if self.replies else (None, None)
        opening = float(np.quantile(self.openings, 0.95)) if self.openings else None
        return {
            "moves": len(self.replies),
            "moves_per_second": self.answered / (self.end - self.begin),
            "p50": p50,
            "p95": p95,
            "p95_between": self.p95_between(),
            "seated": self.seated,
            "opening_p95": opening,
            "longest": max(self.replies, default=None),
            "unanswered": self.unanswered,
            "refused": self.refused,
        }

    def p95_between(self) -> list[float] | None:
        """Return the 95% interval of p95, players drawn with replacement; None for a few."""
        whose = np.array(self.players)
        every = [np.array(self.replies)[whose == one] for one in np.unique(whose)]
        if len(every) < FEWEST:
            return None
        rng = np.random.default_rng(0)
        drawn = [
            np.quantile(
                np.concatenate([every[k] for k in rng.integers(len(every), size=len(every))]), 0.95
            )
            for _ in range(DRAWS)
        ]
        return np.quantile(drawn, (0.025, 0.975)).tolist()


def holds(row: dict[str, Any]) -> bool:
    """Tell whether all players were in and replies came in time, within the memory."""
    if row["seated"] < row["players"]:
        return False
    in_time = row["p95"] is not None and row["p95"] < MOST_SECONDS and not row["unanswered"]
    return in_time and (row["megabytes"] or 0.0) < MOST_MEGABYTES


class Thinker:
    """Somebody who thinks, then plays a random move."""

    def __init__(self, window: Window, seed: int, number: int):
        self.window, self.number = window, number
        self._rng = np.random.default_rng([seed, number])

    async def arrive(self) -> None:
        """Wait until it begins to play: not all come at once."""
        await asyncio.sleep(self._rng.uniform(0, self.window.thinking))

    async def think(self) -> bool:
        """Think about a move; tell whether there is time to send it."""
        thought = self._rng.exponential(self.window.thinking)
        await asyncio.sleep(min(thought, self._left))
        return self._left > 0

    @property
    def _left(self) -> float:
        return max(self.window.end - time.monotonic(), 0.0)

    def choose(self, moves: Sequence[Any], takes: Callable[[Any], bool]) -> Any:
        """Return one of the legal moves."""
        taking = [move for move in moves if takes(move)]
        some = taking if taking and self._rng.random() < TAKING else moves
        return some[int(self._rng.integers(len(some)))]

    async def reply(self, sent: float, answer: Awaitable[Any]) -> Any:
        """Wait for what was sent to be answered; note how long it took."""
        came = None
        try:
            found = await answer
            came = time.monotonic()
            return found
        finally:
            self.window.note(sent, came, self.number)


async def play_together(games: Sequence[Awaitable[None]], window: Window) -> None:
    """Let all play until the window ends; who still waits for a reply then waits no longer."""
    tasks = [asyncio.ensure_future(game) for game in games]
    left = window.end + GRACE - time.monotonic()
    done, waiting = await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_EXCEPTION)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    for task in done:
        task.result()
