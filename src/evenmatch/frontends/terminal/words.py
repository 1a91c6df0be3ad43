"""The words of standard input: of a person, or of a pipe."""

import io
import sys
from collections import deque

from evenmatch.errors import MoveError, quoted
from evenmatch.frontends import console


class Words:
    """The words of standard input, one after another; of a person one a line."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty()
        if not self.interactive and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a stray byte is an unreadable move, no more
        self._waiting: deque[str] = deque()
        if self.interactive and console.is_terminal(sys.stdout):
            import readline  # noqa: F401  (input() then edits lines and remembers them)

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
