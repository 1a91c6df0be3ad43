"""What rating does the play of our own players look like, beside what they score?

Each player at each rating meets ``pikl`` of the same rating. The estimator that tells people's
ratings is asked about the player's moves, of all games at once and of single ones. The score says
how strong the player is on the scale of ``pikl``. The estimator learned from people, so what it
says of a program is no rating. And it asks the network that ``pikl``, ``human``, ``sa`` and ``se``
play by: to it they look more like people than they may be.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.arena import Played, distinct_games, play
from evenmatch.estimation.estimator_files import ALONE, nets, shipped_estimator
from evenmatch.estimation.strength_estimator import PlayerGame
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.network.artifact import digest_of
from evenmatch.progress import Progress
from evenmatch.ratings import elo_from_score
from evenmatch.records.form import form_of
from evenmatch.records.record import GameRecord
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import fitted, networks
from evenmatch_lab.shared.opponents import either_side, pairs_of, row_of

GAME, SCALE, SEED, GAMES = "chess", "lichess-rapid", 41, 20
QUICK = 2  # games
NEAR = 100  #: Elo that an estimate may be off and be called near

RATINGS = (1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500)
STOCKFISH = "stockfish"
OF_STOCKFISH = (1350, 1500, 1700, 1900, 2100, 2300, 2500)  #: 1350 is its lowest, in version 15
PLAYERS = {
    "pikl": "pikl:elo={elo}",
    "human": "human:elo={elo}",
    "sa": "sa:elo={elo}",
    "se": "se:elo={elo}",
    STOCKFISH: f"engine:cmd={STOCKFISH},elo={{elo}},nodes=10000",
}


def parts(quick: bool) -> dict[str, Part]:
    """One part a player and rating."""
    games = QUICK if quick else GAMES
    by_key = {}
    for name, template in PLAYERS.items():
        ratings = OF_STOCKFISH if name == STOCKFISH else RATINGS
        for rating in ratings[: 1 - (name == STOCKFISH)] if quick else ratings:
            specs = [template.format(elo=rating), f"pikl:elo={rating}"]
            settings = {
                "players": specs,
                "networks": networks(*specs),
                "estimator": digest_of(nets() / ALONE.format(GAME, SCALE)),
                "fitted": [fitted(spec) for spec in specs],
                "games": games,
                "asked": rating,
                "seed": SEED,
            }
            by_key[f"{name} {rating}"] = Part(settings, partial(measure, specs, games))
    return by_key


def measure(specs: list[str], games: int, progress: Progress, done: Results) -> dict[str, Any]:
    """Play; return the score, and what the player's moves look like."""
    game = get_game(GAME)
    played = play(specs, either_side(0, 1, games), game, seed=SEED, progress=progress)
    sides = [side_of(game, one, 0) for one in played]
    estimator = shipped_estimator(SCALE, fast=True)
    told = estimator.predict_rank(sides)
    alone = [round(estimator.predict_rank([side]).rating, 1) for side in sides]
    return {
        "row": row_of(played, 0, 1),
        "distinct": distinct_games(played),
        "looks": [round(x, 1) for x in (told.rating, *(told.interval or ()))],
        "alone": alone,
        "moves": told.moves,
    }


def side_of(game: Game, played: Played, entrant: int) -> PlayerGame:
    """Return a game as an entrant played it."""
    states = [game.initial()]
    for action in played.actions:
        states.append(game.after(states[-1], np.array([action])))
    before = np.concatenate(states[:-1])
    record = GameRecord(
        game=game.id,
        moves=form_of(game.id).recorded(before, np.array(played.actions, np.int64)),
        result=int(played.result),
    )
    return PlayerGame(record, 1 if played.pairing.first == entrant else -1)


def looks(row: dict[str, Any]) -> tuple[float, float, float]:
    """Return the rating that a player's moves look like, and its interval's ends."""
    rating, low, high = row["looks"]
    return rating, low, high


def scored(row: dict[str, Any]) -> tuple[float, float, float]:
    """Return the rating by the score with pikl of the rating asked for, and its interval's ends."""
    pairs, asked = pairs_of(row["row"]), row["settings"]["asked"]
    low, high = pairs.interval()
    return tuple(asked + _elo(share) for share in (pairs.fraction, low, high))  # type: ignore[return-value]


def _elo(share: float) -> float:
    return float(np.inf * np.sign(share - 0.5)) if share in (0, 1) else elo_from_score(share)


