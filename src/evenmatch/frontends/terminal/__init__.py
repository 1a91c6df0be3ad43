"""A game in the terminal: its screen, its words, and what is kept of it."""
