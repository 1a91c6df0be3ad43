"""What proofs add to the search at full strength: mates, endings of three men, and games.

The puzzles are those of a file whose last move is checkmate. Endings are drawn at random from all
positions that White, to move, wins; Black defends as long as it can. In the games a search with
proofs meets one without, two at a time from the same random plies.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.arena import play, random_openings
from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.chess.endings import DRAW, FIFTY, FILE, PIECES, endings
from evenmatch.games.chess.history import new_states
from evenmatch.games.chess.make_endings import set_up
from evenmatch.games.chess.moves import BOARD_WORDS, PAWN_, QUEEN_, ROOK_
from evenmatch.network.artifact import digest_of
from evenmatch.players import make_player
from evenmatch.progress import Progress
from evenmatch.ratings.score import Score
from evenmatch.records.chess.puzzles import Puzzle, read_puzzles
from evenmatch_lab.ours.puzzle_ratings import solve
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared.opponents import added_up, either_side, match_text, row_of
from evenmatch_lab.shared.positions import DrawnPositions

SEED = 41
SIMULATIONS = 100
PLAYERS = {
    "without proofs": f"alphazero:sims={SIMULATIONS},solve=off",
    "with proofs": f"alphazero:sims={SIMULATIONS},solve=on",
}
MATES = 1, 2, 3  #: moves
ENDINGS = {"queen": QUEEN_, "rook": ROOK_, "pawn": PAWN_}
POSITIONS = 200  #: of each ending
GAMES, A_PART, OPENING = 400, 100, 8
DEFENDER = "alphazero:sims=1,solve=on"
AT_ONCE = 250  #: positions a player thinks about side by side
QUICK = 4  #: positions and games


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each player a part for each kind of mate and ending; games in hundreds."""
    if nets or len(data) != 1 or data[0].is_dir():
        raise UsageError("proofs asks the network that ships; give one file of puzzles by --data")
    mates = mates_of(read_puzzles(data[0]))
    shared = {"network": digest("chess"), "endings": digest_of(FILE), "seed": SEED}
    puzzles = shared | {"file": digest_of(data[0])}
    by_key: dict[str, Part] = {}
    for name, spec in PLAYERS.items():
        for moves in MATES:
            some = mates[moves][: QUICK if quick else None]
            by_key[f"mate in {moves}: {name}"] = Part(
                puzzles | {"player": spec, "puzzles": len(some)},
                partial(measure_mates, spec, some),
            )
        for ending, piece in ENDINGS.items():
            count = QUICK if quick else POSITIONS
            by_key[f"{ending}: {name}"] = Part(
                shared | {"player": spec, "defender": DEFENDER, "positions": count},
                partial(measure_ending, spec, piece, count),
            )
    by_key |= matches(shared, QUICK if quick else A_PART, QUICK if quick else GAMES)
    return by_key


def matches(shared: dict[str, Any], few: int, due: int) -> dict[str, Part]:
    """Return the parts of the games, ``few`` each."""
    without, with_proofs = PLAYERS.values()
    return {
        f"games {first + 1} to {first + few}": Part(
            shared | {"player": with_proofs, "opponent": without, "openings": OPENING,
                      "first": first, "games": few},
            partial(measure_games, with_proofs, without, first, few, due),
        )
        for first in range(0, due, few)
    }  # fmt: skip


# -- mates -----------------------------------------------------------------------------------------


def mates_of(puzzles: Sequence[Puzzle]) -> dict[int, list[Puzzle]]:
    """Return the puzzles that end in checkmate, by the solver's moves."""
    found: dict[int, list[Puzzle]] = {moves: [] for moves in MATES}
    for puzzle in puzzles:
        moves = len(puzzle.moves) // 2
        if moves in found and _ends_in_mate(puzzle):
            found[moves].append(puzzle)
    return found


def _ends_in_mate(puzzle: Puzzle) -> bool:
    positions = DrawnPositions.of_fens([puzzle.fen], len(puzzle.moves))
    for move in puzzle.moves:
        positions.push(np.array([0]), np.array([positions.read(0, move)]))
    over, values = positions.game.outcome(positions.states)
    return bool(over[0] and values[0] < 0)


def measure_mates(
    spec: str, puzzles: Sequence[Puzzle], progress: Progress, done: Results
) -> dict[str, Any]:
    """Return how many of the puzzles a player solves, and of how many."""
    solved = 0
    for at in range(0, len(puzzles), AT_ONCE):
        solved += int(solve(spec, puzzles[at : at + AT_ONCE]).sum())
        progress(min(at + AT_ONCE, len(puzzles)), len(puzzles))
    return {"solved": solved, "of": len(puzzles)}


# -- endings ---------------------------------------------------------------------------------------


