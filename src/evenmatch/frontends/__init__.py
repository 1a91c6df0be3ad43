"""What drives evenmatch: the command line and the game in the terminal."""
