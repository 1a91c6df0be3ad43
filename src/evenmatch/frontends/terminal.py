"""The game in the terminal: a person, or lines from a pipe, against a player.

Reads words: moves and commands. A person who mistypes is told and asked again; a pipe ends
with an error. Either way the game is on disk after every move.
"""

import io
import os
import secrets
import shutil
import sys
import textwrap
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from evenmatch.errors import EvenmatchError, MoveError, NetworkError, UsageError
from evenmatch.frontends import console, finished, saves
from evenmatch.frontends.interrupts import Told
from evenmatch.frontends.screen import make_screen, name_of
from evenmatch.frontends.session import PASS, Session

PAUSE = 0.7  #: seconds a person's own move stays on the screen before the reply


class Words:
    """The words of standard input, one after another."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty()
        if not self.interactive and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a stray byte is an unreadable move, no more
        self._waiting: deque[str] = deque()
        if self.interactive and console.is_terminal(sys.stdout):
            import readline  # noqa: F401  (input() then edits lines and remembers them)

    def next(self, prompt: str) -> str | None:
        """Return the next word, None at the end of the input."""
        while not self._waiting:
            try:
                line = input(prompt) if self.interactive else next(sys.stdin)
            except (EOFError, StopIteration):
                if self.interactive:
                    print()
                return None
            self._waiting.extend(line.split())
        return self._waiting.popleft()

    def forget(self) -> None:
        """Drop what is left of the line, after an error in it."""
        self._waiting.clear()


class Left(Exception):  # noqa: N818
    """The person leaves the game unfinished."""


class Keeper:
    """Keeps the unfinished game on disk; warns once where that is impossible."""

    def __init__(self, kept: bool):
        """``kept`` tells whether the game at hand is on disk already."""
        self.kept = kept
        self._warned = False

    def keep(self, session: Session) -> None:
        """Replace the saved game with this one."""
        try:
            saves.write(session.saved)
            self.kept = True
        except OSError as error:
            self.kept = False
            if not self._warned:
                self._warned = True
                console.errors().print(
                    f"warning: the game cannot be saved in {saves.folder()} ({error.strerror}); "
                    "set EVENMATCH_STATE to a folder that can be written",
                    style="yellow", markup=False, soft_wrap=True,
                )  # fmt: skip

    def forget(self, session: Session) -> None:
        """Remove a game that is over; an older one that it did not replace stays."""
        if self.kept:
            saves.remove(session.game.id)
        self.kept = False

    def keep_if_begun(self, session: Session) -> None:
        """Save a game; an older one is replaced once the person has moved in this."""
        if self.kept or session.begun or not os.path.exists(saves.path_of(session.game.id)):
            self.keep(session)

    def whereabouts(self, session: Session) -> str:
        """Say how to go on with a game that was left."""
        if self.kept:
            return f"the game is saved; go on with: evenmatch play {session.game.id} --resume"
        if not session.begun:
            again = f"evenmatch play {session.game.id} -o {session.opponent}"
            return f"nothing was played; start again with: {again}"
        return "the game could not be saved; set EVENMATCH_STATE to a folder that can be written"


class TerminalGame:
    """Games of one session until the person has had enough."""

    def __init__(self, session: Session, note: str = "", kept: bool = False):
        """``note`` is told with the first position; ``kept``: the game is on disk already."""
        self.session = session
        self.words = Words()
        self.screen = make_screen(self.words.interactive)
        self.keeper = Keeper(kept)
        if note:
            self.screen.note(note)

    def run(self) -> None:
        """Play to the end, and rematches as long as the person wants any.

        Raises UsageError where a pipe ends or errs in the middle of a game.
        """
        try:
            self._play()
            while self.words.interactive and self._again():
                self.session.rematch(secrets.randbits(32))
                self._play()
        except Left:
            self._leave()
        except (KeyboardInterrupt, EvenmatchError) as error:
            if self.session.over:
                raise
            self.keeper.keep_if_begun(self.session)
            if isinstance(error, KeyboardInterrupt):
                self.screen.say(f"\nInterrupted; {self.keeper.whereabouts(self.session)}")
                raise Told from None
            raise type(error)(f"{error} ({self.keeper.whereabouts(self.session)})") from error

    def _play(self) -> None:
        session = self.session
        while not session.over:
            if (action := session.forced_pass) is not None:
                self._pass(action)
            elif session.yours:
                self.screen.show(session)
                self._turn()
            else:
                self._reply()
            if not session.over:
                self.keeper.keep_if_begun(session)
        try:
            session.finish()
        except OSError as error:
            self.screen.note(
                f"What {name_of(session)} learned is lost ({error.strerror}); set EVENMATCH_STATE "
                "to a folder that can be written."
            )
        self._record()
        self.keeper.forget(session)
        self.screen.end(session)

    def _record(self) -> None:
        """Keep the finished game where it can be read by other programs."""
        try:
            path = finished.keep(self.session)
        except OSError as error:
            self.screen.note(
                f"The game cannot be added to {finished.path()} ({error.strerror}); set "
                "EVENMATCH_STATE to a folder that can be written."
            )
            return
        if path is not None:
            self.screen.note(f"The game is in {path}")

    def _leave(self) -> None:
        self.keeper.keep_if_begun(self.session)
        where = self.keeper.whereabouts(self.session)
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
            session.reply()
            if self.words.interactive and session.ply > 1:
                time.sleep(max(0.0, PAUSE - (time.perf_counter() - start)))
        self.screen.moved(session)

    def _turn(self) -> None:
        """Read words until one of them changes the game."""
        while True:
            word = self.words.next(self.screen.prompt("Your move: "))
            if word is None and self.words.interactive:
                raise Left
            if word is None:
                raise UsageError("the input ended in the middle of the game")
            if word.lower() in COMMANDS:
                if COMMANDS[word.lower()].run(self):
                    return
            elif self._move(word):
                return

    def _move(self, word: str) -> bool:
        session = self.session
        try:
            action = session.game.read_action(session.state, word)
        except MoveError as error:
            if not self.words.interactive:
                raise
            self.words.forget()
            self.screen.say(str(error), wrong=True)
            return False
        session.push(action)
        self.screen.moved(session)
        return True

    def _again(self) -> bool:
        answer = self.words.next(self.screen.prompt("Another game, sides swapped? [y/N] "))
        return answer is not None and answer.lower() in ("y", "yes")

    # -- commands: each returns whether the game changed ---------------------------------------

    def undo(self) -> bool:
        """Take back your last move and the reply."""
        if self.session.undo():
            return True
        self.screen.say("There is no move of yours to take back.", wrong=True)
        return False

    def hint(self) -> bool:
        """Show what full strength would play."""
        session = self.session
        try:
            text = session.game.action_text(session.state, session.hint())
        except NetworkError as error:
            self.screen.say(f"No hint: {error}", wrong=True)
            return False
        self.screen.say(f"Full strength plays {text}.")
        return False

    def moves(self) -> bool:
        """List the legal moves."""
        session = self.session
        names = [session.game.action_text(session.state, action) for action in session.legal]
        self.screen.say(f"Legal moves: {' '.join(names)}")
        return False

    def board(self) -> bool:
        """Draw the board again."""
        self.screen.show(self.session)
        return False

    def save(self) -> bool:
        """Save the game now (it is saved after every move anyway)."""
        self.keeper.keep_if_begun(self.session)
        if self.keeper.kept:
            self.screen.say(f"Saved in {saves.path_of(self.session.game.id)}")
        elif not self.session.begun:
            self.screen.say(
                "Not saved: an unfinished game is kept (--resume) until you move in this one.",
                wrong=True,
            )
        return False

    def resign(self) -> bool:
        """Give up the game."""
        self.session.resigned = True
        return True

    def quit(self) -> bool:
        """Leave; the game is saved."""
        raise Left

    def help(self) -> bool:
        """Show this list."""
        session = self.session
        example = session.game.action_text(session.state, session.legal[0])
        rows = {example: "a move, for example"}
        rows |= {name: command.help for name, command in COMMANDS.items()}
        for name, text in rows.items():
            for line in self._help_lines(name, text):
                self.screen.say(line)
        return False

    @staticmethod
    def _help_lines(name: str, text: str) -> list[str]:
        """Return a row of the help, broken so that it stays a column on a narrow terminal."""
        width = max(30, shutil.get_terminal_size().columns - 2)  # less the screen's margin
        start = f"  {name:8} "
        return textwrap.wrap(text, width, initial_indent=start, subsequent_indent=" " * len(start))


class Command(NamedTuple):
    """A word that is no move."""

    run: Callable[[TerminalGame], bool]
    help: str


def _command(method: Callable[[TerminalGame], bool]) -> Command:
    text = (method.__doc__ or "").strip().rstrip(".")
    return Command(method, text[0].lower() + text[1:])


COMMANDS = {
    method.__name__: _command(method)
    for method in (
        TerminalGame.undo,
        TerminalGame.hint,
        TerminalGame.moves,
        TerminalGame.board,
        TerminalGame.save,
        TerminalGame.resign,
        TerminalGame.quit,
        TerminalGame.help,
    )
}  #: what can be typed instead of a move
