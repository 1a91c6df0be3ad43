"""The conversation with a Go program: a line in, an answer out; the game, the clock, the moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.frontends.engine.loop import EngineLoop, Search, Send, explained, warn
from evenmatch.frontends.engine.options import Settings, Value
from evenmatch.frontends.engine.thinking import Over, Setup, Thinker, Watch, grow
from evenmatch.frontends.engine.time_budget import Clocks, moves_left
from evenmatch.frontends.gtp.games import IMPLIED, GtpGame
from evenmatch.frontends.gtp.protocol import (
    LISTED,
    PARAMETERS,
    RESIGN,
    GtpError,
    answer,
    body,
    read_line,
)
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.network.artifact import human_policy_path, read_card
from evenmatch.network.conditions import profile_condition
from evenmatch.network.imported import as_artifact
from evenmatch.network.inference import NetworkEvaluator, network_of
from evenmatch.network.katago.profiles import read_profile
from evenmatch.opponents import parse_spec
from evenmatch.opponents.table import PLAYERS
from evenmatch.play.resigning import gives_up
from evenmatch.play.tree import MOST_SIMULATIONS, ROUND, Tree
from evenmatch.search.evaluator import Evaluation

WATCHED = 0.8  #: share of a move's time that is searched if the search is reported, too


class Chosen(NamedTuple):
    """A move, and the value of the position."""

    action: int | None  #: None: the player resigns
    value: float | None  #: for the side to move, in [-1, 1]; None: not known


class GtpThinker(Thinker):
    """Finds moves by the parameters of a Go program."""

    def __init__(
        self, settings: Settings, player: str | None, weights: str | None, people: str | None
    ):
        """``player``: a spec; None: a search at full strength.

        ``weights``: the network's file; ``people``: that of the network of people's moves.
        """
        self._settings, self.player, self._weights = settings, player, weights
        self._people = people
        self._card = None if weights is None else read_card(as_artifact(Path(weights)))
        super().__init__()

    def setup(self) -> Setup:
        """Return what is set; a network that the player's spec names judges positions, too."""
        values = parse_spec(self.player)[1] if self.player else {}
        own = values.get("search_net") or values.get("net")
        condition, name = None, self._settings["humanSLProfile"]
        if name and self._card is not None:
            condition = profile_condition(read_profile(name), self._card)
        return Setup(
            weights=self._weights or own,
            seed=self._settings["searchRandSeed"],
            condition=condition,
        )

    def opponent(self) -> tuple[str, dict[str, str]] | None:
        """Return the player's spec, and networks for keys that the spec does not give.

        A profile that is set says whose moves the player makes, if both sides are of one rank.
        """
        if self.player is None:
            return None
        people = self._people or self._weights
        if self._people is None and self._card is not None and not self._card.scales:
            searches = "search_net" in PLAYERS[parse_spec(self.player)[0]].keys
            people = None if searches else people
        files = {"net": people, "search_net": None if people == self._weights else self._weights}
        named = {key: file for key, file in files.items() if file is not None}
        name = self._settings["humanSLProfile"]
        return (as_profile(self.player, name) if name else self.player), named

    def people(self, game: Game) -> NetworkEvaluator:
        """Return the network of people's moves: its own, or one of them that plays, or ours.

        NetworkError if it cannot be used.
        """
        if self._people is None and self.setup().weights:
            network = self.network(game)
            if network.card.scales:
                return network
        return network_of(game, self._people or human_policy_path(game.id))

    def ready(self, line: Line) -> None:
        """Load and compile what a move needs, so that no move is late on the clock."""
        if line.legal:
            self.prepare(line)

    def choose(
        self,
        line: Line,
        seconds: float,
        watch: Watch | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> Chosen:
        """Return a move at the end of a line that is not over, within ``seconds``.

        ``watch`` gets the tree of a search at full strength, again and again; with a player, that
        of a short search after its choice. If only some actions are ``allowed`` [A], a tree search
        chooses among them.
        """
        search = Search(seconds * (1.0 if watch is None else WATCHED))
        search.start_clock()
        line = _standing(line)
        if len(line.legal) == 1 and watch is None:
            return Chosen(line.legal[0], None)
        if self.player is not None and allowed is None:
            chosen = Chosen(self.ask_opponent(line, lambda: search.over).action, self.value(line))
            if watch is not None:
                grow(self.rooted(line), lambda: False, ROUND, watch=watch)
            return chosen
        most = MOST_SIMULATIONS if np.isfinite(seconds) else game_info(line.game.id).simulations
        tree = self.rooted(line, allowed)
        grow(tree, lambda: search.over, self._settings["maxVisits"] or most, watch=watch)
        stats = tree.stats()
        action = int(stats.best()[0])
        known = stats.visits[0, action]
        return Chosen(action, float(stats.means[0, action] if known else stats.values[0]))

    def analyse(
        self, line: Line, over: Over, watch: Watch, allowed: NDArray[np.bool_] | None = None
    ) -> None:
        """Grow the tree of a position until it is ``over``; ``watch`` gets it meanwhile."""

        def look(tree: Tree, ended: bool) -> None:
            if not over():
                watch(tree, ended)

        grow(self.rooted(_standing(line), allowed), over, watch=look)

    def judged(self, line: Line) -> Evaluation | None:
        """Return the network's evaluation of the end of a line; None without a network."""
        return self.judge(line.game, line.state[None])

    def value(self, line: Line) -> float | None:
        """Return the network's value for the side to move."""
        judged = self.judged(line)
        return None if judged is None else float(judged.values[0])


def as_profile(spec: str, name: str) -> str:
    """Return the spec of a player, as people of a profile if it plays as people of a rank do."""
    profile, method = read_profile(name), parse_spec(spec)[0]
    if not {"rank", "scale"} <= PLAYERS[method].keys.keys() or profile.black != profile.white:
        return spec
    kept = [pair for pair in spec.partition(":")[2].split(",") if _key(pair) not in LEVEL]
    rank = name.split("_")[1]
    return f"{method}:{','.join([f'rank={rank}', f'scale={profile.scale}', *filter(None, kept)])}"


LEVEL = ("rank", "scale")  #: keys that say whose moves a player makes


def _key(pair: str) -> str:
    return pair.partition("=")[0].strip()


def _standing(line: Line) -> Line:
    """Return a line that ends with an implied pass as one that begins after it.

    A tree that goes along the game would take that pass for a real one, which the next pass ends.
    """
    return Line(line.game, line.state) if line.marks[-1:] == [IMPLIED] else line


class Conversation(EngineLoop):
    """Answers one line after the other; networks are loaded when they are first needed."""

    def __init__(
        self,
        send: Send,
        game: GtpGame,
        commands: Mapping[str, Callable[[Conversation, Sequence[str]], str]],
        *,
        player: str | None = None,
        weights: str | None = None,
        people: str | None = None,
        given: Mapping[str, Value] | None = None,
    ):
        """``commands``: by name; each returns the text of its answer, GtpError if it fails.

        ``given``: parameters that replace the defaults; the others as `GtpThinker` has them.
        EvenmatchError if there is no such parameter, or the player does not play the game.
        """
        super().__init__(send)
        self.game, self.commands = game, commands
        self.settings = Settings(PARAMETERS, given or {}, listed=LISTED)
        self.thinker = GtpThinker(self.settings, player, weights, people)
        self.clocks = Clocks()
        self.values: dict[int, list[float]] = {}  #: of each side's own turns, in [-1, 1]
        self.quitting = False
        self.leaving = False  #: whether no more lines come: an analysis reports once more
        self._number = ""  # of the command that is answered now
        self._begun = False  # whether its answer has begun
        if player is not None:
            self.thinker.load_opponent(game.game)

    def handle(self, line: str) -> bool:
        """Answer a line; False after ``quit``. Any line ends an analysis."""
        self.end_analysis()
        command = read_line(line)
        if command is None:
            return True
        self._number, self._begun = command.id, False
        text, failed = "", True
        try:
            if command.name not in self.commands:
                raise GtpError("unknown command")
            text, failed = self.commands[command.name](self, command.arguments), False
        except Exception as error:  # the program must still get an answer
            text = explained(error)
        if self.search is None:
            self.send(f"{body(text)}\n" if self._begun else answer(text, command.id, failed=failed))
        return not self.quitting

    # -- answers that come line by line --------------------------------------------------------

    def begin_answer(self) -> None:
        """Send that the command succeeds, before the lines of its answer."""
        self.send(f"={self._number}")
        self._begun = True

    def analyse(self, analysis: Callable[[Over], None]) -> None:
        """Begin the answer, and run an analysis until the next line."""
        self.begin_answer()
        search = self.search = Search()

        def run() -> None:
            try:
                analysis(lambda: search.over)
            except Exception as error:
                warn(explained(error))

        search.run(run)

    def end_analysis(self) -> None:
        """Stop the analysis, if there is one, and end its answer."""
        if self.search is not None:
            self.search.stop()
            self.search.join()
            self.search = None
            self.send("")

    def close(self) -> None:
        """Finish after the last line: an analysis reports once more, and its answer ends."""
        if self.search is not None:
            self.leaving = True
            self.search.join()
            self.end_analysis()

    # -- the game ------------------------------------------------------------------------------

    def begin_game(self, game: GtpGame) -> None:
        """Change to another game."""
        self.game = game
        self.clocks.restart()
        self.values.clear()
        self.thinker.new_game()

    def seconds_for(self, side: int) -> float:
        """Return the seconds for a side's next move, by the clock and the parameters."""
        game, line = self.game.game, self.game.line
        moves = moves_left(game.height * game.width, line.ply)
        seconds = self.clocks.seconds_for(side, moves, self.settings["lagBuffer"])
        return min(seconds, self.settings["maxTime"] or seconds)

    def generate(
        self, side: int, watch: Watch | None = None, allowed: NDArray[np.bool_] | None = None
    ) -> str:
        """Play a side's move and return the answer to ``genmove``; its clock runs meanwhile.

        ``watch`` gets the search; only ``allowed`` actions [A] are searched.
        """
        begun = time.perf_counter()
        line = self.game.turned(side)
        text = self.game.off_turn(line, side)
        if text is None:
            action, value = self.thinker.choose(line, self.seconds_for(side), watch, allowed)
            if action is None or self._resigns(line, side, value):
                text = RESIGN
            else:
                text = self.game.text(line, action)
                self.game.push(line, action)
        self.clocks.spend(side, time.perf_counter() - begun)
        return text

    def _resigns(self, line: Line, side: int, value: float | None) -> bool:
        """Return whether a side resigns at a turn with this value; None: not known.

        Not in handicap games, which White's value takes for lost at first.
        """
        settings = self.settings
        if not settings["allowResignation"] or self.game.handicap(line) or value is None:
            return False
        values = self.values.setdefault(side, [])
        values.append(value)
        return gives_up(values, settings["resignThreshold"], settings["resignConsecTurns"])
