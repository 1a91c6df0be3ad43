"""Puzzles solved by players that know the answers, or some of them."""

import json

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.players import PLAYERS as KINDS
from evenmatch.players import Player, parse_spec
from evenmatch.records.chess.puzzles import Puzzle, read_suite
from evenmatch_lab import get_experiment
from evenmatch_lab.ours import puzzle_ratings
from evenmatch_lab.ours.puzzle_ratings import PLAYERS, play_suite, rating_of, solve
from evenmatch_lab.runner import run

CHESS = get_game("chess")
LADDER = Puzzle("7k/8/8/8/8/8/R7/1R4K1 b - - 0 40", ("h8h7", "a2a7", "h7h6", "b1b6"), 600)
BACK_RANK = Puzzle("6k1/5ppp/8/8/8/8/4rPPP/R5K1 b - - 0 30", ("e2b2", "a1a8", "b2b8", "a8b8"), 500)
TWO_MATES = Puzzle("6k1/5ppp/2p5/8/8/7P/5PP1/R2R2K1 b - - 0 30", ("c6c5", "a1a8"), 400)
QUEEN = Puzzle("1k6/8/1K6/8/8/8/8/2Q5 b - - 0 60", ("b8a8", "c1c8"), 300)
BLACK = Puzzle("1r4k1/r7/8/8/8/8/8/7K w - - 0 41", ("h1h2", "a7a2", "h2h3", "b8b3"), 600)
SUITE = """\
1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - id "1"; c8 "10 2"; c9 "f4f5 d4e5";
8/8/4k3/8/8/4K3/4P3/8 b - - id "2"; c8 "7 4"; c9 "e6e5 e6d5";
"""


class Scripted(Player):
    """Answers each position as in lines of moves, and has no answer to others."""

    def __init__(self, *lines):
        self.answers, self.asked, self.sides = {}, [], []
        for fen, moves in lines:
            state = CHESS.from_fen(fen)
            for number, word in enumerate(moves):
                action = CHESS.read_action(state, word)
                if number % 2 or len(moves) == 1:
                    self.answers[state.tobytes()] = action
                state = CHESS.after(state[None], np.array([action]))[0]

    def begin(self, games, sides, seed):
        self.sides.append(sides.tolist())

    def choose(self, turns):
        self.asked.append(turns.games.tolist())
        return np.array([self.answers[state.tobytes()] for state in turns.states])


@pytest.fixture
def players(monkeypatch):
    """Players by spec, in the place of the real ones."""
    known = {}
    monkeypatch.setattr(puzzle_ratings, "make_player", lambda spec, game, games: known[spec])
    return known


def line(puzzle, *words):
    """A puzzle's position, and its moves with other ones for the last."""
    return puzzle.fen, (*puzzle.moves[: len(puzzle.moves) - len(words)], *words)


def told(parts):
    """Hears of progress."""
    return lambda done, due: parts.append((done, due))


# -- puzzles -------------------------------------------------------------------------------------


def test_right_answers_solve_and_the_opponent_s_moves_are_played(players):
    puzzles = [LADDER, QUEEN, BACK_RANK, BLACK]
    player = players["knows"] = Scripted(*(line(puzzle) for puzzle in puzzles))
    assert solve("knows", puzzles).all()
    assert player.asked == [[0, 1, 2, 3], [0, 2, 3]], "positions after the opponent's moves"
    assert player.sides == [[1, 1, 1, -1]]


@pytest.mark.parametrize("puzzle", [LADDER, BACK_RANK, BLACK])
def test_a_wrong_answer_does_not_solve_and_ends_the_puzzle(players, puzzle):
    first = {LADDER: "a2a6", BACK_RANK: "a1a7", BLACK: "a7a3"}[puzzle]
    last = {LADDER: "b1b5", BACK_RANK: "a8a7", BLACK: "b8b4"}[puzzle]
    early = players["early"] = Scripted((puzzle.fen, (puzzle.moves[0], first)))
    late = players["late"] = Scripted(line(puzzle, last))
    assert not solve("early", [puzzle])[0]
    assert not solve("late", [puzzle])[0]
    assert (early.asked, late.asked) == ([[0]], [[0], [0]])


def test_another_checkmate_solves_and_another_end_does_not(players):
    players["mates"] = Scripted(line(TWO_MATES, "d1d8"))
    players["checks"] = Scripted(line(TWO_MATES, "d1d7"))
    players["stalemates"] = Scripted(line(QUEEN, "c1c7"))
    assert solve("mates", [TWO_MATES])[0]
    assert not solve("checks", [TWO_MATES])[0]
    assert not solve("stalemates", [QUEEN])[0]


