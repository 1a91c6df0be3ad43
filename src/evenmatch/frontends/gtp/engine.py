"""A line in, an answer out."""

from __future__ import annotations

import os
import sys
import traceback

from evenmatch.errors import EvenmatchError, UsageError, quoted
from evenmatch.frontends.gtp.commands import commands_of
from evenmatch.frontends.gtp.conversation import Conversation, Tell
from evenmatch.frontends.gtp.protocol import GtpError, answer, body, read_line
from evenmatch.frontends.gtp.settings import Settings
from evenmatch.frontends.lines import lines_heard
from evenmatch.games.catalog import games_by


class Engine(Conversation):
    """Answers one line after the other."""

    def __init__(self, tell: Tell, settings: Settings | None = None):
        super().__init__(tell, settings or Settings())
        self._table = commands_of(self.settings.game)
        self.commands = self._table.keys()

    def hear(self, line: str) -> bool:
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
        except (GtpError, EvenmatchError) as error:
            text = " ".join(str(error).split())
        except Exception as error:  # the program on the other side must still hear an answer
            traceback.print_exc(file=sys.stderr)
            text = f"{error!r}; please report it"
        if self._thread is None:
            self.tell(f"{body(text)}\n" if self._begun else answer(text, command.id, failed=failed))
        else:
            self._thread.start()
        return not self.quitting

    def close(self) -> None:
        """Finish when nothing more will be heard."""
        self.finish_analysis()


def serve(settings: Settings) -> None:
    """Converse on standard input and output until told to quit or nothing more comes.

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
    if settings.player is not None:
        from evenmatch.frontends.gtp.thinking import player_of  # heavy, and rarely needed
        from evenmatch.games import get_game

        player_of(settings, get_game(settings.game))
    lines = lines_heard()
    engine = Engine(lambda text: print(text, flush=True), settings)
    for line in lines:
        if not engine.hear(line):
            return
    engine.close()
