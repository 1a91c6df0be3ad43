"""Visitors reach no files and start no programs; requests of others and odd ones are refused."""

import sys
from contextlib import contextmanager

from frontends.web.conftest import OWN

HEARD: list[tuple[str, str]] | None = None  #: what programs and files were asked for, while heard
STARTING = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork")


def _hear(event, values):
    if HEARD is not None and (event in STARTING or event == "open"):
        HEARD.append((event, str(values[0]) if values else ""))


sys.addaudithook(_hear)


@contextmanager
def hearing():
    global HEARD
    HEARD = found = []
    try:
        yield found
    finally:
        HEARD = None


def test_no_path_and_no_program_of_a_visitor_is_used(crowd, ann, tmp_path):
    bait = tmp_path / "bait.onnx"
    bait.write_bytes(b"x")
    path = str(bait)
    opponents = [
        {"name": "engine", "keys": {"cmd": path}},
        {"name": f"engine:cmd={path}"},
        {"name": f"alphazero:net={path}"},
        {"name": path},
        *({"name": "alphazero", "keys": {key: path}} for key in ("net", "cmd", "answers", "sims")),
        {"name": "alphazero", "keys": {"sims": f"5,net={path}"}},
        {"name": "alphazero", "keys": {f"sims=5,net={path}": "5"}},
        {"name": "alphazero", "keys": path},
        {"level": path},
        {"level": f"1500,net={path}"},
        {"mine": True, "i_am": path},
        path,
    ]
    with hearing() as heard:
        for opponent in opponents:
            answer = ann.post("/api/tables", game="chess", opponent=opponent)
            assert answer.status_code == 400, opponent
        for wrong in ({"game": path}, {"start": path}, {"clock": path}, {"komi": path}):
            asked = {"game": "go9", "opponent": {"name": "random"}} | wrong
            assert ann.post("/api/tables", **asked).status_code == 400, wrong
        for where in (
            f"/api/me/export?form={path}",
            f"/static/{path}",
            f"/static/..%2f..%2f{path}",
            f"/api/tables/..%2f{path}",
        ):
            assert ann.get(where).status_code in (400, 404), where
        for where in ("/api/ratings?game=chess", "/api/me/import?game=chess&player=Ann"):
            ann.client.post(f"{where}&name={path}", content=b"x", headers=OWN)
    assert not [one for one in heard if "bait" in one[1] or one[0] in STARTING]
    with hearing() as heard:  # the test can fail
        bait.read_bytes()
    assert heard == [("open", path)]
