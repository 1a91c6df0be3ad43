"""Ctrl-C that a command has answered for itself, so that nobody is told of it twice."""


class Told(KeyboardInterrupt):
    """Ctrl-C; the person has been told what became of the work."""
