"""Go on square boards of any size."""
