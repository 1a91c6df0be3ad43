"""Batches of recorded positions against the games they come from, played by python-chess."""

import chess
import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks
from evenmatch.games.catalog import game_info
from evenmatch.games.chess import Chess
from evenmatch.games.chess.actions import actions_of_moves
from evenmatch.network.conditions import conditions
from evenmatch.records.record import NO_EVAL
from evenmatch.workshop.training.ranked import MixedPositions, RankedPositions
from evenmatch.workshop.training.recorded_positions import Source

GAME = Chess()
RANKS = Ranks(lowest=1000, width=200, count=2)
MOVES, SAMPLES = 3, 4


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return random_dataset(tmp_path_factory.mktemp("ranked"), bands=((1050, 1250), (1399, 1000)))


def positions(dataset, only=(), random_rank=False, **shown):
    source = Source(dataset, GAME, planes=112, **shown)
    return RankedPositions(
        source, "train", ranks=RANKS, moves=MOVES, only=only, random_rank=random_rank
    )


def board_at(dataset, game, ply):
    """The board before a ply, by python-chess, and the move played there."""
    board, moves = chess.Board(), dataset.record(game).moves
    for move in moves[:ply]:
        board.push(move_of(move))
    return board, move_of(moves[ply])


def move_of(word):
    start, to, promotion = int(word) & 63, int(word) >> 6 & 63, int(word) >> 12
    return chess.Move(start, to, promotion or None)


def test_nobody_outside_the_split_is_learned_from(tmp_path):
    """In a game of two players both move; who replies is learned from as much as who is ranked."""
    dataset = random_dataset(tmp_path, games=200, shares=(1, 1, 1, 1), bands=((1050, 1250),))
    ranked = positions(dataset)
    batch = ranked._draw_turns(50, np.random.default_rng(0))
    players = dataset.games["players"][batch.games]
    assert set(dataset.players["split"][players].ravel()) == {0}
    every = dataset.games["players"]
    apart = dataset.players["split"][every]
    assert (apart[:, 0] != apart[:, 1]).mean() > 0.5, "most games are of two splits"


def test_a_batch_is_what_was_played(dataset):
    ranked = positions(dataset)
    batch = ranked.draw(SAMPLES, np.random.default_rng(5))
    turns = ranked._draw_turns(SAMPLES, np.random.default_rng(5))
    assert batch.ranked[:3] == (2, MOVES, False)
    assert batch.ranked.scales.tolist() == [0] * SAMPLES
    assert len(batch.values) == SAMPLES * 2 * MOVES
    for row, (game, ply) in enumerate(zip(turns.games, turns.plies, strict=True)):
        rank = 1 + row // MOVES % 2
        rating = dataset.record(game).ratings[ply % 2]
        assert RANKS.of(rating) == rank
        board, reply = board_at(dataset, game, ply + 1)
        state = GAME.from_fen(board.fen())
        assert GAME.read_action(state, reply.uci()) == batch.actions[row]
        allowed = {GAME.read_action(state, move.uci()) for move in board.legal_moves}
        assert set(np.flatnonzero(batch.legal[row])) == allowed
        mine = 1 if board.turn == chess.WHITE else -1
        assert batch.values[row] == mine * dataset.record(game).result
        replier = dataset.record(game).ratings[(ply + 1) % 2]
        assert (
            batch.conditions[row] == conditions([replier], 0, 1, game_info("chess").knots)[0]
        ).all()
        own_pawns = board.pieces(chess.PAWN, board.turn)
        squares = {s ^ 56 if mine == -1 else s for s in own_pawns}
        assert set(np.nonzero(batch.planes[row, 0].reshape(-1))[0]) == squares
    plies = turns.plies.reshape(-1, MOVES)
    assert all(len(set(row)) == MOVES for row in plies)


def test_the_random_rank_shows_other_moves_of_the_same_positions(dataset):
    ranked = positions(dataset, random_rank=True)
    batch = ranked.draw(SAMPLES, np.random.default_rng(5))
    turns = ranked._draw_turns(SAMPLES, np.random.default_rng(5))
    assert batch.ranked[:3] == (3, MOVES, True)
    planes = batch.planes.reshape(SAMPLES, 3, MOVES, 112, 8, 8)
    own_games = turns.games.reshape(SAMPLES, 2, MOVES)
    for sample in range(SAMPLES):
        found = 0
        for rank in range(2):
            for k in range(MOVES):
                game = own_games[sample, rank, k]
                ply = turns.plies.reshape(SAMPLES, 2, MOVES)[sample, rank, k]
                board, played = board_at(dataset, game, ply)
                shown = planes[sample, 2, k]
                others = [
                    GAME.after(GAME.from_fen(board.fen())[None], np.array([action]))
                    for action in GAME.legal_actions(GAME.from_fen(board.fen())[None])[0]
                    if action != GAME.read_action(GAME.from_fen(board.fen()), played.uci())
                ]
                out = np.zeros((1, 112, 8, 8), np.float32)
                for other in others:
                    GAME.encode_leela(other, out)
                    if (out[0, :12] == shown[:12]).all():
                        found += 1
                        break
        assert found >= MOVES, "each random move is a legal one that was not played"


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_values_are_what_evals_say_where_there_are_some(dataset, share):
    batch = positions(dataset, judged=share).draw(SAMPLES, np.random.default_rng(5))
    turns = positions(dataset)._draw_turns(SAMPLES, np.random.default_rng(5))
    results = positions(dataset).draw(SAMPLES, np.random.default_rng(5)).values
    judged = 0
    for row, (game, ply) in enumerate(zip(turns.games, turns.plies, strict=True)):
        said = NO_EVAL if ply < 0 else dataset.evals(game)[ply]
        if said == NO_EVAL:
            assert batch.values[row] == results[row]
            continue
        white = 2 / (1 + np.exp(-0.00368208 * said)) - 1  # of at most 300 centipawns here
        mine = white if ply % 2 else -white
        assert batch.values[row] == pytest.approx((1 - share) * results[row] + share * mine)
        judged += 1
    assert judged


