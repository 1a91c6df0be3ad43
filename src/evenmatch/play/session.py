"""A game in progress between a person and an opponent: moves, undo, hints, draws, rematches.

A session changes as its game does and decides nothing: where an opponent has to think, it returns a
`MoveRequest`, which the caller has decided, at once or later. `GameLoop` drives it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from evenmatch.errors import MoveError, NetworkError, StateError
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.games.line import GIVEN, HINT, OWN, RETRY
from evenmatch.opponents.controller import LevelPath, Mind, State
from evenmatch.opponents.dials import Curve
from evenmatch.opponents.engine import (
    Engine,
    InGame,
    Opponent,
    game_seed,
    resolve,
    resolved,
    states_from_json,
)
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.player import RESIGN, Decision, Turn
from evenmatch.opponents.resigning import MOST
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.play.clock import Clock
from evenmatch.play.played_game import End, PlayedGame
from evenmatch.play.resigning import takes_a_draw, wants_to_resign
from evenmatch.play.saved import YOU, Saved, unusable_memory
from evenmatch.play.scoring import answers_by_passing


class Store(Protocol):
    """Keeps what opponents remember of people, by game, spec and the person's name."""

    def recall(self, game_id: str, spec: str, person: str) -> State:
        """Return what an opponent remembers of a person, empty if nothing. StateError."""

    def learn(
        self,
        game_id: str,
        spec: str,
        person: str,
        learned: Callable[[State], State],
        forget: bool = False,
    ) -> None:
        """Keep ``learned`` of what is remembered by now; with ``forget`` of nothing.

        Raises OSError if it cannot be written, StateError if what is there is damaged.
        """

    def forget(self, game_id: str, spec: str, person: str) -> None:
        """Drop what an opponent remembers of a person."""


@dataclass(frozen=True)
class MoveRequest:
    """A turn to be decided, and what the game does with the decision."""

    opponent: Opponent
    turn: Turn
    then: Callable[[Decision], None]


