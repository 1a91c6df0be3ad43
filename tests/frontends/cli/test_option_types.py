import pytest
import typer

from evenmatch.frontends.cli.program import number, whole


@pytest.mark.parametrize("text", ["1_0", "x", "", "1.5", "١", "9" * 5000, "0", "11", "-1"])
def test_numbers_that_are_refused(text):
    with pytest.raises(typer.BadParameter):
        whole(1, 10)(text)


def test_numbers_that_are_read():
    assert [whole(0, 10)(text) for text in ("0", "+3", "10", 4)] == [0, 3, 10, 4]


@pytest.mark.parametrize("text", ["x", "", "nan", "inf", "1,5"])
def test_what_is_no_number(text):
    with pytest.raises(typer.BadParameter, match="write a number"):
        number(text)


def test_numbers_with_a_point_are_read():
    assert [number(text) for text in ("-5.5", "+3", "7", 0.5)] == [-5.5, 3.0, 7.0, 0.5]
