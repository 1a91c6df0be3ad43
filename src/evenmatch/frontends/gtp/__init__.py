"""``evenmatch gtp``: the Go Text Protocol, version 2, so that Go programs can play against us.

    protocol.py       lines, answers, settings and the table of parameters
    engine.py         a line in, an answer out: a dialect of `frontends.engine`
    conversation.py   what commands act on
    commands.py       the table of commands: about the engine, moves, the clock, parameters
    analysis.py       commands that report a search
    go_commands.py    commands that only Go has
    dialects.py       what is different for each game, and the game in progress
    go.py             the same for Go: komi, handicaps, dead stones, SGF files
    thinking.py       moves, and points of the positions of a tree

Only the last three load numba and the networks, when a command needs them.
"""

from evenmatch.frontends.gtp.engine import serve
from evenmatch.frontends.gtp.protocol import Settings

__all__ = ["Settings", "serve"]
