"""The command line: one module per command, or per group of small ones.

The function that typer calls is the command: its signature has the options, its docstring is the
help. It calls a use case of `evenmatch.app`, prints the notes and draws the result. At the top a
module imports only what is quick (typer, rich, errors, the catalog of games); the use case and
everything below it are imported within functions, so that ``--help`` stays quick.
`cli/estimate.py` is a model.
"""

from evenmatch.frontends.cli.program import app, main, uci_main

# Commands and panels of --help are in this order.
# isort: off
from evenmatch.frontends.cli import play, engines
from evenmatch.frontends.cli import match, lab, estimate
from evenmatch.frontends.cli import look
from evenmatch.frontends.cli import dataset, train, calibrate, network, warmup
from evenmatch.frontends.cli import me, web
# isort: on

__all__ = [
    "app", "calibrate", "dataset", "engines", "estimate", "lab", "look", "main", "match", "me",
    "network", "play", "train", "uci_main", "warmup", "web",
]  # fmt: skip
