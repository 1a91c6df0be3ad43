"""What is known of the day of a game, and the moment by which it is put in order."""

import datetime
from dataclasses import replace

import pytest

from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome
from evenmatch.profiles.export import moment_of, since
from evenmatch.profiles.saved_game import RecordMetadata

SAVED = Saved(game="chess", opponent="Bob", side=1, seed=0, actions=())
NOON = datetime.datetime(2022, 3, 14, 12).timestamp()
OURS = Finished(saved=SAVED, outcome=Outcome(1, ""), begun=NOON, ended=NOON)


def from_elsewhere(date: str) -> Finished:
    return replace(OURS, imported=True, metadata=RecordMetadata(date=date))


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("2022-03-14", datetime.datetime(2022, 3, 14, 12)),
        ("2022-03", datetime.datetime(2022, 3, 16)),
        ("2022", datetime.datetime(2022, 7, 1)),
        ("", None),
        ("2999-01", None),
        ("0001-01-01", None),
    ],
)
def test_the_middle_of_what_is_known(date, moment):
    assert moment_of(date) == moment


@pytest.mark.parametrize(
    ("dates", "first"),
    [(("2022-05", "2023"), "2022-05"), (("2022-05", "2022"), "2022"), (("2022", ""), "")],
)
def test_since_when_games_are_known_to_be(dates, first):
    assert since(list(map(from_elsewhere, dates))) == first
