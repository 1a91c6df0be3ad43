"""Fitting to recorded games: estimators of ratings, targets, mixtures, ranges for eight bits."""
