import json
import re
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends.cli import app
from evenmatch_lab import NAMES, experiments, get_experiment
from evenmatch_lab.pages import MADE, RESULTS, block_of, markers, table, with_block
from evenmatch_lab.runner import (
    HEADS,
    ORIGIN,
    Experiment,
    Part,
    ResultFile,
    block,
    fingerprint,
    is_done,
    provenance,
    publish,
    run,
    status,
    status_cells,
)

PAGES = Path(__file__).parents[2] / "docs" / "results"
STEMS = {one.stem: one for one in experiments()}
FILES = [p for p in sorted(PAGES.rglob("*.json")) if p.stem in STEMS]


def counting(calls, settings=1, fails=()):
    """An experiment of two parts that notes which of them run."""

    def part(name):
        def play(progress, done):
            if name in fails:
                raise KeyboardInterrupt
            calls.append(name)
            progress(1, 1)
            return {"number": calls.index(name)}

        return Part({"seed": settings}, play)

    def page(results):
        return [f"{key}: {row['number']}" for key, row in results.items()]

    return Experiment("counting", "Counting", lambda quick: {x: part(x) for x in "ab"}, page)


def tables(page):
    """The generated tables of a page."""
    return block_of(page.read_text(), RESULTS)


def test_a_finished_experiment_is_not_run_again(tmp_path):
    calls = []
    page = run(counting(calls), tmp_path)
    assert calls == ["a", "b"]
    assert tables(page) == "a: 0\nb: 1"
    run(counting(calls), tmp_path)
    assert calls == ["a", "b"]


def test_an_interrupted_experiment_goes_on(tmp_path):
    calls = []
    with pytest.raises(KeyboardInterrupt):
        run(counting(calls, fails=("b",)), tmp_path)
    kept = ResultFile.read(tmp_path / "counting.json")
    assert (list(kept.parts), kept.left) == (["a"], ["b"])
    half = "**1 of 2 parts are done**; the command resumes.\n\n"
    assert tables(tmp_path / "counting.md") == half + "a: 0"
    page = run(counting(calls), tmp_path)
    assert calls == ["a", "b"]
    assert tables(page) == "a: 0\nb: 1"


def test_other_settings_run_again_and_older_rows_are_kept_aside(tmp_path):
    calls = []
    run(counting(calls, settings=1), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(counting(calls, settings=2, fails=("b",)), tmp_path)
    kept = ResultFile.read(tmp_path / "counting.json")
    assert [list(kept.parts), kept.left, list(kept.aside)] == [["a"], ["b"], ["b"]]
    run(counting(calls, settings=1), tmp_path)
    assert calls == ["a", "b", "a", "a"]
    assert not ResultFile.read(tmp_path / "counting.json").left


def test_resuming_drops_no_row_that_stands_in_both_places(tmp_path):
    """The row on the page counts, the one set aside is older: in 2026 a file had nine of both."""
    page, calls = run(counting([]), tmp_path), []
    path = tmp_path / "counting.json"
    kept = ResultFile.read(path)
    kept.aside = {key: row | {"settings": {"seed": 0}} for key, row in kept.parts.items()}
    kept.write(path)
    measured = ResultFile.read(path).parts
    run(counting(calls, fails=("a", "b")), tmp_path)
    assert calls == []
    assert ResultFile.read(path).parts == measured
    assert tables(page) == "a: 0\nb: 1"


def test_a_long_chain_of_parts_each_of_which_needs_all_before(tmp_path):
    """To check again for each part whether those it needs are done would take 2^40 steps."""
    names = [str(k) for k in range(40)]
    chain = {
        key: Part({"seed": 1}, lambda progress, done: {"number": len(done)}, tuple(names[:k]))
        for k, key in enumerate(names)
    }
    run(replace(counting([]), parts=lambda quick: chain), tmp_path)
    kept = ResultFile.read(tmp_path / "counting.json")
    assert not kept.left
    assert [row["number"] for row in kept.parts.values()] == list(range(40))


def test_a_part_that_cannot_be_run_here_is_shown_and_not_due(tmp_path):
    run(counting([]), tmp_path)
    usual = counting([])
    absent = {"b": Part({"seed": 2}, None), "c": Part({"seed": 1}, None)}
    there = replace(usual, parts=lambda quick: usual.parts(quick) | absent)
    page = run(there, tmp_path)
    assert tables(page) == "a: 0\nb: 1", "whatever its settings are"
    kept = ResultFile.read(tmp_path / "counting.json")
    assert (list(kept.parts), kept.left, kept.aside) == (["a", "b"], [], {})


def test_no_part_begins_after_its_minutes(tmp_path):
    calls = []
    page = run(counting(calls), tmp_path, minutes=0)
    assert calls == []
    assert "**0 of 2 parts are done**" in page.read_text()
    run(counting(calls), tmp_path, minutes=1)
    assert calls == ["a", "b"]


def test_results_name_the_commit_and_are_the_same_whatever_made_them(tmp_path, monkeypatch):
    monkeypatch.setattr("evenmatch_lab.runner.commit", lambda: "1234abcd")
    page = run(counting([]), tmp_path)
    row = ResultFile.read(tmp_path / "counting.json").parts["a"]
    assert row.keys() >= set(ORIGIN) - {"code"}
    assert row["commit"] == "1234abcd"
    assert date.fromisoformat(row["date"])
    assert fingerprint([{key: row[key] for key in row.keys() - set(ORIGIN)}]) == fingerprint([row])
    assert fingerprint([row | {"number": 5}]) != fingerprint([row])
    made = block_of(page.read_text(), MADE)
    assert made.startswith("Command: `evenmatch experiment counting`. Made: ")
    for said in (row["date"], row["machine"], "`1234abcd`"):
        assert said in made


def test_pages_say_nothing_of_one_machine(tmp_path):
    paths = [Path("../else/games"), tmp_path / "more", Path("runs/data")]
    whole = replace(counting([]), reads_games=True, parts=lambda quick, data, nets: {})
    text = run(whole, tmp_path, data=paths).read_text()
    assert "`evenmatch experiment counting --data games --data more --data runs/data`" in text


def test_quick_runs_keep_to_themselves(tmp_path):
    calls = []
    run(counting(calls), tmp_path)
    assert run(counting(calls), tmp_path, quick=True).name == "counting_quick.md"
    assert calls == ["a", "b"] * 2


@pytest.mark.parametrize("text", ["{", "\x00", "[1]", "null", '{"a": 3}', '{"a": {}}'])
def test_broken_results_are_refused(tmp_path, text):
    (tmp_path / "counting.json").write_text(text)
    with pytest.raises(StateError, match="delete it or choose another"):
        run(counting([]), tmp_path)
    assert (tmp_path / "counting.json").read_text() == text


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="choose another folder"):
        run(counting([]), tmp_path / "file")


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_has_parts_with_settings(name):
    experiment = get_experiment(name)
    assert experiment.name == name
    if experiment.reads_games:
        with pytest.raises(UsageError, match="name each with --data"):
            experiment.parts_of(True, [], [])
        return
    with pytest.raises(UsageError, match="leave out --data"):
        experiment.parts_of(True, [Path("folder")], [])
    for quick, one in product((False, True), (experiment, *map(experiment.on, experiment.games))):
        if one.reads_games:
            with pytest.raises(UsageError, match="name each with --data"):
                one.parts_of(quick, [], [])
            continue
        parts = one.parts_of(quick, [], [])
        assert parts
        for part in parts.values():
            assert part.settings
            assert json.loads(json.dumps(part.settings)).keys() == part.settings.keys()


