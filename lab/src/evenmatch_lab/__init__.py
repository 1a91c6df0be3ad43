"""Experiments: the tables and figures of the papers, and ours beside them. ``NAMES`` lists them.

Each is a module with an ``EXPERIMENT``. ``evenmatch experiment NAME`` runs one, from where an
interrupted run stopped, and writes ``NAME.json``, ``NAME.md`` and ``NAME.svg``; with ``--game go9``
on that game, ``NAME_go9.json``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from evenmatch.errors import UsageError

if TYPE_CHECKING:
    from evenmatch_lab.runner import Experiment

#: Folder of each experiment, in the order to read them.
FOLDERS = {
    "elo_table": "fujita2022",
    "az_parameters": "fujita2022",
    "grid_search": "fujita2022",
    "dda_tables": "fujita2022",
    "dda_strength": "fujita2022",
    "even_fit": "ours",
    "even_numbers": "ours",
    "evenness": "ours",
    "evenings": "ours",
    "dial": "ours",
    "z_dial": "wu2019",
    "dynamic_z": "wu2019",
    "z_levels": "wu2019",
    "go_engines": "ours",
    "move_prediction": "ours",
    "theta_fit": "ace2019",
    "level_fit": "ours",
    "estimator": "chen2025",
    "score_curves": "chen2025",
    "rank_strength": "chen2025",
    "rank_moves": "chen2025",
    "rank_tournament": "chen2025",
    "class_tournament": "ace2019",
    "move_loss": "ours",
    "point_loss": "ours",
    "rank_fit": "ours",
    "rank_points": "ours",
    "rank_games": "ours",
    "turing": "ace2019",
    "turing_people": "ace2019",
    "level_tracking": "ours",
}
NAMES = tuple(FOLDERS)


def get_experiment(name: str, game_id: str | None = None) -> "Experiment":
    """Return the experiment of that name, on its usual games or another.

    UsageError that lists what there is, if it is not there.
    """
    if name not in FOLDERS:
        raise UsageError(f"unknown experiment {name!r}; choose one of: {', '.join(NAMES)}")
    experiment = import_module(f"evenmatch_lab.{FOLDERS[name]}.{name}").EXPERIMENT
    return experiment.on(game_id) if game_id else experiment


def experiments(name: str | None = None, game_id: str | None = None) -> "list[Experiment]":
    """Return the experiment of that name and game; without a name all, on all their games."""
    if name is not None:
        return [get_experiment(name, game_id)]
    usual = [get_experiment(known) for known in NAMES]
    all_games = [x for one in usual for x in (one, *map(one.on, one.games))]
    return [one for one in all_games if game_id in (None, one.game)]
