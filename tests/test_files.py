"""Files that change as a whole or not at all."""

import os
import stat

import pytest

from evenmatch.errors import StateError
from evenmatch.files import replace_file, replacing, state_folder, umask


def test_a_file_takes_the_others_place(tmp_path):
    path = tmp_path / "new" / "folder" / "file.txt"
    replace_file(path, "one\n")
    replace_file(path, "two ½\n", mode=0o600)
    assert path.read_text(encoding="utf-8") == "two ½\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_permissions_are_those_of_any_new_file(tmp_path):
    replace_file(tmp_path / "a", "")
    (tmp_path / "b").write_text("")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert umask() == umask()


def fail_half_way(path, error):
    with replacing(path) as partial:
        partial.write_text("half")
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
def test_what_fails_half_way_changes_nothing(tmp_path, error):
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(error):
        fail_half_way(path, error)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]


def test_the_state_folder_is_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path / "new"))
    assert state_folder() == tmp_path / "new"
    (tmp_path / "new").touch()
    with pytest.raises(StateError, match=r"EVENMATCH_STATE is a file, .*; set it to a folder"):
        state_folder()
