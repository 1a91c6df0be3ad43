"""Settings and parameters."""

import pytest

from evenmatch.frontends.gtp.protocol import GtpError
from evenmatch.frontends.gtp.settings import PARAMETERS, Settings, change, get


@pytest.mark.parametrize("name", PARAMETERS)
def test_what_is_told_can_be_set(name):
    settings = Settings()
    told = get(settings, name)
    change(settings, name, told)
    assert settings == Settings()


def test_changes():
    settings = Settings()
    change(settings, "maxVisits", "50")
    change(settings, "allowResignation", "false")
    change(settings, "resignThreshold", "-0.5")
    assert (settings.max_visits, settings.resigns, settings.resign_below) == (50, False, -0.5)


@pytest.mark.parametrize(
    ("name", "word", "message"),
    [
        ("maxvisits", "5", "no parameter 'maxvisits'"),
        ("maxVisits", "many", "syntax error"),
        ("maxVisits", "99999999", "outside 0 to 1e"),
        ("resignThreshold", "-2", "outside -1 to 1"),
        ("allowResignation", "maybe", "syntax error"),
    ],
)
def test_changes_that_are_refused(name, word, message):
    settings = Settings()
    with pytest.raises(GtpError, match=message):
        change(settings, name, word)
    assert settings == Settings()