def test_white_s_first_move_is_learned(dataset):
    """Every game has one, so it comes up about as often as any other ply of White's."""
    start = GAME.initial()[0]
    drawn = positions(dataset, random_rank=False)
    turns = drawn._draw_turns(400, np.random.default_rng(1))
    first = turns.plies == -1
    assert 0 < first.mean() < 0.2
    states, actions = drawn.source.positions(turns.games[first], turns.plies[first] + 1)
    assert (states == start).all()
    moves = [dataset.record(int(game)).moves[0] for game in turns.games[first]]
    assert (actions == actions_of_moves(states, np.array(moves))).all()
    assert all(len(set(row)) == MOVES for row in turns.plies.reshape(-1, MOVES).tolist())


def test_some_positions_are_shown_without_history(dataset):
    planes = [
        positions(dataset, bare=share).draw(8, np.random.default_rng(2)).planes
        for share in (0.0, 0.25, 1.0)
    ]
    boards = [p.reshape(len(p), 112, 64)[:, : 8 * 13].reshape(len(p), 8, -1) for p in planes]
    same = [(b[:, :1] == b[:, 1:]).all((1, 2)) for b in boards]
    empty = [~b[:, 1:].any((1, 2)) for b in boards]
    one = [(s | e).mean() for s, e in zip(same, empty, strict=True)]
    assert one[0] < 0.1
    assert 0.1 < one[1] < 0.45  # of 168 a quarter: beyond with a chance below 1e-5
    assert one[2] == 1


def test_a_seed_gives_the_same_batch(dataset):
    one, two = (positions(dataset).draw(2, np.random.default_rng(1)) for _ in range(2))
    assert (one.planes == two.planes).all()
    assert (one.actions == two.actions).all()


def test_datasets_take_turns_and_are_scales_of_their_own(dataset):
    """Three samples of two datasets: two of the first, one of the second."""
    settings = {"split": "train", "ranks": RANKS, "moves": MOVES, "planes": 112}
    mixed = MixedPositions([dataset, dataset], GAME, samples=3, random_rank=True, **settings)
    batch = mixed.draw(np.random.default_rng(1))
    assert batch.ranked.scales.tolist() == [0, 0, 1]
    rows = batch.conditions.reshape(3, 3, MOVES, -1)
    knots = (rows.shape[-1] - 1) // 2
    assert (rows[:2, :2, :, 1 : 1 + knots].sum(-1) == 1).all()
    assert (rows[2, :2, :, 1 + knots :].sum(-1) == 1).all()
    assert (rows[:, 2, :, 0] == 1).all(), "of random moves nothing is told"
    games = {int(side) // 2 for sides in positions(dataset).sides for side in sides}
    assert mixed.games == 2 * len(games), "a game is one, though both sides are drawn from"
    assert sum(map(len, positions(dataset).sides)) > len(games)


def test_replies_of_anybody_come_before_the_ranked_ones(dataset):
    """Five of two datasets, three of the first; in a batch they are the rows that are unranked."""
    settings = {"split": "train", "ranks": RANKS, "moves": MOVES, "planes": 112}
    mixed = MixedPositions([dataset, dataset], GAME, samples=2, replies=5, **settings)
    batch = mixed.draw(np.random.default_rng(1))
    assert mixed.games == 2 * len(dataset)
    assert batch.ranked.first == 5
    assert len(batch.values) == 5 + 2 * 2 * MOVES
    knots = (batch.conditions.shape[-1] - 1) // 2
    of_first = batch.conditions[:, 1 : 1 + knots].sum(-1).round().astype(int)
    assert of_first.tolist() == [1, 1, 1, 0, 0] + [1] * 2 * MOVES + [0] * 2 * MOVES
    alone = MixedPositions([dataset, dataset], GAME, samples=0, replies=5, **settings)
    assert alone.draw(np.random.default_rng(1)).ranked is None


def test_some_ranks_alone(dataset):
    """The weaker of two: every mover drawn is of it."""
    ranked = positions(dataset, only=(2,))
    batch, turns = (
        draw(SAMPLES, np.random.default_rng(5)) for draw in (ranked.draw, ranked._draw_turns)
    )
    assert batch.ranked[:3] == (1, MOVES, False)
    ratings = dataset.games["ratings"][turns.games, turns.plies % 2]
    assert set(RANKS.of(ratings)) == {2}


def test_some_ratings_are_not_told(dataset):
    """Of 240 moves about half; a share outside 0.3 to 0.7 has a chance below 1e-9."""
    batch = positions(dataset, unknown=0.5).draw(40, np.random.default_rng(1))
    assert 0.3 < batch.conditions[:, 0].mean() < 0.7


def test_a_rank_without_games(dataset):
    ranks = Ranks(lowest=1000, width=200, count=3)
    with pytest.raises(UsageError, match="rated 1400-1599 in split train"):
        RankedPositions(Source(dataset, GAME), "train", ranks=ranks)
