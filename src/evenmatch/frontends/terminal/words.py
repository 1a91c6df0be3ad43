"""The words of standard input: of a person, or of a pipe."""

import io
import re
import shutil
import sys
from collections import deque

from evenmatch.errors import MoveError, quoted
from evenmatch.frontends import console

NOT_SHOWN = re.compile(r"\001[^\002]*\002")  #: what a prompt has that takes no room
MARKS = {1: None, 2: None}  #: by which it says so


class Words:
    """The words of standard input, one after another; of a person one a line."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty()
        if not self.interactive and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a stray byte is an unreadable move, no more
        self._waiting: deque[str] = deque()
        #: whether what stands before the cursor can be written over
        self.live = self.interactive and console.moves_cursor(sys.stdout)
        if self.interactive and console.is_terminal(sys.stdout):
            import readline  # noqa: F401  (input() then edits lines and remembers them)

    def write_over(self, prompt: str) -> None:
        """Write a prompt of the same length over the one that stands there; the cursor stays.

        Not where what was typed has come to another line.
        """
        import readline

        shown = NOT_SHOWN.sub("", prompt)
        typed = len(readline.get_line_buffer())
        if len(shown) + typed < shutil.get_terminal_size().columns:
            sys.stdout.write(f"\0337\r{prompt.translate(MARKS)}\0338")
            sys.stdout.flush()

    def next(self, prompt: str) -> str | None:
        """Return the next word, None at the end of the input.

        MoveError for more than one word on a line that a person types: what came after a slip would
        be played in another position than it was meant for.
        """
        while not self._waiting:
            try:
                line = input(prompt) if self.interactive else next(sys.stdin)
            except (EOFError, StopIteration):
                if self.interactive:
                    print()
                return None
            words = line.split()
            if self.interactive and len(words) > 1:
                raise MoveError(f"type one move or word at a time, not {quoted(line.strip())}")
            self._waiting.extend(words)
        return self._waiting.popleft()
