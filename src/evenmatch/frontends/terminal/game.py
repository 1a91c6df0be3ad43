"""The game in the terminal: a person, or lines from a pipe, against a player.

Reads words: moves and commands. A person who mistypes is told and asked again; a pipe ends
with an error. Either way the game is on disk after every move.
"""

import secrets
import time

import numpy as np

from evenmatch.app.game_words import name_of
from evenmatch.app.match_level import YourLevel
from evenmatch.errors import EvenmatchError, MoveError, UsageError, quoted
from evenmatch.frontends.console import InterruptReported
from evenmatch.frontends.terminal.commands import ALIASES, COMMANDS, Left
from evenmatch.frontends.terminal.pace import mean_with_clock, seconds_to_move
from evenmatch.frontends.terminal.saving import Keeper, record, record_path
from evenmatch.frontends.terminal.screen import make_screen
from evenmatch.frontends.terminal.typed import TimeUp, Words, ticking, time_limit
from evenmatch.games.game import PASS
from evenmatch.play.clock import Clock
from evenmatch.play.played_game import End
from evenmatch.play.session import Session
from evenmatch.profiles import KeptGame, Profile
from evenmatch.profiles.database import cause, remedy

AGREE = "Do you agree? (n: play on) [y/n] "
PAUSE = 0.7  #: seconds a person's own move stays on the screen before the reply
PACE = 3.0  #: mean seconds of the moves of an opponent with a rating


