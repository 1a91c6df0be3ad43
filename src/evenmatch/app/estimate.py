"""Ratings of the players of recorded games: the options, the estimators, plain data."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from evenmatch.app.estimate_reader import EstimateReader, Wanted, nobody
from evenmatch.errors import EvenmatchError, RecordError, UsageError, counted, quoted
from evenmatch.estimation import Estimate, Method, PooledFeatures
from evenmatch.estimation.estimator_files import Fitted, shipped_fitted
from evenmatch.estimation.policy_likelihood import by_policy
from evenmatch.estimation.running import (
    PHASES,
    PhasesScorer,
    RunningEstimates,
    Tally,
    says_something,
)
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG, SOURCES, GameInfo, game_info, game_of_files
from evenmatch.network.inference import network_of
from evenmatch.opponents.engine_evals import EngineEvals, EngineFailedError, engine_there
from evenmatch.progress import Progress, ignore
from evenmatch.ratings.ranks import Ranks
from evenmatch.ratings.scale import SCALES
from evenmatch.records.streams import STANDARD_INPUT

BATCH = 16  # sides rated at once: an interrupt loses at most these
DEFAULT = "chess"  # the game of files whose names contain none
RATED = " or ".join(info.game for info in CATALOG.values() if info.sources)
FIT_ONE = (
    "make one from a dataset, `evenmatch network fit DATASET --out FOLDER`, and name it: "
    "--fitted FOLDER"
)


@dataclass(frozen=True, kw_only=True)
class EstimateOptions:
    """Options of estimates, as those of `evenmatch estimate`."""

    player: str | None = None  #: whose; None: everybody's
    scale: str | None = None  #: None: those that the game has in front
    game: str | None = None  #: None: found from the names of the files
    fitted: Path | None = None  #: folder of estimators; None: those that come with evenmatch
    net: Path | None = None  #: the network that those were fitted to; alone: whose policy says all
    all_moves: bool = False  #: whether every move of everybody's games is judged
    fast: bool = False  #: whether to use our network only, and no engine
    phases: bool = False  #: whether opening, middle game and ending are rated too
    no_engine: bool = False  #: whether games without evaluations stay without


@dataclass
class Rated:
    """Estimates of the players of files."""

    game: str
    scales: "list[OnScale]" = field(default_factory=list)  #: the rows are empty if nobody is rated
    notes: list[str] = field(default_factory=list)  #: sentences for the person
    error: EvenmatchError | None = None  #: why not everything was read and rated
    unknown_scale: bool = False  #: whether nothing says whose ratings some games have


def rate_files(
    files: Sequence[str],
    options: EstimateOptions,
    rated: Callable[[int], object] = ignore,
    evaluated: Progress = ignore,
) -> Rated:
    """Rate the players of files of games, or one of them, by their moves.

    ``rated`` is called with the number of sides rated so far, ``evaluated`` with those of a batch
    that an engine evaluates. An interrupt ends the reading; what was rated until then is returned.
    UsageError and RecordError for options and files that cannot be used.
    """
    game = requested_game(files, options)
    check_options(game_info(game), options)
    check_files(files)
    out = Rated(game)
    with ExitStack() as ended:
        estimates, scales = begun(game, options)
        engine = None
        try:
            engine = requested_engine(estimates.methods, game, options, evaluated)
        except UsageError as error:
            out.notes.append(f"{error}. Moves are judged without evaluations.")
        if engine is not None:
            estimates.evaluate = ended.enter_context(engine)
        reader, wanted = EstimateReader(game, scales), Wanted(options.player)
        sides = (side for side in reader.sides(files) if side.name and wanted(side.name))
        try:
            while batch := list(islice(sides, BATCH)):
                estimates.add(batch)
                rated(sum(tally.games for tally in estimates.tallies.values()))
        except EngineFailedError as error:
            reader.ended = error
        except KeyboardInterrupt:
            known = "; the ratings are from the games read until then"
            early = " before any game was rated"
            reader.ended = UsageError(f"interrupted{known if estimates.tallies else early}")
    if not reader.nothing_read:  # an error says all of it
        out.notes += reader.notes()
    if estimates.aided:
        out.notes.append(
            f"Left out {counted(estimates.aided, 'move')} that players did not choose alone "
            "(hints, moves given or taken back)."
        )
    out.scales = [on_scale(estimates, number, scale) for number, scale in enumerate(scales)]
    if options.phases:
        out.scales = [with_phases(out.scales[0], estimates)]
    out.error, out.unknown_scale = reader.ended, bool(reader.raters[""])
    if not out.scales[0].rows:
        out.error = out.error or UsageError(reader.nothing_read or nobody(wanted, estimates))
    elif estimates.lacking:
        out.notes += _about_evaluations(estimates, engine, game_info(game), options)
    return out


def requested_engine(
    methods: Sequence[Method], game: str, options: EstimateOptions, progress: Progress
) -> EngineEvals | None:
    """Return the engine that evaluates games recorded without evaluations, None if none does.

    None where no method learned from evaluations, or the game's engine is not installed.
    UsageError if the engine cannot be used.
    """
    info = game_info(game)
    if not may_evaluate(methods, info, options) or not engine_there(info.evaluator):
        return None
    return EngineEvals(info.evaluator, info.evaluator_nodes, progress)


def _about_evaluations(
    estimates: RunningEstimates,
    engine: EngineEvals | None,
    info: GameInfo,
    options: EstimateOptions,
) -> list[str]:
    """Say who evaluated games that were recorded without evaluations, or how they could be."""
    games = counted(estimates.lacking, "game")
    if engine is not None:
        return [
            f"{engine.name} evaluated {games} that had no evaluations, by {engine.nodes:,} nodes a "
            "position."
        ]
    if may_evaluate(estimates.methods, info, options) and not engine_there(info.evaluator):
        verb = "has" if estimates.lacking == 1 else "have"
        return [
            f"{games} {verb} no evaluations, so ratings err a little more. Install "
            f"{info.evaluator}, and it evaluates them."
        ]
    return []


def begun(game: str, options: EstimateOptions) -> tuple[RunningEstimates, list[str]]:
    """Return the estimates of a game, of nobody yet, and their rating scales; UsageError."""
    if options.net is not None and options.fitted is None:
        return _begun_by_policy(game, options.net, options)
    fitted, scales = requested_estimators(game, options)
    if options.phases:
        return _begun_with_phases(game, options, fitted, scales), scales
    with_extra = not options.fast and all(fitted.has_extra(scale, game) for scale in scales)
    methods = [fitted.method(scale, game, with_extra) for scale in scales]
    whole = None if options.all_moves else game_info(game).all_moves_games
    return RunningEstimates(fitted.scorer(scales, game, with_extra), methods, whole), scales


def _begun_by_policy(
    game: str, net: Path, options: EstimateOptions
) -> tuple[RunningEstimates, list[str]]:
    """Return estimates by the policy of a network that knows people's ratings; UsageError."""
    if options.phases or options.fast:
        wrong = "--phases" if options.phases else "--fast"
        raise UsageError(f"{wrong} needs estimators that were fitted; leave out {wrong} or --net")
    scorer, method = by_policy(network_of(get_game(game), str(net)), options.scale)
    whole = None if options.all_moves else game_info(game).all_moves_games
    return RunningEstimates(scorer, [method], whole), [scorer.scale]


