"""The command line. Commands import what they need when they run, so that --help is quick."""

from evenmatch.frontends.cli.program import app, main, uci_main

# Commands and panels of --help are in this order.
# isort: off
from evenmatch.frontends.cli import play, engines
from evenmatch.frontends.cli import measure
from evenmatch.frontends.cli import look
from evenmatch.frontends.cli import learn
from evenmatch.frontends.cli import me, web
# isort: on

__all__ = ["app", "engines", "learn", "look", "main", "me", "measure", "play", "uci_main", "web"]
