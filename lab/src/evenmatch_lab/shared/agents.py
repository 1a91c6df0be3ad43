"""The players of a rating that experiments compare, and how they meet."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks
from evenmatch.estimation.estimator_files import WITH_TARGETS, targets_path
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import digest_of, human_policy_path
from evenmatch.network.inference import network_of
from evenmatch.opponents import parse_spec
from evenmatch.opponents.fitted import LEVELS
from evenmatch.opponents.rated import RATED, has_fitted_c_1, requested_rating
from evenmatch.opponents.rating_range import EVEN
from evenmatch.opponents.se_mcts import PAPER_PLAN
from evenmatch.play.arena import distinct_games, paired, play
from evenmatch.progress import Progress
from evenmatch.ratings import Interval, Pentanomial, Score
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.runner import Part, Results, digest
from evenmatch_lab.shared.opponents import counted, either_side, score_of

RANKS = Ranks()
CLASSES = {"D": 1200, "B": 1600, "Expert": 2100, "Grandmaster": 2500}  #: ACE's, from here ...
WIDTH = 100  #: ... so wide, in Elo
RATINGS = tuple(lowest + WIDTH // 2 for lowest in CLASSES.values())  #: their middles
METHODS = tuple(RATED)  #: players of a rating
SIMULATIONS = game_info("chess").rated_simulations
OPENING = 8  #: plies taken from people's games
AT_ONCE = 128  #: games that go on together
BATCH = ", batch "  #: in the names of parts

#: The four programs of Chen et al. 2025, section 4.3; SA-MCTS has a threshold ratio of its own.
#: ``level`` is elo=1500 or rank=8k, ``scale`` is empty or says whose, such as ,scale=kgs.
PROGRAMS = {
    "MCTS": "alphazero:sims={sims},solve=off",
    "SA-MCTS": "sa:{level},sims={sims}",
    "SE-MCTS": f"se:{{level}}{{scale}},plain=on,c_1={PAPER_PLAN.c_1:g},sims={{sims}}",
    "SE_inf-MCTS": f"se:{{level}}{{scale}},c_1={PAPER_PLAN.c_1:g},sims={{sims}}",
}
FITTED_SE = "SE_inf-MCTS with c_1 fitted"  #: ours besides, as ``se`` plays
CAP = 2.5  #: as far apart are the outer ranks' targets at plies 10 to 40: 2.4 to 2.7
CAPPED = f"SE_inf-MCTS, distances capped at {CAP:g}"  #: SE_inf-MCTS with the paper's c_1, besides


def program(name: str, rank: int, sims: int = SIMULATIONS) -> str:
    """Return the spec of a program that plays as a rank, which MCTS does not."""
    elo = float(RANKS.middle(rank))
    if name == FITTED_SE:
        return f"se:elo={elo:g},sims={sims}"
    if name == CAPPED:
        return f"se:elo={elo:g},c_1={PAPER_PLAN.c_1:g},cap={CAP:g},sims={sims}"
    return PROGRAMS[name].format(level=f"elo={elo:g}", scale="", sims=sims)


def networks(*specs: str, game_id: str = "chess") -> list[str]:
    """Return the digests of what players ask: networks, and the targets of SE-MCTS."""
    names = {parse_spec(spec)[0] for spec in specs}
    info, people = game_info(game_id), human_policy_path(game_id)
    digests = [digest(game_id)] if names - {"engine"} else []
    if people and names & {*RATED, EVEN} and digest_of(people) not in digests:
        digests.append(digest_of(people))
    if "se" in names:
        digests += [
            digest_of(targets_path(scale)) for scale in info.scales if scale in WITH_TARGETS
        ]
    return digests


def still_open(states: NDArray[np.uint64], game: Game | None = None) -> NDArray[np.bool_]:
    """Return which positions [n, S] are not over, [n]; people may play on after a draw.

    The game is chess if none is given.
    """
    return ~(game or get_game("chess")).outcome(states)[0]


def terms(results: Results) -> str:
    """Say how many games and simulations duels had."""
    settings = next(iter(results.values()))["settings"]
    sims = parse_spec(settings["players"][-1])[1].get("sims")
    thinking = f"{sims} simulations per move" if sims else "each player's own simulations"
    counts = sorted({score.games for score in scores_of(results).values()})
    games = sum(sum(row["score"]) for row in results.values())
    distinct = sum(row["distinct"] for row in results.values())
    each = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
    own = [row for row in results.values() if row["settings"].get("batch", 1) > 1]
    afresh = sum("openings" not in row for row in own)
    twice = f"; {afresh} batches drew openings that others may have too" if afresh else ""
    return (
        f"{each} games of each two from people's openings, {thinking} "
        f"({distinct} of {games} games are distinct within their batch{twice})"
    )


def only_folder(
    data: Sequence[Path], nets: Sequence[Path], games: Sequence[str] = ("chess",)
) -> Path:
    """Return the one dataset that people are taken from.

    UsageError if more was given, one of none of the ``games``, or one of another scale than the
    players' ratings.
    """
    if nets or len(data) > 1:
        raise UsageError(
            "the players that ship meet, from openings of one dataset; leave out --net and all "
            "but one --data"
        )
    dataset = Dataset.open(data[0])
    game = dataset.codec.game
    if game.id not in games:
        raise UsageError(f"{data[0]} is of {game.id}; give a dataset of {' or '.join(games)}")
    own, *others = network_of(game, human_policy_path(game.id)).card.scales
    if scale_names([dataset])[0] in others:
        raise UsageError(f"the players' ratings are {own}'s; give a dataset of those with --data")
    return data[0]


def fitted(*specs: str, game_id: str = "chess") -> list[tuple[float, ...]]:
    """Return the fitted numbers by which a player plays at some ratings, for settings of parts.

    These are the rows [rating, number, ...] nearest to each rating, between which its numbers lie;
    numbers fitted to others may change without what was played being out of date.
    """
    return sorted({row for spec in specs for row in _nearest(game_id, *parse_spec(spec))})


def _nearest(game_id: str, name: str, values: Mapping[str, Any]) -> list[tuple[float, ...]]:
    if name == "pikl" and {"lam", "t", "sims"} <= values.keys():
        return []
    if name == "ace" and ("net" in values or {"tau", "t", "c_puct"} <= values.keys()):
        return []
    levels = LEVELS.get(game_id)
    if levels is None:
        return []
    if name == "se" and not has_fitted_c_1(_first_scale(game_id), **values):
        return []
    thetas = levels.ace if values.get("conditioned", True) else levels.ace_untold
    tables: dict[str, dict[float, tuple[float, ...]]] = {
        "sa": {rating: (z,) for rating, z in levels.sa.items()},
        "se": {rating: (c_1,) for rating, c_1 in levels.se.items()},
        "ace": {rating: theta.values for rating, theta in thetas.items()},
        "pikl": {
            rating: (x.lam, x.t, x.simulations, *([x.slips] if x.slips else []))
            for rating, x in levels.pikl.items()
        },
    }
    rows = [(rating, *numbers) for rating, numbers in sorted(tables.get(name, {}).items())]
    if not rows:
        return []
    asked = values.get("s") or requested_rating(game_id, values.get("elo"), values.get("rank"))
    below = [row for row in rows if row[0] <= asked]
    above = [row for row in rows if row[0] >= asked]
    return below[-1:] + above[:1]


def _first_scale(game_id: str) -> str:
    return network_of(get_game(game_id), human_policy_path(game_id)).card.scales[0]


def opening_lines(dataset: Dataset, games: Sequence[int], most: int) -> dict[tuple[int, ...], int]:
    """Return the first actions of recorded games, up to ``most`` lines, and the game of each.

    None is there twice: from one opening two players who never draw lots play one game however
    often they meet.
    """
    lines: dict[tuple[int, ...], int] = {}
    for game in games:
        if len(lines) == most:
            break
        opening = dataset.states(np.full(OPENING, game), np.arange(OPENING))
        lines.setdefault(tuple(dataset.codec.actions(*opening).tolist()), game)
    return lines


def drawn_lines(dataset: Dataset, most: int, seed: int) -> list[list[int]]:
    """Draw up to ``most`` openings of candidates' games; UsageError if no game is long enough.

    A draw of more begins with the draw of fewer.
    """
    games = np.unique(dataset.select(split="candidate").games)
    games = games[dataset.games["plies"][games] > OPENING]
    games = games[["AB[" not in dataset.start(game) for game in games.tolist()]]  # no handicap
    if not len(games):
        raise UsageError("no candidate's game has an opening to take; add games")
    order = np.random.default_rng(seed).permutation(games).tolist()
    return [list(line) for line in opening_lines(dataset, order, most)]


def duels(
    folder: Path,
    pairs: Mapping[str, tuple[str, str]],
    batches: int,
    games: int,
    seed: int,
    needs: tuple[str, ...] = (),
    complete: Callable[[str, Results], str] | None = None,
) -> dict[str, Part]:
    """Return parts in which pairs of specs meet: the first batch of ``games`` of each, the next ...

    More batches continue from where fewer stopped. Each opening is played twice, with either side.
    Batches take one draw of openings in turn, so no two share one while there are enough. Rows
    from the second batch on that have no ``openings`` were made before that: each drew its own.
    Where specs depend on results of other parts, the ``needs``, ``complete(spec, results)`` returns
    the spec to play by.
    """
    by_key, dataset = {}, Dataset.open(folder)
    game_id = dataset.codec.game.id
    for batch in range(1, 1 + batches):
        for key, specs in pairs.items():
            settings = {
                "dataset": dataset.identity,
                "networks": networks(*specs, game_id=game_id),
                "players": specs,
                "fitted": [fitted(spec, game_id=game_id) for spec in specs],
                "games": games,
                "seed": seed,
                "batch": batch,
            }
            work = partial(_meet, folder, specs, games, (seed, batch), complete)
            by_key[f"{key}{BATCH}{batch}"] = Part(settings, work, needs)
    return by_key


@dataclass(frozen=True)
class Tally:
    """The games of a pair, all batches together."""

    score: Score
    pairs: Pentanomial  #: of the batches that kept them

    def __neg__(self) -> "Tally":
        """Return the opponent's."""
        return Tally(-self.score, -self.pairs)

    @property
    def fraction(self) -> float:
        """Mean points per game, in [0, 1]."""
        return self.score.fraction

    @property
    def by_pairs(self) -> bool:
        """Whether every game's opening pair is known."""
        return 2 * self.pairs.pairs == self.score.games

    def interval(self) -> Interval:
        """Return the 95% interval by opening pairs; by games, where these alone were kept."""
        return self.pairs.interval() if self.by_pairs else self.score.interval()