def test_a_checkmate_ends_a_puzzle_that_had_more_moves(players):
    longer = TWO_MATES._replace(moves=("c6c5", "d1d7", "c5c4", "d7d8"))
    player = players["mates"] = Scripted((longer.fen, ("c6c5", "a1a8")))
    assert solve("mates", [longer])[0]
    assert player.asked == [[0]]


def test_puzzles_are_solved_in_turns_of_so_many(players, monkeypatch):
    monkeypatch.setattr(puzzle_ratings, "AT_ONCE", 2)
    puzzles, heard = [LADDER, QUEEN, BACK_RANK, BLACK, TWO_MATES], []
    right = [line(puzzle) for puzzle in (LADDER, BLACK, TWO_MATES)]
    player = Scripted(*right, line(QUEEN, "c1c7"), line(BACK_RANK, "a8a7"))
    players["some"] = player
    row = puzzle_ratings.solve_puzzles("some", puzzles, told(heard), {})
    assert heard == [(2, 5), (4, 5), (5, 5)]
    assert player.sides == [[1, 1], [1, -1], [1]]
    solved = np.array([True, False, False, True, True])
    wanted = rating_of(solved, np.array([600, 300, 500, 600, 400]))
    assert row == {"solved": 3, "rating": [round(x) for x in wanted]}


# -- ratings -------------------------------------------------------------------------------------


def test_intervals_hold_the_rating():
    """500 players of 1400, and of 1900, with 100 puzzles: 94.9% and 95.0% of the intervals hold the
    rating (of 20,000), so that fewer than 450 or more than 492 do with a chance of 4e-5.
    """
    rng = np.random.default_rng(1)
    for truth in (1400, 1900):
        held = 0
        for _ in range(500):
            ratings = rng.uniform(900, 2300, 100)
            solved = rng.random(100) < 1 / (1 + 10 ** ((ratings - truth) / 400))
            elo, low, high = rating_of(solved, ratings)
            assert low < elo < high
            held += low < truth < high
        assert 450 <= held <= 492


def test_as_many_puzzles_are_expected_as_were_solved():
    ratings = np.linspace(800, 2000, 25)
    for count in range(1, 25):
        elo = rating_of(np.arange(25) < count, ratings)[0]
        assert (1 / (1 + 10 ** ((ratings - elo) / 400))).sum() == pytest.approx(count)
    assert rating_of(np.arange(2) < 1, np.array([1000, 1400]))[0] == pytest.approx(1200)


def test_all_solved_and_none_solved_have_finite_ratings():
    ratings = np.linspace(800, 2000, 25)
    none, one, most, every = (rating_of(np.arange(25) < count, ratings) for count in (0, 1, 24, 25))
    assert np.isfinite([none, every]).all()
    assert none[0] < one[0] < 800 < 2000 < most[0] < every[0]
    assert none[0] + every[0] == pytest.approx(2800), "as far below as above"
    assert puzzle_ratings.chances(every[0], ratings).sum() == pytest.approx(24.5)


# -- suites --------------------------------------------------------------------------------------


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.epd"
    path.write_text(SUITE)
    return path


def test_points_of_a_suite_are_those_of_the_moves_chosen(players, suite, monkeypatch):
    exercises, heard = read_suite(suite), []
    fens = [exercise.fen for exercise in exercises]
    for words, points in (
        (("f4f5", "e6e5"), 17),
        (("d4e5", "e6d5"), 6),
        (("d4e5", "e6f6"), 2),
        (("d4h8", "e6f6"), 0),
    ):
        players["plays"] = Scripted(*((fen, [word]) for fen, word in zip(fens, words, strict=True)))
        assert play_suite("plays", exercises, told(heard), {}) == {"points": points, "most": 17}
    assert players["plays"].sides == [[1, -1]]
    monkeypatch.setattr(puzzle_ratings, "AT_ONCE", 1)
    heard.clear()
    players["plays"] = Scripted((fens[0], ("f4f5",)), (fens[1], ("e6d5",)))
    assert play_suite("plays", exercises, told(heard), {})["points"] == 14
    assert heard == [(1, 2), (2, 2)]


# -- the experiment ------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, suite):
    """Four puzzles and two exercises."""
    path = tmp_path / "puzzles.csv"
    rows = [
        f"{p.fen},{' '.join(p.moves)},{p.rating}" for p in (LADDER, QUEEN, BACK_RANK, TWO_MATES)
    ]
    path.write_text("\n".join(["fen,moves,rating", *rows]) + "\n")
    return [path, suite]


