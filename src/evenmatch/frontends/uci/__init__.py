"""``evenmatch uci``: the Universal Chess Interface, so that chess programs can play against us.

    protocol.py          what the lines say, and the table of options
    engine.py            the conversation, a dialect of `frontends.engine`
    thinking.py          moves, with the reports that chess programs show
    scores.py            centipawns, chances, and which lines are shown in which order
    line.py              the game that a program sends
    program_configs.py   entries for programs' own files

Not done: Chess960, tablebases, refutations and current lines.
"""

from evenmatch.frontends.uci.engine import serve

__all__ = ["serve"]