def tallies(results: Results) -> dict[str, Tally]:
    """Return what the first of each pair scored."""
    kept: dict[str, Pentanomial] = {}
    for key, row in results.items():
        pair = key.partition(BATCH)[0]
        kept[pair] = kept.get(pair, Pentanomial()) + Pentanomial(tuple(row.get("pairs", [0] * 5)))
    return {pair: Tally(score, kept[pair]) for pair, score in scores_of(results).items()}


def scores_of(results: Results) -> dict[str, Score]:
    """Return the score of the first of each pair, all batches together."""
    scores: dict[str, Score] = {}
    for key, row in results.items():
        pair = key.partition(BATCH)[0]
        score = score_of(row["score"])
        scores[pair] = scores[pair] + score if pair in scores else score
    return scores


def _meet(
    folder: Path,
    specs: tuple[str, str],
    games: int,
    seeds: tuple[int, int],
    complete: Callable[[str, Results], str] | None,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    players = [complete(spec, done) if complete else spec for spec in specs]
    seed = int(np.random.default_rng(seeds).integers(1 << 31))
    dataset = Dataset.open(folder)
    lines, skipped = _lines_of_batch(dataset, -(-games // 2), *seeds)
    pairings = [
        replace(pairing, opening=(skipped + pairing.opening) % len(lines))
        for pairing in either_side(0, 1, games)
    ]
    played = play(
        players,
        pairings,
        dataset.codec.game,
        seed=seed,
        lines=lines,
        progress=progress,
        at_once=AT_ONCE,
    )
    return {
        "score": counted([g.result if g.pairing.first == 0 else -g.result for g in played]),
        "pairs": list(paired(played, 0, 1).counts),
        "distinct": distinct_games(played),
        "openings": [skipped, len(lines)],
    }


def _lines_of_batch(
    dataset: Dataset, each: int, seed: int, batch: int
) -> tuple[list[list[int]], int]:
    """Return the draw of openings up to a batch, and how many of them are of batches before.

    The draw's seed is that of the first batch, whichever this one is.
    """
    first = int(np.random.default_rng((seed, 1)).integers(1 << 31))
    return drawn_lines(dataset, each * batch, first), each * (batch - 1)
