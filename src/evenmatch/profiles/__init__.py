"""What is kept of people: their games, what opponents remember of them, their levels."""

from evenmatch.profiles.place import Place
from evenmatch.profiles.played import Finished, Outcome, Played
from evenmatch.profiles.profile import Profile
from evenmatch.profiles.unfinished import NAME, Listed, unusable

__all__ = ["NAME", "Finished", "Listed", "Outcome", "Place", "Played", "Profile", "unusable"]
