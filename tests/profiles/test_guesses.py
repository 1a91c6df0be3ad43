import json
from dataclasses import replace

from evenmatch.profiles.accounts import HOUR, UNUSED, Accounts
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


def test_judges_have_numbers_and_no_names(profile):
    assert profile.guesses.guessers() == []
    profile.guesses.add("Ada", GUESS)
    profile.guesses.add("Bob", OTHER)
    profile.guesses.add("Ada", OTHER)
    assert profile.guesses.guessers() == [(0, [GUESS, OTHER]), (1, [OTHER])]


def test_guesses_go_with_the_person_and_keep_a_new_name(profile):
    profile.guesses.add("Ada", GUESS)
    profile.guesses.add("Bob", OTHER)
    profile.people.rename("Ada", "Grace")
    assert profile.guesses.of("Grace") == [GUESS]
    profile.people.delete("Grace")
    assert profile.guesses.of("Grace") == []
    assert [judge.guesses for judge in profile.guesses.guessers()] == [[OTHER]]


def test_a_guest_who_judged_is_kept(profile):
    class Clock:
        now = 1e9

        def __call__(self):
            return self.now

    clock = Clock()
    accounts = Accounts(profile._database, clock=clock)
    judging, looking = accounts.guest(), accounts.guest()
    profile.guesses.add(judging, GUESS)
    clock.now += HOUR + UNUSED
    accounts.tidy()
    assert profile.people.names() == [judging]
    assert looking not in profile.people.names()


def test_a_guess_as_json():
    """Its game is its own, whatever pairs ship now."""
    told = json.loads(json_of(GUESS))
    assert told.pop("when").startswith("2023-11-1")
    assert told == {"game": "go", "pair": "p1", "said": "g2", "sure": "certain", "right": True}
