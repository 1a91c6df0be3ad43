"""The closed loop at chess: people nobody knows, and the opponents that evenmatch finds for them.

Stand-ins of fixed strength meet

- *strangers*: ``even``, every game on its own;
- *series*: ``even`` in ten games in a row, in which it learns;
- *profile*: what ``evenmatch play chess`` seats in ten games in a row: first its opponent for
  strangers, then one of the level that the profile has, moved by the results so far
  (`profiles/matching.py`).

Nobody here is a person. ``human`` draws its moves from what people of a rating play, and plays far
below that rating. Stockfish has 10,000 nodes a move: its UCI_Elo, which is made for clocks, is no
more than the name of a setting here, and its games are not the same in another run.

No number was fitted to the stand-ins. But the design of ``even`` was revised twice after their
games had been seen: it got ``push``, then ``steer``.
"""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.estimation.estimator_files import ALONE, nets
from evenmatch.estimation.level import OFFSET_DEGREES, OFFSET_SPREAD
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of
from evenmatch.opponents import Engine, Opponent, load_evaluator, resolve
from evenmatch.opponents.dials import shipped_curve_path
from evenmatch.opponents.engine import InGame, game_seed
from evenmatch.play.arena import Pairing, Played, distinct_games, play, play_series
from evenmatch.play.session import Session
from evenmatch.profiles import Outcome, Profile
from evenmatch.profiles.levels import MOST_DAYS, MOST_RESULTS, matched
from evenmatch.progress import Progress
from evenmatch_lab.ours.evenness import own_result, series_rounds
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import even_among_people, networks
from evenmatch_lab.shared.imbalances import drawn_mean, equals_show
from evenmatch_lab.shared.opponents import (
    both,
    counted,
    distinct_across,
    either_side,
    hashes_of,
    imbalance,
    seed_of,
)

GAME, SEED, PERSON = "chess", 37, "somebody"
SERIES, ROUNDS = 2, 10  # with each stand-in
STRANGERS, EQUALS = 20, 10  # games of strangers, and of a stand-in with itself
QUICK = 1, 2, 2  # series, rounds, games otherwise
OPEN = 0.5  #: worth, from -1 to 1, within which a game is open
NEAR = 100  #: Elo within which a level is where it ends
#: What the next opponent depends on, besides networks: the estimator, what the opponent's rating is
#: in games, and how results count.
LOOP: dict[str, object] = {
    "estimator": digest_of(nets() / ALONE.format(GAME, "lichess-rapid")),
    "curve": digest_of(shipped_curve_path(GAME, "pikl")),
    "by results": [OFFSET_SPREAD, OFFSET_DEGREES, MOST_RESULTS, MOST_DAYS],
}
AIMS = {"strangers": 0.25, "series": 0.10, "profile": 0.10}  #: of the mean of |W - L|

RATINGS = (1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400)
ENGINE_RATINGS = (1350, 1500, 1650, 1800, 1950, 2100, 2300, 2500)


def stand_ins_at(ratings: Sequence[int], engine_ratings: Sequence[int]) -> dict[str, str]:
    """Return the specs of stand-ins by their names."""
    return {f"human {elo}": f"human:elo={elo}" for elo in ratings} | {
        f"Stockfish {elo}": f"engine:cmd=stockfish,elo={elo},nodes=10000" for elo in engine_ratings
    }


#: In two halves, each of every second rating: a table that is cut short spans all of them.
HALVES = [stand_ins_at(RATINGS[at::2], ENGINE_RATINGS[at::2]) for at in (0, 1)]


def parts(quick: bool) -> dict[str, Part]:
    """One part a way and stand-in, the profile in front: it is what people meet."""
    series, rounds, games = QUICK if quick else (SERIES, ROUNDS, STRANGERS)
    itself = games if quick else EQUALS
    halves = [stand_ins_at(RATINGS[:1], ())] if quick else HALVES
    ours = "even:sims=4" if quick else "even"
    work = {
        "profile": (partial(measure_profile, series, rounds), {"series": series, "games": rounds}),
        "strangers": (partial(measure_strangers, ours, games), {"games": games}),
        "series": (
            partial(measure_series, ours, series, rounds),
            {"series": series, "games": rounds},
        ),
        "equals": (partial(measure_equals, itself), {"games": itself}),
    }
    return {
        f"{way}: {name}": Part(
            {"stand-in": spec, "networks": networks(ours, spec), "seed": seed_of(SEED, name)}
            | size
            | ({} if way == "equals" else even_among_people(GAME))
            | (LOOP if way == "profile" else {}),
            partial(measure, spec, seed_of(SEED, name)),
        )
        for way, (measure, size) in work.items()
        for stand_ins in halves
        for name, spec in stand_ins.items()
    }


