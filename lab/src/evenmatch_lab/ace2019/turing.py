"""An automatic Turing test, in place of ACE's experiment 3: a classifier of agents and people.

Agents of a class play themselves from the openings of people of the class, others than those they
are compared with. A classifier is shown one side of a game at a time: means and spreads, over the
first ``LEAST_MOVES`` own moves after the opening, of what the network knows of moves
(``estimation/pooled.py``), but when they were played. Sides with fewer moves are left out, of
people and of agents: people resign where agents play on to the mate, so that the length of a game
would give it away. The classifier learns four fifths of the games and is asked about the rest, in
turn; no person and no game is in both, nor a game and another that began as it did. 50% is
guessing. People against other people of the class, none of whose moves was learned either, say what
chance does. What is known of moves is known by the network that agents play by, too. That an agent
does not differ from people is shown where the accuracy is within ``BOUND`` of 50%
(``shared/equivalence.py``).

Games are one part, how they are judged another, so that they need not be played again to be
judged otherwise.

At Go classes are three ranks wide, and GNU Go takes Stockfish's place. At chess the page also
says how rare the moves compared are: how many nats less likely than the policy's own, on
average, by the policy of people of the class.
"""

import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import MoveFeatures, NetworkScorer, PlayerGame
from evenmatch.estimation.estimator_files import SHIPPED
from evenmatch.estimation.move_features import ENTROPY, LIKELIHOOD, rating_conditions
from evenmatch.estimation.pooled import PHASES, move_numbers
from evenmatch.games.catalog import SOURCES, game_info
from evenmatch.games.chess.actions import move_of_action
from evenmatch.games.chess.text import code_of, move_of
from evenmatch.games.game import Game
from evenmatch.network.artifact import digest_of, human_policy_path
from evenmatch.network.card import rank_logits
from evenmatch.network.inference import network_of
from evenmatch.opponents.dials import curve_of
from evenmatch.opponents.fitted import LEVELS
from evenmatch.opponents.gtp_program import command_of
from evenmatch.opponents.rating_range import gnugo
from evenmatch.opponents.uci_program import engine_name
from evenmatch.play.arena import Pairing, play
from evenmatch.progress import Progress
from evenmatch.ratings.scale import RANKS
from evenmatch.records.record import GameRecord
from evenmatch.workshop.datasets.dataset import Dataset, Sides, scale_names
from evenmatch.workshop.fitting.samples import answered, score_sides
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared.agents import (
    CLASSES,
    OPENING,
    SIMULATIONS,
    WIDTH,
    fitted,
    networks,
    opening_lines,
)
from evenmatch_lab.shared.classifier import FOLDS, SETTINGS, balanced, told_right
from evenmatch_lab.shared.clusters import together
from evenmatch_lab.shared.engine_losses import estimate
from evenmatch_lab.shared.equivalence import (
    DIFFERENT,
    EQUIVALENT,
    UNDECIDED,
    Equivalence,
    in_words,
    of_interval,
)
from evenmatch_lab.shared.intervals import share_text
from evenmatch_lab.shared.scored_ends import program

SEED = 24
BOUND = 0.05  #: of the accuracy from 50%, within which it is guessing
TOLD = ", told"  # ends the names of parts in which games are told
PEOPLE = "people"
STOCKFISH, LEAST = "stockfish", 1350  # its lowest UCI_Elo, in version 15
GNUGO = "GNU Go 10"
RARE = "nats rarer than the policy's own (people's)"
KNOWN = 200  # Elo: how unsure `even` is of its opponent, about as after some games


class Contest(NamedTuple):
    """Which players are compared with which people on a game. ``level`` is elo=1500, or rank=8k."""

    classes: Mapping[str, Mapping[str, int]]  #: by scale, "" for all others: label -> lowest rating
    width: int  #: of a class, in rating
    agents: Mapping[str, str]  #: specs
    programs: Mapping[str, str]  #: those of other programs among the agents -> command
    rarity: bool = False  #: whether it is measured how rare moves are

    def of(self, scale: str) -> Mapping[str, int]:
        """Return the classes of a scale; UsageError if there are none."""
        known = self.classes.get(scale, self.classes.get(""))
        if known is None:
            names = " and ".join(self.classes)
            raise UsageError(f"no classes of {scale} are compared; give datasets of {names}")
        return known

    def spec(self, agent: str, game_id: str, scale: str, lowest: int) -> str:
        """Return the spec of an agent of a class."""
        info, middle = game_info(game_id), lowest + self.width // 2
        written = f"{middle}" if info.level == "elo" else RANKS.write(middle)
        curve = curve_of(game_id, info.rated or "")
        return self.agents[agent].format(
            level=f"{info.level}={written}",
            people=middle,
            dial="" if curve is None else f"{curve.rating(middle):.0f}",
            scale=scale,
            engine_elo=max(middle, LEAST),
        )


