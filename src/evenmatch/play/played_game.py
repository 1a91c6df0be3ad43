"""A game between a person and a player as it stands: whose turn, how it ended, how even it is.

Values and results here are the person's.
"""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import PASS, AreaGame, Game
from evenmatch.games.line import GIVEN, OWN, Line
from evenmatch.opponents.rating_range import rating_of
from evenmatch.play.scoring import Score, expected_lead, ownership_of, score_of
from evenmatch.search import Evaluator

TELLING = 0.5  #: least share of a result that must be the person's own, and on the board


class End(Enum):
    """How a game ended off the board; the value is the person's result if time allows."""

    YOU_RESIGNED = (-1, "resignation")
    OPPONENT_RESIGNED = (1, "resignation")
    DRAW_AGREED = (0, "draw by agreement")
    YOUR_TIME = (-1, "time forfeit")
    OPPONENTS_TIME = (1, "time forfeit")


class PlayedGame:
    """A game so far; ``side`` is the person's: 1 moves first, -1 second."""

    def __init__(
        self,
        game: Game,
        opponent: str,
        side: int,
        seed: int,
        *,
        start: str = "",
        disputed: bool = False,
    ):
        """Begin at the start position. UsageError if ``start`` is no position of the game."""
        self.game = game
        self.opponent = opponent
        self.side = side
        self.seed = seed
        self.start = start
        self.line = Line(game, game.read_position(start) if start else None)
        self.end: End | None = None  #: how it ended, if not on the board
        self.disputed = disputed  #: whether the person wants dead stones to be captured
        self._agreed: Score | None = None
        self._evaluator: Evaluator | None = None  # says how even the game is

    @property
    def rating(self) -> float | None:
        """The rating the opponent plays at; None if it has none."""
        return rating_of(self.game.id, self.opponent)

    @property
    def played_at(self) -> float | None:
        """The rating that the opponent has played at: that it was asked for, or that it came to."""
        return self.rating

    # -- the position ------------------------------------------------------------------------

    @property
    def states(self) -> NDArray[np.uint64]:
        """The positions so far, [P + 1, S]."""
        return self.line.states

    @property
    def actions(self) -> list[int]:
        """The actions so far, [P]."""
        return self.line.actions

    @property
    def marks(self) -> list[str]:
        """Why each action so far is not its mover's own, or OWN, [P]."""
        return self.line.marks

    @property
    def state(self) -> NDArray[np.uint64]:
        """The position now, [S]."""
        return self.line.state

    @property
    def ply(self) -> int:
        """Actions played."""
        return self.line.ply

    @property
    def legal(self) -> list[int]:
        """Legal actions; empty at the end."""
        return self.line.legal

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.end is not None or not self.legal

    @property
    def begun(self) -> bool:
        """Whether the person has moved."""
        return any(self.chose(ply) for ply in range(self.given, self.ply))

    @property
    def both_moved(self) -> bool:
        """Whether each side has moved, so that what the network says is of this game."""
        return len(set(self.game.to_play(self.states[:-1]).tolist())) == 2

    @property
    def given(self) -> int:
        """Actions at the beginning that nobody chose here."""
        return self.marks.count(GIVEN)

    @property
    def worth_keeping(self) -> bool:
        """Whether leaving now would lose something: a move of the person, or moves given."""
        return self.begun or self.given > 0

    @property
    def yours(self) -> bool:
        """Whether the person is to move."""
        return int(self.game.to_play(self.state[None])[0]) == self.side

    @property
    def result(self) -> int:
        """Outcome of a game that is over, for the person: 1, 0 or -1."""
        if self.end is not None:
            result = self.end.value[0]
            on_time = self.end in (End.YOUR_TIME, End.OPPONENTS_TIME)
            if on_time and not self.game.can_win(self.state, result * self.side):
                return 0
            return result
        score = self.score()
        if score is not None:
            return int(np.sign(score.lead)) * self.side
        value = self.game.outcome(self.state[None])[1][0]
        return round(float(value)) * (1 if self.yours else -1)

    @property
    def forced_pass(self) -> int | None:
        """The pass action if nothing else is legal."""
        legal = self.legal
        alone = len(legal) == 1 and self.game.action_text(self.state, legal[0]) == PASS
        return legal[0] if alone else None

    @property
    def may_pass(self) -> bool:
        """Whether a pass is a choice: legal, and not the only legal action."""
        legal = self.legal
        return len(legal) > 1 and self.game.action_text(self.state, legal[-1]) == PASS

    @property
    def last_cells(self) -> tuple[int, ...]:
        """The cells of the latest move."""
        if not self.actions:
            return ()
        return self.game.action_cells(self.states[-2], self.actions[-1])

    def text(self, ply: int) -> str:
        """Write the action of a ply, counted from 0."""
        return self.line.text(ply)

    # -- the score of a game of area -----------------------------------------------------------

    @property
    def unsettled(self) -> bool:
        """Whether two passes have ended the game, and its score is not agreed on yet."""
        if not isinstance(self.game, AreaGame) or not (self.end is self._agreed is None):
            return False
        return self.game.passed_out(self.state)

    def score(self) -> Score | None:
        """Return the score of a game of area as it stands, or as agreed on; None in other games.

        Stones are dead by the network's word, after two passes that nobody disputed.
        """
        if not isinstance(self.game, AreaGame):
            return None
        if self._agreed is not None:
            return self._agreed
        ownership = None
        if self.unsettled and not self.disputed:
            ownership = ownership_of(self._evaluator, self.game, self.state)
        return score_of(self.game, self.state, ownership)

    def expected_lead(self) -> float | None:
        """Return by how many points the first player will lead at the end, as the network expects.

        None in games without points, and without a network that predicts the lead.
        """
        if not isinstance(self.game, AreaGame):
            return None
        return expected_lead(self._evaluator, self.game, self.state)

    # -- evidence of the person's strength --------------------------------------------------------

    @property
    def counts(self) -> bool:
        """Whether the result of a finished game is evidence of the person's strength."""
        taught = self.taught() if self.begun else None
        return taught is not None and (taught == 0 or abs(taught) >= TELLING)

    def taught(self) -> float | None:
        """Return the result for the opponent as evidence of the person's strength.

        None where it does not: the position was set up, no move was the person's own, or the game
        was given up or lost on time while it was no worse than even. A game that was given up, or
        ended on time, counts by how much it was lost or won then. One with hints or moves taken
        back counts by the share of moves that were the person's own.
        """
        marks = [mark for ply, mark in enumerate(self.marks) if self.chose(ply)]
        own = marks.count(OWN) / len(marks)
        if self.start or self.given or not own:
            return None
        if self.end not in (End.YOU_RESIGNED, End.YOUR_TIME, End.OPPONENTS_TIME):
            return float(-self.result * own)
        value = self.value()
        decided = 1.0 if value is None else max(value * self.result, 0.0)
        return float(-self.result * decided * own) or None

    def chose(self, ply: int) -> bool:
        """Tell whether the person moved at a ply, and not by a pass without another choice."""
        state = self.states[ply][None]
        if int(self.game.to_play(state)[0]) != self.side:
            return False
        return self.text(ply) != PASS or len(self.game.legal_actions(state)[0]) > 1

    # -- how even it is ----------------------------------------------------------------------

    def value(self) -> float | None:
        """Return the network's value of the position for the person; None without a network."""
        values = self._values(self.states[-1:])
        return None if values is None else float(values[0])

    def values(self) -> list[float]:
        """Return the values of all positions so far, [P + 1]; empty without a network."""
        values = self._values(self.states)
        return [] if values is None else [float(value) for value in values]

    def _values(self, rows: NDArray[np.uint64]) -> NDArray | None:
        if self._evaluator is None:
            return None
        values = self._evaluator.evaluate(rows).values.copy()
        ended, outcomes = self.game.outcome(rows)
        values[ended] = outcomes[ended]
        return np.clip(values * self.game.to_play(rows) * self.side, -1, 1)
