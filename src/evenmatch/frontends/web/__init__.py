"""The web page: games by WebSocket, one's level and games, all from one profile.

``server`` puts it together, ``api`` answers requests, ``live_game`` is one game on the page, and
``static`` is what browsers load. It needs the extra ``web``.
"""
