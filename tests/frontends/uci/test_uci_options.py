"""The table of options, as it is told and as it is set."""

import re

import pytest

from evenmatch.errors import UsageError
from evenmatch.frontends.uci.options import METHODS, OPTIONS, Settings, options_with
from evenmatch.players.rated import RATED

DECLARED = re.compile(
    r"option name [\w ]+ type (check default (true|false)|spin default -?\d+ min -?\d+ max -?\d+"
    r"|combo default \w+( var \w+)+|string default \S+|button)"
)


@pytest.mark.parametrize("name", OPTIONS)
def test_declared_as_the_interface_asks(name):
    assert DECLARED.fullmatch(OPTIONS[name].declared(name))


def test_methods_are_the_players_of_a_rating():
    assert set(METHODS) == set(RATED)


def test_values_are_set_by_names_in_any_case():
    settings = Settings()
    assert settings.change("uci_elo", "1234") == "UCI_Elo"
    settings.change("UCI_LimitStrength", "True")
    settings.change("WeightsFile", "some file.onnx")
    settings.change("Method", METHODS[-1].upper())
    assert settings["UCI_Elo"] == 1234
    assert settings["UCI_LimitStrength"] is True
    assert settings["WeightsFile"] == "some file.onnx"
    assert settings["Method"] == METHODS[-1]
    settings.change("WeightsFile", "<empty>")
    assert settings["WeightsFile"] is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("Contempt", "5", "no option 'Contempt'"),
        ("UCI_Elo", "5000", "outside 700 to 2500; choose one inside"),
        ("UCI_Elo", "strong", "not a whole number"),
        ("Ponder", "maybe", "not one of true, false"),
        ("Method", "magic", "not one of"),
    ],
)
def test_values_that_are_refused(name, text, message):
    settings = Settings()
    with pytest.raises(UsageError, match=message):
        settings.change(name, text)
    assert settings == Settings()


def test_other_defaults_are_declared_and_begun_with():
    options = options_with({"UCI_Elo": "1200", "method": "se"})
    assert options["UCI_Elo"].declared("UCI_Elo").endswith("default 1200 min 700 max 2500")
    assert Settings(options)["Method"] == "se"
    assert OPTIONS["UCI_Elo"].default == 1500
    with pytest.raises(UsageError, match="UCI_Elo 600 is outside 700 to 2500"):
        options_with({"UCI_Elo": "600"})
