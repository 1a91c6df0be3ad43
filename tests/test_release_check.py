"""The check of releases fails where it should, and says what it could not check."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("release_check", ROOT / ".ci/release_check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def two(tmp_path):
    """Two builds of a file."""
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.whl").write_bytes(b"12345678")
    return tmp_path / "a", tmp_path / "b"


def test_equal_builds(check, two):
    assert "x.whl: 8 bytes, twice the same" in check.compared(*two)


def test_builds_that_differ(check, two):
    (two[1] / "x.whl").write_bytes(b"12345679")
    with pytest.raises(check.FailedError, match=r"two builds of x\.whl differ"):
        check.compared(*two)


def test_a_wheel_that_is_too_large(check, two, monkeypatch):
    monkeypatch.setattr(check, "LARGEST", 7)
    with pytest.raises(check.FailedError, match="has 8 bytes; 7 are allowed"):
        check.compared(*two)


@pytest.mark.parametrize(("complete", "status"), [((), 0), (("--complete",), 1)])
def test_what_is_not_checked_fails_a_release_alone(check, complete, status, monkeypatch, capsys):
    def missing(scratch):
        raise check.MissingError("no connection")

    monkeypatch.setitem(check.CHECKS, "audit", missing)
    monkeypatch.setattr(sys, "argv", ["release_check", "--only", "audit", *complete])
    assert check.main() == status
    assert re.match(r"audit: not checked \(\d+ s\): no connection\n", capsys.readouterr().out)


def test_every_dependency_has_a_bound(check):
    for asked in check.declared(*check.EXTRAS, "cluster"):
        assert re.fullmatch(r"[a-z0-9_-]+(>=|==)[0-9.]+", asked), asked


def test_the_workflow_publishes_what_was_checked():
    flow = (ROOT / ".github/workflows/release.yml").read_text()
    before, _, publish = flow.partition("\n  publish:\n")
    assert "release_check.py --complete --keep dist" in before
    assert "id-token" not in before
    assert "needs: check" in publish
    assert "id-token: write" in publish
    assert " run:" not in publish
