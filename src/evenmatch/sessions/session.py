"""A game in progress between a person and a player: moves, undo, hints, draws, rematches.

Nothing here prints or reads; the terminal and any other front end drive it, and bring the clock and
the store of what opponents remember.
"""

from typing import Protocol

from evenmatch.errors import MoveError, NetworkError
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.players import Networks, Player, parse_spec
from evenmatch.players.player import RESIGN
from evenmatch.records.record import GIVEN, HINT, OWN, RETRY
from evenmatch.sessions.clock import Clock
from evenmatch.sessions.opponents import Opponent, Opponents, OwnOpponents
from evenmatch.sessions.passing import answers_by_passing
from evenmatch.sessions.played_game import End, PlayedGame
from evenmatch.sessions.resigning import takes_a_draw, wants_to_resign
from evenmatch.sessions.saved import YOU, Saved
from evenmatch.strength.resigning import MOST


class Store(Protocol):
    """Keeps what players learn of people, by game, the player's spec and the person's name."""

    def recall(self, player: Player, game_id: str, opponent: str, person: str) -> bool:
        """Let a player's next game go on from what it knows; False if it knows nothing."""

    def learn(
        self,
        player: Player,
        game_id: str,
        opponent: str,
        person: str,
        result: float | None,
        anew: bool = False,
    ) -> None:
        """Let a player hear the result of its game, and keep what it knows then."""

    def forget(self, game_id: str, opponent: str, person: str) -> None:
        """Drop what a player knows of a person."""


