"""Nothing is sent over the network, and nothing written outside the folders that the README names.

Commands run in a process that notes what it does (``guard/sitecustomize.py``), with a home folder
of its own, and not as in CI, where senders often keep quiet.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import evenmatch

GUARD = Path(__file__).parent / "guard"
SOURCES = Path(evenmatch.__file__).parent
PGN = """[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0
"""
UCI = "uci\nisready\nsetoption name UCI_LimitStrength value true\nposition startpos\ngo\nquit\n"
CI = ("CI", "TF_BUILD", "JENKINS_URL")  #: variables that senders look at
SET_BY_TESTS = ("MPLCONFIGDIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
"""Folders that libraries name once they are imported, as some are where the tests run."""
COMMANDS = {
    "play": (("play", "othello6", "--seed", "1"), "b3 hint resign"),
    "play at a rating": (("play", "chess", "--elo", "1500", "--name", "Ann"), "e4 quit"),
    "match": (("match", "alphazero:sims=2", "even:sims=2", "-g", "connect4", "-n", "2"), ""),
    "estimate": (("estimate", "games.pgn"), ""),
    "gtp": (("gtp", "--game", "othello"), "genmove b\nlz-analyze w 10\nquit\n"),
    "train": (("train", "connect4", "--preset", "tiny", "--out", "run"), ""),
    "experiment": (
        ("experiment", "elo_table", "--quick", "--minutes", "0", "--out", "results"),
        "",
    ),
}
IN_TURN = """
import io, json, sys
from evenmatch.frontends.cli import app
for words, lines in json.loads(sys.argv[1]):
    sys.stdin = io.StringIO(lines)
    try:
        app(words, prog_name="evenmatch")
    except SystemExit as stop:
        print("ended:", stop.code or 0, *words, file=sys.stderr)
"""
API = """
import evenmatch
game = evenmatch.get_game("connect4")
evenmatch.play_match("alphazero:sims=2", "softmax:sims=2", game, games=2)
"""
PLOT = """
from pathlib import Path
from evenmatch import plots
with plots.axes(Path("plot.svg"), 1, size=(2, 2)) as axes:
    axes[0].plot([1, 2], label="a")
    axes[0].legend()
"""


class Watched:
    """Runs programs in a folder of their own, and reads what they did."""

    def __init__(self, folder: Path):
        self.home, self.work, self.log = (folder / name for name in ("home", "work", "log"))
        self.home.mkdir()
        (self.work / "tmp").mkdir(parents=True)
        (self.work / "games.pgn").write_text(PGN)
        self.state = folder / "state"
        kept = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        self.environment = {key: value for key, value in kept.items() if key not in CI} | {
            "HOME": str(self.home),
            "EVENMATCH_STATE": str(self.state),
            "GUARD_LOG": str(self.log),
            "PYTHONPATH": os.pathsep.join([str(GUARD), str(SOURCES.parent)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.work / "tmp"),
        }
        for name in SET_BY_TESTS:
            self.environment.pop(name, None)

    def run(self, *command: str, lines: str = "") -> subprocess.CompletedProcess:
        return subprocess.run(
            command, cwd=self.work, env=self.environment, input=lines, text=True,
            capture_output=True, timeout=600,
        )  # fmt: skip

    def python(self, program: str, *arguments: str) -> subprocess.CompletedProcess:
        return self.run(sys.executable, "-c", program, *arguments)

    @property
    def network(self) -> list[str]:
        """What was tried on the network."""
        return [what for kind, what in self._noted() if kind == "network"]

    @property
    def strays(self) -> list[str]:
        """What was written outside the folders that are named, or lies in the home folder."""
        allowed = [self.state, self.home / ".cache", self.work, Path("/dev"), Path("/proc")]
        if "NUMBA_CACHE_DIR" in self.environment:
            allowed.append(Path(self.environment["NUMBA_CACHE_DIR"]))
        written = [what for kind, what in self._noted() if kind == "file"]
        written += [str(path) for path in self.home.rglob("*")]
        return [path for path in written if not any(_within(path, one) for one in allowed)]

    def _noted(self) -> list[list[str]]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines]


def _within(path: str, folder: Path) -> bool:
    return Path(path) == folder or folder in Path(path).parents


@pytest.fixture
def watched(tmp_path):
    return Watched(tmp_path)


def ended(done):
    assert done.returncode in (0, 2), done.stderr  # 2: the moves of a pipe ended
    assert "Traceback" not in done.stderr


def test_commands_send_nothing_and_write_where_they_should(watched):
    done = watched.python(IN_TURN, json.dumps(list(COMMANDS.values())))
    ended(done)
    codes = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("ended:")]
    assert len(codes) == len(COMMANDS)
    assert set(codes) <= {"0", "2"}, done.stderr  # 2: the moves of a pipe ended
    assert watched.network == []
    assert watched.strays == []


def test_programs_send_nothing_and_write_where_they_should(watched):
    hidden = "import sys\nassert 'openvino' in sys.modules\nassert SENDER not in sys.modules\n"
    shown = "import openvino_telemetry\nprint(openvino_telemetry.Telemetry)\n"
    program = API + PLOT
    if find_spec("openvino_telemetry"):
        program += hidden.replace("SENDER", "'openvino_telemetry'") + shown
    ended(watched.python(program))
    assert watched.network == []
    assert watched.strays == []


def test_the_sender_that_was_imported_before_stays(watched):
    pytest.importorskip("openvino_telemetry")
    before = "import openvino_telemetry as one\n"
    load = "from evenmatch.network.processor import import_openvino\nimport_openvino()\n"
    after = "import sys\nassert sys.modules['openvino_telemetry'] is one"
    ended(watched.python(before + load + after))
    assert watched.network == []


def test_openvino_is_imported_in_one_place():
    users = [
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        for line in path.read_text().splitlines()
        if line.strip().startswith(("import openvino", "from openvino"))
    ]
    assert users == ["network/processor.py"]


# -- the guard itself --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        "import socket\ntry: socket.getaddrinfo('example.invalid', 80)\nexcept OSError: pass",
        "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 1)\nexcept OSError: pass",
        "import multiprocessing as m, socket\n"
        "def f():\n try: socket.gethostbyname('example.invalid')\n except OSError: pass\n"
        "p = m.get_context('fork').Process(target=f); p.start(); p.join()",
    ],
    ids=["resolve", "connect", "child"],
)
def test_the_guard_sees_the_network(watched, program):
    ended(watched.python(program))
    assert watched.network


def test_the_guard_sees_files(watched, tmp_path):
    stray = tmp_path / "stray"
    ended(watched.python(f"open({str(stray)!r}, 'w').close()\nopen('fine', 'w').close()"))
    assert watched.strays == [str(stray)]
    ended(watched.python("import os; os.mkdir(os.path.expanduser('~/intel'))"))
    assert str(watched.home / "intel") in watched.strays


@pytest.mark.skipif(not find_spec("openvino_telemetry"), reason="OpenVINO came without its sender")
def test_the_guard_sees_what_openvino_does_by_itself(watched):
    """Else the tests above would show nothing."""
    watched.python("import openvino, time; time.sleep(1)")
    assert watched.network or watched.strays
    assert any("intel" in path for path in watched.strays)


def test_an_engine_sends_nothing_and_its_compiled_code_opens_no_connection(watched):
    """What Python cannot see: every system call that could reach another machine."""
    calls = watched.work / "calls"
    trace = ("strace", "-f", "-qq", "-o", str(calls), "-e", "trace=connect,sendto,sendmsg,bind")
    traced = bool(shutil.which("strace")) and watched.run(*trace, "true").returncode == 0
    engine = (sys.executable, "-m", "evenmatch", "uci")
    done = watched.run(*(trace if traced else ()), *engine, lines=UCI)
    ended(done)
    assert "bestmove" in done.stdout
    assert watched.network == []
    assert watched.strays == []
    if not traced:
        pytest.skip("strace is not here, or not permitted: only calls of Python were seen")
    assert "AF_INET" not in calls.read_text()
