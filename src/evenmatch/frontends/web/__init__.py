"""The web page: games by WebSocket, one's level and games, all from one profile and one hall.

``server`` puts it together, ``routes`` joins what answers requests, ``table`` is one game on the
page, and ``static`` is what browsers load. It needs the extra ``web``.
"""
