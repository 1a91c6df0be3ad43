"""A game of chess as PGN text: tags, moves in SAN, and comments: evals, clocks and marks.

A mark says that nobody chose the move alone. It is a command in a comment behind the move, in the
manner of ``[%eval]``, such as ``{[%evenmatch hint]}``. Other programs pass over it; our reader
fills ``GameRecord.aided`` by it.
"""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from evenmatch.errors import UsageError, quoted
from evenmatch.games.line import MARKS, OWN
from evenmatch.records.record import MATE, MOST_EVAL, NO_CLOCK, NO_EVAL

ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
}
"""The tags that every game has, in their order, and what they say where nothing is known."""

RESULTS: dict[float | None, str] = {1: "1-0", 0: "1/2-1/2", -1: "0-1", None: "*"}  #: for White
TAG_NAME = re.compile(r"[A-Za-z0-9_]+")
COLUMNS = 79  #: of movetext; the standard discourages lines of 80
UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")  #: control characters, broken Unicode, ends of lines
JOINT = "\0"  #: holds the words of a comment together while lines are broken


def pgn_text(
    tags: Mapping[str, str],
    moves: Sequence[str],
    result: float | None,
    *,
    evals: Iterable[int] | None = None,
    clocks: Iterable[int] | None = None,
    marks: Sequence[str] = (),
    fen: str | None = None,
) -> str:
    """Return a game with an empty line behind it, so that games can be written one after another.

    ``tags`` are any but Result, SetUp and FEN, which follow from the other arguments; those of the
    roster come first, and the others in their order. ``moves`` are SAN [plies], ``result`` is 1, 0
    or -1 for White and None if the game is not over. ``evals`` and ``clocks`` [plies] are those of
    `GameRecord`. ``marks`` [plies] are keys of :data:`MARKS`, or empty for moves that a player
    chose alone; none at all if no move is marked. ``fen`` is the position that the game starts
    from, if it is not the usual one. UsageError names a tag that cannot be written.
    """
    said = RESULTS[result]
    written = ROSTER | dict(tags) | {"Result": said}
    if fen is not None:
        written |= {"SetUp": "1", "FEN": fen}
    head = "".join(f'[{name} "{_escaped(name, value)}"]\n' for name, value in written.items())
    words = [*_movetext(moves, _comments(len(moves), evals, clocks, marks), fen), said]
    return f"{head}\n{_wrapped(words)}\n\n"


def _escaped(name: str, value: str) -> str:
    """Return a tag's value with a backslash before quotes and backslashes."""
    if not TAG_NAME.fullmatch(name):
        raise UsageError(f"no PGN tag can be named {quoted(name)}; use letters, digits and _")
    if any(unicodedata.category(letter) in UNPRINTABLE for letter in value):
        raise UsageError(
            f"the PGN tag {name} cannot hold {quoted(value)}; remove line breaks and control "
            "characters"
        )
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _movetext(moves: Sequence[str], comments: Sequence[str], fen: str | None) -> list[str]:
    """Return the words of the movetext: move numbers, moves, and comments in one piece."""
    fields = fen.split() if fen else []
    ply = int(fields[1:2] == ["b"])
    first = int(fields[5]) if len(fields) > 5 else 1
    words, numbered = [], False
    for move, comment in zip(moves, comments, strict=True):
        if ply % 2 == 0 or not numbered:  # Black's after a comment, or at the start
            words.append(f"{first + ply // 2}{'...' if ply % 2 else '.'}")
        words.append(move)
        if comment:
            words.append(comment)
        numbered = not comment
        ply += 1
    return words


def _comments(
    count: int,
    evals: Iterable[int] | None,
    clocks: Iterable[int] | None,
    marks: Sequence[str],
) -> list[str]:
    """Return the comment behind each move, empty where there is nothing to say."""
    commands = zip(
        map(_eval, [NO_EVAL] * count if evals is None else evals),
        map(_clock, [NO_CLOCK] * count if clocks is None else clocks),
        map(_mark, marks or [OWN] * count),
        strict=True,
    )
    return [f"{{{JOINT.join(filter(None, one))}}}" if any(one) else "" for one in commands]


def _eval(centipawns: int) -> str:
    if centipawns == NO_EVAL:
        return ""
    number = f"{centipawns / 100:.2f}"
    if abs(centipawns) > MOST_EVAL:
        number = f"#{'-' if centipawns < 0 else ''}{MATE - abs(centipawns)}"
    return f"[%eval{JOINT}{number}]"


def _clock(seconds: int) -> str:
    if seconds == NO_CLOCK:
        return ""
    return f"[%clk{JOINT}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}]"


def _mark(mark: str) -> str:
    if mark == OWN:
        return ""
    if mark not in MARKS:
        raise ValueError(f"no mark {mark!r}; one of: {', '.join(MARKS)}")
    return f"[%evenmatch{JOINT}{mark}]"


def _wrapped(words: Sequence[str]) -> str:
    """Return words on lines of at most ``COLUMNS``."""
    text = textwrap.fill(" ".join(words), COLUMNS, break_long_words=False, break_on_hyphens=False)
    return text.replace(JOINT, " ")
