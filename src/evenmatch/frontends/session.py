"""A game in progress between a person and a player: moves, undo, hints, how even it is.

Nothing here prints or reads; the terminal and any other frontend drive it. Values here are for
the person's side.
"""

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError, StateError
from evenmatch.frontends import memory
from evenmatch.frontends.saves import YOU, Saved
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.players import PLAYERS, Player, Turns, load_evaluator, make_player, parse_spec

PASS = "pass"
EVEN = 0.2  #: values no further from 0 count as even
LEADS = ((0.5, "a little ahead"), (0.85, "ahead"), (1.0, "winning"))


class Session:
    """One game; ``side`` is the person's: 1 moves first, -1 second."""

    def __init__(self, game: Game, opponent: str, side: int, seed: int, person: str | None = None):
        """Set up the start position. Raises SpecError or NetworkError for a bad opponent.

        A named ``person`` is remembered by opponents that learn from game to game; StateError
        if what was remembered cannot be used.
        """
        self.game = game
        self.opponent = opponent
        self.side = side
        self.seed = seed
        self.states = [game.initial()[0]]  #: [P + 1][S]
        self.actions: list[int] = []  #: [P]
        self.given = 0  #: actions at the beginning that nobody chose here
        self.resigned = False
        self.person = person
        self._player = make_player(opponent, game)
        self.recognised = person is not None and memory.recall(
            self._player, game.id, opponent, person
        )  #: whether the opponent knows the person from earlier games
        self._evaluator = _judge(game, opponent)
        self._adviser: Player | None = None
        self._begin()

    @classmethod
    def resumed(cls, saved: Saved) -> "Session":
        """Set up a saved game. Raises StateError if its moves do not fit the rules."""
        session = cls(get_game(saved.game), saved.opponent, saved.side, saved.seed, saved.person)
        for action in saved.actions:
            if action not in session.legal:
                raise StateError(
                    f"the saved game of {saved.game} has an illegal move at ply "
                    f"{session.ply + 1}; leave out --resume to start a new one"
                )
            session.push(action)
        session._begin()
        return session

    def rematch(self, seed: int) -> None:
        """Start again with the sides swapped, against the same opponent."""
        self.side, self.seed = -self.side, seed
        self.states, self.actions, self.given = self.states[:1], [], 0
        self.resigned = False
        self._begin()

    @property
    def rating(self) -> float | None:
        """The rating the opponent plays at; None if it has none."""
        name, values = parse_spec(self.opponent)
        key = PLAYERS[name].keys.get("elo")
        return None if key is None else values.get("elo", key.default)

    @property
    def saved(self) -> Saved:
        """The game as it is kept on disk."""
        return Saved(
            game=self.game.id,
            opponent=self.opponent,
            side=self.side,
            seed=self.seed,
            actions=tuple(self.actions),
            person=self.person or YOU,
        )

    # -- the position ------------------------------------------------------------------------

    @property
    def state(self) -> NDArray[np.uint64]:
        """The position now, [S]."""
        return self.states[-1]

    @property
    def ply(self) -> int:
        """Actions played."""
        return len(self.actions)

    @property
    def legal(self) -> list[int]:
        """Legal actions; empty at the end."""
        return [int(action) for action in self.game.legal_actions(self.state[None])[0]]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.resigned or not self.legal

    @property
    def begun(self) -> bool:
        """Whether the person has moved."""
        return any(self._chose(ply) for ply in range(self.given, self.ply))

    @property
    def yours(self) -> bool:
        """Whether the person is to move."""
        return int(self.game.to_play(self.state[None])[0]) == self.side

    @property
    def result(self) -> int:
        """Outcome of a game that is over, for the person: 1, 0 or -1."""
        if self.resigned:
            return -1
        value = self.game.outcome(self.state[None])[1][0]
        return round(float(value)) * (1 if self.yours else -1)

    @property
    def forced_pass(self) -> int | None:
        """The pass action if nothing else is legal."""
        legal = self.legal
        alone = len(legal) == 1 and self.game.action_text(self.state, legal[0]) == PASS
        return legal[0] if alone else None

    @property
    def last_cells(self) -> tuple[int, ...]:
        """The cells of the latest move."""
        if not self.actions:
            return ()
        return self.game.action_cells(self.states[-2], self.actions[-1])

    def text(self, ply: int) -> str:
        """Write the action of a ply, counted from 0."""
        return self.game.action_text(self.states[ply], self.actions[ply])

    # -- moves -------------------------------------------------------------------------------

    def push(self, action: int) -> None:
        """Play a legal action, whoever is to move."""
        self.states.append(self.game.after(self.state[None], np.array([action]))[0])
        self.actions.append(action)

    def reply(self) -> int:
        """Let the opponent move; return its action."""
        action = self._ask(self._player)
        self.push(action)
        return action

    def hint(self) -> int:
        """Return what full strength would play."""
        if self._adviser is None:
            net = parse_spec(self.opponent)[1].get("net")
            spec = f"alphazero:net={net}" if net else "alphazero"
            self._adviser = make_player(spec, self.game)
            self._adviser.begin(np.array([0]), np.array([self.side], np.int8), self.seed)
        return self._ask(self._adviser)

    def undo(self) -> bool:
        """Take back the person's latest move and what came after; False if there is none."""
        choices = [ply for ply in range(self.ply) if self._chose(ply)]
        if not choices:
            return False
        del self.actions[choices[-1] :]
        del self.states[choices[-1] + 1 :]
        self._begin()
        return True

    def finish(self) -> None:
        """Tell the opponent the result; OSError if what it learned cannot be kept.

        A game in which the person never moved teaches nothing.
        """
        if not any(self._chose(ply) for ply in range(self.ply)):
            return
        self._player.finish(0, float(-self.result))
        if self.person is not None:
            memory.keep(self._player, self.game.id, self.opponent, self.person)

    def _chose(self, ply: int) -> bool:
        """Tell whether the person moved at a ply, and not by a pass."""
        mover = int(self.game.to_play(self.states[ply][None])[0])
        return mover == self.side and self.text(ply) != PASS

    def _begin(self) -> None:
        """Let the opponent begin, and take it through the moves it made, for it learns from them.

        It is asked again and not heeded: a player's choice depends on nothing but the game so far.
        """
        self._player.begin(np.array([0]), np.array([-self.side], np.int8), self.seed)
        for ply in range(self.ply):
            if int(self.game.to_play(self.states[ply][None])[0]) == -self.side:
                self._ask(self._player, ply)

    def _ask(self, player: Player, ply: int | None = None) -> int:
        """Return what a player would do at a ply, the present one if none is given."""
        plies = self.ply if ply is None else ply
        history = np.array(self.states[: plies + 1])[None]  # [1, P + 1, S]
        actions = np.array([*self.actions[:plies], -1], np.int32)[None]
        return int(player.choose(Turns(np.array([0]), np.array([plies]), history, actions))[0])

    # -- how even it is ----------------------------------------------------------------------

    def value(self) -> float | None:
        """Return the network's value of the position for the person; None without a network."""
        values = self._values(self.states[-1:])
        return None if values is None else float(values[0])

    def values(self) -> list[float]:
        """Return the values of all positions so far, [P + 1]; empty without a network."""
        values = self._values(self.states)
        return [] if values is None else [float(value) for value in values]

    def _values(self, states: list[NDArray]) -> NDArray | None:
        if self._evaluator is None:
            return None
        rows = np.array(states)
        values = self._evaluator.evaluate(rows).values.copy()
        ended, outcomes = self.game.outcome(rows)
        values[ended] = outcomes[ended]
        return np.clip(values * self.game.to_play(rows) * self.side, -1, 1)


def _judge(game: Game, opponent: str):
    """Return the network that says how even the game is: the opponent's own or the shipped one."""
    try:
        return load_evaluator(game, parse_spec(opponent)[1].get("net"))
    except NetworkError:
        return None


def evenness(value: float, opponent: str) -> str:
    """Say in words how a game of ``value`` for the person stands."""
    if abs(value) < EVEN:
        return "even"
    who = "you are" if value > 0 else f"{opponent} is"
    how = next(words for bound, words in LEADS if abs(value) <= bound)
    return f"{who} {how}"
