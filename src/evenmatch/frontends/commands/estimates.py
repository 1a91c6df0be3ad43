"""``evenmatch estimate``: how strong the players of recorded games are."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from evenmatch.app.estimate import (
    BATCH,
    EstimateOptions,
    begun,
    check_files,
    check_options,
    game_asked,
    may_evaluate,
    on_scale,
    with_phases,
)
from evenmatch.app.estimate_reader import EstimateReader
from evenmatch.app.wanted_players import Wanted, nobody
from evenmatch.errors import UsageError, counted
from evenmatch.estimation.methods import Method
from evenmatch.estimation.running import RunningEstimates
from evenmatch.frontends import console
from evenmatch.frontends.commands.estimate_tables import show, show_phases
from evenmatch.frontends.progress_bars import Line
from evenmatch.games.catalog import game_info
from evenmatch.players.engine_evals import EngineEvals, EngineFailedError, engine_there
from evenmatch.progress import Progress


def estimate(files: Sequence[str], asked: EstimateOptions, as_json: bool) -> None:
    """Rate the players of files of games, or one of them, by their moves."""
    game = game_asked(files, asked)
    check_options(game_info(game), asked)
    check_files(files)
    with ExitStack() as ended, RatingLine() as bar:
        estimates, scales = begun(game, asked)
        engine = engine_asked(estimates.methods, game, asked, bar.evaluated)
        if engine is not None:
            estimates.evaluate = ended.enter_context(engine)
        reader, wanted = EstimateReader(game, scales), Wanted(asked.player)
        sides = (side for side in reader.sides(files) if side.name and wanted(side.name))
        try:
            while batch := list(islice(sides, BATCH)):
                estimates.add(batch)
                bar.update(sum(tally.games for tally in estimates.tallies.values()))
        except EngineFailedError as error:
            reader.ended = error
        except KeyboardInterrupt:
            known = "; the ratings are from the games read until then"
            early = " before any game was rated"
            reader.ended = UsageError(f"interrupted{known if estimates.tallies else early}")
    if not reader.nothing_read:  # an error says all of it
        for text in reader.notes():
            console.note(text)
    _tell_aided(estimates.aided)
    told = [on_scale(estimates, number, scale) for number, scale in enumerate(scales)]
    if asked.phases:
        told = [with_phases(told[0], estimates)]
    if not told[0].rows:
        raise reader.ended or UsageError(reader.nothing_read or nobody(wanted, estimates))
    _tell_evaluated(estimates, engine, game, asked)
    if as_json:
        facts = [one.facts for one in told]
        console.print_json(facts[0] if len(facts) == 1 else {"game": game, "scales": facts})
    else:
        show(told, unknown_scale=bool(reader.raters[""]))
        if asked.phases:
            show_phases(told[0])
    if reader.ended is not None:
        raise reader.ended


def engine_asked(
    methods: Sequence[Method], game: str, asked: EstimateOptions, progress: Progress
) -> EngineEvals | None:
    """Return the engine that evaluates games recorded without evaluations; None: nothing does.

    That is where no method has learned from such, or the engine of the game is not installed.
    """
    info = game_info(game)
    if not may_evaluate(methods, info, asked) or not engine_there(info.evaluator):
        return None
    try:
        return EngineEvals(info.evaluator, info.evaluator_nodes, progress)
    except UsageError as error:
        console.note(f"{error}. Moves are judged without evaluations.")
        return None


def _tell_aided(count: int) -> None:
    """Say how many moves do not count because players did not choose them alone."""
    if count:
        console.note(
            f"Left out {counted(count, 'move')} that players did not choose alone (hints, moves "
            "given or taken back)."
        )


def _tell_evaluated(
    estimates: RunningEstimates, engine: EngineEvals | None, game: str, asked: EstimateOptions
) -> None:
    """Say who evaluated games that were recorded without evaluations, or how they could be."""
    if not estimates.lacking:
        return
    info, games = game_info(game), counted(estimates.lacking, "game")
    if engine is not None:
        console.note(
            f"{engine.name} evaluated {games} that had no evaluations, by {engine.nodes:,} nodes a "
            "position."
        )
    elif may_evaluate(estimates.methods, info, asked) and not engine_there(info.evaluator):
        verb = "has" if estimates.lacking == 1 else "have"
        console.note(
            f"{games} {verb} no evaluations, so ratings err a little more. Install "
            f"{info.evaluator}, and it evaluates them."
        )


class RatingLine(Line):
    """Tells how many sides are rated, and how fast."""

    def __init__(self) -> None:
        super().__init__(
            "rating",
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
        )
        self._rated = ""

    def update(self, sides: int) -> None:
        """Show how many sides are rated."""
        self._rated = self.counted(sides, "sides")
        self.show(note=self._rated)

    def evaluated(self, done: int, due: int) -> None:
        """Show how many games of those that are rated next are evaluated."""
        self.show(note=f"{self._rated} (evaluating {due:,} games: {done:,})")
