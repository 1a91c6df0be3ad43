"""When the engine gives up."""

from evenmatch.frontends.gtp.resigning import Resigning
from evenmatch.frontends.gtp.settings import Settings
from evenmatch.sessions.resigning import BELOW, TURNS


def after(values, handicap=0, **settings):
    """What is decided at each turn of Black."""
    resigning = Resigning(Settings(**settings))
    return [resigning.resigns(1, value, handicap) for value in values]


def test_it_takes_three_lost_turns_in_a_row():
    assert after([-0.95, -0.95, -0.8, -0.95, -0.95, -0.95]) == [False] * 5 + [True]


def test_it_gives_up_when_opponents_in_the_terminal_do():
    """The settings cannot say so themselves: they are read before anything heavy is loaded."""
    assert (Settings().resign_below, Settings().resign_turns) == (BELOW, TURNS)


def test_it_does_not_where_it_must_not():
    lost = [-1.0] * 5
    assert not any(after(lost, resigns=False))
    assert not any(after(lost, handicap=4))
    assert not any(after([None] * 5))
    assert after(lost, resign_turns=1)[0]


def test_sides_are_counted_apart():
    resigning = Resigning(Settings(resign_turns=2))
    assert not resigning.resigns(1, -1.0, 0)
    assert not resigning.resigns(-1, -1.0, 0)
    resigning.restart()
    assert not resigning.resigns(1, -1.0, 0)
    assert resigning.resigns(1, -1.0, 0)
