import pytest

from evenmatch.errors import UsageError
from evenmatch.play.clock import Clock, read_clock


@pytest.mark.parametrize(
    ("text", "base", "increment"), [("5+3", 300, 3), ("0.5+0", 30, 0), ("90", 5400, 0)]
)
def test_time_controls(text, base, increment):
    clock = read_clock(text)
    assert (clock.base, clock.increment, clock.left) == (base, increment, {1: base, -1: base})


@pytest.mark.parametrize("text", ["", "5+", "+3", "-5+3", "0+5", "5:00", "5+3+1", "9999+1", "٥+٣"])
def test_what_is_no_time_control(text):
    with pytest.raises(UsageError, match="write minutes\\+seconds, such as --time 5\\+3"):
        read_clock(text)


def test_time_is_spent_and_added():
    clock = Clock(300, 3)
    clock.spend(1, 12.5)
    clock.moved(1)
    assert clock.left == {1: 290.5, -1: 300}
    clock.spend(-1, 999)
    assert clock.left[-1] == 0
    assert (clock.text(1), clock.text(-1)) == ("4:50", "0:00.0")
    assert Clock(9.96, 0).text(1) == "0:09.9"
    assert Clock(300, 3).control == "300+3"
