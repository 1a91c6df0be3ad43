"""How strong the network that ships is at Go, against other programs.

AlphaZero with 200 simulations meets GNU Go at its strongest level (10) on 9x9 and 19x19, 50 games
on 9x9 and 20 on 19x19. Two games at a time start from the same random plies, with either side, and
are the unit of the intervals.
"""

from functools import partial

import numpy as np

from evenmatch.games import get_game
from evenmatch.games.go import Go
from evenmatch.opponents.rating_range import gnugo
from evenmatch.play.arena import play
from evenmatch.progress import Progress
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared.opponents import (
    OPENING_PLIES,
    Row,
    added_up,
    both,
    distinct_share,
    either_side,
    openings_of,
    pairs_of,
    row_of,
)
from evenmatch_lab.shared.scored_ends import ends_of, program

GAMES = ("go9", "go")
GAMES_EACH = {"go9": 50, "go": 20}
A_PART, SEED = 10, 11
LEVEL, SIMULATIONS = 10, 200
AIM = 0.9  #: of the score


def parts(quick: bool) -> dict[str, Part]:
    """Ten games a part."""
    level, simulations, few = (0, 4, 2) if quick else (LEVEL, SIMULATIONS, A_PART)
    by_key = {}
    for game_id in GAMES[:1] if quick else GAMES:
        game, due = get_game(game_id), few if quick else GAMES_EACH[game_id]
        assert isinstance(game, Go)
        player, opponent = f"alphazero:sims={simulations}", gnugo(level)
        shared = {
            "player": player,
            "opponent": opponent,
            "komi": float(game.komi),
            "openings": OPENING_PLIES[game_id],
            "seed": SEED,
            "network": digest(game_id),
        }
        for first in range(0, due, few):
            by_key[f"{game_id}, GNU Go {level}, games {first + 1} to {first + few}"] = Part(
                shared | {"game": game_id, "first": first, "games": few},
                partial(measure, game_id, player, opponent, first, few, due),
            )
    return by_key


def measure(
    game_id: str,
    player: str,
    opponent: str,
    first: int,
    games: int,
    due: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play some of the games that are due, from the ``first`` on, in their openings."""
    game, pairings = get_game(game_id), either_side(0, 1, due)
    assert isinstance(game, Go)
    played = play(
        [player, opponent], pairings[first : first + games], game, seed=SEED + first,
        lines=openings_of(game, pairings, SEED), progress=progress,
    )  # fmt: skip
    cmd = opponent.partition("cmd=")[2]
    return {
        "program": program(cmd),
        "row": row_of(played, 0, 1),
        "ends": ends_of(game, played, cmd),
    }


def page(results: Results) -> list[str]:
    """Write the scores, and what the ends of games say of them."""
    heads = ["game", "players", "komi", "won-lost-drawn", "score (95%)", "as Black", "as White"]
    heads += ["distinct", "plies", "resigned", "same winner", "seconds", f"above {AIM:.0%}"]
    games = {game_id: parts_on(results, game_id) for game_id in GAMES}
    rows = [game_cells(game_id, some) for game_id, some in games.items() if some]
    lines = [table(heads, rows, left=(0, 1))]
    disputed = [one for part in results.values() for one in part["ends"]["disputed"]]
    if disputed:
        lines += [
            "",
            table(["game without one winner", ""], enumerate(map(", ".join, disputed), 1)),
        ]
    return lines


def parts_on(results: Results, game_id: str) -> list[dict]:
    """Return the parts of a game that are done."""
    return [part for part in results.values() if part["settings"]["game"] == game_id]


def game_cells(game_id: str, some: list[dict]) -> list[str]:
    """Return a game's cells."""
    row: Row = added_up([part["row"] for part in some])
    score, (low, high), ends = both(row), pairs_of(row).interval(), [part["ends"] for part in some]
    finished = sum(one["agreed"] + len(one["disputed"]) for one in ends)
    weights = [part["settings"]["games"] for part in some]
    settings = some[0]["settings"]
    programs = " and ".join(dict.fromkeys(part["program"] for part in some))
    return [
        get_game(game_id).title,
        f"`{settings['player']}` against {programs} (`{settings['opponent']}`)",
        f"{settings['komi']:g}",
        f"{score.wins}-{score.losses}-{score.draws}",
        f"{score.fraction:.1%} ({low:.1%} to {high:.1%})",
        *("-".join(map(str, row[side])) for side in ("first", "second")),
        distinct_share([row]),
        f"{np.average([one['plies'] for one in ends], weights=weights):.0f}",
        str(sum(one["resigned"] for one in ends)),
        f"{sum(one['agreed'] for one in ends)} of {finished}",
        f"{sum(part['seconds'] for part in some):.0f}",
        "yes" if low > AIM else "no" if high < AIM else "undecided",
    ]


EXPERIMENT = Experiment("go_engines", "Full strength at Go, against other programs", parts, page)
