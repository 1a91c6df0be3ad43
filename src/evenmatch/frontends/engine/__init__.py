"""What a program that drives an engine needs, whatever protocol it speaks.

    loop.py          lines in, lines out, a search in a thread of its own
    thinking.py      a tree search at full strength, or an opponent at a rating
    time_budget.py   from a clock to the seconds for a move

`frontends.uci` and `frontends.gtp` are dialects: they parse what a program sends and write what it
reads. ``thinking.py`` loads numba and the networks; import it when a command needs it.
"""
