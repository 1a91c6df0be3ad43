"""What is kept of people: their games, what opponents remember of them, their levels."""

from evenmatch.profiles.games import NAME, Finished, Listed, Outcome, Place, Played, unusable
from evenmatch.profiles.profile import Profile

__all__ = ["NAME", "Finished", "Listed", "Outcome", "Place", "Played", "Profile", "unusable"]
