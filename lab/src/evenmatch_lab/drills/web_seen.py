"""What a browser has seen of a game, and whether a later state may follow from that.

A state that comes is where the game last stood, or goes on from there by what the browser asked for
and what the opponent then did. Anything else is a loss, and is told by one of `WRONG`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

State = dict[str, Any]
Move = tuple[str, int, str]  #: its text, the side, the mark

MISSING = "moves missing or changed"
UNASKED = "moves doubled, or asked by nobody"
MARKS = "marks wrong"
CLOCKS = "clocks wrong"
NUMBERS = "numbers of states gone back"
GAMES = "games changed"
WRONG = (MISSING, UNASKED, MARKS, CLOCKS, NUMBERS, GAMES)

PASS = "pass"
SLACK = 2.0  #: seconds that may pass between a move and the sight of its clock


def moves_of(state: State) -> list[Move]:
    """Return the moves of a state."""
    return [(move["text"], move["side"], move["mark"]) for move in state["moves"]]


@dataclass
class Seen:
    """One game as its browser knows it."""

    row: int
    kind: str
    state: State | None = None  #: the latest
    asked: State | None = None  #: what was sent and is not answered yet
    wrong: list[str] = field(default_factory=list)  #: what cannot be
    example: str = ""  #: of what is wrong first
    interrupted: int = 0  #: kills while it went on
    _when: float = 0.0  # the state came
    _most: dict[str, float] = field(default_factory=dict)  # left on the clocks at this ply
    _furthest: int = 0  # plies at the latest move taken back
    _hinted: set[tuple[str, ...]] = field(default_factory=set)  # moves up to a hint, or perhaps one

    @property
    def over(self) -> State | None:
        """How it ended, None while it goes on."""
        return self.state and self.state["over"]

    def ask(self, message: State) -> State:
        """Note what is sent, and return it."""
        assert self.state is not None, "one asks of what one sees"
        self.asked = message
        if message["do"] == "undo":
            self._furthest = max(self._furthest, len(self.state["moves"]))
        if message["do"] == "hint":
            self._hinted.add(tuple(move["text"] for move in self.state["moves"]))
        return message

    def take(self, state: State) -> None:
        """Take a state in, and note what is wrong with it."""
        before, now = self.state, time.monotonic()
        if before is not None:
            found = self._faults(before, state, now)
            if found and not self.wrong:
                self.example = f"{found} {now - self._when:.2f} s later: {before} then {state}"
            self.wrong += found
        same_ply = before is not None and len(before["moves"]) == len(state["moves"])
        left = _left(state)
        known = self._most if same_ply else {}
        self._most = {side: max(known.get(side, 0.0), seconds) for side, seconds in left.items()}
        if before is None or state["seq"] > before["seq"] or state["over"]:
            self.asked = None
        self.state, self._when = state, now

    def _faults(self, before: State, after: State, now: float) -> list[str]:
        found = []
        if any(before[name] != after[name] for name in ("table", "game", "side")):
            found.append(GAMES)
        if after["seq"] < before["seq"] and not after["over"]:  # a finished game has no number
            found.append(NUMBERS)
        old, new = moves_of(before), moves_of(after)
        if self._undid(before, new):
            return found
        if new[: len(old)] != old:
            return [*found, MISSING]
        more = new[len(old) :]
        if not self._may_follow(more, before["side"]):
            found.append(UNASKED)
        if not all(self._mark_fits(new, at) for at in range(len(old), len(new))):
            found.append(MARKS)
        if not after["over"] and not self._clocks_fit(before, after, now, len(more)):
            found.append(CLOCKS)
        return found

    def _undid(self, before: State, new: list[Move]) -> bool:
        """Tell whether moves are those that are left when the latest own one is taken back."""
        if self.asked is None or self.asked["do"] != "undo":
            return False
        old, side = moves_of(before), before["side"]
        own = [at for at, move in enumerate(old) if move[1] == side and move[0] != PASS]
        return bool(own) and new == old[: own[-1]]

    def _may_follow(self, more: list[Move], side: int) -> bool:
        """Tell whether moves are what was asked for and what the opponent then did."""
        passes = sum(text == PASS for text, *_ in more)
        own = [text for text, mover, _ in more if mover == side and text != PASS]
        theirs = [text for text, mover, _ in more if mover != side and text != PASS]
        asked = self.asked["move"] if self.asked and self.asked["do"] == "move" else None
        return own in ([], [asked]) and len(theirs) <= 1 + passes

    def _mark_fits(self, moves: list[Move], at: int) -> bool:
        """Tell whether a move that is new has the mark that it should have."""
        text, side, mark = moves[at]
        assert self.state is not None
        if side != self.state["side"] or text == PASS:
            return mark == ""
        if tuple(move[0] for move in moves[:at]) in self._hinted:
            return True  # it may or may not be what the hint said
        return mark == ("retry" if at < self._furthest else "")

    def _clocks_fit(self, before: State, after: State, now: float, moved: int) -> bool:
        """Tell whether no time appeared, and none was lost but what went by."""
        old, new = _left(before), _left(after)
        if old.keys() != new.keys():
            return False
        gain = moved * after["clock"]["increment"] if new else 0.0
        return all(
            old[side] - (now - self._when) - SLACK <= left <= self._most[side] + gain + SLACK
            for side, left in new.items()
        )


def _left(state: State) -> dict[str, float]:
    """Return the seconds that are left, by side; none without a clock, or once it is over."""
    return state["clock"]["left"] if state["clock"] else {}