class Session(PlayedGame):
    """One game, with the opponent at the board."""

    def __init__(
        self,
        game: Game,
        opponent: str | Opponent,
        side: int,
        seed: int,
        person: str | None = None,
        *,
        start: str = "",
        store: Store | None = None,
        clock: Clock | None = None,
        pace: float | None = None,
        by_profile: bool = False,
        forgets: bool = False,
        plays_on: bool = False,
        disputed: bool = False,
        engine: Engine | None = None,
    ):
        """Set up the start position. Raises SpecError or NetworkError for a bad opponent.

        ``opponent`` is one, or a spec, which is resolved by the calibrations of this machine.
        With a ``store`` a named ``person`` is remembered by opponents that learn from game to game;
        StateError if what was remembered cannot be used. With ``forgets`` the opponent forgets the
        person when they first move. An opponent ``by_profile`` remembers nothing: the profile does,
        which chose it. ``start`` is a position as the game writes it, empty for the
        usual one; UsageError if it is none. An opponent that ``plays_on`` never resigns. ``pace``
        is kept for the front end. With ``disputed`` no stone is dead at the end. ``engine`` makes
        the players and decides what `decide` is given; by default the session has one of its own.
        """
        chosen = _resolved(opponent, game)
        super().__init__(game, chosen.spec, side, seed, start=start, disputed=disputed)
        self.clock = clock
        self.pace = pace
        self.plays_on = plays_on
        self._given_back: list[int] = []  # given passes that were taken back for the score
        self.person = person
        self.by_profile = by_profile
        self._store = None if person is None else store
        self._seen = 0  # plies once played, before moves were taken back
        self._hints: set[tuple[int, ...]] = set()  # actions up to and with each hint
        self._forgets = forgets
        self._adviser: InGame | None = None
        self.engine = engine or Engine(game)
        self._learned: State = {}  # of the person, in games that are not stored
        self._at: InGame
        self._choose_opponent(chosen)
        self.recognised = self._meet()  #: whether the opponent knew the person before the game

    @classmethod
    def resumed(
        cls, saved: Saved, store: Store | None = None, engine: Engine | None = None
    ) -> "Session":
        """Set up a saved game. Raises MoveError if its moves do not fit the rules.

        StateError if what it says of the opponent does not fit.
        """
        clock = None
        if saved.clock:
            base, increment, *left = saved.clock
            clock = Clock(base, increment, {saved.side: left[0], -saved.side: left[1]})
        game = get_game(saved.game)
        opponent: str | Opponent = saved.opponent
        if saved.actions:  # by the calibration that it began with
            curve = None if saved.curve is None else Curve.from_json(saved.curve)
            opponent = resolved(saved.opponent, game, curve)
        session = cls(
            game, opponent, saved.side, saved.seed, saved.person,
            start=saved.start, store=store, clock=clock, pace=saved.pace,
            by_profile=saved.by_profile, forgets=saved.forgets, plays_on=saved.plays_on,
            disputed=saved.disputed, engine=engine,
        )  # fmt: skip
        session._go_on(saved)
        return session

    @property
    def played_at(self) -> float | None:
        """The rating that the opponent has played at: that it was asked for, or that it came to."""
        requested = super().played_at
        return self._player.played_at(self._at.mind) if requested is None else requested

    @property
    def path(self) -> LevelPath | None:
        """The levels that an opponent which follows has played at; None before its first move."""
        return self._player.path(self._at.mind)

    def _go_on(self, saved: Saved) -> None:
        """Play the moves of a saved game again, and take the opponent to where it was."""
        marks = saved.marks or (OWN,) * len(saved.actions)
        for ply, (action, mark) in enumerate(zip(saved.actions, marks, strict=False)):
            if action not in self.legal:
                raise MoveError(f"it has an illegal move at ply {ply + 1}")
            self.push(action, mark)
        if len(marks) != len(saved.actions):
            raise MoveError("it does not have a mark for each move")
        self._seen, self._hints = saved.seen, set(saved.hints)
        self._at.go_to(self.line)
        self._at.states = states_from_json(saved.states)
        for state in self._at.states.values():
            self._player.check(Mind({}, state))

    def rematch(self, seed: int, opponent: str | None = None, by_profile: bool = False) -> None:
        """Start again with the sides swapped, from where this game began to be played.

        With ``opponent`` another player sits down, whom the profile chose or not.
        """
        if opponent is not None:
            self.by_profile = by_profile
        if opponent is not None and opponent != self.opponent:
            self._choose_opponent(_resolved(opponent, self.game))
        given = self.given
        self.side, self.seed = -self.side, seed
        self.line.cut(given)
        for action in self._given_back:
            self.line.push(action, GIVEN)
        self._given_back = []
        self.end, self._seen, self._hints = None, 0, set()
        self.disputed, self._agreed = False, None
        if self.clock is not None:
            self.clock = Clock(self.clock.base, self.clock.increment)
        self.recognised = self._meet()

    @property
    def saved(self) -> Saved:
        """The game as it is kept on disk."""
        clock: tuple[float, ...] = ()
        curve = self._resolved.curve
        if self.clock is not None:
            left = self.clock.left
            clock = (self.clock.base, self.clock.increment, left[self.side], left[-self.side])
        return Saved(
            game=self.game.id,
            opponent=self.opponent,
            side=self.side,
            seed=self.seed,
            actions=tuple(self.actions),
            person=self.person or YOU,
            start=self.start,
            marks=tuple(self.marks),
            seen=self._seen,
            hints=tuple(sorted(self._hints)),
            by_profile=self.by_profile,
            forgets=self._forgets,
            plays_on=self.plays_on,
            disputed=self.disputed,
            pace=self.pace,
            clock=clock,
            curve=None if curve is None else curve.to_json(),
            states={str(ply): state for ply, state in self._at.states.items()},
        )

    # -- moves -------------------------------------------------------------------------------

    def push(self, action: int, mark: str = OWN) -> None:
        """Play a legal action for the side to move; ``mark`` says why it is not their own."""
        self.line.push(action, mark)

    def move(self, action: int) -> None:
        """Play the person's move, marked if it followed a hint or replaced another.

        Raises OSError if the opponent was to forget the person and could not.
        """
        mark = OWN
        if (*self.actions, action) in self._hints:
            mark = HINT
        elif self.ply < self._seen:
            mark = RETRY
        self.push(action, mark)
        if self._forgets and self._store is not None and self.person is not None:
            self._store.forget(self.game.id, self.opponent, self.person)
            self._forgets = False

    def ask_opponent(self) -> MoveRequest | None:
        """Begin the opponent's turn; None if it has answered a pass by a pass, without a thought.

        It resigns where `wants_to_resign` says so and its own search agrees.
        """
        resigns = not self.plays_on and wants_to_resign(self)
        if not resigns and self._answers_by_passing():
            return None
        turn = self._at.turn(self.line)
        return MoveRequest(self._at.opponent, turn, partial(self._replied, turn, resigns))

    def _replied(self, turn: Turn, resigns: bool, decision: Decision) -> None:
        self._at.take(turn, decision)
        lost = decision.value is None or decision.value <= MOST
        if decision.action == RESIGN or (resigns and lost):
            self.end = End.OPPONENT_RESIGNED
        elif not (resigns and self._answers_by_passing()):
            self.push(decision.action)

    def _answers_by_passing(self) -> bool:
        """Let the opponent pass where nothing is left to gain; True if it has."""
        passes = answers_by_passing(self.line, self._evaluator, self.disputed)
        if passes:
            self.push(self.legal[-1])
        return passes

    def ask_hint(self) -> MoveRequest:
        """Return the turn of full strength; its action is a hint. Raises as `Engine.player`."""
        if self._adviser is None:
            net = _judging(self._resolved)
            strong = _resolved(f"alphazero:net={net}" if net else "alphazero", self.game)
            self.engine.player(strong)
            self._adviser = InGame(strong, self.side, game_seed(self.seed))
        adviser, turn = self._adviser, self._adviser.turn(self.line)

        def hinted(decision: Decision) -> None:
            adviser.take(turn, decision)
            self._hints.add((*self.actions, decision.action))

        return MoveRequest(adviser.opponent, turn, hinted)

    def decide(self, request: MoveRequest | None) -> None:
        """Have a turn decided by the session's engine, here and now."""
        if request is not None:
            (decision,) = self.engine.think([(request.opponent, request.turn)])
            request.then(decision)

    def reply(self) -> int:
        """Let the opponent move at once; return its action, RESIGN if it resigns."""
        self.decide(self.ask_opponent())
        return self.actions[-1] if self.end is None else RESIGN

    def undo(self) -> bool:
        """Take back the person's latest move and what came after; False if there is none."""
        choices = [ply for ply in range(self.given, self.ply) if self.chose(ply)]
        if not choices:
            return False
        self._seen = max(self._seen, self.ply)
        self.line.cut(choices[-1])
        self._agreed = None
        self._at.go_to(self.line)
        return True

    # -- the end off the board ---------------------------------------------------------------

    def offer_draw(self) -> bool:
        """Offer a draw, which the opponent takes when the game is dead even; True if so."""
        if not self.game.draws_agreed or not takes_a_draw(self):
            return False
        self.end = End.DRAW_AGREED
        return True

    # -- the score of a game of area -----------------------------------------------------------

    def agree(self) -> None:
        """Take the score after two passes for the result."""
        self._agreed = self.score()

    def play_on(self) -> None:
        """Go on from before the two passes; at the next end every stone is alive."""
        self.disputed = True
        before = self.ply - 2
        self._given_back = [*self.actions[before : self.given], *self._given_back]
        self.line.cut(before)
        self._at.go_to(self.line)

    # -- what the game teaches ------------------------------------------------------------------

    def finish(self) -> None:
        """Let the opponent remember the game; OSError or StateError if that cannot be kept.

        A game in which the person never moved teaches nothing. One against an opponent that the
        profile chose teaches the profile alone.
        """
        if not self.begun or self.by_profile:
            return
        result, state = self.taught(), self._at.mind.game

        def learned(memory: State) -> State:
            return self.engine.learn(self._resolved, Mind(memory, state), result)

        if self._store is None or self.person is None:
            self._learned = learned(self._learned)
            return
        try:
            self._store.learn(
                self.game.id, self.opponent, self.person, learned, forget=self._forgets
            )
        finally:
            self._forgets = False

    # -- the opponent --------------------------------------------------------------------------

    def _choose_opponent(self, opponent: Opponent) -> None:
        """Let an opponent play from the next game on. Raises as `Engine.player`."""
        player = self.engine.player(opponent)
        self.opponent, self._resolved, self._player = opponent.spec, opponent, player
        self._evaluator = _evaluator_of(self.engine.networks, opponent)
        self._learned = {}

    def _meet(self) -> bool:
        """Begin a game with the opponent's memory of the person; return whether it has one."""
        memory = {} if self.by_profile else self._learned
        remembers = not (self.by_profile or self._forgets)
        if remembers and self._store is not None and self.person is not None:
            memory = self._store.recall(self.game.id, self.opponent, self.person)
            try:
                self._player.check(Mind(memory))
            except StateError as error:
                why = str(error).partition(";")[0]
                raise unusable_memory(self.game.id, self.opponent, self.person, why) from None
        tree = self._player.new_tree() if isinstance(self._player, SearchPlayer) else None
        self._at = InGame(self._resolved, -self.side, game_seed(self.seed), memory, tree)
        return bool(memory)


def _resolved(opponent: str | Opponent, game: Game) -> Opponent:
    """Return an opponent, by the calibrations of this machine if it is a spec. SpecError."""
    return opponent if isinstance(opponent, Opponent) else resolve(opponent, game, own=True)


def _evaluator_of(networks: Networks, opponent: Opponent):
    """Return the network that says how even the game is: the opponent's own or the shipped one."""
    try:
        return networks.evaluator(_judging(opponent))
    except NetworkError:
        return None


def _judging(opponent: Opponent) -> str | None:
    """Return the network that an opponent judges positions with; None: the one that ships."""
    return opponent.numbers.get("search_net") or opponent.numbers.get("net")
