"""The game in the terminal: a view of a `GameLoop` that reads words and writes what happens.

Words are moves and commands. A person who mistypes is corrected and asked again; a pipe ends with
an error. Either way the game is on disk after every move.
"""

from __future__ import annotations

import os
import secrets
import shutil
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from evenmatch.app.game_words import has_level, level_now, level_story, name_of, not_counted
from evenmatch.app.match_level import YourLevel
from evenmatch.errors import EvenmatchError, MoveError, UsageError, as_sentence, quoted
from evenmatch.files import state_folder
from evenmatch.frontends import console
from evenmatch.frontends.console import InterruptReported
from evenmatch.frontends.terminal.pace import mean_with_clock, seconds_to_move
from evenmatch.frontends.terminal.screen import MARGIN, Screen, make_screen
from evenmatch.frontends.terminal.typed import TimeUp, Words, ticking, time_limit
from evenmatch.games.catalog import game_info
from evenmatch.games.game import PASS, AreaGame
from evenmatch.opponents.dials import OF_PEOPLE
from evenmatch.opponents.rating_range import EVEN
from evenmatch.opponents.resigning import EVEN_PLIES
from evenmatch.opponents.table import player_name
from evenmatch.play.clock import time_text
from evenmatch.play.game_loop import (
    DrawRefused,
    Ended,
    Event,
    GameLoop,
    Hinted,
    Moved,
    Next,
    NotForgotten,
    Passed,
    PlayedOn,
)
from evenmatch.play.session import MoveRequest, Session
from evenmatch.profiles import Finished, KeptGame, Outcome, Profile
from evenmatch.profiles.database import NAME as DATABASE
from evenmatch.profiles.database import OWNER_ONLY, cause, remedy
from evenmatch.profiles.export import text_of

AGREE = "Do you agree? (n: play on) [y/n] "
PAUSE = 0.7  #: seconds a person's own move stays on the screen before the reply
PACE = 3.0  #: mean seconds of the moves of an opponent at a rating, or that plays as people do


