"""Versions of code: what changes them and what does not."""

import tomllib
from pathlib import Path
from textwrap import dedent

import pytest

from evenmatch_lab.provenance import (
    PLUGGED_IN,
    Code,
    changed_modules,
    installed_code,
    version_of,
)

FILES = {
    "exp.py": """
        from lab import tools
        from lab.pack import Passed

        def parts(quick):
            \"\"\"One part.\"\"\"
            return {"a": measure}

        def measure(progress):
            from lab.late import late

            unused = 3
            return tools.used() + late() + Passed().number

        def page(results):
            return [tools.heading()]
        """,
    "tools.py": """
        SCALE = 2
        TABLE = {}

        def used():
            return SCALE * helper() + TABLE["x"]

        def helper():
            page = 1  # a name of its own, not the page's
            return page

        def heading():
            return "Title"

        def unused():
            return SCALE

        def fill():
            TABLE["x"] = 1

        fill()
        """,
    "pack/__init__.py": "from lab.pack.inner import Passed\n\n__all__ = ['Passed']\n",
    "pack/inner.py": "class Passed:\n    number = 1\n\n\nclass Other:\n    number = 2\n",
    "late.py": "def late():\n    return 1\n",
    "hidden.py": "def hidden():\n    return 1\n",
}


@pytest.fixture
def reach(tmp_path):
    """A package of these files, some of them other, and what its experiment reaches."""

    def reached(**others):
        files = {**FILES, **{f"{name}.py": text for name, text in others.items()}}
        for name, text in files.items():
            path = tmp_path / "lab" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        return Code({"lab": tmp_path / "lab"}).reached_from("lab.exp")

    return reached


def edited(module, *pairs):
    text = FILES[f"{module}.py"]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_what_is_named_at_any_depth_is_reached(reach):
    assert list(reach()) == ["lab.exp", "lab.late", "lab.pack.inner", "lab.tools"]


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("exp", "One part.", "Another docstring."),
        ("exp", "heading()]", "heading(), 'more']"),
        ("tools", "Title", "Another title"),
        ("tools", "# a name of its own, not the page's", "# another comment"),
        ("tools", "def helper():", "def helper() -> int:"),
        ("tools", "def unused():\n            return SCALE", "def unused():\n            return 1"),
        ("tools", "def helper():", 'def helper():\n            "Now with a docstring."'),
    ],
)
def test_prose_and_what_no_result_needs_do_not_count(reach, module, old, new):
    assert reach(**{module: edited(module, (old, new))}) == reach()


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("exp", "unused = 3", "unused = 4"),
        ("tools", "SCALE = 2", "SCALE = 3"),
        ("tools", "page = 1", "page = 2"),
        ("tools", 'TABLE["x"] = 1', 'TABLE["x"] = 2'),
        ("late", "return 1", "return 2"),
    ],
)
def test_code_that_results_need_counts(reach, module, old, new):
    now = reach(**{module: edited(module, (old, new))})
    assert changed_modules(reach(), now) == [f"lab.{module}"]
    assert version_of(now) != version_of(reach())


def test_modules_in_strings_count_once_something_imports_by_string(reach):
    text = """
        NAMED = "lab.hidden:hidden"

        def used():
            return NAMED
        """
    assert "lab.hidden" not in reach(tools=text)
    text = text.replace("return NAMED", "return import_module(NAMED)")
    assert "lab.hidden" in reach(tools="from importlib import import_module\n" + dedent(text))


def test_a_module_that_moves_has_not_changed():
    assert changed_modules({"old.place": "1", "b": "2"}, {"new.place": "1", "b": "2"}) == []
    assert changed_modules({"a": "1", "b": "2"}, {"b": "2"}) == ["a"]
    assert changed_modules({"a": "1"}, {"a": "3", "c": "4"}) == ["a", "c"]


def test_experiments_reach_search_and_baselines_but_no_screen():
    reached = installed_code().reached_from("evenmatch_lab.fujita2022.elo_table")
    assert {"evenmatch.search.forest", "evenmatch_lab.baselines.minimax"} <= reached.keys()
    assert not [
        x for x in reached if x.startswith(("evenmatch.frontends", "evenmatch.workshop.training"))
    ]
    assert not reached.keys() & {"evenmatch_lab.runner", "evenmatch_lab.pages"}


def test_players_plugged_in_are_those_of_the_package():
    project = tomllib.loads((Path(__file__).parents[2] / "lab" / "pyproject.toml").read_text())
    named = project["project"]["entry-points"]["evenmatch.players"].values()
    assert tuple(value.partition(":")[0] for value in named) == PLUGGED_IN