def _begun_with_phases(
    game: str, options: EstimateOptions, fitted: Fitted, scales: list[str]
) -> RunningEstimates:
    """Return estimates by whole games and by phases, of one scale; UsageError."""
    begins = game_info(game).phases
    if begins is None:
        raise UsageError(f"{game} has no phases; leave out --phases")
    if options.fast:
        raise UsageError("--phases uses all networks; leave out --fast")
    if len(scales) > 1:
        raise UsageError(f"phases are rated on one scale; choose --scale {' or '.join(scales)}")
    (scale,) = scales
    of_phases = fitted.of_phases(scale, game)
    with_extra = fitted.has_extra(scale, game)
    scorer = PhasesScorer(fitted.scorer(scales, game, of_phases[0].policies), begins)
    return RunningEstimates(scorer, [fitted.method(scale, game, with_extra), *of_phases])


def may_evaluate(methods: Sequence[Method], info: GameInfo, options: EstimateOptions) -> bool:
    """Return whether an engine is to evaluate games, if it is installed."""
    wanted = not options.no_engine and not options.fast
    return wanted and bool(info.evaluator) and any(one.reads_evals for one in methods)


def check_options(info: GameInfo, options: EstimateOptions) -> None:
    """Refuse options that belong to another game; UsageError."""
    of_others = {
        "--fast": options.fast and not info.extra_networks,
        "--no-engine": options.no_engine and not info.evaluator,
        "--all-moves": options.all_moves and info.all_moves_games is None,
    }
    for option, refused in of_others.items():
        if refused:
            raise UsageError(f"{option} is not for {info.game}; leave it out")


def check_files(files: Sequence[str]) -> None:
    """Refuse a file that is not there before others are read, which takes time; RecordError."""
    for file in files:
        if file != STANDARD_INPUT and not Path(file).exists():
            raise RecordError(f"no file {file}; check the path")


def requested_game(files: Sequence[str], options: EstimateOptions) -> str:
    """Return the game by the options or the names of the files; UsageError if there are two."""
    named = [game_of_files([Path(file)]) for file in files if file != STANDARD_INPUT]
    games = list(dict.fromkeys(filter(None, named)))
    if len(games) > 1:
        raise UsageError(f"these are files of {' and of '.join(games)}; give those of one game")
    known = SOURCES.get(options.scale or "")
    if options.game is not None:
        return get_game(options.game).id
    if known is not None and games and known[0].game != games[0]:
        fits = _listed(game_info(games[0]).scales)
        raise UsageError(
            f"{options.scale} is not a scale of {games[0]}; choose {fits}, or other files"
        )
    return games[0] if games else known[0].game if known is not None else DEFAULT