class Left(Exception):  # noqa: N818
    """The person leaves the game unfinished."""


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
        words: Words | None = None,
        screen: Screen | None = None,
    ):
        """``note`` is shown with the first position.

        Games are kept in ``profile``; ``kept`` is this one if it is kept already. ``command``
        starts such a game again. With ``yours`` a person reads their level after each game, and the
        next opponent is at it. ``words`` and ``screen`` are by default those of the terminal.
        """
        self.session = session
        self.words = words or Words()
        self.screen = screen or make_screen(self.words.interactive)
        self.kept = kept or KeptGame((profile or Profile()).games)
        self._events: list[Event] = []
        self.loop = GameLoop(session, self.kept, self._events.append, wait=self._wait)
        self._command, self._yours = command, yours
        self._warned = False
        self._begun, self._choices = 0.0, 0  # of the opponent's turn: when, legal moves
        if note:
            self.screen.note(note)

    def run(self) -> None:
        """Play to the end, and rematches as long as the person wants any.

        Raises UsageError where a pipe ends or errs in the middle of a game.
        """
        try:
            self._play()
            while self.words.interactive and self.agreed("Another game, sides swapped? [y/N] "):
                found = None if self._yours is None else self._yours.opponent()
                spec = None if found is None else found[0]
                self.session.rematch(secrets.randbits(32), spec, by_profile=True)
                self._play()
        except Left:
            self.save()
            self.screen.say(as_sentence(self._whereabouts())[:-1])
        except (KeyboardInterrupt, EvenmatchError) as error:
            if self.loop.next is Next.END:
                raise
            self.save()
            if isinstance(error, KeyboardInterrupt):
                self.screen.say(f"\nInterrupted; {self._whereabouts()}")
                raise InterruptReported from None
            raise type(error)(f"{error} ({self._whereabouts()})") from error
        finally:
            self.kept.leave()

    def _play(self) -> None:
        """Play one game to its end."""
        self.loop.begin()
        if self.session.worth_keeping:
            self.loop.save()
        self.show_events()
        while (waits_for := self.loop.next) is not Next.END:
            if waits_for is Next.OPPONENT:
                self._begun, self._choices = time.perf_counter(), len(self.session.legal)
                with self.screen.thinking(self.session):
                    self.session.decide(self.loop.opponent())
            elif waits_for is Next.SCORE:
                self.screen.show(self.session)
                (self.loop.agree if self._agrees_on_score() else self.loop.play_on)()
            else:
                self._turn()
            self.show_events()

    # -- what happens --------------------------------------------------------------------------

    def show_events(self) -> None:
        """Show what the latest step did."""
        if not self.loop.finished:
            self._warn()
        while self._events:
            self._show(self._events.pop(0))

    def _show(self, event: Event) -> None:
        session, name = self.session, name_of(self.session)
        match event:
            case Moved(by_person, text):
                self.screen.moved(text, by_person, name)
            case Passed(by_person, after):
                who = "You have" if by_person else f"{name} has"
                self.screen.note(f"{who} no move{f' after {after}' if after else ''}: {PASS}")
            case Hinted(action):
                text = session.game.action_text(session.state, action)
                self.screen.say(f"A strong player would play {text}.")
            case DrawRefused():
                move = game_info(session.game.id).board_style.moves(EVEN_PLIES)
                early = session.ply < EVEN_PLIES
                when = f" It accepts no draw before move {move}." if early else ""
                self.screen.say(f"{name} plays on.{when}")
            case PlayedOn():
                self.screen.note("You play on: capture what is dead, then pass.")
            case NotForgotten(error):
                self.screen.note(f"Nothing was forgotten ({cause(error)}); {remedy(error)}.")
            case Ended():
                self._end()

    def _end(self) -> None:
        """Show the end, add the game to the file of its game, and show the person's level."""
        session, problem = self.session, self.loop.problem
        if problem is not None:
            lost = f"What {name_of(session)} learned is lost ({cause(problem)})"
            self.screen.note(f"{lost}; {remedy(problem)}.")
        path = record_path(session.game.id)
        try:
            if record(session):
                self.screen.note(f"The game is in {path}")
        except OSError as error:
            why = f"{cause(error)}); {remedy(error)}"
            self.screen.note(f"The game cannot be added to {path} ({why}.")
        if why := not_counted(session):
            self.screen.note(f"The result does not count for your level: {why}.")
        self.screen.warn("")
        self.screen.end(session)
        if session.begun and (story := level_story(session)):
            self.screen.say(story)
        if self.words.interactive and self._yours is not None and session.begun:
            self.screen.say(self._yours.message())

    # -- the saved game ------------------------------------------------------------------------

    def save(self) -> None:
        """Save the game; warn on the screen as long as that fails."""
        self.loop.save()
        self._warn()

    def _warn(self) -> None:
        why = self._unsaved()
        self.screen.warn(f"This game is not saved ({why})" if why else "")
        if why and self.loop.problem is not None and not self._warned:
            self._warned = True
            console.warn(f"the game cannot be saved ({why}); {remedy(self.loop.problem)}")

    def _unsaved(self) -> str:
        """Say why the game is not saved; empty if it is."""
        problem = self.loop.problem
        return "" if problem is None else f"{self.kept.folder}: {cause(problem)}"

    def _whereabouts(self) -> str:
        """Return how to continue a game that was left, or how to start it again."""
        if self.loop.problem is not None:
            return f"the game could not be saved ({self._unsaved()}); {remedy(self.loop.problem)}"
        if not self.kept.name:
            return f"nothing was played; start again with: {self._command}"
        return f"the game is saved; continue with: evenmatch play {self.kept.name}"

    def saved_text(self) -> tuple[str, bool]:
        """Return what the command save says, and whether the person has to do something."""
        if self.loop.problem is not None:
            return f"This game is not saved ({self._unsaved()}); {remedy(self.loop.problem)}.", True
        if not self.kept.name:
            return "There is nothing to save before your first move.", True
        return f"Saved as {self.kept.name} in {self.kept.folder / DATABASE}", False

    # -- the opponent's time -------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait until the opponent has taken the time of a person for its move."""
        left = self._seconds() - (time.perf_counter() - self._begun)
        time.sleep(max(0.0, left))

    def _seconds(self) -> float:
        """Return how many seconds the opponent takes for the move that it has just made."""
        session = self.session
        mean = session.pace
        if not self.words.interactive and mean is None:
            return 0.0
        if mean is None and _takes_time(session):
            mean = PACE
            if session.clock is not None:
                left = session.clock.left[-session.side]
                mean = mean_with_clock(left, session.clock.increment, session.ply)
        if mean is None:
            return PAUSE if session.ply > 1 else 0.0
        rng = np.random.default_rng([session.seed, session.ply])
        return seconds_to_move(mean, session.ply - 1, self._choices, rng)

    # -- words ---------------------------------------------------------------------------------

    def _turn(self) -> None:
        """Read words until one of them changes the game, or the person's time is up."""
        self.screen.show(self.session)
        try:
            while not self._word():
                pass
        except TimeUp:
            self.loop.time_up()
        except (Left, KeyboardInterrupt):
            self.loop.read_clock()
            raise

    def _word(self) -> bool:
        """Read one word; return whether it changed the game."""
        try:
            word = self._next("Your move: ")
            if word is None and self.words.interactive:
                raise Left
            if word is None:
                raise UsageError("the input ended in the middle of the game")
            command = COMMANDS.get(ALIASES.get(word.lower(), word.lower()))
            if command is not None:
                return command(self)
            self.loop.move(word)
        except MoveError as error:
            if not self.words.interactive:
                raise
            self.screen.say(str(error), wrong=True)
            return False
        return True

    def _next(self, prompt: str) -> str | None:
        """Return the next word; TimeUp if it takes longer than the person has."""
        self.loop.read_clock()
        text, left = self.screen.prompt(prompt), self.loop.person_has
        with time_limit(left):
            if left is None or not self.words.live:
                return self.words.next(text)

            def with_clock() -> str:
                return f"{time_text(self.loop.person_has or 0.0):>7}   {text}"

            with ticking(with_clock, self.words.write_over):
                return self.words.next(with_clock())

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

    def agreed(self, question: str) -> bool:
        """Ask a person; a pipe agrees."""
        if not self.words.interactive:
            return True
        try:
            answer = self.words.next(self.screen.prompt(question))
        except MoveError:
            return False
        return answer is not None and answer.lower() in ("y", "yes")

    def step(self, step: Callable[[], MoveRequest | None], refused: str = "{}") -> bool:
        """Take a step; False, said in words, if it cannot be taken."""
        try:
            self.session.decide(step())
        except EvenmatchError as error:
            self.screen.say(as_sentence(refused.format(error)), wrong=True)
            return False
        return True


