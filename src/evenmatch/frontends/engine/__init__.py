"""The engine that other programs drive, in either protocol.

    loop.py          lines in, lines out, a search in a thread of its own
    options.py       options that a program may set
    time_budget.py   from a clock to the seconds for a move
    thinking.py      a tree search at full strength, or an opponent at a rating
    analysis.py      what a search reports: rows of moves, points of positions

`frontends.uci` and `frontends.gtp` are dialects: they parse the lines of a program and write the
answers. ``thinking.py`` and ``analysis.py`` load numba and the networks.
"""