def by_player(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the parts of each player, in the order of ratings."""
    found: dict[str, list[dict[str, Any]]] = {}
    for key, row in results.items():
        found.setdefault(key.rpartition(" ")[0], []).append(row)
    return {
        name: sorted(rows, key=lambda row: row["settings"]["asked"]) for name, rows in found.items()
    }


def page(results: Results) -> list[str]:
    """Write what each player looks like and scores, by rating."""
    games = next(iter(results.values()))["settings"]["games"]
    distinct = sum(row["distinct"] for row in results.values())
    lines = [
        f"Every player meets `pikl` of the rating asked for, {games} games, seed {SEED}, from the "
        f"usual start; {distinct} of {games * len(results)} games are distinct. *Looks like*: "
        "the rating that the estimator tells by the moves of all these games alone, with its 95% "
        "interval, which supposes a person. *One game*: the mean over single games, and their "
        "standard deviation. *Scores*: the rating asked for plus the Elo of the score with `pikl`, "
        "95% by pairs of games. The estimator and all players but Stockfish ask one network, so "
        "they look more like people to it than they may be. Stockfish has 10,000 nodes a move: its "
        "UCI_Elo, which is made for clocks, is no more than the name of a setting here, and its "
        "games are not the same in another run.",
    ]
    for name, rows in by_player(results).items():
        lines += ["", f"## {name}", "", *table(rows)]
    lines += ["", "## What this says", ""]
    lines += [finding(name, rows) for name, rows in by_player(results).items()]
    return lines


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Write a player's table."""
    lines = ["| asked for | looks like (95%) | one game | scores (95%) |", "|---:|---:|---:|---:|"]
    for row in rows:
        alone = np.array(row["alone"])
        cells = [
            str(row["settings"]["asked"]),
            ends(looks(row)),
            f"{alone.mean():.0f} ± {alone.std():.0f}",
            "itself" if itself(row) else ends(scored(row)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def itself(row: dict[str, Any]) -> bool:
    """Return whether a player met itself, so that its score says nothing."""
    one, other = row["settings"]["players"]
    return bool(one == other)


def ends(three: tuple[float, float, float]) -> str:
    """Write a rating with its interval; a bound where it has no end."""
    rating, low, high = three
    bound = f"below {high:.0f}" if np.isfinite(high) else f"above {low:.0f}"
    if not np.isfinite(rating):
        return bound
    known = f"{low:.0f} to {high:.0f}" if np.isfinite([low, high]).all() else bound
    return f"{rating:.0f} ({known})"


def finding(name: str, rows: Sequence[dict[str, Any]]) -> str:
    """Say how far a player looks from what is asked for, and from what it scores."""
    asked = np.array([row["settings"]["asked"] for row in rows])
    seen = np.array([looks(row)[0] for row in rows])
    won = np.array([scored(row)[0] for row in rows])
    known = np.isfinite(won)
    near = int((np.abs(seen - asked) <= NEAR).sum())
    rises = int((np.diff(seen) > 0).sum())
    text = (
        f"- `{name}`: its moves look {np.abs(seen - asked).mean():.0f} from the rating asked for "
        f"on average, within {NEAR} at {near} of {len(rows)} ratings, and rise at {rises} of "
        f"{len(rows) - 1} steps."
    )
    if any(map(itself, rows)) or not known.any():
        return text
    apart = (seen - won)[known].mean()
    side = "stronger" if apart > 0 else "weaker"
    left = len(rows) - int(known.sum())
    but = f" ({left} ratings left out at which it won or lost everything)" if left else ""
    return f"{text} They look {abs(apart):.0f} {side} than it scores, on average{but}."


def plot(results: Results, path: Path) -> None:
    """Draw what players look like against what was asked for, and what they score, dashed."""
    for axes in figure(path, 1, width=6.5):
        for number, (name, rows) in enumerate(by_player(results).items()):
            asked = [row["settings"]["asked"] for row in rows]
            color = f"C{number}"
            axes[0].plot(asked, [looks(row)[0] for row in rows], "o-", color=color, label=name)
            if name != "pikl":
                axes[0].plot(asked, [scored(row)[0] for row in rows], "--", color=color)
        axes[0].plot(RATINGS, RATINGS, ":", color="0.5")
        axes[0].set(
            xlabel="rating asked for", ylabel="looks like; dashed: scores", ylim=(400, 2800)
        )
        axes[0].grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "self_estimate",
    "What rating our own players look like, and what they score",
    parts,
    page,
    plot,
)