CHESS = Contest(
    {"": CLASSES},
    WIDTH,
    {  # pikl, sa and ace know lichess-rapid's ratings alone
        "human": "human:{level},scale={scale}",
        "pikl": "pikl:s={people}",
        "even": f"even:elo={{dial}},unsure={KNOWN}",
        "se": "se:{level},scale={scale}",
        "sa": "sa:{level}",
        "ace": "ace:{level}",
        "alphazero": f"alphazero:sims={SIMULATIONS},solve=off",
        STOCKFISH: f"engine:cmd={STOCKFISH},elo={{engine_elo}},nodes=10000",
    },
    {STOCKFISH: STOCKFISH},
    rarity=True,
)
GO = Contest(
    {"ogs": {"15k": 1450, "10k": 1950, "5k": 2450, "1k": 2850}, "kgs": {"7d": 3550}},
    300,
    {
        "pikl": "pikl:{level}",
        "human": "human:{level},scale={scale}",
        GNUGO: gnugo(10),
        "sa": "sa:{level}",
        "se": "se:{level},scale={scale}",
        "alphazero": f"alphazero:sims={game_info('go').rated_simulations}",
    },
    {GNUGO: gnugo(10).partition("=")[2]},
)
CONTESTS = {"chess": CHESS, "go": GO}
GAMES = 40  # of an agent with itself
QUICK = 3, 1  # games, agents
LEAST_MOVES = 20  # own ones after the opening, of which the first so many are compared
SEEN = OPENING // 2 + LEAST_MOVES  # own moves up to the last that is compared
COMPARED = OPENING + 2 * LEAST_MOVES + 1  # plies: the last own moves have a reply
PLACES = 2 + len(PHASES)  # last columns of ``move_numbers``: when in the game moves were


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each dataset and class one part for each agent, and one for people."""
    if nets:
        raise UsageError("the agents that ship are judged; leave out --net")
    games, most = QUICK if quick else (GAMES, None)
    opened = [Dataset.open(folder) for folder in data]
    by_key: dict[str, Part] = {}
    for folder, name, dataset in zip(data, scale_names(opened), opened, strict=True):
        contest = contest_of(dataset)
        game_id, agents = dataset.codec.game.id, agents_of(dataset, name)[:most]
        for label, lowest in contest.of(name).items():
            base = {"dataset": dataset.identity, "from": lowest, "games": games, "seed": SEED}
            for agent, version in agents:
                spec = contest.spec(agent, game_id, name, lowest)
                settings = {
                    **base,
                    "networks": networks(spec, game_id=game_id),
                    "agent": spec,
                    "plies": COMPARED,
                    "fitted": fitted(spec, game_id=game_id),
                    "engine": version,
                }
                key = f"{name}, {label}: {agent}"
                by_key[key] = Part(settings, partial(play_games, folder, lowest, spec, games))
                by_key[key + TOLD] = judging(folder, name, lowest, games, base, spec, key)
            key = f"{name}, {label}: {PEOPLE}"
            by_key[key] = judging(folder, name, lowest, games, base, PEOPLE)
    return dict(sorted(by_key.items(), key=lambda named: turn_of(named[0])))


def turn_of(key: str) -> int:
    """Return when a part is done: people come first, then each agent in all classes in turn."""
    agent = key.removesuffix(TOLD).rpartition(": ")[2]
    orders = [[PEOPLE, *contest.agents] for contest in CONTESTS.values()]
    return min(order.index(agent) for order in orders if agent in order)


def contest_of(dataset: Dataset) -> Contest:
    """Return who is compared on a dataset's game; UsageError if nobody is."""
    game_id = dataset.codec.game.id
    if game_id not in CONTESTS:
        raise UsageError(f"nobody is compared on {game_id}; give games of {', '.join(CONTESTS)}")
    return CONTESTS[game_id]


def agents_of(dataset: Dataset, scale: str) -> list[tuple[str, str]]:
    """Return the agents that can play, and the versions of those that are other programs."""
    contest, game_id = contest_of(dataset), dataset.codec.game.id
    known, found = LEVELS.get(game_id), []
    for agent in contest.agents:
        command = contest.programs.get(agent)
        if command is not None:
            if shutil.which(command_of(command)[0]) is None:
                continue
            found.append((agent, engine_name(command) if agent == STOCKFISH else program(command)))
        elif agent == "se" and scale in SOURCES and scale not in SHIPPED:
            continue  # it has no targets
        elif agent not in ("pikl", "sa", "ace") or (known is not None and known.of(agent)):
            found.append((agent, ""))
    return found


