"""Figures of the docs are those of the result files, and no result is written by hand."""

import re
from pathlib import Path

import pytest

from evenmatch.errors import UsageError
from evenmatch_lab.figures import MARKED, PENDING, SOURCES, Filler, pages
from evenmatch_lab.figures.texts import rounded, span, table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
FILLED = list(pages(ROOT))

#: Numbers that are names or terms, on all pages, and so no results.
TERMS = {
    r"(Othello )?(6x6|8x8)( Othello)?|9x9|13x13|19x19": "games",
    r"\bet al\. (19|20)\d\d|\b(19|20)\d\d\b": "years",
    r"MCTS[1-4]|AlphaDDA[1-3](-3)?('s)?( and 2's)?|Minimax[12]|Maia-1(500)?": "players",
    r"95%": "the level of intervals",
    r"\b[zK] = -?\d(\.\d)?|z = 2 and z = -2": "settings of methods",
    r"seed \d+|\d+ simulations|\d+ random (plies|games)|from ply \d+|until ply \d+": "settings",
    r"(50|0)% is guessing|0 is even": "what chance gives",
    r"(bands|classes|people) of \d+|(from|to) \d000|to 2600": "ratings",
    r"(tables?|figures?) \d+( to \d+)?": "of papers",
    r"\b(1250|1650|2150|2550)\b( \((D|B|Expert|Grandmaster)\))?": "middles of classes",
    r"c_1( = 0\.5| 0\.5)?": "a number that is set",
    r"bf16|bfloat16|float32": "a format",
    r"Stockfish 15\.1|\b2 (quiet )?cores|one core|Zen 4": "the machine and the engine",
}

#: Numbers of pages that are no results of our files, and why.
ALLOWED = {
    "README.md": {
        "at level 10": "a setting",
        "with 200 simulations a move": "a setting",
        "(the paper, on Go: 830 and 48)": "the paper's",
    },
    "docs/results/index.md": {
        "with 200 simulations a move": "a setting",
        "where the ratings span 1,400": "of the ratings",
        "at level 10": "a setting",
    },
    "docs/results/board-games.md": {
        "(aim: 200,000 on two)": "an aim",
        "(aim: 20;": "an aim",
        "256 trees, 400 nodes each": "a setting",
        "(256 trees": "a setting",
        "evaluations/s with one tree and  with 256": "a setting",
        "52,739 games of Lichess are 16.9 MB, 351,130 of FIDE players 55.7 MB (1.92 bytes a move), "
        "built in 17 s and 15 s": "facts of datasets, which no file has",
        "100 games with each of the eight (40 on": "a setting",
        "strays by 0.10 (one standard deviation, strangers; 0.16 on": "the binomial distribution",
        "is a mean of 0.15 and 0.25 against each": "an aim",
        "( of 2, like": "the range of values",
        "strays by about 0.03": "the binomial distribution",
        "250 games a point": "a setting",
        "threshold ratio 0.1": "a setting",
        "series of 200 games": "a setting",
        "of which the first 100": "a setting",
    },
    "docs/results/chess.md": {
        "98% of those asked about": "a fact of a dataset",
        "from 800 to 2600": "ratings",
        "from 800 on": "a rating",
        "values in [-1, 1]": "their range",
        "the band of 200": "a rating",
        "88.2%, on other games": "of another paper",
        "21,156 games where theirs had 1.9 million": "of a network's card and of the paper",
        "From 26 games of each person": "a setting",
        "900 steps": "a setting",
        "80% take 38, 21 and 15 games": "of the paper",
        "52,739 rated rapid ones": "a fact of a dataset",
        "(46.4% before": "of results that were replaced",
        "by 20 moves": "a setting",
        "600 positions": "a setting",
        "20,000 moves, fewer at 2400 and above": "a setting",
        "from -1 to 0.6 over eleven ranks": "of the paper",
        "threshold ratio of 0.03: with the usual 0.1": "a setting",
        "nothing tried loses enough at 1100, 3.9%": "of what was tried, in the notes",
        "and 400 at 2500;": "a setting",
        "have 100 at any": "a setting",
        "At 1100 its loss": "a rating",
        "within 1 point where its 90% interval lies inside ±1": "a rule",
        "(two one-sided tests, 5% each": "a rule",
        "with a chance of 80%": "a rule",
        "within 5 points of 50%": "a rule",
        "From 1500 on it loses more": "a rating",
        "1e-5 is the least that 100,000 draws tell": "a setting",
        "rank 1 is 2400 to 2599, 200 points a rank": "ratings",
        "±4, 100": "of binomials",
        "±5 to 14": "of binomials",
        "of ranks 3 and 4 alone": "ranks",
        "paper's, 2 for all": "of the paper",
        "around 1500": "where Elo is put",
        "seed 17": "a setting",
        "span 1,400": "of the ratings",
        "(500 of Lichess's": "a setting",
        "(points of 5,000 in 500 positions, ±196 to 219 at most)": "a setting, and of binomials",
        "span 1,300": "of the ratings",
        "(1 + value) / 2": "a formula",
        "even to 3% resigns at once in 34% of cases at 1500": "of the model's weights",
        "three turns in 4%": "of the model's weights",
        "at chances above 10%": "a setting",
        "first 20 own turns": "a setting",
        "own turns after falling to 5%": "a setting",
        "below 1200 the model": "ratings",
        "at 2200 and more too": "ratings",
        "to 5% games are given up as often with an increment as without one until ply 80 (66 and "
        "68 of 1,000 turns against 65 and 68)": "on the experiment's page",
        "**Resigning before ply 40.**": "a setting",
        "not before ply 40": "a setting",
        "evals say more than 10% in": "a setting",
        "more than 20% in": "a setting",
        "within 0.1 of 1/2 at four own turns in a row, from ply 80 on. Of 36 rules": "a setting",
        "at most 2% of decisive": "a setting",
        "in 1.5% of games": "a fact of a dataset",
        "fitted to 400 moves": "a setting",
        "judged on 400": "a setting",
        "gains less than 0.001 nats": "a setting",
        "20 own moves": "a setting",
        "There are 40 games": "a setting",
        "(38 in Expert and Grandmaster)": "openings that there are",
        "of 80 sides in D and B": "a setting",
        "recognised in 64%, 61%, 66% and 65%": "of results that were replaced",
        "both from 900 on": "a rating",
        "at 700 its moves": "a rating",
        "In games 700 is": "a rating",
        "weaker than 900, which is not told from 1100": "ratings",
        "500 moves each": "a setting",
        "With 7,995 further moves, c_1 = 0.5": "of what was tried, in the notes",
        "is 0.5 ± 0.4 above it": "of what was tried, in the notes",
    },
}


