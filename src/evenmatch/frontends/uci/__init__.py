"""``evenmatch uci``: the Universal Chess Interface, so that chess programs can play against us.

    protocol.py          the words of the interface: go, positions, options, scores
    engine.py            the conversation, a dialect of `frontends.engine`
    thinking.py          positions, and searches with the reports that chess programs show
    program_configs.py   entries for programs' own files

``thinking.py`` loads numba and the networks; the others answer before that. Not supported:
Chess960, tablebases, refutations and current lines.
"""

from evenmatch.frontends.uci.engine import serve

__all__ = ["serve"]