def requested_estimators(game: str, options: EstimateOptions) -> tuple[Fitted, list[str]]:
    """Return where the estimators are, and the rating scales; UsageError if there are none."""
    if options.fitted is None:
        fitted = shipped_fitted(game)
        sources = [one for one in game_info(game).sources if one.ships]
        known = [one.name for one in sources]
        usual = [one.name for one in sources if not one.on_request]
    else:
        if not options.fitted.is_dir():
            raise UsageError(f"there is no folder {options.fitted}; check --fitted")
        fitted = Fitted(options.fitted, options.net or shipped_fitted(game).network)
        usual = known = fitted.scales(game)
    if not known and options.fitted is None:
        raise UsageError(f"levels at {game} cannot be estimated from moves; give games of {RATED}")
    if not known:
        raise UsageError(f"no estimator of {game} is in {options.fitted}; {FIT_ONE}")
    if options.scale is None:
        return fitted, usual
    if options.scale not in known:
        if options.scale in game_info(game).scales:
            where = f"is in {options.fitted}" if options.fitted else "comes with evenmatch"
            raise UsageError(f"no estimator of {options.scale} {where}; {FIT_ONE}")
        raise UsageError(
            f"no rating scale {quoted(options.scale)}; choose one of: {_listed(known)}"
        )
    return fitted, [options.scale]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


# -- as plain data -----------------------------------------------------------------------------

RANK_KEYS = {
    "rating": "rank",
    "low": "rank_low",
    "high": "rank_high",
    "rating_recorded": "rank_recorded",
}
"""What a rating is called in JSON, and the rank that it is, where ratings are written as ranks."""


class OnScale(NamedTuple):
    """The estimates on one rating scale."""

    scale: str
    ranks: Ranks
    rows: list[dict[str, Any]]  #: of players, as JSON

    @property
    def write(self) -> Callable[[float], str]:
        """What writes ratings of the scale."""
        return SCALES[self.ranks.written].write

    @property
    def reach(self) -> str:
        """Which ratings can be estimated, as they are written."""
        if self.ranks.written == "elo":
            return f"{self.ranks.lowest} to {self.ranks.highest}"
        return " to ".join(SCALES[self.ranks.written].ends(self.ranks.lowest, self.ranks.highest))

    @property
    def facts(self) -> dict[str, Any]:
        """All of it as JSON."""
        ends = {"lowest": self.ranks.lowest, "highest": self.ranks.highest}
        return {"scale": self.scale, **ends, "players": self.rows}


def on_scale(estimates: RunningEstimates, number: int, scale: str) -> OnScale:
    """Return the estimates on the scale of that number, by number of games, descending."""
    ranks = estimates.methods[number].ranks
    by_name = estimates.estimates(number)
    rows = [_row(name, estimates.tallies[name], one, ranks) for name, one in by_name.items()]
    return OnScale(scale, ranks, sorted(rows, key=lambda row: (-row["games"], row["player"])))


def _row(name: str, tally: Tally, one: Estimate, ranks: Ranks) -> dict[str, Any]:
    """Return what is known of a player as plain data."""
    assert one.interval is not None, "the shipped method has intervals"
    numbers = {
        "rating": round(one.rating),
        "low": round(one.interval[0]),
        "high": round(one.interval[1]),
        "rating_recorded": round(tally.ratings / tally.rated_games) if tally.rated_games else None,
    }
    words: dict[str, str | None] = {}
    if ranks.written != "elo":
        write = SCALES[ranks.written].write
        for key, word in RANK_KEYS.items():
            number = numbers[key]
            words[word] = None if number is None else write(number)
    return {"player": name, "games": tally.games, "moves": one.moves, **numbers, **words}


def with_phases(scale: OnScale, estimates: RunningEstimates) -> OnScale:
    """Return the same with the rating of each phase, null where there are too few moves."""
    by_phase = {
        phase: (method, estimates.estimates(number))
        for number, (phase, method) in enumerate(
            zip(PHASES, estimates.methods[1:], strict=True), start=1
        )
    }
    rows = [
        row | {"phases": {x: _of_phase(row, *found) for x, found in by_phase.items()}}
        for row in scale.rows
    ]
    return scale._replace(rows=rows)


def _of_phase(
    row: dict[str, Any], method: Method, estimates: dict[str, Estimate]
) -> dict[str, int] | None:
    one = estimates[row["player"]]
    assert isinstance(method, PooledFeatures), "that of a phase"
    assert one.interval is not None, "which has intervals"
    if not says_something(one.interval, method.grid):
        return None
    low, high = one.interval
    return {"rating": round(one.rating), "low": round(low), "high": round(high)}
