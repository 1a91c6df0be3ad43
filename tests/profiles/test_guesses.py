import json
from dataclasses import replace

from evenmatch.profiles.people import Guess, json_of

GUESS = Guess(pair="p1", said="g2", sure="certain", right=True, when=1_700_000_000.5, game="go")
OTHER = Guess("p2", "g3", "guess", False, 1_700_000_060.0, "chess")


def test_what_somebody_said_is_kept_in_order(profile):
    assert profile.guesses.of("Ada") == []
    assert not profile.folder.exists(), "to look writes nothing"
    assert profile.guesses.add("Ada", OTHER)
    assert profile.guesses.add("ada", GUESS)
    assert profile.guesses.of("ADA") == [GUESS, OTHER]
    assert profile.people.names() == ["Ada"]


def test_the_first_guess_of_a_pair_stays(profile):
    profile.guesses.add("Ada", GUESS)
    assert not profile.guesses.add("Ada", replace(GUESS, said="g1", right=False))
    assert profile.guesses.of("Ada") == [GUESS]
    assert profile.guesses.add("Bob", replace(GUESS, right=False)), "others are asked it too"


def test_a_guess_as_json():
    """Its game is its own, whatever pairs ship now."""
    told = json.loads(json_of(GUESS))
    assert told.pop("when").startswith("2023-11-1")
    assert told == {"game": "go", "pair": "p1", "said": "g2", "sure": "certain", "right": True}
