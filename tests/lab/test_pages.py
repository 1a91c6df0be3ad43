"""The pages of results that are committed are those of their files, by the code there is."""

from dataclasses import replace
from pathlib import Path

import pytest

from evenmatch.errors import UsageError
from evenmatch_lab import NAMES, get_experiment
from evenmatch_lab.pages import page_of, publish
from evenmatch_lab.provenance import version_of
from evenmatch_lab.result_files import ResultFile
from evenmatch_lab.runner import Experiment, Part, is_done, run
from evenmatch_lab.standing import networks_in, standing

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PATHS = [*(RESULTS / f"{name}.json" for name in NAMES), RESULTS / "fide" / "estimator.json"]
FILES = [path for path in PATHS if path.exists()]


def without_changes(page):
    """A page but for what has changed since, which every edit of code may change."""
    paragraphs = page.split("\n\n")
    return [text for text in paragraphs if not text.startswith("Changed since then: ")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RESULTS)))
def test_committed_pages_are_those_of_their_results(path):
    """After an edit of a page's code: evenmatch experiment NAME --pages."""
    experiment, kept = get_experiment(path.stem), ResultFile.read(path)
    if not experiment.reads_games:
        parts = experiment.parts(False)
        if any(key not in parts or not is_done(key, parts, kept.rows) for key in kept.parts):
            pytest.skip("its settings have changed: it is to be run anew, as --status says")
    page = page_of(experiment, kept, path.stem)
    assert without_changes(path.with_suffix(".md").read_text()) == without_changes(page)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RESULTS)))
def test_committed_results_say_what_made_them(path):
    kept = ResultFile.read(path)
    assert kept.command.startswith(f"evenmatch experiment {path.stem}")
    assert [row for row in kept.rows.values() if not {"code", "date"} <= row.keys()] == []
    for version, modules in kept.versions.items():
        assert version_of(modules) == version
    named = {name for row in kept.rows.values() for name in networks_in(row["settings"])}
    assert named or not kept.rows, "no network is named"


def one_part(quick):
    return {"a": Part({"network": "0123456789abcdef"}, lambda progress, done: {"number": 4})}


ONE = Experiment("one", "One part", one_part, lambda rows: [f"{rows['a']['number']} found"])


@pytest.fixture
def made(tmp_path):
    run(ONE, tmp_path)
    return tmp_path / "one.json"


def test_a_page_says_what_made_it(made):
    row = ResultFile.read(made).parts["a"]
    text = made.with_suffix(".md").read_text()
    assert text.startswith("# One part\n\nCommand: `evenmatch experiment one`.\nMade: ")
    for told in (row["date"], row["machine"], row["code"], "`01234567`"):
        assert told in " ".join(text.split())


def test_a_page_is_written_from_results_alone(made):
    before = made.with_suffix(".md").read_text()
    made.with_suffix(".md").unlink()
    assert publish(ONE, made).read_text() == before
    reworded = replace(ONE, page=lambda rows: ["Other words"])
    assert publish(reworded, made).read_text().endswith("Other words\n")


def test_no_page_is_written_without_results(tmp_path):
    with pytest.raises(UsageError, match="run the experiment"):
        publish(ONE, tmp_path / "one.json")


def two_parts(quick):
    return one_part(quick) | {"b": Part({}, lambda progress, done: {"number": 5})}


def test_a_page_that_cannot_be_written_of_some_parts_waits_for_more(tmp_path):
    both = replace(ONE, parts=two_parts, page=lambda rows: [rows["b"]["number"]], plot=no_plot)
    text = run(both, tmp_path, minutes=0).read_text()
    assert text.endswith("**0 of 2 parts are done**; the command goes on from here.\n\n" + LATER)
    with pytest.raises(KeyError):
        page_of(both, ResultFile(parts={"a": {"settings": {}}}), "one")


LATER = "The tables follow when more parts are done.\n"


def no_plot(rows, path):
    raise AssertionError("nothing is to be drawn of some parts")


def changed_since(kept, **code):
    """What is said of results whose experiment reaches this code now."""
    later = type("Later", (), {"code": lambda self: code})()
    return standing(later, kept).since


def test_a_page_names_what_has_changed(made):
    kept = ResultFile.read(made)
    kept.parts["a"]["code"] = kept.keep({"evenmatch.arena": "1", "evenmatch.search.puct": "2"})
    networks = "Changed since then: network `01234567`, which ships no more"
    assert changed_since(kept, **{"evenmatch.arena": "1", "evenmatch.search.puct": "2"}) == (
        f"{networks}."
    )
    kept.command += " --net other.onnx"
    assert changed_since(kept, **{"evenmatch.arena": "1", "evenmatch.search.puct": "2"}) == ""
    assert changed_since(kept, **{"evenmatch.arena": "1", "evenmatch.search.puct": "3"}) == (
        "Changed since then: `search.puct`."
    )
    many = {f"evenmatch.search.m{n}": str(n) for n in range(3, 10)} | {"evenmatch.arena": "0"}
    assert changed_since(kept, **many) == ("Changed since then: 8 modules of `arena`, `search`.")
    kept.parts["a"]["code"] = "0000"
    assert "the code of 1 parts was not kept" in changed_since(kept)
