"""Which screen suits the standard output."""

import sys

from evenmatch.frontends import console
from evenmatch.frontends.terminal.screen import PlainScreen, Screen


def make_screen(interactive: bool) -> Screen:
    """Return the screen that suits standard output."""
    if console.capable(sys.stdout):
        from evenmatch.frontends.terminal.colour import ColourScreen

        return ColourScreen(console.output(), redraw=interactive)
    return PlainScreen(print)
