"""How even ``even`` is, against all eight opponents of Fujita 2022: ours, beside AlphaDDA1-3.

At Go minimax is missing, and GNU Go is there.

Two ways to meet: as strangers, each game on its own; and in series, where even continues from what
it learned in the games before, with alternating sides (on Connect Four five series of twenty
games). Games of a series are not independent, for even answers each by the next, so a series is
their unit. MCTS3, MCTS4 and Minimax2 were never used to tune anything. What single moves gave up is
judged afterwards by the full-strength search, in a sample of the games; AlphaDDA1-3 stand beside,
and AlphaZero, whose losses are those of the judge.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.opponents import load_evaluator
from evenmatch.opponents.even import SEEN
from evenmatch.opponents.even_row import styles_config
from evenmatch.opponents.fitted import ANSWERS, CONSTANTS
from evenmatch.play.arena import Pairing, Played, play, play_series
from evenmatch.progress import Progress
from evenmatch.ratings import Interval
from evenmatch.search import Plan, Search
from evenmatch.search.styles import STYLES
from evenmatch_lab.fujita2022 import dda_tables
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.agents import even_among_people
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.imbalances import (
    compared,
    drawn_mean,
    equals_show,
    mean_by_side,
    mean_imbalance,
    mean_in,
    overall,
)
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    Row,
    both,
    counted,
    distinct_share,
    either_side,
    imbalance,
    imbalance_interval,
    lines_met,
    openings_of,
    row_of,
)


class Size(NamedTuple):
    """How much is played on a game."""

    games: int  #: with each opponent
    series: int  #: that so many games are played in, where even learns
    judged: int  #: games with each opponent whose moves are judged
    judge: int = 200  #: simulations by which they are


SIZES = {
    "connect4": Size(100, 5, 10),
    "othello6": Size(100, 5, 10),
    "othello": Size(40, 5, 4),
    "go9": Size(8, 2, 2),
}  #: by game; where one takes longer there are fewer
SEED = 7
AIM = 0.25  #: of |W - L| against each opponent
KINDS = ("strangers", "series")
LEAST_SERIES = 5  #: with an opponent, by which an interval is told
PEOPLE = "by people"  #: of parts in which `even` follows ranks of people, where it can follow both
PLAYERS = ("even", "alphadda1", "alphadda2", "alphadda3", "alphazero")


def parts(quick: bool, *game_ids: str) -> dict[str, Part]:
    """For each game: strangers, series, and what AlphaDDA's moves give up."""
    by_key = {}
    for game_id in game_ids or GAME_IDS:
        size = Size(2, 1, 2, FEW) if quick else SIZES[game_id]
        rivals = opponents.specs(opponents.opponents_at(game_id, quick), quick)
        games, lanes, judged, judge = size
        shared = {
            "opponents": rivals,
            "games": games,
            "openings": OPENING_PLIES[game_id],
            "seed": SEED,
            "network": digest(game_id),
        }
        specs = {name: player(name, quick) for name in PLAYERS}
        numbers = {
            "numbers": str(styles_config(game_id)),
            "answers": ANSWERS[game_id],
            "seen": SEEN,
            "styles": str(STYLES),
        }
        by_key[f"{game_id}, strangers"] = Part(
            shared | numbers | {"player": specs["even"], "judged": judged, "judge": judge},
            partial(measure_strangers, game_id, specs["even"], rivals, games, judged, judge),
        )
        by_key[f"{game_id}, series"] = Part(
            shared | numbers | {"player": specs["even"], "series": lanes},
            partial(measure_series, game_id, specs["even"], rivals, games, lanes),
        )
        if game_info(game_id).servers:
            spec = f"even:by=people,sims={FEW}" if quick else "even:by=people"
            asked = shared | {"player": spec} | even_among_people(game_id)
            by_key[f"{game_id}, strangers, {PEOPLE}"] = Part(
                asked | {"judged": judged, "judge": judge},
                partial(measure_strangers, game_id, spec, rivals, games, judged, judge),
            )
            by_key[f"{game_id}, series, {PEOPLE}"] = Part(
                asked | {"series": lanes},
                partial(measure_series, game_id, spec, rivals, games, lanes),
            )
        for name in PLAYERS[1:]:
            few = min(games, judged)
            by_key[f"{game_id}, {name}"] = Part(
                shared
                | {"player": specs[name], "games": few, "judge": judge}
                | {"constants": str(CONSTANTS["fitted"].get(name, {}).get(game_id))},
                partial(measure_strangers, game_id, specs[name], rivals, few, few, judge),
            )
    return by_key