def test_unknown_experiments_list_the_known():
    with pytest.raises(UsageError, match="elo_table"):
        get_experiment("elo")


def on_games(quick, game_id="othello"):
    """The parts of an experiment that is on Othello unless another game is asked for."""
    return {game_id: Part({"games": 1}, lambda progress, done: {"number": len(game_id)})}


def test_each_game_has_results_of_its_own(tmp_path):
    usual = replace(counting([]), parts=on_games, games=("go9",))
    go9 = usual.on("go9")
    assert tables(run(usual, tmp_path)) == "othello: 7"
    text = run(go9, tmp_path, quick=True).read_text()
    assert "`evenmatch experiment counting --game go9 --quick`" in text
    assert text.startswith("# Counting: 9x9 Go\n")
    assert {path.name for path in tmp_path.glob("*.json")} == {
        "counting.json", "counting_go9_quick.json",
    }  # fmt: skip


def test_other_games_than_an_experiments_are_refused():
    with pytest.raises(UsageError, match="give one of go9, or leave out --game"):
        replace(counting([]), games=("go9",)).on("chess")
    with pytest.raises(UsageError, match="leave out --game"):
        get_experiment("elo_table", "go9")


def test_all_experiments_are_those_of_all_games():
    stems = [one.stem for one in experiments()]
    assert [stem for stem in stems if stem.startswith("z_dial")] == [
        "z_dial", "z_dial_go9", "z_dial_go",
    ]  # fmt: skip
    assert {one.game for one in experiments(game_id="go9")} == {"go9"}
    assert [one.stem for one in experiments("even_fit", "go9")] == ["even_fit_go9"]


# -- pages -----------------------------------------------------------------------------------------


def test_words_beside_the_blocks_stay(tmp_path):
    page, (begin, end) = run(counting([]), tmp_path), markers(RESULTS)
    made = page.read_text().partition(end)[2]
    page.write_text(f"# Title\n\nBy hand.\n\n{begin}\nold\n{end}\n\n## More{made}")
    text = publish(counting([]), tmp_path / "counting.json").read_text()
    words = f"# Title\n\nBy hand.\n\n{begin}\n\na: 0\nb: 1\n\n{end}\n\n## More"
    assert text == words + made
    assert with_block("# New\n", RESULTS, ["x"]) == f"# New\n\n{begin}\n\nx\n\n{end}\n"


