"""What ``even`` takes a position and a player's moves to say, fitted to games. Ours.

*Course*: the log odds of a position, by the network's value and the share of the game that was
played, fitted by maximum likelihood to games of the dial at many strengths against itself. A
quarter of the games is held out, and shows how reliable the expected score is.

*Seen*: how strong players are whose moves look like a style. Players of the families that
numbers may be fitted on (`shared/strangers.py`) meet the dial: results give a strength, moves the
likelihood of each style. The numbers give most posterior density to the players' strengths, by one
game at a time, each player counting once. The deviation is by how much the strength of a style
misses a player that nothing was fitted to, in four folds by player.

*Lost*, where people's moves are known: how much the moves of the same players lose by the search of
``even``, as a line on their strengths by maximum likelihood, which knows how sure a strength is.

The numbers belong into opponents/fitted.py; a test compares them.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, logsumexp, softmax

from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, Turn, resolve
from evenmatch.opponents.dials import OF_PEOPLE
from evenmatch.opponents.even import FAR, EvenConfig
from evenmatch.opponents.evidence import MOST_VALUE, Course, Lost, Seen, worth_of
from evenmatch.opponents.rating_range import spec_of_strength, supported_range
from evenmatch.opponents.search_player import views_of
from evenmatch.play.arena import Pairing, Played, play
from evenmatch.progress import Progress
from evenmatch.ratings.score import ELO_PER_LOGIT
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import networks
from evenmatch_lab.shared.even_games import OPENINGS
from evenmatch_lab.shared.opponents import GAME_IDS, seed_of
from evenmatch_lab.shared.strangers import strangers

Floats = NDArray[np.float64]
SEED = 60
BATCHES = 6  #: parts with games for the course
STEPS, NEAR = 14, 4  #: strengths of the dial; how many steps the players of a game are apart
POSITIONS = 8  #: drawn of a game
MET, GAMES_EACH = 7, 4  #: strengths of the dial that a player meets, and how often
BATCHES_OF = {"othello": 3, "go9": 3, "go13": 1, "go": 1}
HELD_OUT, PENALTY = 0.25, 1e-4  #: share of games; weight of the squares of the course's numbers
GUESS, WIDTH = 1500.0, 800.0  #: normal prior of a player's strength
FOLDS = 4  #: of players, for the deviation of `Seen`
AS_LOST = Lost(0, 0, 1, 0)  #: by which losses are seen before they are fitted
LEAST_DEVIATION = 100.0  #: of players' strengths from what their moves lose
KNOTS, LEAST = 4, (50.0, 0.02)  #: strengths of `Seen`; its least deviation and share of anyone
STEP, BEYOND = 25.0, 600.0  #: of the grid of strengths; how far it goes beyond the players'


def parts(quick: bool, game_id: str = "") -> dict[str, Part]:
    """For each game: batches of games and the course, then players one by one and `Seen`."""
    if not game_id:
        usual = (parts(quick, one) for one in GAME_IDS[: 1 if quick else None])
        return {key: part for some in usual for key, part in some.items()}
    dial, found = dial_of(game_id, quick), {}
    shared = {"networks": networks("even", *dial, game_id=game_id), "seed": SEED}
    course_games = shared | {"positions": POSITIONS, "players": list(dial), "near": NEAR}
    for k in range(1 if quick else BATCHES_OF.get(game_id, BATCHES)):
        work = partial(games_of_dial, game_id, quick, k)
        found[f"{game_id} | games {k + 1}"] = Part(course_games | {"batch": k}, work)
    numbers, course = {"held out": HELD_OUT, "penalty": PENALTY}, f"{game_id} | course"
    found[course] = Part(numbers, lambda _, done: course_row(done), tuple(found))
    needs, games = [course], 1 if quick else GAMES_EACH
    for one in strangers(game_id, held_out=False, quick=quick):
        settings = shared | {"player": one.spec, "family": one.family, "met": MET, "games": games}
        work = partial(meet_dial, game_id, one.spec, quick)
        needs.append(f"{game_id} | {one.name}")
        found[needs[-1]] = Part(settings | {"openings": OPENINGS[game_id]}, work)
    prior = {"prior": [GUESS, WIDTH], "least": LEAST, "folds": FOLDS}
    found[f"{game_id} | seen"] = Part(prior, lambda _, done: seen_row(done), tuple(needs))
    if of_people(game_id):
        floor = {"least": LEAST_DEVIATION}
        found[f"{game_id} | lost"] = Part(floor, lambda _, done: lost_row(done), tuple(needs))
    return found


def dial_of(game_id: str, quick: bool) -> dict[str, float]:
    """Return specs of the game's dial and their strengths, from the weakest on."""
    low, high = supported_range(game_id)
    step = 100 * math.ceil((high - low) / (100 * STEPS))
    strengths = np.arange(100 * math.ceil(low / 100), high + 1, step).tolist()
    if quick:  # any players, whose strengths are but names
        return {f"alphazero:sims={n}": strengths[2 * n] for n in (1, 2, 3)}
    return {spec_of_strength(game_id, one)[0]: one for one in strengths}