def player(name: str, quick: bool) -> str:
    """Return a spec."""
    if name == "even":
        return f"even:sims={FEW},looks=1" if quick else "even"
    if name == "alphazero":
        return opponents.specs(("AlphaZero",), quick)["AlphaZero"]
    return dda_tables.player(name, "fitted", quick)


def measure_strangers(
    game_id: str,
    spec: str,
    rivals: dict[str, str],
    games: int,
    judged: int,
    judge: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play every game on its own; judge the moves of the first few with each opponent."""
    game = get_game(game_id)
    pairings = [pairing for o in range(1, 1 + len(rivals)) for pairing in either_side(0, o, games)]
    plies = OPENING_PLIES[game_id]
    played = play(
        [spec, *rivals.values()], pairings, game, seed=SEED, openings=plies, progress=progress
    )
    table = {name: row_of(played, 0, o) for o, name in enumerate(rivals, start=1)}
    sample = [one for i, one in enumerate(played) if i % games < judged]
    return {"table": table, "given_up": give_aways(game, sample, judge)}


def measure_series(
    game_id: str,
    spec: str,
    rivals: dict[str, str],
    games: int,
    lanes: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play series of games against each opponent, all side by side."""
    met = [(o, lane) for o in range(1, 1 + len(rivals)) for lane in range(lanes)]
    series = play_series(
        [spec, *rivals.values()], series_rounds(met, games, lanes), get_game(game_id), seed=SEED,
        openings=OPENING_PLIES[game_id], progress=progress,
    )  # fmt: skip
    rounds = list(series)
    played = [one for results in rounds for one in results]
    by_series = {
        at: counted([own_result(results[i]) for results in rounds]) for i, at in enumerate(met)
    }
    return {
        "table": {
            name: row_of(played, 0, o) | {"series": [by_series[o, lane] for lane in range(lanes)]}
            for o, name in enumerate(rivals, start=1)
        }
    }


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


def reported_openings(game: Game) -> list[list[int]]:
    """Return the openings of strangers and series, which those who tune even avoid."""
    games, lanes, *_ = SIZES[game.id]
    rounds = series_rounds([(1, lane) for lane in range(lanes)], games, lanes)
    series = openings_of(game, [pairing for some in rounds for pairing in some], SEED)
    return [*lines_met(game, games, SEED), *series.values()]


def give_aways(game: Game, played: list[Played], judge: int) -> dict:
    """Judge by ``judge`` simulations what each move of entrant 0 gave up of the value.

    Returns the largest, the mean, the 99th percentile and how many moves were judged.
    """
    states, actions = [], []
    for one in played:
        seat = 1 if one.pairing.first == 0 else -1
        state = game.initial()
        for action in one.actions:
            if int(game.to_play(state)[0]) == seat:
                states.append(state[0])
                actions.append(action)
            state = game.after(state, np.array([action]))
    losses = np.concatenate(
        [
            _lost(game, np.array(states[at : at + 256]), np.array(actions[at : at + 256]), judge)
            for at in range(0, len(states), 256)
        ]
    )
    return {
        "largest": float(losses.max()),
        "percentile_99": float(np.quantile(losses, 0.99)),
        "mean": float(losses.mean()),
        "moves": len(losses),
    }


def _lost(game: Game, states, actions, judge: int) -> np.ndarray:
    """Return the best value less the value after the action, [n], each searched by itself."""
    after = game.after(states, actions)
    ended, outcomes = game.outcome(after)
    best = _values(game, states, judge)
    left = np.zeros(len(states))
    left[ended] = -outcomes[ended]
    if (~ended).any():
        left[~ended] = -_values(game, after[~ended], judge)
    return np.maximum(best - left, 0.0)


def _values(game: Game, states, judge: int) -> np.ndarray:
    """Return the value of the best move of each position by search, for the side to move."""
    search = Search(game, load_evaluator(game), trees=len(states), nodes=256)
    trees = np.arange(len(states))
    search.plant(trees, states, 1 + trees)
    stats = search.run(trees, Plan(simulations=judge))
    return stats.means[trees, stats.best()]


def measured(results: Results) -> list[str]:
    """Return the games whose parts are all there."""
    kinds = (*KINDS, *PLAYERS[1:])
    begun = dict.fromkeys(key.partition(", ")[0] for key in results)
    return [game_id for game_id in begun if all(f"{game_id}, {kind}" in results for kind in kinds)]


def plot(results: Results, path: Path) -> None:
    """Draw W - L against every opponent, one panel a game."""
    games = measured(results)
    for axes in figure(path, len(games), width=max(5.5, 11 / 3 * len(games))):
        for axis, game_id in zip(axes, games, strict=True):
            for kind in KINDS:
                table = results[f"{game_id}, {kind}"]["table"]
                values = [imbalance(both(row)) for row in table.values()]
                axis.plot(values, list(table), "o", label=kind)
            axis.axvspan(-AIM, AIM, color="0.93", zorder=0)
            axis.axvline(0, color="0.6", lw=0.8)
            axis.set(title=get_game(game_id).title, xlim=(-1, 1), xlabel="win rate - loss rate")
            axis.invert_yaxis()
        axes[0].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write the tables."""
    games, kinds = measured(results), list(KINDS)
    heads = ["game", *(f"mean abs(W - L), {kind} (95%)" for kind in kinds)]
    heads += [f"largest, {kind}" for kind in kinds] + [f"by side, {kind}" for kind in kinds]
    rows = []
    for game_id in games:
        tables = [results[f"{game_id}, {kind}"]["table"] for kind in kinds]
        cells = [drawn_mean(one).text() for one in tables]
        cells += [f"{largest(one):.2f}" for one in tables]
        cells += [f"{mean_by_side(one):.2f}" for one in tables]
        rows.append([get_game(game_id).title, *cells])
    lines = [table(heads, rows)]
    if set(games) <= set(GAME_IDS):
        heads = ["game", "equals who never draw show", "... a side", "most even in the paper"]
        heads += ["its shares in as many games (95%)"]
        heads += [f"{kind}{what}" for kind in kinds for what in ("", ", within the aim")]
        beside = [beside_paper(results, game_id) for game_id in games]
        lines += ["", table(heads, beside, left=(0, 3, 5, 7))]
    for game_id in games:
        lines += game_lines(results, game_id) + people_lines(results, game_id)
    return lines


def beside_paper(results: Results, game_id: str) -> list[str]:
    """Return the cells that set even beside the most even of AlphaDDA1-3 in the paper."""
    paper = {method: dda_tables.paper_rows(game_id, method) for method in dda_tables.METHODS}
    best = min(paper, key=lambda method: mean_imbalance(paper[method]))
    games = results[f"{game_id}, series"]["settings"]["games"]
    shown = [f"{equals_show(games):.2f}", f"{equals_show(games // 2):.2f}"]
    cells = [get_game(game_id).title, *shown, best, mean_in(paper[best], games).text()]
    for kind in KINDS:
        own = results[f"{game_id}, {kind}"]["table"]
        sign = compared(own, paper[best], overall)
        cells.append({-1: "more even", 1: "less even", 0: "undecided"}[sign])
        inside = sum(abs(imbalance(both(row))) <= AIM for row in own.values())
        cells.append(f"{inside} of {len(own)}")
    return cells


def largest(table: dict[str, Row]) -> float:
    """Return the largest |W - L|."""
    return max(abs(imbalance(both(row))) for row in table.values())


def game_lines(results: Results, game_id: str) -> list[str]:
    """Write one game's tables."""
    strangers, series = (results[f"{game_id}, {kind}"] for kind in KINDS)
    settings, judged = series["settings"], strangers["settings"]
    rows = []
    for name, row in strangers["table"].items():
        first, second = ("-".join(map(str, row[side])) for side in ("first", "second"))
        cells = [*score_cells(row), first, second, *score_cells(series["table"][name])]
        rows.append([name, *cells])
    lost = [
        [name, results[f"{game_id}, {'strangers' if name == 'even' else name}"]["given_up"]]
        for name in PLAYERS
    ]
    heads = ["opponent", "strangers", "W - L (95%)", "moving first", "second"]
    lengths = settings["games"] // settings["series"]
    return [
        "",
        f"## {get_game(game_id).title}",
        "",
        f"`{settings['player']}`, {settings['games']} games with each; series: "
        f"{settings['series']} of {lengths} games; openings of {settings['openings']} random "
        f"plies, seed {settings['seed']}; distinct: {distinct_share(strangers['table'].values())}, "
        f"in series {distinct_share(series['table'].values())}. Won - lost - drawn:",
        "",
        table([*heads, "series", "W - L (95%)"], rows),
        "",
        f"Value that moves gave up, by {judged['judge']} simulations, in {judged['judged']} games "
        "with each opponent:",
        "",
        table(
            ["player", "largest", "99% of moves below", "mean", "moves"],
            [
                [
                    name,
                    f"{x['largest']:.2f}",
                    f"{x['percentile_99']:.2f}",
                    f"{x['mean']:.3f}",
                    x["moves"],
                ]
                for name, x in lost
            ],
        ),
    ]


def people_lines(results: Results, game_id: str) -> list[str]:
    """Write the table of `even` that follows ranks of people; nothing if it has not played."""
    parts = [results.get(f"{game_id}, {kind}, {PEOPLE}") for kind in KINDS]
    if None in parts:
        return []
    strangers, series = (part["table"] for part in parts if part is not None)
    spec = results[f"{game_id}, series, {PEOPLE}"]["settings"]["player"]
    rows = [
        [name, *score_cells(row), *score_cells(series[name])] for name, row in strangers.items()
    ]
    mean = "mean of abs(W - L)"
    rows.append([mean, "", drawn_mean(strangers).text(), "", drawn_mean(series).text()])
    heads = ["opponent", "strangers", "W - L (95%)", "series", "W - L (95%)"]
    return ["", f"### `{spec}`", "", table(heads, rows)]


def score_cells(row: Row) -> list[str]:
    """Write a score and its W - L."""
    score = both(row)
    played = f"{score.wins}-{score.losses}-{score.draws}"
    if len(row.get("series", ())) in range(1, LEAST_SERIES):
        return [played, f"{imbalance(score):+.2f}"]
    low, high = series_interval(row) if "series" in row else imbalance_interval(row)
    return [played, f"{imbalance(score):+.2f} ({low:+.2f} to {high:+.2f})"]


def series_interval(row: Row) -> Interval:
    """Return the 95% interval of W - L with a series as the unit."""
    counts = np.array(row["series"])  # [series, (wins, losses, draws)]
    results = np.concatenate([np.repeat([1.0, -1.0, 0.0], some) for some in counts])
    low, high = cluster_mean(results, np.repeat(np.arange(len(counts)), counts.sum(1))).interval
    return Interval(max(low, -1.0), min(high, 1.0))


EXPERIMENT = Experiment(
    "evenness",
    "How even even is, against everyone, and what its moves give up",
    parts,
    page,
    plot,
    games=("go9",),
)
