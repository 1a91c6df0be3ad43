"""What is kept of people: their games, what opponents remember of them, their levels."""

from evenmatch.profiles.games import NAME, KeptGame, unusable
from evenmatch.profiles.profile import Profile
from evenmatch.profiles.saved_game import Finished, Outcome, SavedGame

__all__ = ["NAME", "Finished", "KeptGame", "Outcome", "Profile", "SavedGame", "unusable"]
