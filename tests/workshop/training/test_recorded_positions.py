"""Replies drawn from recorded games against the games they come from, played by python-chess."""

import chess
import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.games.catalog import game_info
from evenmatch.games.chess import Chess
from evenmatch.network.conditions import conditions
from evenmatch.workshop.training.recorded_positions import AnyReplies, Source

GAME = Chess()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Sixty games of four splits and three bands, of which one is ten times as frequent."""
    bands = ((1050, 1090),) * 10 + ((1250, 1460),)
    folder = tmp_path_factory.mktemp("positions")
    return random_dataset(folder, games=220, shares=(1, 1, 1, 1), bands=bands)


@pytest.fixture(scope="module")
def drawn(dataset):
    """What was asked for, and what was shown, of 3,000 draws."""

    class Watched(Source):
        def replies(self, games, plies, rng):
            self.asked = games, plies
            return super().replies(games, plies, rng)

    source = Watched(dataset, GAME, planes=112)
    batch = AnyReplies(source, "train").draw(3000, np.random.default_rng(4))
    return *source.asked, batch


def test_only_those_of_the_split_are_learned_from(dataset, drawn):
    games, plies, _ = drawn
    movers = dataset.games["players"][games, plies % 2]
    others = dataset.games["players"][games, 1 - plies % 2]
    assert set(dataset.players["split"][movers]) == {0}
    assert set(dataset.players["split"][others]) == {0, 1, 2, 3}


def test_a_batch_is_what_was_played(dataset, drawn):
    games, plies, batch = drawn
    assert batch.ranked is None
    for row in range(60):
        record, board = dataset.record(int(games[row])), chess.Board()
        moves = [
            chess.Move(int(m) & 63, int(m) >> 6 & 63, int(m) >> 12 or None) for m in record.moves
        ]
        for move in moves[: plies[row]]:
            board.push(move)
        state = GAME.from_fen(board.fen())
        assert GAME.read_action(state, moves[plies[row]].uci()) == batch.actions[row]
        assert batch.values[row] == (1 if board.turn == chess.WHITE else -1) * record.result
        told = conditions([record.ratings[plies[row] % 2]], 0, 1, game_info("chess").knots)[0]
        assert (batch.conditions[row] == told).all()


def test_every_move_of_a_band_is_as_likely_and_rare_bands_are_drawn_more(dataset, drawn):
    """Bands are met as the roots of their moves: within 5 standard errors, 1 in a million."""
    games, plies, _ = drawn
    every = np.repeat(np.arange(len(dataset)), dataset.games["plies"])
    ply = np.concatenate([np.arange(n) for n in dataset.games["plies"]])
    movers = dataset.games["players"][every, ply % 2]
    mine = dataset.players["split"][movers] == 0
    band_of = dataset.games["ratings"][every, ply % 2] // 200
    roots = {b: np.sqrt((band_of[mine] == b).sum()) for b in (5, 6, 7)}
    met = dataset.games["ratings"][games, plies % 2] // 200
    for band, root in roots.items():
        share = root / sum(roots.values())
        assert abs((met == band).mean() - share) < 5 * np.sqrt(share * (1 - share) / len(games))
    first = (plies[met == 5] < 2).mean()
    share = (ply[mine & (band_of == 5)] < 2).mean()
    assert abs(first - share) < 5 * np.sqrt(share * (1 - share) / (met == 5).sum())
