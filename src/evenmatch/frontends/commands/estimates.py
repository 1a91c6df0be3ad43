"""``evenmatch estimate``: how strong the players of recorded games are."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from evenmatch.errors import RecordError, UsageError, quoted
from evenmatch.estimation.estimator_files import Fitted, shipped_fitted
from evenmatch.estimation.methods import Method
from evenmatch.estimation.phases import PhasesScorer
from evenmatch.estimation.running import RunningEstimates
from evenmatch.frontends import console
from evenmatch.frontends.commands.estimate_reader import EstimateReader
from evenmatch.frontends.commands.estimate_tables import on_scale, show, show_phases, with_phases
from evenmatch.frontends.commands.wanted_players import Wanted, nobody
from evenmatch.frontends.console import counted
from evenmatch.frontends.progress_bars import Line
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG, SOURCES, GameInfo, game_info, game_of_files
from evenmatch.players.engine_evals import EngineEvals, EngineFailedError, engine_there
from evenmatch.progress import Progress
from evenmatch.records.streams import STANDARD_INPUT

BATCH = 16  # sides rated at once: an interrupt loses so many at most
DEFAULT = "chess"  # the game of files whose names tell none
RATED = " or ".join(info.game for info in CATALOG.values() if info.sources)
FIT_ONE = (
    "make one from a dataset, `evenmatch network fit DATASET --out FOLDER`, and name it: "
    "--fitted FOLDER"
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What estimates are asked for by."""

    player: str | None = None  #: whose; None: everybody's
    scale: str | None = None  #: None: those that the game has in front
    game: str | None = None  #: None: what the names of the files tell
    fitted: Path | None = None  #: folder of estimators; None: those that come with evenmatch
    net: Path | None = None  #: the network that those were fitted to
    all_moves: bool = False  #: whether every move of everybody's games is judged
    fast: bool = False  #: whether our network alone is asked, and no engine
    phases: bool = False  #: whether opening, middle game and ending are rated besides
    engine: bool = True  #: whether an engine evaluates games that were recorded without


def estimate(files: Sequence[str], asked: Asked, as_json: bool) -> None:
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
    reader.tell()
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


def begun(game: str, asked: Asked) -> tuple[RunningEstimates, list[str]]:
    """Return the estimates of a game, of nobody yet, and their rating scales; UsageError."""
    fitted, scales = estimators_asked(game, asked)
    if asked.phases:
        return _begun_with_phases(game, asked, fitted, scales), scales
    listening = not asked.fast and all(fitted.listens(scale, game) for scale in scales)
    methods = [fitted.method(scale, game, listening) for scale in scales]
    whole = None if asked.all_moves else game_info(game).all_moves_games
    return RunningEstimates(fitted.scorer(scales, game, listening), methods, whole), scales


def _begun_with_phases(
    game: str, asked: Asked, fitted: Fitted, scales: list[str]
) -> RunningEstimates:
    """Return estimates by whole games and by phases, of one scale; UsageError."""
    begins = game_info(game).phases
    if begins is None:
        raise UsageError(f"no phases are told apart at {game}; leave out --phases")
    if asked.fast:
        raise UsageError("--phases asks all networks; leave out --fast")
    if len(scales) > 1:
        raise UsageError(f"phases are told on one scale; choose --scale {' or '.join(scales)}")
    (scale,) = scales
    of_phases = fitted.of_phases(scale, game)
    listening = fitted.listens(scale, game)
    scorer = PhasesScorer(fitted.scorer(scales, game, of_phases[0].policies), begins)
    return RunningEstimates(scorer, [fitted.method(scale, game, listening), *of_phases])


def engine_asked(
    methods: Sequence[Method], game: str, asked: Asked, progress: Progress
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


def may_evaluate(methods: Sequence[Method], info: GameInfo, asked: Asked) -> bool:
    """Return whether an engine is to evaluate games, if it is installed."""
    wanted = asked.engine and not asked.fast
    return wanted and bool(info.evaluator) and any(one.reads_evals for one in methods)


def check_options(info: GameInfo, asked: Asked) -> None:
    """Refuse what another game is asked by; UsageError."""
    of_others = {
        "--fast": asked.fast and not info.extra_networks,
        "--no-engine": not asked.engine and not info.evaluator,
        "--all-moves": asked.all_moves and info.all_moves_games is None,
    }
    for option, refused in of_others.items():
        if refused:
            raise UsageError(f"{option} is not for {info.game}; leave it out")


def check_files(files: Sequence[str]) -> None:
    """Refuse a file that is not there before others are read, which takes time; RecordError."""
    for file in files:
        if file != STANDARD_INPUT and not Path(file).exists():
            raise RecordError(f"no file {file}; check the path")


def game_asked(files: Sequence[str], asked: Asked) -> str:
    """Return the game that the options or the names of the files tell; UsageError if two."""
    named = [game_of_files([Path(file)]) for file in files if file != STANDARD_INPUT]
    games = list(dict.fromkeys(filter(None, named)))
    if len(games) > 1:
        raise UsageError(f"these are files of {' and of '.join(games)}; give those of one game")
    known = SOURCES.get(asked.scale or "")
    if asked.game is not None:
        return get_game(asked.game).id
    if known is not None and games and known[0].game != games[0]:
        fits = _listed(game_info(games[0]).scales)
        raise UsageError(f"{asked.scale} is no scale of {games[0]}; choose {fits}, or other files")
    return games[0] if games else known[0].game if known is not None else DEFAULT


def estimators_asked(game: str, asked: Asked) -> tuple[Fitted, list[str]]:
    """Return where the estimators are, and the rating scales; UsageError if there are none."""
    if asked.fitted is None:
        if asked.net is not None:
            raise UsageError("--net goes with --fitted, the folder of what was fitted to it")
        fitted = shipped_fitted(game)
        sources = [one for one in game_info(game).sources if one.ships]
        known = [one.name for one in sources]
        usual = [one.name for one in sources if not one.on_request]
    else:
        if not asked.fitted.is_dir():
            raise UsageError(f"there is no folder {asked.fitted}; check --fitted")
        fitted = Fitted(asked.fitted, asked.net or shipped_fitted(game).network)
        usual = known = fitted.scales(game)
    if not known and asked.fitted is None:
        raise UsageError(f"nobody's level at {game} can be told from moves; give games of {RATED}")
    if not known:
        raise UsageError(f"no estimator of {game} is in {asked.fitted}; {FIT_ONE}")
    if asked.scale is None:
        return fitted, usual
    if asked.scale not in known:
        if asked.scale in game_info(game).scales:
            where = f"is in {asked.fitted}" if asked.fitted else "comes with evenmatch"
            raise UsageError(f"no estimator of {asked.scale} {where}; {FIT_ONE}")
        raise UsageError(f"no rating scale {quoted(asked.scale)}; choose one of: {_listed(known)}")
    return fitted, [asked.scale]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _tell_aided(count: int) -> None:
    """Say how many moves do not count because players did not choose them alone."""
    if count:
        console.note(
            f"Left out {counted(count, 'move')} that players did not choose alone (hints, moves "
            "given or taken back)."
        )


def _tell_evaluated(
    estimates: RunningEstimates, engine: EngineEvals | None, game: str, asked: Asked
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
