"""Doors of conversations: chess programs by UCI, Go programs by GTP. Searches are tiny."""

import random
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evenmatch_lab.fuzz.door import Door, Wrong
from evenmatch_lab.fuzz.examples import GTP, SGFS, UCI
from evenmatch_lab.fuzz.mutations import mutated
from evenmatch_lab.fuzz.small_networks import chess_network, go_network

MOST_LINES = 30  #: of one conversation
QUICK = 0.01  #: seconds that a move may take here, whatever the clock says
FAILED = ("Traceback", "please report it")  #: what an engine tells after an exception
LARGEST_HASH = 64  #: MB of a search's tree here; a larger one is what was asked for
UCI_WORDS = (
    b"uci", b"isready", b"ucinewgame", b"setoption name", b"value", b"position", b"startpos",
    b"fen",
    b"moves", b"go", b"nodes 3", b"depth 1", b"movetime 1", b"infinite", b"ponder", b"ponderhit",
    b"stop", b"wtime", b"btime", b"winc", b"movestogo 0", b"mate 1", b"searchmoves e2e4", b"e1g1",
    b"e7e8q", b"0000", b"MultiPV", b"Threads", b"UCI_Elo", b"UCI_LimitStrength", b"true",
    b"WeightsFile", b"maia-1500", b"/dev/null", b".", b"Method", b"ace", b"se", b"sa", b"human",
    b"quit",
    b"8/8/8/8/8/8/8/K1k5 w - - 0 1", b"\n", b"Clear Hash", b"Seed",
)  # fmt: skip
GTP_WORDS = (
    b"play", b"genmove", b"b", b"w", b"pass", b"resign", b"A1", b"T19", b"J9", b"Z99", b"boardsize",
    b"komi", b"undo", b"loadsgf a.sgf", b"printsgf c.sgf", b"kata-analyze", b"lz-analyze", b"avoid",
    b"allow", b"interval", b"minmoves", b"maxmoves", b"ownership", b"pvVisits true",
    b"rootInfo true",
    b"time_left", b"time_settings", b"kgs-time_settings canadian 10 5 2", b"kata-set-rule",
    b'kata-set-rules {"ko":"SIMPLE","scoring":"AREA"}', b"set_free_handicap", b"kata-set-param",
    b"maxVisits", b"maxTime", b"lagBuffer", b"#", b"\t", b"\n", b"99", b"final_status_list alive",
    b"reg_genmove", b"gogui-play_sequence", b"tromp-taylor", b"resignThreshold", b"analysisPVLen",
)  # fmt: skip


def lines_drawn(words: Sequence[bytes]) -> Callable[[random.Random, Sequence[bytes]], bytes]:
    """Return what draws a conversation."""

    def draw(rng: random.Random, examples: Sequence[bytes]) -> bytes:
        data = mutated(rng, examples, words)
        return b"\n".join(data.split(b"\n")[:MOST_LINES])

    return draw


def uci(folder: Path) -> Callable[[bytes], bool]:
    """Open the door of UCI: every line is heard, and a search that is not over is stopped."""
    from evenmatch.frontends.engine import thinking
    from evenmatch.frontends.uci.engine import Engine
    from evenmatch.frontends.uci.protocol import options_with

    options = options_with({"WeightsFile": str(chess_network(folder)), "Hash": 16})
    tree = thinking.Tree

    def small(game: Any, judge: Any, megabytes: int) -> Any:
        """Return a tree; memory that was asked for would be no find."""
        return tree(game, judge, min(megabytes, LARGEST_HASH))

    def take(data: bytes) -> bool:
        heard = Heard()
        engine = Engine(heard, options)
        with patch.multiple(thinking, Tree=small):
            for line in text_lines(data):
                if not engine.handle(line):
                    break
            engine.handle("quit")
        return heard.fine("info string error", "info string cannot read")

    return take


def gtp(folder: Path) -> Callable[[bytes], bool]:
    """Open the door of GTP: every line is heard, and has an answer."""
    from evenmatch.frontends.gtp.engine import Engine
    from evenmatch.frontends.gtp.protocol import Settings

    class Quick(Engine):
        """Thinks for a moment, whatever the clock says."""

        def seconds_for(self, side: int) -> float:
            return min(super().seconds_for(side), QUICK)

    network = go_network(folder)
    (folder / "a.sgf").write_bytes(SGFS[0])

    def take(data: bytes) -> bool:
        heard = Heard()
        engine = Quick(heard, Settings(game="go9", weights=str(network), max_visits=3, seed=1))
        with chdir(folder):
            for line in text_lines(data):
                if "printsgf" in line:
                    line = line.replace("/", "_")  # it writes here alone
                if not engine.handle(line):
                    break
            engine.close()
        return heard.fine("?")

    return take


def text_lines(data: bytes) -> list[str]:
    """Return the lines as a program that listens to its standard input has them."""
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
    return [f"{line}\n" for line in text.split("\n")]


class Heard:
    """What an engine tells."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, text: str) -> None:
        """Hear a text; what no terminal or pipe takes is wrong."""
        text.encode("utf-8", "surrogateescape")
        self.lines.append(text)

    def fine(self, *refusals: str) -> bool:
        """Tell whether nothing was refused; Wrong if an answer tells of an exception."""
        for text in self.lines:
            if any(word in text for word in FAILED):
                raise Wrong(text)
        return not any(text.startswith(refusals) for text in self.lines)


DOORS = [
    Door("uci", "lines of UCI", lines_drawn(UCI_WORDS), lambda folder: UCI, uci),
    Door("gtp", "lines of GTP", lines_drawn(GTP_WORDS), lambda folder: GTP, gtp),
]
