"""Command lines of other programs."""

import shlex
import shutil

ENGINES = "/usr/games"  #: where Debian has its engines, which the PATH of some users lacks


def command_of(cmd: str) -> list[str]:
    """Return the words of a command; a program that PATH lacks is looked for among the games."""
    words = shlex.split(cmd)
    if len(words) == 1 and shutil.which(words[0]) is None:
        words = shlex.split(words[0])  # the whole was in quotation marks
    if words and shutil.which(words[0]) is None:
        words[0] = shutil.which(words[0], path=ENGINES) or words[0]
    return words