def of_people(game_id: str) -> bool:
    """Return whether people's moves are known in a game."""
    return game_info(game_id).rated in OF_PEOPLE


def even_of(game_id: str) -> Any:
    """Return the player ``even``, by whose network and controller games are seen."""
    return Engine(get_game(game_id)).player(resolve("even", get_game(game_id)))


def line_of(game_id: str, one: Played) -> Line:
    """Return the line of a game that was played."""
    line = Line(get_game(game_id))
    for action in one.actions:
        line.push(action)
    return line


def games_of_dial(
    game_id: str, quick: bool, batch: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Play the dial against itself; return rows of positions drawn at random from each game."""
    dial, seed = dial_of(game_id, quick), seed_of(SEED, f"{game_id}: {batch}")
    pairs = product(range(len(dial)), repeat=2)
    pairings = [Pairing(i, j) for i, j in pairs if abs(i - j) <= NEAR]
    game = get_game(game_id)
    played = play(list(dial), pairings, game, seed=seed, progress=progress, at_once=256)
    strengths, rng, rows, states = list(dial.values()), np.random.default_rng(seed), [], []
    for one in played:
        line, points = line_of(game_id, one), (1 + one.result) / 2
        sides = strengths[one.pairing.first], strengths[one.pairing.second]
        for ply in rng.integers(line.ply, size=POSITIONS).tolist():
            rows.append([*sides, points, line.ply, ply])
            states.append(line.states[ply])
    return {"rows": with_values(game_id, rows, np.array(states))}


def with_values(game_id: str, rows: list[list], states: NDArray[np.uint64]) -> list[list]:
    """Return the rows with the network's values for the side that moved first in the game."""
    player = even_of(game_id)
    judged = [player.judge.evaluate(some).values for some in np.array_split(states, 32)]
    values = np.concatenate(judged) * player.game.to_play(states)
    return [[*row, round(float(v), 4)] for row, v in zip(rows, values, strict=True)]


def course_row(done: Results) -> dict[str, Any]:
    """Fit the course to all games but those held out, which show how reliable it is."""
    rows = np.array([row for part in done.values() for row in part["rows"]], float)
    games = len(rows) // POSITIONS
    held = np.repeat(np.random.default_rng(SEED).permutation(games) < HELD_OUT * games, POSITIONS)
    course, numbers = fitted_course(rows[~held])
    t = np.vectorize(course.share)(rows[held, 4])
    expected, points = expit(log_odds(numbers, t, rows[held])), rows[held, 2]
    bins = np.minimum((10 * expected).astype(int), 9)
    some = [(bins == k, k) for k in np.unique(bins).tolist()]
    return {
        "course": asdict(course),
        "held out": int(held.sum()) // POSITIONS,
        "games": games,
        "reliability": [[f"from {k / 10}", mean(expected[at]), mean(points[at]), int(at.sum())]
                        for at, k in some],
    }  # fmt: skip


def mean(numbers: Floats) -> float:
    """Return the mean to three digits."""
    return round(float(numbers.mean()), 3)


def log_odds(numbers: Floats, t: Floats, rows: Floats) -> Floats:
    """Return the log odds [n] that who moved first wins, by rows [n, 6] of `games_of_dial`.

    ``numbers`` [7] are those of the course, and the log of what 174 Elo count in log odds; ``t``
    [n] are the shares of the games that were played.
    """
    first, second, _, _, _, values = rows.T
    level, gap = ((first + second) / 2 - 1500) / 500, (first - second) / ELO_PER_LOGIT
    a, b, c, d, e, f, of_gap = numbers
    worth = np.arctanh(values.clip(-MOST_VALUE, MOST_VALUE)) * np.exp(
        a + b * t + level * (c + d * t)
    )
    return worth + e + f * level + gap * np.sqrt(1 - t) * math.exp(of_gap)


def fitted_course(rows: Floats) -> tuple[Course, Floats]:
    """Return the course of most likelihood, and its numbers as `log_odds` takes them."""
    first, second, points, lengths, plies, _ = rows.T
    weights = np.sqrt(lengths)  # so that all positions of a game count, not those drawn alone
    slope, at_first = np.polyfit(plies, lengths - plies, 1, w=weights).tolist()
    course = Course((0, 0, 0, 0), (0, 0), round(at_first, 1), round(min(-slope, 0.995), 3))

    t = np.vectorize(course.share)(plies)

    def loss(numbers: Floats) -> float:
        z = log_odds(numbers, t, rows)
        return float((np.logaddexp(0, z) - points * z).mean() + PENALTY * (numbers**2).sum())

    found = minimize(loss, np.zeros(7), method="BFGS").x.round(3)
    elo = round(ELO_PER_LOGIT / math.exp(found[6]), 1)
    gap, middle = (first - second) / elo, (t > 0.2) & (t < 0.8)
    x = log_odds(found, t, rows) * np.sqrt(1 - t) - gap * (1 - t)
    variance = mean((x - x.mean() - gap * t)[middle] ** 2 / t[middle])
    a, b, c, d, e, f, _ = found.tolist()
    return Course((a, b, c, d), (e, f), course.plies, course.slope, elo, variance), found


def meet_dial(
    game_id: str, spec: str, quick: bool, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a player meet the dial; return [strength met, points, log-likelihoods of styles].

    Where people's moves are known, also [moves, mean log of what they lost, its variance].
    """
    seed, opening = seed_of(SEED, spec), OPENINGS[game_id]
    every = list(dial_of(game_id, quick).items())
    at = np.linspace(0, len(every) - 1, min(MET, len(every))).round().astype(int)
    met, strengths = zip(*(every[k] for k in at), strict=True)
    each = product(range(1, 1 + len(at)), range(1 if quick else GAMES_EACH))
    pairings = [Pairing(*((0, k) if g % 2 else (k, 0)), g // 2) for k, g in each]
    player, specs, rows, lost = even_of(game_id), [spec, *met], [], []
    played = play(specs, pairings, player.game, seed=seed, openings=opening, progress=progress)
    for one in played:
        side, line = 1 if one.pairing.first == 0 else -1, line_of(game_id, one)
        own = np.flatnonzero(player.game.to_play(line.states[:-1]) == side)
        turns = [Turn(line.first(ply + 1), -side, seed=0) for ply in own.tolist() if ply >= opening]
        seen = views_of(player.game, player.judge, [(player.controller, turn) for turn in turns])
        logs = np.zeros(player.controller.styles)
        for view in seen:
            if view.reply is not None:  # a pass says nothing
                logs += player.controller.likelihoods(view.reply)
        against = strengths[max(one.pairing.first, one.pairing.second) - 1]
        said = (logs - logs.max()).round(2).tolist()
        rows.append([against, (1 + side * one.result) / 2, *said])
        if of_people(game_id):
            logs = losses(line, side, opening)
            lost.append(
                [len(logs), mean(logs), round(float(logs.var()), 3)] if len(logs) else [0] * 3
            )
    return {"played": rows, **({"lost": lost} if lost else {})}


def losses(line: Line, side: int, opening: int) -> Floats:
    """Return the log of what each move of a side lost, by the search of ``even`` [n]."""
    game, found, hoped = line.game, [], FAR
    own = np.flatnonzero(game.to_play(line.states[:-1]) == -side)
    plies = [ply for ply in own.tolist() if ply >= opening]
    even = resolve("even", game)
    turns = [(even, Turn(line.first(ply), -side, seed=0)) for ply in plies]
    for ply, decision in zip(plies, Engine(game).think(turns), strict=True):
        assert decision.root is not None  # `even` searches
        log = AS_LOST.log(decision.root, hoped, ply)
        if log is not None:
            found.append(log)
        hoped = worth_of(decision.root, line.actions[ply])
    return np.array(found)


def seen_row(done: Results) -> dict[str, Any]:
    """Fit `Seen` to players' strengths and styles; return it, and what the players are."""
    (course, *players), names = done.values(), [key.partition(" | ")[2] for key in done][1:]
    played = [np.array(part["played"]) for part in players]
    known = [(strength_of(rows, course["course"]["elo"]), rows[:, 2:]) for rows in played]

    strengths = np.array([s for s, _ in known])
    low, high = strengths.min(), strengths.max()
    grid, share = np.arange(low - BEYOND, high + BEYOND, STEP), EvenConfig().moves
    prior = -(((grid - GUESS) / WIDTH) ** 2) / 2
    own = np.abs(grid - strengths[:, None]).argmin(1)

    def loss(numbers: Floats, some: Sequence[int]) -> float:
        seen, lost = seen_of(numbers), 0.0
        for i in some:
            logs, at = known[i][1], own[i]
            beliefs = np.array([seen.evidence(share * one, grid) for one in logs]) + prior
            lost -= float(np.mean(beliefs[:, at] - logsumexp(beliefs, axis=1)))
        return lost

    start = np.array([*np.linspace(low, high, KNOTS), 150.0, 0.05])
    steps = np.vstack([start, start + np.diag([*[100.0] * KNOTS, 50.0, 0.05])])

    def fit(some: Sequence[int]) -> Seen:
        options = {"initial_simplex": steps}
        return seen_of(minimize(loss, start, (some,), method="Nelder-Mead", options=options).x)

    everybody, squares = range(len(known)), []
    for fold in range(FOLDS):
        seen = fit([i for i in everybody if i % FOLDS != fold])
        for s, logs in known[fold::FOLDS]:
            squares.append(np.mean((softmax(logs, axis=1) @ seen.means(logs.shape[1]) - s) ** 2))
    seen, found = fit(everybody), {}
    seen = replace(seen, deviation=round(max(math.sqrt(np.mean(squares)), seen.deviation)))
    for name, part, (s, logs) in zip(names, players, known, strict=True):
        styles = np.exp(logs) @ np.arange(logs.shape[1]) / np.exp(logs).sum(1)
        cells = [round(s), mean(styles), round(float(styles.std()), 3)]
        found[name] = [part["settings"]["family"], *cells]
    return {"seen": asdict(seen), "players": found}


def lost_row(done: Results) -> dict[str, Any]:
    """Fit `Lost` to what players' moves lose; return it, and the mean of each player."""
    course, *players = done.items()
    elo, cells, names = course[1]["course"]["elo"], [], []
    for key, part in players:
        played, lost = np.array(part["played"]), np.array(part["lost"], float)
        s, moves = strength_of(played, elo), lost[:, 0].sum()
        if not moves:
            continue  # it lost before moves count
        names.append((key.partition(" | ")[2], part["settings"]["family"]))
        chances = expit((s - played[:, 0]) / elo)
        unsure = (1 / WIDTH**2 + (chances * (1 - chances)).sum() / elo**2) ** -0.5
        at = lost[:, 0] @ lost[:, 1] / moves
        cells.append((s, unsure, moves, at, lost[:, 0] @ (lost[:, 2] + (lost[:, 1] - at) ** 2)))
    s, unsure, moves, at, squares = np.array(cells).T
    spread = math.sqrt(squares.sum() / moves.sum())

    def loss(numbers: Floats) -> float:
        middle, slope, deviation = numbers
        variance = spread**2 / moves + (slope / 1000) ** 2 * (unsure**2 + deviation**2)
        off = at - middle - slope * (s - 1500) / 1000
        return float((np.log(variance) + off**2 / variance).sum() / 2)

    middle, slope, deviation = minimize(loss, [-2.0, -0.5, 200.0], method="Nelder-Mead").x
    deviation = max(abs(deviation), LEAST_DEVIATION)
    fitted = Lost(round(middle, 3), round(slope, 3), round(spread, 3), round(deviation))
    found = {
        name: [family, round(one), round(2 * sure), int(n), round(m, 2)]
        for (name, family), one, sure, n, m in zip(names, s, unsure, moves, at, strict=True)
    }
    return {"lost": asdict(fitted), "players": found}


def seen_of(numbers: Floats) -> Seen:
    """Return `Seen` of KNOTS strengths, which it sorts, the deviation and the share of anyone."""
    *strengths, deviation, anyone = numbers.tolist()
    deviation, anyone = max(deviation, LEAST[0]), min(max(anyone, LEAST[1]), 0.5)
    return Seen(tuple(map(round, sorted(strengths))), round(deviation), round(anyone, 2))


def strength_of(rows: Floats, elo: float) -> float:
    """Return the most likely strength, by [strength met, points, ...] of games."""

    def loss(s: float) -> float:
        z = (s - rows[:, 0]) / elo
        return float((np.logaddexp(0, z) - rows[:, 1] * z).sum() + ((s - GUESS) / WIDTH) ** 2 / 2)

    return float(minimize_scalar(loss, bounds=(-2000, 6000), method="bounded").x)


def page(results: Results) -> list[str]:
    """Write of each game the reliability, the fitted numbers and the players."""
    lines, heads = [], ["expected score", "mean", "points", "positions"]
    for key, part in results.items():
        title = get_game(key.partition(" | ")[0]).title
        if "course" in part:
            lines += [f"## {title}", "", f"`{Course(**part['course'])}`", ""]
            off = sum(abs(a - b) * n for _, a, b, n in part["reliability"])
            off /= sum(n for *_, n in part["reliability"])
            said = f"{part['held out']} of {part['games']} games were held out; in these the "
            said += f"expected score of a position is off by {off:.2f} on average:"
            lines += [said, "", table(heads, part["reliability"]), ""]
        if "seen" in part:
            of_players = ["player", "family", "strength", "style", "spread of a game's style"]
            cells = ([name, *some] for name, some in part["players"].items())
            rows = sorted(cells, key=lambda row: row[2])
            lines += [f"`{Seen(**part['seen'])}`", "", table(of_players, rows, left=(0, 1)), ""]
        if "lost" in part and "players" in part:
            of_players = ["player", "family", "strength", "±", "moves", "mean log of a loss"]
            rows = sorted(([k, *some] for k, some in part["players"].items()), key=lambda x: x[2])
            lines += [f"`{Lost(**part['lost'])}`", "", table(of_players, rows, left=(0, 1)), ""]
    return lines[:-1]


EXPERIMENT = Experiment(
    "even_fit",
    "What even takes a position and a player's moves to say",
    parts,
    page,
    games=("chess", "go9"),
)