def _takes_time(session: Session) -> bool:
    """Return whether the opponent takes the time of a person where nothing else is said."""
    of_people = game_info(session.game.id).rated in OF_PEOPLE
    return session.rating is not None or (of_people and player_name(session.opponent) == EVEN)


# -- commands: each returns whether the game changed -------------------------------------------


def undo(game: TerminalGame) -> bool:
    """Take back your last move and the reply."""
    return game.step(game.loop.undo)


def hint(game: TerminalGame) -> bool:
    """Show what full strength would play."""
    game.step(game.loop.hint, "no hint: {}")
    game.show_events()
    return False


def moves(game: TerminalGame) -> bool:
    """List the legal moves."""
    session = game.session
    names = [session.game.action_text(session.state, action) for action in session.legal]
    game.screen.say(f"Legal moves: {' '.join(names)}")
    return False


def level(game: TerminalGame) -> bool:
    """Show the level that your opponent plays at."""
    game.screen.say(level_now(game.session))
    return False


def board(game: TerminalGame) -> bool:
    """Draw the board again."""
    game.loop.read_clock()
    game.screen.show(game.session)
    return False


def save(game: TerminalGame) -> bool:
    """Save the game now (it is saved after every move anyway)."""
    game.save()
    text, wrong = game.saved_text()
    game.screen.say(text, wrong=wrong)
    return False