def test_no_page_is_written_without_results(tmp_path):
    with pytest.raises(UsageError, match="run the experiment"):
        publish(counting([]), tmp_path / "counting.json")


def test_a_page_that_cannot_be_written_of_some_parts_waits_for_more(tmp_path):
    def fail(rows, path):
        raise AssertionError("nothing is drawn of some parts")

    needing = replace(counting([]), page=lambda rows: [rows["b"]["number"]], plot=fail)
    assert tables(run(needing, tmp_path, minutes=0)).endswith("when more parts are done.")
    with pytest.raises(KeyError):
        block(needing, ResultFile(parts={"a": {"settings": {}}}), "counting")


def test_a_table():
    assert table(["a", "b"], [["", ""], ["x", 1]]) == "| a | b |\n|---|---:|\n| | |\n| x | 1 |"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PAGES)))
def test_the_numbers_of_committed_pages_are_those_of_their_results(path):
    """After an edit of a table: evenmatch experiment NAME --pages."""
    experiment, kept = STEMS[path.stem], ResultFile.read(path)
    if not experiment.reads_games:
        parts = experiment.parts_of(False, [], [])
        if any(key not in parts or not is_done(key, parts, kept.rows) for key in kept.parts):
            pytest.skip("its settings have changed: run it again, as --status says")
    text = path.with_suffix(".md").read_text()
    assert block_of(text, RESULTS) == "\n".join(block(experiment, kept, path.stem)).strip()
    assert block_of(text, MADE) == "\n".join(provenance(kept))


@pytest.mark.parametrize(
    "path", sorted(PAGES.rglob("*.md")), ids=lambda path: str(path.relative_to(PAGES))
)
def test_a_page_asks_and_answers_with_numbers_that_it_shows(path):
    title, answer, *rest = path.read_text().split("\n\n")
    if path.stem in ("index", "how-to-read"):
        return
    assert title.startswith("# ")
    assert title.endswith("?")
    shown = "\n".join(rest).replace(",", "")
    for number in re.findall(r"(?<!\w)\d+(?:[.,]\d+)*(?!\w)", answer):
        assert re.search(rf"(?<![\d.]){re.escape(number.replace(',', ''))}(?!\d)", shown), number


def test_each_page_is_in_the_navigation():
    listed = (PAGES.parents[1] / "mkdocs.yml").read_text()
    for path in PAGES.rglob("*.md"):
        assert f"- results/{path.relative_to(PAGES)}\n" in listed


# -- status ----------------------------------------------------------------------------------------


def sized(quick, games=20):
    work = lambda progress, done: {"positions": 7}  # noqa: E731
    return {key: Part({"games": games, "network": "0" * 32}, work) for key in "ab"}


def some(parts=sized, **more):
    return Experiment("some", "Some", parts, lambda rows: [], **more)


def test_status_of_what_was_never_run(tmp_path):
    reads = some(lambda quick, data, nets: {}, reads_games=True)
    rows = status([some(), reads], tmp_path)
    assert [row["verdict"] for row in rows] == ["not run"] * 2
    assert [rows[0][key] for key in ("experiment", "done", "due")] == ["some", 0, 2]


def test_status_has_parts_sizes_dates_networks_and_what_names_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr("evenmatch_lab.runner.commit", lambda: "1234abcd")
    run(some(), tmp_path)
    (row,) = status([some()], tmp_path)
    assert (row["done"], row["due"], row["verdict"]) == (2, 2, "complete")
    assert row["sizes"] == {"games": [20, 20], "positions": [7, 7]}
    assert (row["networks"], row["commits"], row["unnamed"]) == (["00000000"], ["1234abcd"], [])
    assert row["oldest"] == row["newest"]
    assert len(status_cells(row)) == len(HEADS)
    kept = ResultFile.read(tmp_path / "some.json")
    del kept.parts["b"]["commit"]
    kept.write(tmp_path / "some.json")
    (row,) = status([some()], tmp_path)
    assert (row["unnamed"], row["verdict"]) == (["b"], "names no commit")


@pytest.fixture
def command():
    def invoke(*words):
        result = CliRunner().invoke(app, ["experiment", *map(str, words)])
        assert result.exit_code == 0, result.output
        return result.output

    return invoke


def test_the_command_shows_the_status_of_all(command, tmp_path):
    rows = json.loads(command("--status", "--json", "--out", tmp_path))
    assert [row["experiment"] for row in rows] == [one.stem for one in experiments()]
    assert "z_dial" in command("z_dial", "--status", "--out", tmp_path)


def test_the_command_writes_pages_and_resumes(command, tmp_path):
    shown = command("z_dial", "--quick", "--minutes", "0", "--out", tmp_path)
    assert "left: the same command" in shown
    assert "z_dial_quick.md" in "".join(command("--pages", "--quick", "--out", tmp_path).split())
