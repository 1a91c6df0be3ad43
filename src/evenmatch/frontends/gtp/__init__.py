"""``evenmatch gtp``: the Go Text Protocol, version 2, so that Go programs can play against us.

    protocol.py         what the lines say
    engine.py           a line in, an answer out
    conversation.py     what commands act on, and an analysis beside what is heard
    commands.py         the table of commands: about the engine, the clock, parameters
    moves.py            commands of a game in progress
    analysis.py         commands that report what a search thinks
    gogui.py            commands of GoGui
    go_commands.py      commands that only Go has
    settings.py         what can be set, and the table of parameters
    time_management.py  how long a move may take
    resigning.py        when a game is given up
    forms.py            how games are spoken; go_rules.py has Go, all_forms.py the table
    sgf.py              games of SGF files
    record.py           the game in progress
    showboard.py        the board as text
    points.py           what the network says of the positions of a tree
    thinking.py         moves: a search at full strength, or a player

Only the last seven load numba and the networks, when a command needs them.
"""

from evenmatch.frontends.gtp.engine import serve
from evenmatch.frontends.gtp.settings import Settings

__all__ = ["Settings", "serve"]
