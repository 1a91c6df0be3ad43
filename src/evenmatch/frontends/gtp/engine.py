"""The conversation with a Go program: a line in, an answer out."""

from __future__ import annotations

import os

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.engine import loop
from evenmatch.frontends.gtp.commands import commands_of
from evenmatch.frontends.gtp.conversation import Conversation
from evenmatch.frontends.gtp.protocol import GtpError, Settings, answer, body, read_line
from evenmatch.games.catalog import games_by


class Engine(Conversation):
    """Answers one line after the other."""

    def __init__(self, send: loop.Send, settings: Settings | None = None):
        super().__init__(send, settings or Settings())
        self._table = commands_of(self.settings.game)
        self.commands = self._table.keys()

    def begin(self) -> None:
        """Load the player that the settings name; EvenmatchError if there is none of this game."""
        if self.settings.player is not None:
            self.thinker.load_opponent(self.dialect.game)

    def handle(self, line: str) -> bool:
        """Answer a line; False after the one that says good-bye. Any line ends an analysis."""
        self.end_analysis()
        command = read_line(line)
        if command is None:
            return True
        self._number, self._begun = command.id, False
        text, failed = "", True
        try:
            if command.name not in self._table:
                raise GtpError("unknown command")
            text, failed = self._table[command.name](self, command.arguments), False
        except Exception as error:  # the program must still get an answer
            text = loop.explained(error)
        if self.search is None:
            self.send(f"{body(text)}\n" if self._begun else answer(text, command.id, failed=failed))
        return not self.quitting


def serve(settings: Settings) -> None:
    """Talk to a Go program on standard input and output until it quits or sends no more.

    UsageError if the settings name a game that is not played by this protocol, or no file;
    SpecError or another EvenmatchError if they name no player of that game.
    """
    games = games_by("gtp")
    if settings.game not in games:
        names = ", ".join(games)
        raise UsageError(
            f"evenmatch gtp has no game {quoted(settings.game)}; choose one of: {names}"
        )
    if settings.weights is not None and not os.path.isfile(settings.weights):
        raise UsageError(f"no network file {settings.weights}; name one that exists")
    loop.serve(lambda send: Engine(send, settings))