class Session(PlayedGame):
    """One game, with the opponent at the board."""

    def __init__(
        self,
        game: Game,
        opponent: str,
        side: int,
        seed: int,
        person: str | None = None,
        *,
        start: str = "",
        store: Store | None = None,
        clock: Clock | None = None,
        pace: float | None = None,
        forgets: bool = False,
        plays_on: bool = False,
        disputed: bool = False,
        opponents: Opponents | None = None,
    ):
        """Set up the start position. Raises SpecError or NetworkError for a bad opponent.

        With a ``store`` a named ``person`` is remembered by opponents that learn from game to game;
        StateError if what was remembered cannot be used. With ``forgets`` the opponent forgets the
        person when they first move. ``start`` is a position as the game writes it, empty for the
        usual one; UsageError if it is none. An opponent that ``plays_on`` never resigns. ``pace``
        is kept for whoever shows the game. With ``disputed`` no stone is dead at the end. The
        opponent is one of ``opponents``, by default a player of the session's own.
        """
        super().__init__(game, opponent, side, seed, start=start, disputed=disputed)
        self.clock = clock
        self.pace = pace
        self.plays_on = plays_on
        self._given_back: list[int] = []  # given passes that were taken back for the score
        self.person = person
        self._store = None if person is None else store
        self._seen = 0  # plies once played, before moves were taken back
        self._hints: set[tuple[int, ...]] = set()  # actions up to and with each hint
        self._thought: tuple[int, int] | None = None  # ply and action of the opponent's thought
        self._forgets = forgets
        self._at_board: list[Opponent] = []  # who has to leave it
        self._adviser: Opponent | None = None
        self._opponents = opponents or OwnOpponents(game)
        self._seat_player(opponent)
        try:
            self.recognised = self._meet()  #: whether the opponent knows the person
        except BaseException:
            self.leave()
            raise

    @classmethod
    def resumed(
        cls, saved: Saved, store: Store | None = None, opponents: Opponents | None = None
    ) -> "Session":
        """Set up a saved game. Raises MoveError if its moves do not fit the rules.

        StateError if what it says of the opponent does not fit.
        """
        clock = None
        if saved.clock:
            base, increment, *left = saved.clock
            clock = Clock(base, increment, {saved.side: left[0], -saved.side: left[1]})
        session = cls(
            get_game(saved.game), saved.opponent, saved.side, saved.seed, saved.person,
            start=saved.start, store=store, clock=clock, pace=saved.pace, forgets=saved.forgets,
            plays_on=saved.plays_on, disputed=saved.disputed, opponents=opponents,
        )  # fmt: skip
        try:
            session._go_on(saved)
        except BaseException:
            session.leave()
            raise
        return session

    @property
    def played_at(self) -> float | None:
        """The rating that the opponent has played at: that it was asked for, or that it came to."""
        asked = super().played_at
        return self._seat.played_at if asked is None else asked

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
        if self.ply:  # else the opponent is where it is to be
            self._seat.resume(self.line, list(saved.snapshots))

    def rematch(self, seed: int, opponent: str | None = None) -> None:
        """Start again with the sides swapped, from where this game began to be played.

        With ``opponent`` another player sits down.
        """
        if opponent is not None and opponent != self.opponent:
            self._seat_player(opponent)
        given = self.given
        self.side, self.seed = -self.side, seed
        self.line.cut(given)
        for action in self._given_back:
            self.line.push(action, GIVEN)
        self._given_back = []
        self.end, self._thought, self._seen, self._hints = None, None, 0, set()
        self.disputed, self._agreed = False, None
        if self.clock is not None:
            self.clock = Clock(self.clock.base, self.clock.increment)
        self._meet()

    @property
    def saved(self) -> Saved:
        """The game as it is kept on disk."""
        clock: tuple[float, ...] = ()
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
            forgets=self._forgets,
            plays_on=self.plays_on,
            disputed=self.disputed,
            pace=self.pace,
            clock=clock,
            snapshots=tuple(self._seat.snapshots),
        )

    # -- moves -------------------------------------------------------------------------------

    def push(self, action: int, mark: str = OWN) -> None:
        """Play a legal action, whoever is to move; ``mark`` says why it is not theirs."""
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

    def reply(self) -> int:
        """Let the opponent move; return its action, RESIGN if it gives up."""
        known = self._thought is not None and self._thought[0] == self.ply
        if answers_by_passing(self.line, self._evaluator, self.disputed):
            action = self.legal[-1]
        else:
            action = self._thought[1] if known and self._thought else self._ask(self._seat)
        if action == RESIGN:
            self.end = End.OPPONENT_RESIGNED
        else:
            self.push(action)
        return action

    def hint(self) -> int:
        """Return what full strength would play."""
        if self._adviser is None:
            net = parse_spec(self.opponent)[1].get("net")
            self._adviser = self._opponents.sit(f"alphazero:net={net}" if net else "alphazero")
            self._at_board.append(self._adviser)
            self._adviser.begin(self.line.first(0), self.side, self.seed)
        action = self._ask(self._adviser)
        self._hints.add((*self.actions, action))
        return action

    def undo(self) -> bool:
        """Take back the person's latest move and what came after; False if there is none."""
        choices = [ply for ply in range(self.given, self.ply) if self.chose(ply)]
        if not choices:
            return False
        self._seen = max(self._seen, self.ply)
        self.line.cut(choices[-1])
        self._thought = self._agreed = None
        self._seat.go_to(self.line)
        return True

    # -- the end off the board ---------------------------------------------------------------

    def resigns(self) -> bool:
        """Let the opponent, about to move, resign; True if so.

        It does where `wants_to_resign` says so, and its own search agrees.
        """
        if self.plays_on or not wants_to_resign(self) or not self._searches_find_it_lost():
            return False
        self.end = End.OPPONENT_RESIGNED
        return True

    def _searches_find_it_lost(self) -> bool:
        """Tell whether the opponent's own search, if it has one, sees no more than the network."""
        self._thought = self.ply, self._ask(self._seat)
        expects = self._seat.expects
        return expects is None or expects <= MOST

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
        self._thought = None
        self._seat.go_to(self.line)

    # -- what the game teaches ------------------------------------------------------------------

    def finish(self) -> None:
        """Tell the opponent the result; OSError or StateError if what it learned cannot be kept.

        A game in which the person never moved teaches nothing.
        """
        if not self.begun:
            return
        result = self.taught()
        if self._store is None or self.person is None:
            self._seat.player.finish(0, result)
            return
        who = self.game.id, self.opponent, self.person
        self._store.learn(self._seat.player, *who, result, self._forgets)
        self._forgets = False

    # -- the opponent --------------------------------------------------------------------------

    def _seat_player(self, opponent: str) -> None:
        """Let the player of a spec be the opponent from the next game on."""
        seat = self._opponents.sit(opponent)
        self.leave()
        self.opponent, self._seat, self._at_board = opponent, seat, [seat]
        self._evaluator = _judge(self._opponents.networks, opponent)

    def _meet(self) -> bool:
        """Begin a game with what the opponent knows of the person by now; tell whether it does."""
        known = False
        if self._store is not None and self.person is not None and not self._forgets:
            known = self._store.recall(self._seat.player, self.game.id, self.opponent, self.person)
        self._seat.begin(self.line, -self.side, self.seed)
        return known

    def leave(self) -> None:
        """Let the opponent leave the board. Call `finish` first; ask nothing afterwards."""
        for seat in self._at_board:
            seat.leave()
        self._at_board, self._adviser = [], None

    def _ask(self, seat: Opponent) -> int:
        """Return what a player would do now."""
        return seat.choose(self.line)


def _judge(networks: Networks, opponent: str):
    """Return the network that says how even the game is: the opponent's own or the shipped one."""
    try:
        return networks.evaluator(parse_spec(opponent)[1].get("net"))
    except NetworkError:
        return None
