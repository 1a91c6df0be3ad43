"""What a network says, as KataGo prints it: ``kata-raw-nn``, ``kata-raw-human-nn``, profiles."""

import re

import numpy as np
import pytest
from katago_reference import MODERN, RANDOM, positions_of
from shared_data import needs, shared_file
from test_gtp_engine import Talk

from evenmatch.frontends.gtp.commands import converse

FIELDS = ("whiteWin", "whiteLoss", "noResult", "whiteLead", "whiteScoreSelfplay")
ERRORS = ("whiteScoreSelfplaySq", "varTimeLeft", "shorttermWinlossError", "shorttermScoreError")
#: Rules that the engine does not play.
REFUSED = ("japanese",)


def answers(text):
    """Return the answers by symmetry: names of fields -> numbers."""
    found = {}
    for part in re.split(r"^symmetry ", text, flags=re.M)[1:]:
        symmetry, *words = part.split()
        fields = found[int(symmetry)] = {}
        for word in words:
            if re.fullmatch("[a-z][A-Za-z]+", word):
                name = word
                fields[name] = []
            else:
                fields[name].append(float(word))
    return found


@pytest.fixture
def talk():
    talk = Talk("go")
    talk.ask("boardsize 5")
    yield talk
    talk.engine.close()


def foreign(name, **others):
    """An engine with a random network."""
    said = []
    path = str(shared_file(f"{RANDOM}/{name}.bin.gz"))
    talk = Talk("go")
    talk.said, talk.engine = said, converse(said.append, "go", weights=path, **others)
    return talk


def set_up(talk, position):
    for line in (
        f"boardsize {position['size']}",
        f"kata-set-rules {position['rules']}",
        f"komi {position['komi']}",
        "clear_board",
        *([f"fixed_handicap {position['handicap']}"] * bool(position["handicap"])),
        *(f"play {move}" for move in position["moves"]),
    ):
        talk.ask(line)


def assert_as_katago(fields, position, optimistic=False):
    """Compare with an answer of KataGo's, which prints so many places."""
    end = "_optimistic" if optimistic else ""
    for name in FIELDS:
        assert fields[name] == pytest.approx([position[name]], abs=2e-3)
    for name in ERRORS:
        assert fields[name] == pytest.approx([position[name]], rel=1e-3, abs=2e-3)
    policy = np.array(position[f"policy{end}"], float)
    np.testing.assert_allclose(fields["policy"], policy, atol=1e-4)
    np.testing.assert_allclose(fields["policyPass"], position[f"policy_pass{end}"], atol=1e-4)
    np.testing.assert_allclose(fields["whiteOwnership"], position["white_ownership"], atol=1e-4)


@needs(MODERN, RANDOM)
@pytest.mark.parametrize("name", ["res-v8", "nbt-q-v16", "nbt-suicidearea-v17"])
def test_answers_are_those_of_katago(name):
    talk = foreign(name)
    seen = 0
    for position in positions_of(name):
        if position["rules"] in REFUSED or position["size"] > 13:
            continue
        set_up(talk, position)
        assert_as_katago(answers(talk.ask("kata-raw-nn 0"))[0], position)
        if position.get("policy_optimistic"):
            got = talk.ask("kata-raw-nn 0 1")
            assert_as_katago(answers(got)[0], position, optimistic=True)
            talk.ask("kata-set-param rootPolicyOptimism 1")
            assert talk.ask("kata-raw-nn 0") == got
            talk.ask("kata-set-param rootPolicyOptimism 0")
        seen += 1
    assert seen
    talk.engine.close()


@needs(MODERN, RANDOM)
def test_profiles_are_those_of_katago():
    talk = foreign("nbt-meta-v15")
    for position in positions_of("nbt-meta-v15"):
        if position["rules"] in REFUSED or position["size"] > 13:
            continue
        set_up(talk, position)
        talk.ask(f"kata-set-param humanSLProfile {position['profile']}")
        assert talk.ask("kata-get-param humanSLProfile") == position["profile"]
        assert_as_katago(answers(talk.ask("kata-raw-nn 0"))[0], position)
        fields = answers(talk.ask("kata-raw-human-nn 0"))[0]
        assert fields["whiteScore"] == pytest.approx([position["whiteScoreSelfplay"]], abs=2e-3)
        assert "varTimeLeft" not in fields
        policy = np.array(position["policy"], float)
        np.testing.assert_allclose(fields["policy"], policy, atol=1e-4)
    talk.engine.close()


@needs(RANDOM)
def test_people_may_have_a_network_of_their_own():
    people = str(shared_file(f"{RANDOM}/nbt-meta-v15.bin.gz"))
    one, two = foreign("res-v8", people=people), foreign("nbt-meta-v15")
    for talk in (one, two):
        talk.ask("boardsize 5")
        talk.ask("kata-set-param humanSLProfile rank_3d_12k")
    assert one.ask("kata-raw-human-nn 0") == two.ask("kata-raw-human-nn 0")
    assert one.ask("kata-raw-nn 0") != two.ask("kata-raw-nn 0")
    for talk in (one, two):
        talk.engine.close()


def test_it_is_written_as_katago_writes_it(talk):
    talk.ask("play b c3")
    lines = talk.ask("kata-raw-nn 0").splitlines()
    names = [re.match(r"\w*", line)[0] for line in lines if re.match("[a-z]", line)]
    assert names == [
        "symmetry", *FIELDS, *ERRORS, "policy", "policyPass", "whiteOwnership"
    ]  # fmt: skip
    assert re.fullmatch(r"whiteWin 0\.\d{6}", lines[1])
    assert re.fullmatch(r"(0\.\d{6} ){5}", lines[11])
    assert "    NAN " in lines[13]
    assert re.fullmatch(r"policyPass 0\.\d{6} ", lines[16])
    assert len(lines) == 23


