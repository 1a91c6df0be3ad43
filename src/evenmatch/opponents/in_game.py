"""An opponent in one game: which mind it had at each ply, and so what an undo takes back."""

from __future__ import annotations

from dataclasses import dataclass, field

from evenmatch.errors import StateError
from evenmatch.games.line import Line
from evenmatch.opponents.controller import Mind, State
from evenmatch.opponents.engine import Opponent
from evenmatch.opponents.player import Decision, Turn
from evenmatch.opponents.search_player import SearchTree
from evenmatch.search.forest import seeds_from


def game_seed(seed: int) -> int:
    """Return the seed of an opponent's turns in the game of a seed that a person may choose."""
    return int(seeds_from(seed, 1)[0])


@dataclass
class InGame:
    """An opponent in one game: the state within the game after each of its turns.

    A line that leaves the game so far takes moves back, and what the opponent knew since.
    """

    opponent: Opponent
    side: int  #: the opponent's: 1 moves first, -1 second
    seed: int  #: as of `game_seed`; it may be changed between turns
    memory: State = field(default_factory=dict)  #: from earlier games against the same person
    tree: SearchTree | None = None
    states: dict[int, State] = field(default_factory=dict)
    """By ply, `Mind.game` after the turn there."""
    line: Line | None = None  #: of the latest turn

    @property
    def mind(self) -> Mind:
        """What the opponent knows now."""
        latest = max(self.states, default=None)
        return Mind(self.memory, {} if latest is None else self.states[latest])

    def turn(self, line: Line) -> Turn:
        """Return the turn at the end of a line of the game, at which the line may go on."""
        self.go_to(line)
        assert self.line is not None
        return Turn(self.line, self.side, self.seed, self.mind, self.tree)

    def take(self, turn: Turn, decision: Decision) -> None:
        """Keep what the opponent knows after a decision."""
        self.states[turn.line.ply] = decision.mind.game

    def go_to(self, line: Line) -> None:
        """Take back the turns at a line's end and later, and those of another line."""
        kept = 0 if self.line is None else line.common(self.line.actions)
        self.states = {
            ply: state for ply, state in self.states.items() if ply < line.ply and ply <= kept
        }
        self.line = line.first(line.ply)

    def is_in(self, line: Line, side: int) -> bool:
        """Tell whether a line goes on from, or back in, the game that the opponent is in.

        A line with none of the game's moves is another game. One that begins as the game did is
        taken to be the same.
        """
        if self.line is None or side != self.side or (self.line.states[0] != line.states[0]).any():
            return False
        return not self.line.ply or not line.ply or line.actions[0] == self.line.actions[0]


def states_from_json(state: object) -> dict[int, State]:
    """Return `InGame.states` as JSON keeps them, with plies as text. StateError if damaged."""
    if not isinstance(state, dict) or not all(
        str(ply).isdecimal() and isinstance(value, dict) for ply, value in state.items()
    ):
        raise StateError("the saved state of the opponent is damaged; start without it")
    return {int(ply): value for ply, value in state.items()}