def draw(game: TerminalGame) -> bool:
    """Offer a draw."""
    game.step(game.loop.offer_draw)
    over = game.loop.next is Next.END
    if not over:
        game.show_events()
    return over


def score(game: TerminalGame) -> bool:
    """Show who is ahead, as the network expects the game to end."""
    session = game.session
    if not isinstance(session.game, AreaGame):
        game.screen.say(f"{session.game.title} is not decided by points.", wrong=True)
        return False
    lead = session.expected_lead()
    if lead is None:
        game.screen.say("This network does not count points.", wrong=True)
        return False
    points = round(2 * abs(lead)) / 2
    ahead = session.game.players[0 if lead > 0 else 1]
    text = f"{ahead} leads by about {points:g} point{'s' * (points != 1)}"
    text = text if points else "Neither side leads"
    game.screen.say(f"{text}, komi counted, if both play well from here.")
    return False


def resign(game: TerminalGame) -> bool:
    """Give up the game."""
    return game.agreed("Give up the game? [y/N] ") and game.step(game.loop.resign)


def quit(game: TerminalGame) -> bool:
    """Leave; the game is saved."""
    raise Left


def help(game: TerminalGame) -> bool:
    """Show this list."""
    session = game.session
    rows = {session.game.action_text(session.state, session.legal[0]): "a move, for example"}
    if session.may_pass:
        rows[PASS] = "make no move; two passes end the game"
    unknown = ["draw"] * (not session.game.draws_agreed)
    unknown += ["score"] * (not isinstance(session.game, AreaGame))
    unknown += ["level"] * (not has_level(session))
    for name, command in COMMANDS.items():
        if name not in unknown:
            text = (command.__doc__ or "").strip().rstrip(".")
            rows[name] = text[0].lower() + text[1:]
    width = max(30, shutil.get_terminal_size().columns - len(MARGIN))
    for name, text in rows.items():
        start = f"  {name:8} "
        after = " " * len(start)
        for line in textwrap.wrap(text, width, initial_indent=start, subsequent_indent=after):
            game.screen.say(line)
    return False


COMMANDS: dict[str, Callable[[TerminalGame], bool]] = {
    command.__name__: command
    for command in (undo, hint, moves, level, board, save, draw, score, resign, quit, help)
}  #: what can be typed instead of a move
ALIASES = {"q": "quit", "exit": "quit", "?": "help"}  #: other words for some of them


# -- finished games for other programs: chess as PGN, which is rated too, and Go as SGF ----------


def record_path(game_id: str) -> Path:
    """Return the file of all games of a kind."""
    return state_folder() / f"games.{game_info(game_id).notation}"


def record(session: Session) -> bool:
    """Add a finished game to the file; False for one without moves, or of a game that has none.

    Raises OSError if the file cannot be written.
    """
    if not game_info(session.game.id).notation or not session.begun:
        return False
    now = time.time()
    game = Finished(saved=session.saved, outcome=Outcome.of(session), begun=now, ended=now)
    file = record_path(session.game.id)
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_ONLY)
    with os.fdopen(descriptor, "a", encoding="utf-8") as out:
        out.write(text_of(game))  # one write of one game: two programs do not mix theirs
        out.flush()
        os.fsync(descriptor)
    return True