class Ending(NamedTuple):
    """Positions of an ending that White, to move, wins."""

    states: NDArray[np.uint64]  # [n, 32]
    best: NDArray[np.int64]  # [n] plies to mate


def draw_ending(piece: int, count: int, seed: int) -> Ending:
    """Draw ``count`` of the positions that White wins, all as likely."""
    numbers = endings()[PIECES.index(piece), 0]
    won = np.argwhere(numbers != DRAW)
    squares = won[np.random.default_rng(seed).choice(len(won), count, replace=False)]
    boards = np.zeros((count, BOARD_WORDS), np.uint64)
    for board, (king, other, square) in zip(boards, squares, strict=True):
        assert set_up(board, piece, 0, king, other, square), "the table has legal positions alone"
    return Ending(new_states(boards, np.zeros(count)), numbers[tuple(squares.T)].astype(int) - 1)


def measure_ending(
    spec: str, piece: int, count: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let a player win an ending; return how often it did, and the plies beyond the fewest."""
    game, ending = get_game("chess"), draw_ending(piece, count, SEED)
    positions = DrawnPositions(ending.states, np.zeros(count, np.intp), 4 * FIFTY, game)
    white, black = (make_player(one, game, count) for one in (spec, DEFENDER))
    everyone = np.arange(count)
    white.begin(everyone, np.ones(count, np.int8), SEED)
    black.begin(everyone, -np.ones(count, np.int8), SEED + 1)
    going, players = everyone, (white, black)
    for ply in range(4 * FIFTY):
        positions.push(going, positions.ask(players[ply % 2], going))
        going = going[~game.outcome(positions.states[going])[0]]
        progress(count - len(going), count)
        if not len(going):
            break
    over, values = game.outcome(positions.states)
    won = over & (values < 0) & (positions.plies % 2 == 1)
    extra = (positions.plies - ending.best)[won]
    return {"won": int(won.sum()), "extra": round(float(extra.mean()), 2) if won.any() else None}


# -- games -----------------------------------------------------------------------------------------


def measure_games(
    player: str, opponent: str, first: int, few: int, due: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Play some of the games that are due, from the ``first`` on, in their openings."""
    game, pairings = get_game("chess"), either_side(0, 1, due)
    lines = random_openings(game, OPENING, SEED, pairings, ())
    some = pairings[first : first + few]
    played = play([player, opponent], some, game, seed=SEED + first, lines=lines, progress=progress)
    return {"row": row_of(played, 0, 1)}


# -- the page --------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write what was solved and won, and the score of the games."""
    kinds = [f"mate in {moves}" for moves in MATES if _has(results, f"mate in {moves}")]
    names = [name for name in PLAYERS if _has(results, f": {name}")]
    lines = [
        "Mates are Lichess's puzzles that end in checkmate; all moves have to be found, and any "
        "mate will do. Endings are king and queen, rook or pawn against a king, random positions "
        "of all that White, to move, wins. Black defends as long as it can. Mean plies beyond the "
        "fewest are in brackets, of the games that were won. All with the network that ships and "
        f"{SIMULATIONS} simulations; seed {SEED}.",
        "",
        f"| of | {' | '.join(names)} |",
        f"|---|{'---:|' * len(names)}",
    ]
    lines += [_line(kind, names, results, _mates_cell) for kind in kinds]
    lines += [_line(kind, names, results, _ending_cell) for kind in ENDINGS]
    rows = [part["row"] for key, part in results.items() if key.startswith("games ")]
    if rows:
        lines += [
            "",
            f"A search with proofs against one without, {SIMULATIONS} simulations each, from "
            f"openings of {OPENING} random plies. {match_text(added_up(rows))}",
        ]
    return lines


def _has(results: Results, some: str) -> bool:
    return any(some in key for key in results)


def _line(kind: str, names: Sequence[str], results: Results, cell) -> str:
    cells = [cell(results[f"{kind}: {n}"]) if f"{kind}: {n}" in results else "" for n in names]
    return f"| {kind} | {' | '.join(cells)} |"


def _mates_cell(part: dict[str, Any]) -> str:
    share = Score(wins=part["solved"], losses=part["of"] - part["solved"])
    return f"{part['solved']} of {part['of']} ({share.fraction:.1%})"


def _ending_cell(part: dict[str, Any]) -> str:
    won, of = part["won"], part["settings"]["positions"]
    return f"{won} of {of}" + (f" ({part['extra']:g})" if won else "")


EXPERIMENT = Experiment(
    "proofs",
    "What proofs add: mates, endings and games",
    parts,
    page,
    reads_games=True,
    data="rated puzzles, a file such as puzzles.csv: name each with --data FILE",
)
