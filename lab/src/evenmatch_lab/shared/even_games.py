"""Games by which evenness is measured: ways to meet an opponent, and what is kept of the games.

- *strangers*: each game is on its own, two at a time from one opening with either side;
- *coin*: the same, but before each game a coin chooses full strength or random moves;
- *series*: games in a row with alternating sides, in which a player may learn;
- *profile*: series of games as ``evenmatch play GAME`` seats its opponent, through a profile;
- *equals*: an opponent meets itself.

A pair of games from one opening, or a series, is a *unit*: units are independent of each other.
Results are those of the player whose evenness is measured.
"""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.app.start_game import PlayOptions, start
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.opponents import Engine, load_evaluator, resolve
from evenmatch.opponents.engine import InGame, game_seed
from evenmatch.opponents.player import RESIGN
from evenmatch.play.arena import Pairing, Played, play, play_series
from evenmatch.play.played_game import End
from evenmatch.play.session import Session
from evenmatch.profiles import Profile
from evenmatch.progress import Progress, ignore
from evenmatch_lab.shared.debiased import Rms, equals, rms
from evenmatch_lab.shared.opponents import OPENING_PLIES, Row, either_side, hashes_of

#: Random plies that games begin with; at chess two, since more give too much away.
OPENINGS = OPENING_PLIES | {"chess": 2}
OPEN = 0.5  #: value, from -1 to 1, within which a game is open
FULL, WEAKEST = "alphazero", "random"  #: what a coin chooses between
PERSON = "somebody"
LETTERS = {1.0: "W", 0.0: "D", -1.0: "L"}
POINTS = {"W": 1.0, "D": 0.5, "L": 0.0}
BATCH = 256  #: positions that the network judges at once

# -- ways to meet ------------------------------------------------------------------------------


def meet_strangers(
    game: Game,
    spec: str,
    strangers: Mapping[str, str],
    games: int,
    seed: int,
    progress: Progress = ignore,
) -> dict[str, Row]:
    """Play every game on its own, ``games`` (even) with each stranger; return rows by name."""
    pairings = [one for o in range(1, 1 + len(strangers)) for one in either_side(0, o, games)]
    played = play(
        [spec, *strangers.values()], pairings, game,
        seed=seed, openings=OPENINGS[game.id], progress=progress,
    )  # fmt: skip
    return {
        name: row_of_units(game, in_units(played[at * games : (at + 1) * games]))
        for at, name in enumerate(strangers)
    }


def meet_by_coin(
    game: Game,
    specs: tuple[str, str],
    strangers: Mapping[str, str],
    games: int,
    seed: int,
    progress: Progress = ignore,
) -> dict[str, Row]:
    """Let a coin decide before each game which of two players plays it; see `meet_strangers`."""
    rng = np.random.default_rng(seed)
    pairings = []
    for o in range(2, 2 + len(strangers)):
        for one in either_side(0, o, games):
            who = int(rng.integers(2))
            sides = (who, o) if one.first == 0 else (o, who)
            pairings.append(Pairing(*sides, opening=one.opening))
    played = play(
        [*specs, *strangers.values()], pairings, game,
        seed=seed, openings=OPENINGS[game.id], progress=progress,
    )  # fmt: skip
    as_one = [_of_one_player(one) for one in played]
    return {
        name: row_of_units(game, in_units(as_one[at * games : (at + 1) * games]))
        for at, name in enumerate(strangers)
    }


def _of_one_player(one: Played) -> Played:
    """Return a game of either player that a coin chooses as one of entrant 0 with entrant 1."""
    sides = (0, 1) if one.pairing.first < 2 else (1, 0)
    return Played(Pairing(*sides, one.pairing.opening), one.result, one.actions)


def meet_in_series(
    game: Game,
    spec: str,
    strangers: Mapping[str, str],
    series: int,
    rounds: int,
    seed: int,
    progress: Progress = ignore,
) -> dict[str, Row]:
    """Play series of games with each stranger, all side by side; return rows by name."""
    met = [(o, lane) for o in range(1, 1 + len(strangers)) for lane in range(series)]
    played = list(
        play_series(
            [spec, *strangers.values()], series_rounds(met, series * rounds, series), game,
            seed=seed, openings=OPENINGS[game.id], progress=progress,
        )
    )  # fmt: skip
    lanes = [[games[at] for games in played] for at in range(len(met))]
    return {
        name: row_of_units(game, lanes[at * series : (at + 1) * series])
        for at, name in enumerate(strangers)
    }


def meet_itself(game: Game, spec: str, games: int, seed: int, progress: Progress = ignore) -> Row:
    """Let a player meet itself; results are those of the side that moves first."""
    pairings = [Pairing(0, 0, opening=k) for k in range(games)]
    played = play([spec], pairings, game, seed=seed, openings=OPENINGS[game.id], progress=progress)
    return row_of_units(game, [[one] for one in played])


