"""A checkpoint of Maia-3 or Maia-2 wherever a network of people's moves is wanted."""

import json
import sys

import oracle_maia as oracle
import pytest

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

PGN = """[White "Ada"]
[Black "Bob"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *
"""
STATES = {"maia3-3m.pt": oracle.maia3_state, "rapid_model.pt": oracle.maia2_state}


@pytest.fixture(params=STATES)
def checkpoint(request, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tensors = {name: torch.tensor(array) for name, array in STATES[request.param]().items()}
    torch.save({"model_state_dict": tensors}, tmp_path / request.param)
    return tmp_path / request.param


def test_import_then_info(run, checkpoint, tmp_path, monkeypatch):
    """Torch is not needed."""
    monkeypatch.setitem(sys.modules, "torch", None)
    out = tmp_path / "maia.onnx"
    result = run("network", "import", str(checkpoint), "--out", str(out))
    assert result.exit_code == 0, result.output
    cards = [json.loads(run("network", "info", str(x), "--json").stdout) for x in (checkpoint, out)]
    for card in cards:
        assert (card["game"], card["actions"], card["both_ratings"]) == ("chess", 1858, True)
        assert card["scales"] == ["lichess-rapid"]
        assert card["notes"].startswith(f"imported from {checkpoint.name} (SHA-256 ")
    shown = run("network", "info", str(out)).stdout
    assert "1 to 5,000" in shown
    assert "both players' ratings" in shown


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--elo", "1500"], "Evenmatch at 1500"),
        ([], "Evenmatch"),
        (["-o", "human:elo=1100,opponent=1900"], "human at 1100"),
        (["-o", "pikl:elo=2900,sims=5"], "Evenmatch"),
    ],
)
def test_play(run, checkpoint, options, name):
    result = run("play", "chess", *options, "--net", str(checkpoint), "-s", "1", lines="e4 resign")
    assert result.exit_code == 0, result.output
    assert f"{name} plays" in result.stdout
    said = " ".join(result.output.split())
    assert "how strong it plays was not measured" in said


def test_a_saved_game_goes_on_with_its_network(run, checkpoint):
    words = ("--net", str(checkpoint), "--elo", "1500", "-s", "1")
    run("play", "chess", *words, lines="e4 quit")
    result = run("play", "--resume", lines="moves resign")
    assert result.exit_code == 0, result.output
    assert "You continue chess-1." in result.stdout
    assert "Evenmatch at 1500 wins." in result.stdout


def test_estimate(run, checkpoint, tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    words = ("estimate", str(tmp_path / "games.pgn"), "--net", str(checkpoint))
    found = json.loads(run(*words, "--json").stdout)
    assert found["scale"] == "lichess-rapid"
    for row in found["players"]:
        assert 600 <= row["low"] < row["rating"] < row["high"] <= 2800
    assert "Estimates never leave 600 to 2800." in run(*words).output


def test_what_is_wrong_is_one_line(refused, checkpoint, tmp_path):
    broken = tmp_path / "broken.pt"
    broken.write_bytes(checkpoint.read_bytes()[:-100])
    net = ("--net", str(broken), "--elo", "1500")
    assert "is not a whole checkpoint" in refused("play", "chess", *net)
    torch.save(torch.nn.Linear(2, 2), broken)
    assert "names code (torch.nn.modules.linear.Linear)" in refused("play", "chess", *net)
    torch.save({"w": torch.zeros(2)}, broken)
    assert "is not of Maia-2 or Maia-3" in refused("play", "chess", *net)
    net = ("--net", str(checkpoint))
    assert "plays chess; use one trained for go" in refused("play", "go", "--rank", "5k", *net)
    assert "remove net" in refused("play", "connect4", *net)
    assert "unknown key 'net' of player mcts" in refused("play", "chess", "-o", "mcts", *net)
    assert "--i-am and --net both say how strong" in refused("play", "chess", "--i-am", "9k", *net)
    assert "name one that exists" in refused("play", "chess", "--elo", "1500", "--net", "none.pt")
    comma = ("--net", str(tmp_path / "a,b.pt"))
    assert "has a comma; move the network elsewhere" in refused("play", "chess", *comma)
    games = ("estimate", str(tmp_path / "games.pgn"), "--net")
    (tmp_path / "games.pgn").write_text(PGN)
    assert "this network knows no ratings" in refused(*games, "maia-1500")
    assert "--phases needs estimators" in refused(*games, str(checkpoint), "--phases")
