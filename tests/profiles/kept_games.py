"""A game with all that is kept of one, and how it is kept."""

from dataclasses import replace

from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome

GAME = Saved(
    game="connect4", opponent="random", side=-1, seed=7, actions=(3, 3, 0),
    marks=("given", "", "hint"), hints=((3, 3, 0), (3, 3, 1)), clock=(60.0, 1.0, 50.5, 3.25),
    seen=3, pace=0.5, person="Ada", forgets=True, disputed=True,
    states={"1": {"z": 0.5}, "3": {"z": -0.125}},
)  # fmt: skip


def keep(profile, saved, leave=True):
    place = profile.games.take(saved.game)
    place.save(saved)
    if leave:
        place.leave()
    return place


LOST = Outcome(-1, "resignation")


def finished(ended=1.0, outcome=LOST, **changed):
    """A finished game."""
    saved = replace(GAME, states={}, **changed)
    return Finished(saved=saved, outcome=outcome, begun=0.0, ended=float(ended))