def series_rounds(met: list[tuple[int, int]], games: int, lanes: int) -> list[list[Pairing]]:
    """Return the rounds of series (opponent, lane); two games after another share an opening."""
    return [
        [
            Pairing(*((0, o) if (k + lane) % 2 == 0 else (o, 0)), opening=lane * games + k // 2)
            for o, lane in met
        ]
        for k in range(games // lanes)
    ]


def own_result(one: Played) -> float:
    """Return a game's result for entrant 0."""
    return one.result if one.pairing.first == 0 else -one.result


def in_units(played: Sequence[Played]) -> list[list[Played]]:
    """Return pairs of games: two after another are from one opening."""
    return [list(played[at : at + 2]) for at in range(0, len(played), 2)]


# -- through a profile -------------------------------------------------------------------------


def meet_by_profile(
    game: Game,
    stranger: str,
    series: int,
    rounds: int,
    seed: int,
    progress: Progress = ignore,
) -> Row:
    """Let a stranger play as a person would, with a profile of its own in every series.

    The games are those of ``evenmatch play GAME``, one after another; all series advance together.
    ``met`` are the ratings that the opponent played at, by series; None where it has none.
    """
    engine, opponent = Engine(game), resolve(stranger, game)
    lanes: list[list[Played]] = [[] for _ in range(series)]
    met: list[list[float | None]] = [[] for _ in range(series)]
    with tempfile.TemporaryDirectory() as folder:
        profiles = [Profile(Path(folder) / str(lane)) for lane in range(series)]
        for k in range(rounds):
            sessions = [
                _seat(game, profile, (k + lane) % 2 == 0, seed + 2 * (lane * rounds + k))
                for lane, profile in enumerate(profiles)
            ]
            play_out(sessions, engine, [
                InGame(opponent, one.side, game_seed(one.seed + 1)) for one in sessions
            ])  # fmt: skip
            for lane, session in enumerate(sessions):
                # entrant 0 is the opponent that was seated, whose results are measured
                pairing = Pairing(*((1, 0) if session.side == 1 else (0, 1)))
                result = float(session.result * session.side)
                lanes[lane].append(Played(pairing, result, tuple(session.actions)))
                profiles[lane].games.take(game.id).finish(session)
                rating = session.played_at
                met[lane].append(None if rating is None else round(rating, 1))
            progress((k + 1) * series, rounds * series)
        for profile in profiles:
            profile.close()
    return row_of_units(game, lanes) | {"met": met}


def _seat(game: Game, profile: Profile, first: bool, seed: int) -> Session:
    """Begin the game that ``evenmatch play GAME`` begins, with the person on a side."""
    place = "first" if first else "second"
    options = PlayOptions(game=game.id, person=PERSON, place=place, seed=seed)
    return start(options, profile=profile).session


def play_out(sessions: Sequence[Session], engine: Engine, people: Sequence[InGame]) -> None:
    """Play games to their ends, all together; ``people`` move for the person of each.

    They resign only where their program does.
    """
    while going := [at for at, session in enumerate(sessions) if not session.over]:
        turns, then = [], list[Callable[[Any], None]]()
        for at in going:
            session, person = sessions[at], people[at]
            if session.yours:
                turn = person.turn(session.line)
                turns.append((person.opponent, turn))
                then.append(_mover(session, person, turn))
            elif (request := session.ask_opponent()) is not None:
                turns.append((request.opponent, request.turn))
                then.append(request.then)
        for take, decision in zip(then, engine.think(turns), strict=True):
            take(decision)


def _mover(session: Session, person: InGame, turn: Any) -> Callable[[Any], None]:
    def move(decision: Any) -> None:
        person.take(turn, decision)
        if decision.action == RESIGN:
            session.end = End.YOU_RESIGNED
        else:
            session.move(decision.action)

    return move


# -- what is kept of games ---------------------------------------------------------------------


def row_of_units(game: Game, units: Sequence[Sequence[Played]]) -> Row:
    """Return what is kept of the games of entrant 0 with one opponent, each unit in its order.

    ``results`` has a letter a game: W, D or L; ``sides`` 1 where it moved first, otherwise 2;
    ``plies`` how long each game was open, and its length; ``hashes`` are equal for equal games.
    """
    played = [one for unit in units for one in unit]
    open_for = iter(open_plies(game, [one.actions for one in played]))
    return {
        "results": ["".join(LETTERS[own_result(one)] for one in unit) for unit in units],
        "sides": ["".join("1" if one.pairing.first == 0 else "2" for one in u) for u in units],
        "plies": [
            " ".join(f"{next(open_for)}/{len(one.actions)}" for one in unit) for unit in units
        ],
        "hashes": " ".join(hashes_of(played)),
    }


def open_plies(game: Game, lines: Sequence[Sequence[int]]) -> list[int]:
    """Return the plies after which each game was decided.

    It is the last whose position the shipped network's value has within ``OPEN`` of even, and one
    more: the move that decided. The end itself is not judged, so a draw may be open to its end.
    """
    states, counts = [], []
    for actions in lines:
        state = game.initial()
        for action in actions:
            states.append(state[0])
            state = game.after(state, np.array([action]))
        counts.append(len(actions))
    evaluator = load_evaluator(game)
    values = [
        evaluator.evaluate(np.array(states[at : at + BATCH])).values
        for at in range(0, len(states), BATCH)
    ]
    found = []
    for some in np.split(np.concatenate([*values, [0.0]])[:-1], np.cumsum(counts)[:-1]):
        still = np.flatnonzero(np.abs(some) <= OPEN)
        found.append(int(still[-1]) + 1 if len(still) else 0)
    return found


class Kept(NamedTuple):
    """A row's games as arrays, by unit and game: [units, games]."""

    points: np.ndarray  #: 1, 0.5 or 0
    first: np.ndarray  #: whether it moved first
    open: np.ndarray  #: plies until the game was decided
    length: np.ndarray  #: plies

    @classmethod
    def of(cls, row: Row, games: slice = slice(None)) -> "Kept":
        """Return the games of a row, of each unit those that a slice names."""
        plies = np.array(
            [[one.split("/") for one in unit.split()] for unit in row["plies"]], np.int64
        )
        return cls(
            np.array([[POINTS[x] for x in unit] for unit in row["results"]])[:, games],
            np.array([[x == "1" for x in unit] for unit in row["sides"]])[:, games],
            plies[:, games, 0],
            plies[:, games, 1],
        )


class Evenness(NamedTuple):
    """How even games with some opponents were. All shares are means over opponents."""

    opponents: int
    games: int  #: with each
    rms: Rms  #: of (score - 1/2)
    by_side: Rms  #: the same with the games of either side apart
    score: float  #: 0 to 1
    imbalance: float  #: the mean of abs(W - L)
    equal_imbalance: float  #: what equals show of that who draw as often
    chance: float  #: what ``rms`` stays below in 95% of tables of such equals
    drawn: float
    open: float  #: share of a game's plies until it was decided
    open_plies: float
    distinct: int  #: games that differ from all others, over all opponents
    total: int  #: games


def score_rows(rows: Mapping[str, Row], games: slice = slice(None)) -> Evenness:
    """Return how even the games of rows were; ``games`` are those of each unit that count.

    Two units at least are needed of each opponent; all units have as many games.
    """
    kept = [Kept.of(row, games) for row in rows.values()]
    units = [one.points.mean(1) for one in kept]
    sides = [_side_means(one.points, one.first == first) for one in kept for first in (True, False)]
    drawn = [float((one.points == POINTS["D"]).mean()) for one in kept]
    floor = equals([one.points.shape for one in kept], drawn)
    means = np.array([one.mean() for one in units])
    return Evenness(
        opponents=len(kept),
        games=int(np.mean([one.points.size for one in kept])),
        rms=rms(units),
        by_side=rms([some for some in sides if len(some) > 1]),
        score=float(means.mean()),
        imbalance=float(np.abs(2 * means - 1).mean()),
        equal_imbalance=floor.imbalance,
        chance=floor.rms,
        drawn=float(np.mean(drawn)),
        open=float(np.mean([(one.open / one.length).mean() for one in kept])),
        open_plies=float(np.mean([one.open.mean() for one in kept])),
        distinct=len({word for row in rows.values() for word in hashes_in(row, games)}),
        total=sum(one.points.size for one in kept),
    )


def hashes_in(row: Row, games: slice) -> list[str]:
    """Return the hashes of those games of each unit that a slice names."""
    words = iter(row["hashes"].split())
    return [word for unit in row["results"] for word in [next(words) for _ in unit][games]]


def _side_means(points: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Return the mean score of each unit's games of one side, of units that have such."""
    has = side.any(1)
    return (points * side).sum(1)[has] / side.sum(1)[has]


def score_of_row(row: Row, games: slice = slice(None)) -> tuple[float, float]:
    """Return the score (0 to 1) and the share of draws of one row."""
    points = Kept.of(row, games).points
    return float(points.mean()), float((points == POINTS["D"]).mean())


def evaluate(
    game_id: str,
    spec: str,
    strangers: Iterable[Any],
    games: int,
    seed: int = 0,
    series: int = 0,
    progress: Progress = ignore,
) -> Evenness:
    """Let a player meet strangers, and return how even that was.

    ``strangers`` have a ``name`` and a ``spec``. With ``series`` there are so many of ``games``
    games with each; otherwise each of ``games`` (even) is on its own. Everything is played side by
    side. Seeds other than those of the experiment play other games.
    """
    game, specs = get_game(game_id), {one.name: one.spec for one in strangers}
    if series:
        rows = meet_in_series(game, spec, specs, series, games, seed, progress)
    else:
        rows = meet_strangers(game, spec, specs, games, seed, progress)
    return score_rows(rows)
