"""``evenmatch uci``: the Universal Chess Interface, so that chess programs can play against us.

    protocol.py   what the lines say
    options.py    the table of options
    clock.py      how long a move may take
    multipv.py    which lines are shown, in which order
    thinking.py   moves: a search at full strength, or a player of a rating
    engine.py     the conversation: reads lines while a move is thought about

Not done: Chess960, tablebases, refutations and current lines.
"""

from evenmatch.frontends.uci.engine import serve

__all__ = ["serve"]