def test_all_symmetries_are_shown(talk):
    found = answers(talk.ask("kata-raw-nn all"))
    assert list(found) == list(range(8))
    for fields in found.values():
        assert fields["policy"] == pytest.approx(found[0]["policy"], abs=0.05)
        assert sum(fields["policy"] + fields["policyPass"]) == pytest.approx(1, abs=1e-4)


def test_our_own_network_of_people_knows_ranks(talk):
    talk.ask("boardsize 9")
    talk.ask("kata-set-param humanSLProfile rank_20k")
    weak = answers(talk.ask("kata-raw-human-nn 0"))[0]
    talk.ask("kata-set-param humanSLProfile rank_9d")
    strong = answers(talk.ask("kata-raw-human-nn 0"))[0]
    assert weak["policy"] != strong["policy"]
    talk.ask("kata-set-param humanSLProfile proyear_1990")
    assert "use KataGo's human network" in talk.refused("kata-raw-human-nn 0")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("kata-raw-nn", "syntax error"),
        ("kata-raw-nn 8", "is not a symmetry; write 0 to 7, or all"),
        ("kata-raw-nn 0 2", "optimism is a number from 0 to 1"),
        ("kata-raw-nn 0 x", "syntax error"),
        ("kata-raw-human-nn 0", "humanSLProfile is not set; send, for example: kata-set-param"),
        ("kata-set-param humanSLProfile rank_40k", "no profile 'rank_40k'; write rank_8k"),
    ],
)
def test_what_is_wrong_is_named(talk, line, why):
    assert why in talk.refused(line)


def test_a_profile_is_taken_back(talk):
    talk.ask("kata-set-param humanSLProfile preaz_5k")
    assert '"humanSLProfile": "preaz_5k"' in talk.ask("kata-get-params")
    talk.ask("kata-set-param humanSLProfile")
    assert talk.ask("kata-get-param humanSLProfile") == ""


def test_rules_are_told_to_networks_alone(talk):
    """Ko and suicide are inputs of networks; what is in force stays as it is."""
    told = [talk.ask("kata-raw-nn 0")]
    for rules in ("chinese", "aga", "tromp-taylor", '{"ko":"SIMPLE","suicide":true}'):
        talk.ask(f"kata-set-rules {rules}")
        assert '"ko": "POSITIONAL"' in talk.ask("kata-get-rules")
        told.append(talk.ask("kata-raw-nn 0"))
    assert len(set(told)) == 5
    assert talk.refused('kata-set-rules {"ko":"SOMETIMES"}') == "syntax error"


def test_suicides_are_shown_where_they_are_legal(talk):
    for point in ("a3", "b2", "c1"):
        talk.ask(f"play w {point}")
    talk.ask("play b a1")
    talk.ask("play w pass")
    talk.ask("play b a2")  # b1 would now fill the last liberty of Black's own
    talk.ask("play w e5")
    talk.ask("kata-set-rules aga")
    assert np.isnan(answers(talk.ask("kata-raw-nn 0"))[0]["policy"][21])
    talk.ask("kata-set-rules new-zealand")
    assert answers(talk.ask("kata-raw-nn 0"))[0]["policy"][21] > 0


@needs(RANDOM)
def test_a_player_takes_networks_and_profiles():
    """``--rank``, ``--human-net`` and ``--weights``; a profile changes whose moves it plays."""
    people = str(shared_file(f"{RANDOM}/nbt-meta-v15.bin.gz"))
    talk = foreign("res-v8", people=people, player="pikl:rank=8k,sims=2")
    talk.ask("boardsize 9")
    assert re.fullmatch("[A-J][1-9]|pass", talk.ask("genmove b"))
    thinker, game = talk.engine.thinker, talk.line.game
    numbers = thinker.load_opponent(game)[1].numbers
    assert (numbers["net"], numbers["rank"]) == (people, "8k")
    assert numbers["search_net"].endswith("res-v8.bin.gz")
    for profile, rank, scale in (("preaz_3d", "3d", "preaz"), ("proyear_1990", "1990", "proyear")):
        talk.ask(f"kata-set-param humanSLProfile {profile}")
        talk.ask("genmove w")
        numbers = thinker.load_opponent(game)[1].numbers
        assert (numbers["rank"], numbers["scale"], numbers["sims"]) == (rank, scale, 2)
    alone = foreign("res-v8", player="pikl:rank=8k,sims=2")
    alone.ask("boardsize 9")
    numbers = alone.engine.thinker.load_opponent(alone.line.game)[1].numbers
    assert numbers["net"] is None
    assert numbers["search_net"].endswith("res-v8.bin.gz")
    alone.engine.close()
    talk.ask("kata-set-param humanSLProfile rank_3d_5k")
    assert thinker.load_opponent(game)[1].numbers["rank"] == "8k"
    talk.engine.close()


@needs(RANDOM)
def test_a_search_is_of_the_profile_too():
    """At full strength by the human network, whose policy is that of the profile."""
    talk = foreign("nbt-meta-v15")
    talk.ask("boardsize 5")

    def priors():
        tree = talk.engine.thinker.rooted(talk.line)
        tree.grow(2, lambda: False)
        return tree.stats().priors[0]

    unknown = priors()
    talk.ask("kata-set-param humanSLProfile preaz_9d")
    wanted = answers(talk.ask("kata-raw-human-nn 0"))[0]
    np.testing.assert_allclose(priors()[:25], wanted["policy"], atol=0.02)
    assert np.abs(priors() - unknown).max() > 0.02
    talk.engine.close()
