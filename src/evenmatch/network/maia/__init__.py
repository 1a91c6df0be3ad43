"""Maia-2 and Maia-3: networks of people's moves at chess, conditioned on both players' ratings."""
