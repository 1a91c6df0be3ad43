"""Sessions: games in progress between players and people, for whatever shows them.

A ``GameLine`` is a game so far, a ``Seat`` a player in it, a ``PlayedGame`` a game between a person
and a player as it stands, a ``Session`` the same in progress, a ``Room`` many seats whose moves are
found together, a ``Hall`` the rooms of all games, a ``Score`` the end of a game of area. Nothing
here prints, reads a disk or a clock of its own: who shows a game brings the store and the clock.
"""

from evenmatch.sessions.clock import Clock, read_clock
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.hall import Hall
from evenmatch.sessions.played_game import End, PlayedGame
from evenmatch.sessions.room import Room, RoomSeat
from evenmatch.sessions.saved import Saved
from evenmatch.sessions.scoring import Score
from evenmatch.sessions.seat import Seat
from evenmatch.sessions.session import Session, Store

__all__ = [
    "Clock",
    "End",
    "GameLine",
    "Hall",
    "PlayedGame",
    "Room",
    "RoomSeat",
    "Saved",
    "Score",
    "Seat",
    "Session",
    "Store",
    "read_clock",
]
