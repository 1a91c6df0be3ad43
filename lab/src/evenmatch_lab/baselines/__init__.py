"""The players that the papers compare with; evenmatch finds them as an entry point."""
