"""What children do with inputs that crash, hang, take time or memory, or are answered wrongly."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from evenmatch.errors import EvenmatchError, UsageError
from evenmatch_lab.fuzz import __main__ as command
from evenmatch_lab.fuzz import child, door, runner, web
from evenmatch_lab.fuzz.door import Verdict, Wrong, judged


def fails(kind):
    """Return what takes an input and fails in some way."""

    def take(data):
        if kind == "exception":
            return 1 / 0
        if kind == "wrong":
            raise Wrong("an answer that is none")
        raise EvenmatchError(kind)

    return take


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("exception", "exception"),
        ("wrong", "answer"),
        ("one line; do that", "refused"),
        ("two\nlines", "answer"),
        ("a bell \x07", "answer"),
        ("half a letter \ud800", "answer"),
        (" ", "answer"),
        ("x" * 20_000, "answer"),
    ],
)
def test_what_is_right(told, kind):
    assert judged(fails(told), b"").kind == kind


def test_what_takes_long_is_tried_again(monkeypatch):
    clock = iter((0.0, 3.0, 3.0, 3.5))
    monkeypatch.setattr(door.time, "process_time", lambda: next(clock))
    assert judged(lambda data: True, b"") == Verdict("accepted", 0.5)
    clock = iter(range(0, 60, 2))
    assert judged(lambda data: True, b"").kind == "slow"


def test_who_waits_is_slow_too(monkeypatch):
    clock = iter((0.0, 60.0))
    monkeypatch.setattr(door.time, "perf_counter", lambda: next(clock))
    assert judged(lambda data: True, b"").kind == "slow"


SCRIPT = """
import sys, os, time
from evenmatch_lab.fuzz import child, doors
from evenmatch_lab.fuzz.door import Door

def take(data):
    if data == b"crash":
        os.abort()
    if data == b"hang":
        time.sleep(60)
    if data == b"memory":
        kept.append(bytearray(b"x") * 80_000_000)
    return data != b"no"

kept = []
inputs = [b"yes", b"no", b"crash", b"yes", b"hang", b"no", b"memory", b"yes"]
door = Door("made", "", lambda rng, seen: b"", lambda folder: [], lambda folder: take, 40)
child.door_named = lambda name: door
child.drawn = lambda door, seed, number, seen: inputs[number]
child.HANG = 8.0
sys.exit(child.main())
"""


def test_a_child_that_ends_early_is_followed_by_another(monkeypatch):
    popen = subprocess.Popen

    def started(words, **more):
        return popen([sys.executable, "-c", SCRIPT, *words[3:]], **more)

    monkeypatch.setattr(runner.subprocess, "Popen", started)
    found = runner.fuzz("made", 8, 1)
    kinds = {"accepted": 3, "refused": 2, "crash": 1, "hang": 1, "memory": 1}
    assert (found.inputs, dict(found.kinds)) == (8, kinds)
    told = {find["number"]: (find["kind"], find["told"]) for find in found.finds}
    assert [kind for kind, _ in told.values()] == ["crash", "hang", "memory"]
    assert "Aborted" in told[2][1]
    assert "in take" in told[4][1]
    assert found.row()["finds"] == found.wrong == 3


def test_a_door_that_does_not_open_is_no_find(monkeypatch):
    popen = subprocess.Popen
    words = [sys.executable, "-c", "raise SystemExit('shut')"]
    monkeypatch.setattr(runner.subprocess, "Popen", lambda _, **more: popen(words, **more))
    with pytest.raises(RuntimeError, match="cannot be opened:\nshut"):
        runner.fuzz("made", 5, 1)


def test_the_drill_of_attacks_is_a_row(monkeypatch):
    seen = {
        "requests": 10,
        "answers by status": {"0": 1, "200": 4, "404": 4, "500": 1},
        "games of others changed": 0,
        "lines of the log that tell of errors": 0,
        "wrong answers": 1,
        "seconds until answered: longest": 0.25,
        "megabytes grown": 7,
        "examples": {"status 500": "GET /"},
    }

    def ran(words, **more):
        (folder,) = (word for word in words if word.endswith("seen.json"))
        with open(folder, "w") as file:
            json.dump({"seen": seen}, file)
        return SimpleNamespace(returncode=1)

    monkeypatch.setattr(web.subprocess, "run", ran)
    row = web.fuzz(10, 1).row()
    assert {name: row[name] for name in ("inputs", "accepted", "refused", "finds")} == {
        "inputs": 10,
        "accepted": 4,
        "refused": 5,
        "finds": 1,
    }


def test_the_drill_is_run_where_it_is(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is not here; run this in the repository's folder"):
        web.fuzz(10, 1)


def test_rows_are_kept_beside_each_other(tmp_path):
    out = tmp_path / "fuzz.json"
    for name in ("sgf", "pgn", "sgf"):
        found = runner.Found(name, seed=2)
        found.add(0, Verdict("refused", 0.25, "no"), 3)
        command.keep(out, found)
    kept = json.loads(out.read_text())
    assert list(kept["rows"]) == ["pgn", "sgf"]
    assert kept["rows"]["pgn"]["command"] == "python -m evenmatch_lab.fuzz pgn --inputs 1 --seed 2"
    assert "evenmatch_lab.fuzz.child" in kept["made"]["modules"]


def test_memory_and_room_are_told():
    assert child.memory() > 1
    assert child.address_space() > 0
    assert child.scratch() is None or os.path.isdir(child.scratch())
