"""What lines of the Universal Chess Interface say; nothing here knows chess."""

from dataclasses import dataclass, field

from evenmatch.errors import UsageError, quoted

NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
SWITCHES = ("infinite", "ponder")
MOST = 2**31 - 1  # of any number


@dataclass(frozen=True)
class Go:
    """What ``go`` asks for; times are milliseconds, None where nothing was said."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None  #: moves of the mover in which a mate is looked for
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  #: words that say nothing

    @property
    def timed(self) -> bool:
        """Whether a clock or a time for the move was given."""
        return any(x is not None for x in (self.wtime, self.btime, self.movetime))

    @property
    def bounded(self) -> bool:
        """Whether the search ends by itself."""
        limits = (self.nodes, self.depth, self.mate)
        limited = self.timed or any(limit is not None for limit in limits)
        return limited and not (self.infinite or self.ponder)


@dataclass(frozen=True)
class Position:
    """A game: where it begins (None: the start position), and the moves since."""

    fen: str | None = None
    moves: tuple[str, ...] = field(default=())


def read_go(words: list[str]) -> Go:
    """Read the words after ``go``; what makes no sense is passed over, as the interface asks."""
    values: dict = {}
    unread = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in NUMBERS and rest and (number := _number(rest[0])) is not None:
            values[word] = number
            rest.pop(0)
        elif word in SWITCHES:
            values[word] = True
        elif word == "searchmoves":
            moves = []
            while rest and rest[0] not in (*NUMBERS, *SWITCHES, "searchmoves"):
                moves.append(rest.pop(0))
            values[word] = tuple(moves)
        else:
            unread.append(word)
    return Go(**values, unread=tuple(unread))


def _number(word: str) -> int | None:
    try:
        return max(-MOST, min(int(word), MOST))
    except ValueError:
        return None


def read_position(words: list[str]) -> Position:
    """Read the words after ``position``; UsageError if they are neither startpos nor fen."""
    at = words.index("moves") if "moves" in words else len(words)
    head, moves = words[:at], tuple(words[at + 1 :])
    if head[:1] == ["startpos"]:
        return Position(None, moves)
    if head[:1] == ["fen"] and len(head) > 1:
        return Position(" ".join(head[1:]), moves)
    raise UsageError(
        f"cannot read position {quoted(' '.join(words))}; send startpos or fen, then moves"
    )


def read_setoption(words: list[str]) -> tuple[str, str]:
    """Read the words after ``setoption``: the name and the value, which may hold spaces."""
    if words[:1] != ["name"] or len(words) < 2:
        raise UsageError("cannot read the option; send setoption name NAME value VALUE")
    at = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:at]), " ".join(words[at + 1 :])
