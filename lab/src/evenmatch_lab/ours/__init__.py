"""What the papers do not measure: evenness, losses per move, resignation, puzzles."""