class TerminalGame:
    """Games of one session until the person has had enough."""

    def __init__(
        self,
        session: Session,
        note: str = "",
        *,
        profile: Profile | None = None,
        kept: KeptGame | None = None,
        command: str = "evenmatch play",
        yours: YourLevel | None = None,
    ):
        """``note`` is told with the first position.

        Games are kept in ``profile``; ``kept`` is this one if it is kept already. ``command``
        starts such a game again. With ``yours`` the next opponent is at the level that the games
        until then tell, and a person hears of it.
        """
        self.session = session
        self.words = Words()
        self.screen = make_screen(self.words.interactive)
        self.keeper = Keeper(profile or Profile(), kept)
        self._command = command
        self._yours = yours
        self._since = 0.0  # when the clock of whoever is to move was last read
        if note:
            self.screen.note(note)

    def run(self) -> None:
        """Play to the end, and rematches as long as the person wants any.

        Raises UsageError where a pipe ends or errs in the middle of a game.
        """
        try:
            self._play()
            while self.words.interactive and self._again():
                self.session.rematch(secrets.randbits(32), self._next_opponent())
                self._play()
        except Left:
            self._leave()
        except (KeyboardInterrupt, EvenmatchError) as error:
            if self.session.over and not self.session.unsettled:
                raise
            self.keeper.keep(self.session)
            where = self.keeper.whereabouts(self.session, self._command)
            if isinstance(error, KeyboardInterrupt):
                self.screen.say(f"\nInterrupted; {where}")
                raise InterruptReported from None
            raise type(error)(f"{error} ({where})") from error
        finally:
            self.keeper.leave()

    def _next_opponent(self) -> str | None:
        """Return the spec of who plays next, None for who played last."""
        found = None if self._yours is None else self._yours.opponent()
        return None if found is None else found[0]

    def _play(self) -> None:
        session = self.session
        self._since = time.perf_counter()
        if session.worth_keeping:
            self.keep()
        self._play_moves()
        while session.unsettled:
            self._settle()
            self._play_moves()
        self._finish()

    def _play_moves(self) -> None:
        """Play until the game is over, on the board or off it."""
        session = self.session
        while not session.over:
            if (action := session.forced_pass) is not None:
                self._pass(action)
            elif session.yours:
                self.screen.show(session)
                self._turn()
            else:
                self._reply()
            if not session.over or session.unsettled:
                self.keep()

    def _settle(self) -> None:
        """Show the score after two passes; the person agrees, or plays on from before them."""
        session = self.session
        self.screen.show(session)
        if self._agrees_on_score():
            session.agree()
            return
        session.play_on()
        self._since = time.perf_counter()
        self.screen.note("You play on: capture what is dead, then pass.")
        self.keep()

    def _agrees_on_score(self) -> bool:
        """Ask until it is yes or no; a pipe that ends agrees. Left at the end of a person's input.

        Raises MoveError if a pipe says anything else.
        """
        while True:
            try:
                answer = self.words.next(self.screen.prompt(AGREE))
            except MoveError:
                continue
            if answer is None and not self.words.interactive:
                self.screen.say("The input has ended: the score counts as agreed on.")
                return True
            if answer is None or ALIASES.get(answer.lower(), answer.lower()) == "quit":
                raise Left
            if answer.lower() in ("y", "yes", "n", "no"):
                return answer.lower() in ("y", "yes")
            if not self.words.interactive:
                raise MoveError(
                    f"{quoted(answer)} is no answer to the score; write y, or n to play on"
                )
            self.screen.say("Type y if the score is right, or n to play on.", wrong=True)

    def keep(self) -> None:
        """Save the game; warn on the screen as long as that fails."""
        self.keeper.keep(self.session)
        self.screen.warn(self.keeper.notice)

    def _finish(self) -> None:
        """Let the opponent learn, record the game, show the end."""
        session = self.session
        try:
            self.keeper.finish(session)
        except (OSError, EvenmatchError) as error:
            lost = f"What {name_of(session)} learned is lost ({cause(error)})"
            self.screen.note(f"{lost}; {remedy(error)}.")
        self._record()
        if session.end is End.YOU_RESIGNED and session.rating is not None and not session.counts:
            why = "you gave up a game that was not lost" if session.begun else "you made no move"
            self.screen.note(f"The result does not count: {why}.")
        self.screen.warn("")
        self.screen.end(session)
        if self.words.interactive and self._yours is not None and session.begun:
            self.screen.say(self._yours.told())

    def _record(self) -> None:
        """Keep the finished game where it can be read by other programs."""
        try:
            path = record(self.session)
        except OSError as error:
            self.screen.note(
                f"The game cannot be added to {record_path(self.session.game.id)} "
                f"({cause(error)}); {remedy(error)}."
            )
            return
        if path is not None:
            self.screen.note(f"The game is in {path}")

    def _leave(self) -> None:
        self.keeper.keep(self.session)
        where = self.keeper.whereabouts(self.session, self._command)
        self.screen.say(f"{where[0].upper()}{where[1:]}")

    # -- turns -------------------------------------------------------------------------------

    def _pass(self, action: int) -> None:
        session = self.session
        who = "You have" if session.yours else f"{name_of(session)} has"
        after = f" after {session.text(session.ply - 1)}" if session.actions else ""
        session.push(action)
        self.screen.note(f"{who} no move{after}: {PASS}")

    def _reply(self) -> None:
        session = self.session
        start = time.perf_counter()
        with self.screen.thinking(session):
            if session.resigns():
                return
            choices = len(session.legal)
            session.reply()
            if session.end is not None:
                return
            wait = self._wait(choices) - (time.perf_counter() - start)
            time.sleep(max(0.0, wait))
        if self._spent(-session.side, End.OPPONENTS_TIME):
            return
        self.screen.moved(session)

    def _wait(self, choices: int) -> float:
        """Return how many seconds the opponent takes for the move it has just made."""
        session = self.session
        mean = session.pace
        if not self.words.interactive and mean is None:
            return 0.0
        if mean is None and session.rating is not None:
            mean = PACE
            if session.clock is not None:
                left = session.clock.left[-session.side]
                mean = mean_with_clock(left, session.clock.increment, session.ply)
        if mean is None:
            return PAUSE if session.ply > 1 else 0.0
        rng = np.random.default_rng([session.seed, session.ply])
        return seconds_to_move(mean, session.ply - 1, choices, rng)

    def read_clock(self) -> None:
        """Take the time since the clock was last read from the side to move."""
        self._take_time(self.session.side if self.session.yours else -self.session.side)

    def _take_time(self, side: int) -> None:
        now = time.perf_counter()
        since, self._since = self._since, now
        if self.session.clock is not None:
            self.session.clock.spend(side, now - since)

    def _spent(self, side: int, end: End) -> bool:
        """Take the time since the clock was last read from a side; tell whether it was too much."""
        self._take_time(side)
        clock = self.session.clock
        if clock is None:
            return False
        if clock.left[side] > 0:
            clock.moved(side)
            return False
        self.session.end = end
        return True

    def _turn(self) -> None:
        """Read words until one of them changes the game, or the person's time is up."""
        session = self.session
        try:
            while not self._heard():
                pass
        except (TimeUp, Left, KeyboardInterrupt) as stop:
            self.read_clock()
            if not isinstance(stop, TimeUp):
                raise
            session.end = End.YOUR_TIME

    def _heard(self) -> bool:
        """Read one word; tell whether it changed the game."""
        try:
            word = self._next("Your move: ")
        except MoveError as error:
            return self._refuse(error)
        if word is None and self.words.interactive:
            raise Left
        if word is None:
            raise UsageError("the input ended in the middle of the game")
        name = ALIASES.get(word.lower(), word.lower())
        if name in COMMANDS:
            return COMMANDS[name].run(self)
        return self._move(word)

    def _next(self, prompt: str) -> str | None:
        """Return the next word; TimeUp if it takes longer than the person has."""
        self.read_clock()
        clock, side, text = self.session.clock, self.session.side, self.screen.prompt(prompt)
        if clock is None:
            return self.words.next(text)
        left = clock.left[side]
        with time_limit(left):
            if not self.words.live:
                return self.words.next(text)

            def told() -> str:
                now = Clock(0, 0, {side: left})
                now.spend(side, time.perf_counter() - self._since)
                return f"{now.text(side):>7}   {text}"

            with ticking(told, self.words.write_over):
                return self.words.next(told())

    def _move(self, word: str) -> bool:
        session = self.session
        try:
            action = session.game.read_action(session.state, word)
        except MoveError as error:
            return self._refuse(error)
        if self._spent(session.side, End.YOUR_TIME):
            return True
        try:
            session.move(action)
        except OSError as error:
            self.screen.note(f"Nothing was forgotten ({cause(error)}); {remedy(error)}.")
        self.screen.moved(session)
        return True

    def _refuse(self, error: MoveError) -> bool:
        """Tell a person what is wrong; a pipe ends."""
        if not self.words.interactive:
            raise error
        self.screen.say(str(error), wrong=True)
        return False

    def _again(self) -> bool:
        return self.agreed("Another game, sides swapped? [y/N] ")

    def agreed(self, question: str) -> bool:
        """Ask a person; a pipe agrees."""
        if not self.words.interactive:
            return True
        try:
            answer = self.words.next(self.screen.prompt(question))
        except MoveError:
            return False
        return answer is not None and answer.lower() in ("y", "yes")