# -- games ---------------------------------------------------------------------------------------


def measure_strangers(
    ours: str, games: int, spec: str, seed: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Play every game on its own."""
    played = play(
        [ours, spec], either_side(0, 1, games), get_game(GAME), seed=seed, progress=progress
    )
    return {"row": row_of_lanes([[own_result(one)] for one in played])} | told(played)


def measure_series(
    ours: str, series: int, rounds: int, spec: str, seed: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Play games in a row, some rows side by side."""
    met = [(1, lane) for lane in range(series)]
    schedule = series_rounds(met, series * rounds, series)
    played = list(play_series([ours, spec], schedule, get_game(GAME), seed=seed, progress=progress))
    lanes = [[own_result(some[lane]) for some in played] for lane in range(series)]
    return {"row": row_of_lanes(lanes), "lanes": lanes} | told([x for some in played for x in some])


def measure_equals(
    games: int, spec: str, seed: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a stand-in play itself: how long equals' games stay open."""
    pairings = [Pairing(0, 0, opening=k) for k in range(games)]
    return told(play([spec], pairings, get_game(GAME), seed=seed, progress=progress))


def measure_profile(
    series: int, rounds: int, spec: str, seed: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a stand-in play as a person would, through a profile of its own in every series."""
    lanes: list[list[float]] = []
    levels: list[list[float]] = []
    met: list[list[float]] = []
    played: list[Played] = []
    game = get_game(GAME)
    engine, stand_in = Engine(game), resolve(spec, game)
    for lane in range(series):
        with tempfile.TemporaryDirectory() as folder:
            profile = Profile(Path(folder))
            lanes.append([])
            levels.append([])
            met.append([])
            for k in range(rounds):
                side = 1 if (k + lane) % 2 == 0 else -1
                session = _session(profile, side, seed + 2 * (lane * rounds + k))
                result = play_out(session, engine, stand_in)
                keep(profile, session)
                lanes[-1].append(-result)
                assert session.rating is not None, "it plays at a rating"
                met[-1].append(session.rating)
                level = profile.levels.now(PERSON, GAME)
                assert level is not None, "a game of moves is evidence"
                levels[-1].append(round(level.rating, 1))
                played.append(Played(Pairing(0, 1), float(-result), tuple(session.actions)))
                progress(lane * rounds + k + 1, series * rounds)
            profile.close()
    return {"row": row_of_lanes(lanes), "lanes": lanes, "levels": levels, "met": met} | told(played)


def _session(profile: Profile, side: int, seed: int) -> Session:
    """Seat the opponent that ``evenmatch play chess`` seats."""
    found = matched(profile.levels, PERSON, GAME)
    spec = game_info(GAME).opponent if found is None else found.spec
    return Session(get_game(GAME), spec, side, seed, PERSON, store=profile.memories)


def play_out(session: Session, engine: Engine, opponent: Opponent) -> int:
    """Play a game to its end; return the stand-in's result. It never resigns."""
    stand_in = InGame(opponent, session.side, game_seed(session.seed + 1))
    while not session.over:
        if session.yours:
            turn = stand_in.turn(session.line)
            (found,) = engine.think([(opponent, turn)])
            stand_in.take(turn, found)
            session.move(found.action)
        else:
            session.reply()
    return session.result


def keep(profile: Profile, session: Session) -> None:
    """Let the profile know a game that is over."""
    place = profile.games.take(session.game.id)
    place.save(session.saved)
    profile.games.end(place.row, session.saved, Outcome.of(session))
    place.leave()
    session.finish()


def row_of_lanes(lanes: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return results -1, 0 and 1 by series as a row; sides are not kept apart."""
    everything = counted([result for lane in lanes for result in lane])
    return {"first": everything, "second": [0, 0, 0], "series": [counted(lane) for lane in lanes]}


def told(played: Sequence[Played]) -> dict[str, Any]:
    """Return which games differ, and how long each was open, as a share of its plies."""
    return {
        "distinct": distinct_games(played),
        "hashes": hashes_of(played),
        "open": [round(open_until(one.actions), 3) for one in played],
    }


def open_until(actions: Sequence[int]) -> float:
    """Return the share of a game's plies up to the last after which its worth was open.

    The worth is the shipped network's of chess, which learned from people's games.
    """
    game = get_game(GAME)
    states = [game.initial()]
    for action in actions:
        states.append(game.after(states[-1], np.array([action])))
    values = load_evaluator(game).evaluate(np.concatenate(states[:-1])).values
    still = np.flatnonzero(np.abs(values) <= OPEN)
    return float(still[-1] + 1) / len(actions) if len(still) else 0.0


# -- the page ------------------------------------------------------------------------------------


def by_way(results: Results) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the parts by way and stand-in."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for key, row in results.items():
        way, _, name = key.partition(": ")
        found.setdefault(way, {})[name] = row
    return {way: dict(sorted(rows.items(), key=by_rating)) for way, rows in found.items()}


def by_rating(named: tuple[str, Any]) -> tuple[str, str]:
    """Return by what stand-ins are sorted: their kind, then their rating."""
    kind, _, rating = named[0].rpartition(" ")
    return kind, rating.zfill(len("10000"))


def settled(levels: Sequence[float]) -> int:
    """Return from which game on a rating was, and stayed, within NEAR of its last."""
    off = np.flatnonzero(np.abs(np.array(levels) - levels[-1]) > NEAR)
    return int(off[-1]) + 2 if len(off) else 1


def page(results: Results) -> list[str]:
    """Write how even the games were, where the levels came to, and how long games were open."""
    found = by_way(results)
    heads = ["way", "games with each", "stand-ins", "mean of abs(W - L) (95%)", "equals show"]
    heads += ["aim", "drawn", "distinct games"]
    ways = [way for way in AIMS if way in found]
    return [
        table(heads, [way_cells(way, found[way]) for way in ways]),
        "",
        "## By stand-in",
        "",
        stand_in_table(found, ways),
    ]


def way_cells(way: str, rows: dict[str, dict[str, Any]]) -> list[str]:
    """Return how even the games of a way were."""
    by_name = {name: row["row"] for name, row in rows.items()}
    games = both(next(iter(by_name.values()))).games
    every = games * len(rows)
    drawn = sum(both(row).draws for row in by_name.values())
    return [
        *(way, str(games), str(len(rows)), drawn_mean(by_name).text()),
        *(f"{equals_show(games):.2f}", f"{AIMS[way]:g}", f"{drawn / every:.0%}"),
        f"{distinct_across(rows.values())} of {every}",
    ]


def stand_in_table(found: dict[str, dict[str, dict[str, Any]]], ways: Sequence[str]) -> str:
    """Write each stand-in's games and level."""
    heads = [f"W - L, {way}" for way in ways]
    heads += ["level after 1 game", "after all", "opponent in the last game"]
    heads.append(f"games until it is within {NEAR} of that")
    open_until = ("strangers", "series", "profile", "equals")
    heads += [f"open until, {way}" for way in open_until]
    names = {name: None for rows in found.values() for name in rows}
    lines = []
    for name, _ in sorted(names.items(), key=by_rating):
        own = {way: rows[name] for way, rows in found.items() if name in rows}
        cells = [f"{imbalance(both(own[x]['row'])):+.2f}" if x in own else "-" for x in ways]
        loop = own.get("profile")
        cells += level_cells(loop["levels"], loop["met"]) if loop else ["-"] * 4
        cells += [f"{np.median(own[x]['open']):.0%}" if x in own else "-" for x in open_until]
        lines.append([name, *cells])
    return table(["stand-in", *heads], lines)


def level_cells(levels: list[list[float]], met: list[list[float]]) -> list[str]:
    """Write the mean level after the first game and after all, and whom the last game was with.

    And after how many games the opponent's rating settled (median).
    """
    first, last = (np.mean([lane[at] for lane in levels]) for at in (0, -1))
    whom, games = np.mean([lane[-1] for lane in met]), np.median(list(map(settled, met)))
    return [f"{first:.0f}", f"{last:.0f}", f"{whom:.0f}", f"{games:g}"]


def plot(results: Results, path: Path) -> None:
    """Draw the opponent's rating over the games, a line a stand-in."""
    rows = by_way(results).get("profile", {})
    for axes in figure(path, 1, width=7):
        for name, row in rows.items():
            levels = np.mean(row["met"], 0)
            dashed = "--" if name.startswith("Stockfish") else "-"
            axes[0].plot(range(1, 1 + len(levels)), levels, dashed, label=name)
        axes[0].set(xlabel="games", ylabel="rating of the opponent")
        axes[0].grid(alpha=0.3)
        if rows:
            axes[0].legend(frameon=False, fontsize=6, ncols=2)


EXPERIMENT = Experiment(
    "closed_loop",
    "Chess opponents found for people whom nobody knows",
    parts,
    page,
    plot,
)
