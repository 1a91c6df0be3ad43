"""Pairs of games of which one is a program's: shown without the answer, judged once."""

import json
from dataclasses import replace

import pytest
from frontends.web.conftest import serving

from evenmatch.frontends.web import pairs_page
from evenmatch.frontends.web.pairs_page import GuessRequest, judged, next_pair
from evenmatch.profiles import Profile
from evenmatch.records.pairs import shipped_pairs

BY_ID = shipped_pairs().by_id
SHORT = replace(
    shipped_pairs(),
    by_id={
        id_: replace(
            pair,
            people=replace(pair.people, moves=pair.people.moves[:1]),
            program=replace(pair.program, moves=pair.program.moves[:1]),
        )
        for id_, pair in BY_ID.items()
    },
)


def shown(visitor) -> dict:
    answer = visitor.get("/api/pair")
    assert answer.status_code == 200, answer.text
    return answer.json()


def judge(visitor, pair: dict, right: bool = True, sure: str = "certain"):
    program, people = BY_ID[pair["id"]].program.id, BY_ID[pair["id"]].people.id
    return visitor.post("/api/pair", id=pair["id"], said=program if right else people, sure=sure)


def test_a_pair_is_judged_and_the_next_one_follows(visitor, tmp_path):
    first = shown(visitor)
    assert first["score"] == {"right": 0, "judged": 0, "left": len(BY_ID)}
    told = judge(visitor, first["pair"]).json()
    pair = BY_ID[first["pair"]["id"]]
    name, _, rating = pair.player.partition(":elo=")
    assert told["right"] is True
    assert told["program"] == pair.program.id
    assert told["player"] == f"{name} at {rating}".replace(",scale=lichess-rapid", "")
    assert told["score"] == {"right": 1, "judged": 1, "left": len(BY_ID) - 1}
    second = shown(visitor)
    assert second["pair"]["id"] != first["pair"]["id"]
    assert judge(visitor, second["pair"], right=False).json()["right"] is False
    profile = Profile(tmp_path)
    kept = profile.guesses.of("Ann")
    assert [(one.pair, one.right, one.sure) for one in kept] == [
        (first["pair"]["id"], True, "certain"),
        (second["pair"]["id"], False, "certain"),
    ]
    profile.close()


def test_every_pair_is_shown_once(tmp_path, monkeypatch):
    """Their games are cut to a move, which is quicker to replay."""
    monkeypatch.setattr(pairs_page, "shipped_pairs", lambda: SHORT)
    profile, seen = Profile(tmp_path), []
    while (pair := next_pair(profile, "Ann")["pair"]) is not None and len(seen) < len(BY_ID):
        seen.append(pair["id"])
        judged(profile, "Ann", GuessRequest(pair["id"], BY_ID[pair["id"]].people.id, "guess"))
    assert pair is None
    assert sorted(seen) == sorted(BY_ID)
    assert next_pair(profile, "Ann")["score"] == {"right": 0, "judged": len(BY_ID), "left": 0}
    profile.close()


def test_a_pair_does_not_tell_the_answer(visitor):
    """Both games have the same fields and as many moves, and no word names a player."""
    sides = []
    for _ in range(30):
        answer = visitor.get("/api/pair")
        pair = answer.json()["pair"]
        one, other = pair["games"]
        assert one.keys() == other.keys()
        for field in ("moves", "boards", "id"):
            assert len(one[field]) == len(other[field])
        assert [move["mark"] for move in one["moves"]] == [move["mark"] for move in other["moves"]]
        for name in ("program", "people", "player", "elo="):
            assert name not in answer.text
        sides.append([game["id"] for game in pair["games"]].index(BY_ID[pair["id"]].program.id))
        judge(visitor, pair)
    assert 3 < sum(sides) < 27, "beyond this with a chance of 1e-5, were the lots not fixed"


def test_people_see_the_pairs_in_orders_of_their_own(tmp_path):
    orders = []
    for person in ("Ann", "Bob"):
        with serving(tmp_path / person, person) as visitor:
            seen = []
            for _ in range(5):
                seen.append(shown(visitor)["pair"])
                judge(visitor, seen[-1])
            orders.append([pair["id"] for pair in seen])
    assert orders[0] != orders[1]


def test_a_pair_is_judged_once(visitor, tmp_path):
    pair = shown(visitor)["pair"]
    assert judge(visitor, pair, right=False).status_code == 200
    again = judge(visitor, pair, right=True)
    assert again.status_code == 409
    assert "judged this pair already" in again.json()["error"]
    profile = Profile(tmp_path)
    assert [one.right for one in profile.guesses.of("Ann")] == [False]
    profile.close()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"id": "nonsense"}, "no such pair"),
        ({"id": {"a": 1}}, "id cannot be read"),
        ({"said": "left"}, "which of the two games"),
        ({"sure": "very"}, "guess, fairly sure or certain"),
    ],
)
def test_nonsense_is_refused_and_not_kept(visitor, wrong, error):
    pair = shown(visitor)["pair"]
    asked = {"id": pair["id"], "said": pair["games"][0]["id"], "sure": "guess"} | wrong
    answer = visitor.post("/api/pair", **asked)
    assert answer.status_code == 400
    assert error in answer.json()["error"]
    assert shown(visitor)["score"]["judged"] == 0


def test_guesses_are_exported_and_deleted_with_the_person(visitor):
    pair = shown(visitor)["pair"]
    judge(visitor, pair, sure="fairly sure")
    [line] = visitor.get("/api/me/export").text.splitlines()
    kept = json.loads(line)
    assert (kept["pair"], kept["sure"], kept["right"]) == (pair["id"], "fairly sure", True)
    assert kept["game"] == "chess"
    assert visitor.me()["exports"] == ["json"]
    assert "play Chess, or download JSON" in visitor.get("/api/me/export?form=pgn").text
    told = "play 9x9 Go or 13x13 Go or Go, or download JSON"
    assert told in visitor.get("/api/me/export?form=sgf").text
    deleted = visitor.client.request(
        "DELETE", "/api/me", json={"name": "Ann"}, headers={"x-evenmatch": "1"}
    )
    assert deleted.status_code == 200, deleted.text
    assert visitor.me()["exports"] == []
    answer = visitor.get("/api/me/export")
    assert answer.status_code == 400
    assert answer.json()["error"] == "there is nothing to download yet; finish a game"
    assert shown(visitor)["score"]["judged"] == 0
