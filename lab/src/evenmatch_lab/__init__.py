"""Experiments: the tables and figures of the papers, and ours beside them. ``NAMES`` lists them.

Each is a module with an ``EXPERIMENT``. ``evenmatch experiment NAME`` runs one, from where an
interrupted run stopped, and writes ``NAME.json``, ``NAME.md`` and ``NAME.svg``.
"""

from importlib import import_module

from evenmatch.errors import UsageError
from evenmatch.experiments.runner import Experiment

#: Names of the modules, in the order to read them.
NAMES = (
    "elo_table",
    "az_parameters",
    "grid_search",
    "dda_tables",
    "even_fit",
    "evenness",
    "z_dial",
    "dynamic_z",
    "move_prediction",
    "theta_fit",
    "level_fit",
    "estimator",
    "rank_strength",
    "rank_moves",
    "rank_tournament",
    "class_tournament",
    "move_loss",
    "piece_drops",
    "puzzle_ratings",
    "turing",
    "resignation",
)


def get_experiment(name: str) -> Experiment:
    """Return the experiment of that name; UsageError that lists them if there is none."""
    if name not in NAMES:
        raise UsageError(f"unknown experiment {name!r}; choose one of: {', '.join(NAMES)}")
    return import_module(f"evenmatch.experiments.{name}").EXPERIMENT