def test_solved_puzzles_and_points_are_written(players, files, tmp_path, monkeypatch):
    fens = [exercise.fen for exercise in read_suite(files[1])]
    known = [*map(line, (LADDER, QUEEN, TWO_MATES)), (fens[0], ("f4f5",))]
    players["random"] = Scripted(*known, line(BACK_RANK, "a8a7"), (fens[1], ("e6f6",)))
    players["mcts:sims=2"] = Scripted(*known, line(BACK_RANK), (fens[1], ("e6e5",)))
    monkeypatch.setattr(puzzle_ratings, "PLAYERS", tuple(players))
    page = run(get_experiment("puzzle_ratings"), tmp_path / "out", quick=True, data=files)
    results = json.loads((tmp_path / "out" / "puzzle_ratings_quick.json").read_text())["parts"]
    elo, low, high = results["puzzles: random"]["rating"]
    assert low < elo < high
    assert results["puzzles: random"]["settings"]["positions"] == 4
    text = page.read_text()
    count = results["suite: random"]["settings"]["positions"]
    half = 1.96 * (10 * 7 / count) ** 0.5
    most = "{} ({} to {})".format(*results["puzzles: mcts:sims=2"]["rating"])
    assert text[text.index("## puzzles") :].splitlines() == [
        "## puzzles",
        "",
        "| player | solved | rating (95%) |",
        "|---|---:|---:|",
        f"| random | 3 of 4 | {elo} ({low} to {high}) |",
        f"| mcts:sims=2 | 4 of 4 | {most} |",
        "",
        "## suite",
        "",
        "| player | points (95%: at most +-) | of the most |",
        "|---|---:|---:|",
        f"| random | 10 ({half:.0f}) | 58.8% |",
        "| mcts:sims=2 | 17 (0) | 100.0% |",
    ]


def test_points_spread_no_more_than_said():
    """500 positions of 10 points each: all or nothing with a chance of 0.4, by the binomial."""
    half = puzzle_ratings.most_half(2000, 5000, 500)
    assert half == pytest.approx(1.959964 * 10 * (500 * 0.4 * 0.6) ** 0.5)


def test_the_order_of_ratings_is_told():
    """By hand: 3 of 4 in order but the middle two swapped is 0.8; all alike say nothing."""
    solved = {1250: 10, 1650: 30, 2150: 20, 2550: 40}
    rows = {f"ace:elo={elo}": {"solved": count} for elo, count in solved.items()}
    rows |= {f"sa:elo={elo}": {"solved": 5} for elo in solved} | {"alphazero": {"solved": 50}}
    assert puzzle_ratings.orders(rows) == [
        "Rank correlation of ace's 4 ratings with what they reached: 0.80.  "
    ]
    rows = {f"pikl:elo={elo}": {"points": -count} for elo, count in ((3, 1), (2, 2), (1, 3))}
    assert puzzle_ratings.orders(rows)[0].endswith(" 1.00.  ")


def test_players_play(files, tmp_path, monkeypatch):
    monkeypatch.setattr(puzzle_ratings, "PLAYERS", ("random", "mcts:sims=2"))
    page = run(get_experiment("puzzle_ratings"), tmp_path / "out", quick=True, data=files)
    rows = [text for text in page.read_text().splitlines() if text.startswith("| random | ")]
    assert len(rows) == 2
    assert " of 4 | " in rows[0]


def test_datasets_are_no_puzzles(tmp_path):
    with pytest.raises(UsageError, match="give a file of puzzles"):
        puzzle_ratings.parts(True, [tmp_path], [])


def test_a_quick_form_has_few_positions_and_players(files, monkeypatch):
    monkeypatch.setattr(puzzle_ratings, "QUICK", 1)
    parts = puzzle_ratings.parts(True, files, [])
    assert list(parts) == [f"puzzles: {PLAYERS[0]}", f"suite: {PLAYERS[0]}"]
    whole = puzzle_ratings.parts(False, files, [])
    assert len(whole) == 2 * len(PLAYERS)
    counts = [parts[key].settings["positions"] for key in parts]
    assert counts + [whole[key].settings["positions"] for key in parts] == [1, 1, 4, 2]
    with pytest.raises(UsageError, match="leave out --net"):
        puzzle_ratings.parts(True, files, files)


def test_a_plain_search_thinks_as_long_as_players_of_a_rating():
    sims = {name: values.get("sims") for name, values in map(parse_spec, PLAYERS)}
    of_a_rating = {KINDS[name].keys["sims"].default["chess"] for name in ("se", "sa", "ace")}
    assert {sims["alphazero"]} == of_a_rating