@pytest.mark.parametrize("path", FILLED, ids=lambda path: str(path.relative_to(ROOT)))
def test_figures_are_those_of_the_results(path):
    """After new results: python -m evenmatch_lab.figures."""
    text = path.read_text()
    assert Filler(RESULTS).filled(text) == text


@pytest.mark.parametrize("name", SOURCES)
def test_every_file_has_figures(name):
    if not (figures := Filler(RESULTS).figures(name)):
        pytest.skip("not all parts are measured yet, and the pages say so")
    assert all(figures.values())


def section(page):
    """What of a page tells of results."""
    text = (ROOT / page).read_text()
    if page == "README.md":
        text = text.partition("## How good it is\n")[2].partition("\n## ")[0]
    return text


def by_hand(page):
    """The text of a page without figures, code, links, and numbers that are no results."""
    text = re.sub(r"```.*?```", "", section(page), flags=re.DOTALL)
    for nothing in (MARKED, r"`[^`]*`", r"(?<=\])\([^)]*\)"):
        text = re.sub(nothing, "", text)
    text = re.sub(r"[ \n]+", " ", text)
    for words in ALLOWED.get(page, {}):
        pattern = re.sub(r"\\? +", r" ?", re.escape(words))
        text, count = re.subn(pattern, "", text)
        assert count, f"{page} no longer says: {words}"
    for pattern in TERMS:
        text = re.sub(pattern, "", text)
    return text


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/results/index.md", "docs/results/board-games.md", "docs/results/chess.md"],
)
def test_no_result_is_written_by_hand(page):
    """A result stands between comments, see evenmatch_lab.figures; other numbers are ALLOWED."""
    left = re.findall(r".{0,40}\d[\d.,%]*.{0,20}", by_hand(page))
    assert left == []


@pytest.mark.parametrize("path", FILLED, ids=lambda path: str(path.relative_to(ROOT)))
def test_comments_end_no_paragraph(path):
    """Markdown takes a line that begins with a comment for a paragraph of its own."""
    for line in path.read_text().split("\n"):
        if line.startswith("<!--"):
            assert re.fullmatch(r"<!--(f:\S+|f)-->", line), line


# -- the filler ----------------------------------------------------------------------------------


@pytest.fixture
def filler(tmp_path, monkeypatch):
    monkeypatch.setitem(SOURCES, "some", lambda found: {"n": found["n"], "t": "| a |\n|---|"})
    (tmp_path / "some.json").write_text('{"n": "5 of 6"}')
    return Filler(tmp_path)


def test_figures_are_filled_in_and_stay(filler):
    text = filler.filled("It won <!--f:some.n-->2 of 6<!--f--> games.")
    assert text == "It won <!--f:some.n-->5 of 6<!--f--> games."
    assert filler.filled(text) == text
    broken = "It won <!--f:some.n-->5\nof 6<!--f--> games."
    assert filler.filled(broken) == broken


def test_tables_stand_apart(filler):
    filled = "<!--f:some.t-->\n\n| a |\n|---|\n\n<!--f-->"
    assert filler.filled("\n<!--f:some.t--><!--f-->") == "\n" + filled
    assert filler.filled(f"Above.\n\n{filled}\n") == f"Above.\n\n{filled}\n"


def test_results_that_are_not_there_are_said_to_be_missing(filler, tmp_path):
    (tmp_path / "some.json").write_text("{}")
    assert filler.filled("<!--f:some.n-->5<!--f-->") == f"<!--f:some.n-->{PENDING}<!--f-->"


@pytest.mark.parametrize("name", ["some.other", "other.n"])
def test_unknown_figures_are_refused(filler, name):
    with pytest.raises(UsageError, match=r"no figure"):
        filler.filled(f"<!--f:{name}-->5<!--f-->")


def test_texts():
    assert [span([0.3, 0.1], ".1f"), span([2], "d"), span([1, 1.2], ".0f")] == [
        "0.1 to 0.3",
        "2",
        "1",
    ]
    assert [rounded(-0.04, 1), rounded(-0.06, 1)] == ["0.0", "-0.1"]
    assert table(["a", "b"], [["", ""], ["x", "1"]]) == "| a | b |\n|---|---:|\n| | |\n| x | 1 |"
