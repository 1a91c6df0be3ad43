"""Strangers: two sets of families, all of whom move."""

import pytest
from some_turns import first_turns

from evenmatch.games import get_game
from evenmatch.opponents import Engine, parse_spec, resolve
from evenmatch.play.arena import play_match
from evenmatch_lab.shared import strangers
from evenmatch_lab.shared.strangers import EVERYBODY, HELD_OUT, TUNING, is_installed, programs_of

CHANGING = "changing:first=minimax2:depth=3,then=random"
QUICKLY = [
    (game_id, one)
    for game_id in EVERYBODY
    for held_out in (False, True)
    for one in strangers.strangers(game_id, held_out, quick=True)
]


def test_families_are_fitted_on_or_held_out():
    assert not TUNING.keys() & HELD_OUT.keys()
    used = {one.family for some in EVERYBODY.values() for one in some}
    assert used == TUNING.keys() | HELD_OUT.keys()


@pytest.mark.parametrize("game_id", EVERYBODY)
def test_twenty_are_held_out_and_all_have_specs_of_their_own(game_id):
    held_out = [one for one in EVERYBODY[game_id] if one.family in HELD_OUT]
    assert len(held_out) >= 20
    everybody = EVERYBODY[game_id]
    assert len({one.name for one in everybody}) == len({one.spec for one in everybody})
    assert len({one.name for one in everybody}) == len(everybody)
    for one in everybody:
        parse_spec(one.spec)
        resolve(one.spec, get_game(game_id))


@pytest.mark.parametrize(("game_id", "one"), QUICKLY, ids=lambda one: getattr(one, "name", one))
def test_one_of_each_family_moves(game_id, one):
    moved(game_id, one.spec)


@pytest.mark.parametrize(
    "name",
    ["Fairy-Max, depth 1", "HoiChess, depth 1", "Sjeng, depth 1", "GNU Chess, depth 1",
     "Toga, depth 1", "Glaurung, depth 2", "Ethereal, depth 1", "Phalanx, 0 centipawns off"],
)  # fmt: skip
def test_chess_programs_of_debian_move(name):
    spec = next(one.spec for one in EVERYBODY["chess"] if one.name == name)
    for program in programs_of(spec):
        if not is_installed(program):
            pytest.skip(f"{program} is not installed")
    moved("chess", spec)


def moved(game_id, spec):
    """Let the player of a spec move."""
    game = get_game(game_id)
    [turn] = first_turns(game)
    [found] = Engine(game).think([(resolve(spec, game), turn)])
    assert game.legal_mask(turn.line.states[-1:])[0][found.action]


def test_a_spec_within_another_has_semicolons_and_its_programs_are_found():
    spec = "noisy:of=engine:cmd=env HOME=/dev/null sjeng;depth=1,share=0.5"
    assert programs_of(spec) == ("sjeng",)
    assert not is_installed("no-such-program")


def test_random_moves_come_as_often_as_asked_and_the_same_again():
    """Without any it is the player itself, with all it is random; equal seeds, equal games."""
    game = get_game("connect4")
    itself = play_match("noisy:of=minimax1:depth=2;quirks=on,share=0", "minimax1:depth=2,quirks=on",
                        game, games=2, seed=1)  # fmt: skip
    plain = play_match("minimax1:depth=2,quirks=on", "minimax1:depth=2,quirks=on", game, games=2,
                       seed=1)  # fmt: skip
    assert itself.score == plain.score
    weak, some = (
        play_match(f"noisy:of=minimax2:depth=3,share={share}", "random", game, games=20, seed=1)
        for share in (1, 0.1)
    )
    again = play_match("noisy:of=minimax2:depth=3,share=0.1", "random", game, games=20, seed=1)
    assert weak.score.wins < some.score.wins == again.score.wins


def test_a_changing_player_changes_at_its_ply():
    """One that plays at random from the first ply is random; from the last it never is."""
    game = get_game("connect4")
    late, early = (
        play_match(f"{CHANGING},ply={ply}", "random", game, games=20, seed=1) for ply in (42, 0)
    )
    assert late.score.wins > 17 > early.score.wins