def judging(
    folder: Path,
    scale: str,
    lowest: int,
    games: int,
    base: dict[str, Any],
    agent: str,
    played: str = "",
) -> Part:
    """Return the part that distinguishes people's games from those that the part ``played`` has."""
    settings = {
        **base,
        "agent": agent,
        "networks": judges(Dataset.open(folder).codec.game.id),
        "moves": LEAST_MOVES,
        "classifier": SETTINGS,
        **({"rarity": True} if contest_of(Dataset.open(folder)).rarity else {}),
    }
    work = partial(judge, folder, scale, lowest, games, played)
    return Part(settings, work, needs=(played,) if played else ())


def judges(game_id: str) -> list[str]:
    """Return the digest of the network by which games are judged."""
    people = human_policy_path(game_id)
    return [digest_of(people) if people else digest(game_id)]


def play_games(
    folder: Path, lowest: int, spec: str, games: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let an agent play itself, once from each opening, as far as it is compared.

    Return the moves as ``words_of`` writes them.
    """
    dataset = Dataset.open(folder)
    game, lines = dataset.codec.game, [list(line) for line in openings(dataset, lowest, games)]
    pairings = [Pairing(0, 1, number) for number in range(len(lines))]
    played = play(
        [spec, spec],
        pairings,
        game,
        seed=SEED,
        lines=lines,
        progress=progress,
        most_plies=COMPARED,
    )
    return {"games": [" ".join(words_of(game, one.actions)) for one in played]}


def judge(
    folder: Path,
    scale: str,
    lowest: int,
    games: int,
    played: str,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return the accuracy on sides of games, and how many there were, and of how many.

    And how many sides of the agent's games are left out, because they have too few moves; and how
    rare the agent's moves are, and people's. Without ``played`` other people's games are judged.
    """
    dataset = Dataset.open(folder)
    game, contest = dataset.codec.game, contest_of(dataset)
    scorer = NetworkScorer(network_of(game, human_policy_path(game.id)), scale)
    ranks = scorer.evaluator.card.ranks["count"]
    sides, people = draw(dataset, "query", lowest, 2 * games)
    of_people = compared(score_sides(scorer, dataset, sides, most=SEEN))
    if played:
        begun = np.array(list(openings(dataset, lowest, games).values()))
        records = [record_of(game.id, text.split()) for text in done[played]["games"]]
        outputs = scorer([PlayerGame(record, side) for record in records for side in (1, -1)])
        enough = long_enough(outputs.counts)
        own, others = compared(outputs.games_only(enough)), np.flatnonzero(enough) // 2
        source, short = begun[others], int((~enough).sum())
    else:
        besides, others = draw(dataset, "candidate", lowest, 2 * games)
        own = compared(score_sides(scorer, dataset, besides, most=SEEN))
        source = besides.games
        short = 0
    groups = together(np.concatenate([people, -1 - others]), np.concatenate([sides.games, source]))
    kinds = np.arange(len(groups)) >= len(people)
    told, rare = None, {}
    if len(others):
        right = told_right(features(of_people + own, ranks), kinds, groups, SEED)
        told = [round(x, 4) for x in balanced(right, kinds, groups)]
        if contest.rarity:
            of = partial(rarity, scorer, scale, lowest + contest.width / 2)
            rare = {"rarity": [of(own, others), of(of_people, people)]}
    return {
        "told_right": told,
        "people": [len(people), len(np.unique(people))],
        "agent": [len(others), len(np.unique(others))],
        "left_out": short,
        **rare,
    }


def openings(dataset: Dataset, lowest: int, games: int) -> dict[tuple[int, ...], int]:
    """Return the lines from which agents begin, and the recorded game of each."""
    sides, _ = draw(dataset, "train", lowest, games)
    even = [
        one for one in sides.games.tolist() if not dataset.codec.has_handicap(dataset.start(one))
    ]
    return opening_lines(dataset, even, games)


def draw(dataset: Dataset, split: str, lowest: int, most: int) -> tuple[Sides, NDArray[np.int64]]:
    """Draw sides of a split's players of a class, no game twice; return them and who played.

    All have ``LEAST_MOVES`` that can be compared.
    """
    every = dataset.select(split=split)
    rows = dataset.games[every.games]
    rating = rows["ratings"][np.arange(len(rows)), every.sides].astype(int)
    fits = (rating >= lowest) & (rating < lowest + contest_of(dataset).width)
    fits &= long_enough(answered(rows["plies"], every.sides))
    at = np.random.default_rng(SEED).permutation(np.flatnonzero(fits))
    _, first = np.unique(every.games[at], return_index=True)
    at = np.sort(at[np.sort(first)][:most])
    if len(first) < FOLDS:
        raise UsageError(
            f"hardly any games of players of split {split} rated {lowest} have {LEAST_MOVES} moves "
            "after the opening; add games of some"
        )
    sides = Sides(every.games[at], every.sides[at])
    return sides, rows["players"][at, every.sides[at]].astype(np.int64)


def words_of(game: Game, actions: Sequence[int]) -> list[str]:
    """Return a game's moves: in UCI at chess, otherwise the numbers of the actions."""
    if game.id != "chess":
        return [str(action) for action in actions]
    state, words = game.initial(), []
    for action in actions:
        words.append(move_of(int(move_of_action(state[0], action))).uci())
        state = game.after(state, np.array([action]))
    return words


def record_of(game_id: str, words: Sequence[str]) -> GameRecord:
    """Return a game of such moves as records have it."""
    if game_id == "chess":
        codes = [code_of(chess.Move.from_uci(word)) for word in words]
    else:
        codes = [int(word) for word in words]
    return GameRecord(game=game_id, moves=np.array(codes, np.uint16), result=None)


def long_enough(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which sides have enough moves to compare; ``counts`` are of those answered."""
    return counts >= SEEN


def compared(moves: MoveFeatures) -> MoveFeatures:
    """Return the moves of each game that are compared, the first ones after the opening."""
    return moves.only(moves.places >= OPENING // 2).first(LEAST_MOVES)


def rarity(
    scorer: NetworkScorer, scale: str, rating: float, moves: MoveFeatures, groups: NDArray[np.int64]
) -> list[float]:
    """Return by how many nats moves are less likely than the policy's own, and half an interval.

    That is the mean of -log P(move) less the policy's entropy, for people of a rating, between the
    ratings that the network is asked for. ``groups`` [G] are the people, or games, that play.
    """
    asked = [one.rating for one in rating_conditions(scale, scorer.evaluator.card)]
    weights = np.array([np.interp(rating, asked, row) for row in np.eye(len(asked))])
    nats = -(moves.columns[LIKELIHOOD] + moves.columns[ENTROPY]) @ weights
    return estimate(nats, groups[moves.games])


def features(late: MoveFeatures, ranks: int) -> NDArray[np.float64]:
    """Return means and spreads of what is known of ``late`` moves of each game, [G, 2 C].

    When they were played is left out.
    """
    numbers = move_numbers(late, rank_logits(0, ranks), evals=False)[:, :-PLACES]
    counts = np.maximum(late.counts, 1)[:, None]
    means = late.sums(numbers) / counts
    spread = np.sqrt(np.maximum(late.sums(numbers**2) / counts - means**2, 0))
    return np.hstack([means, spread])


def page(results: Results) -> list[str]:
    """Write the accuracies, and what they show of each agent."""
    rows: list[list[str]] = []
    measured = any("rarity" in row for row in results.values())
    by_agent: dict[str, list[tuple[float, str]]] = {}
    for key, row in results.items():
        if "told_right" not in row:
            continue
        (a, n), (b, m) = row["people"], row["agent"]
        accuracy, guessing, rare = "-", "-", "-"
        if row["told_right"] is not None:
            middle, half = row["told_right"]
            accuracy = share_text(middle, (middle - half, middle + half))
            found = beside_guessing(row)
            guessing = in_words(found, f"{BOUND * 100:g} points", "sides")
            agent = key.removesuffix(TOLD).partition(": ")[2]
            by_agent.setdefault(agent, []).append((middle, found.verdict))
        if "rarity" in row:
            rare, by_people = (f"{mean:.2f} ± {half:.2f}" for mean, half in row["rarity"])
            rare += f" ({by_people})"
        cells = [accuracy, f"{a} ({n})", f"{b} ({m})", row["left_out"], guessing]
        cells += [rare] if measured else []
        rows.append([key.removesuffix(TOLD), row["settings"]["agent"], *cells])
    heads = ["", "agent", "accuracy", "people's sides (people)", "agent's sides (games)"]
    heads += ["skipped", "guessing", *([RARE] if measured else [])]
    verdicts = (EQUIVALENT, DIFFERENT, UNDECIDED)
    means = [
        [
            f"`{agent}`",
            *(sum(own == verdict for _, own in found) for verdict in verdicts),
            f"{np.mean([accuracy for accuracy, _ in found]):.0%}",
        ]
        for agent, found in by_agent.items()
    ]
    return [
        table(heads, rows, left=(0, 1, 6)),
        "",
        table(["agent", *(f"{word} in" for word in verdicts), "mean accuracy"], means),
    ]


def beside_guessing(row: dict[str, Any]) -> Equivalence:
    """Return how far a part's accuracy is from 50%."""
    middle, half = row["told_right"]
    return of_interval(middle - 0.5, half, row["people"][0] + row["agent"][0], BOUND)


EXPERIMENT = Experiment(
    "turing",
    "A classifier's Turing test of players of a rating (ACE, in place of experiment 3)",
    parts,
    page,
    reads_games=True,
)
