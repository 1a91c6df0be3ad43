"""Datasets of recorded games: building, reading, splits."""
