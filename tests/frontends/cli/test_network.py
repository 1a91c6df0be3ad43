import json
import sys

import pytest

pytest.importorskip("google.protobuf", reason="protobuf absent: pip install evenmatch[test]")
pytest.importorskip("chess", reason="python-chess absent: pip install evenmatch[test]")
import oracle_lc0 as oracle
from oracle_katago import RandomNet
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.estimation.estimator_files import load
from evenmatch.workshop.fitting import pooled_fit


@pytest.fixture
def weights(tmp_path):
    """A small network in Leela's format; a plain file may have any name that ends so."""
    path = tmp_path / "leela.pb"
    path.write_bytes(oracle.random_net().SerializeToString())
    return path


def test_import_then_info(run, weights, tmp_path):
    out = tmp_path / "leela.onnx"
    result = run("network", "import", str(weights), "--out", str(out))
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}: chess, 2 blocks of 8 channels\n"
    card = json.loads(run("network", "info", str(out), "--json").stdout)
    assert card["game"] == "chess"
    assert card["shape"] == [112, 8, 8]
    assert card["licence"] == "CC0-1.0"
    assert card["notes"].startswith("imported from leela.pb (SHA-256 ")
    assert card["command"] == "evenmatch network import leela.pb --out leela.onnx"


@pytest.mark.parametrize("half", [False, True])
def test_import_of_katago_networks(run, tmp_path, half):
    source, out = tmp_path / "katago.bin.gz", tmp_path / "katago.onnx"
    source.write_bytes(RandomNet().packed())
    result = run("network", "import", str(source), "--out", str(out), *["--half"][:half])
    assert result.stdout == f"{out}: go, 2 blocks of 6 channels\n"
    cards = [json.loads(run("network", "info", str(x), "--json").stdout) for x in (source, out)]
    for card in cards:
        assert (card["game"], card["shape"], card["actions"]) == ("go", [41, 0, 0], 0)
        assert card["notes"].startswith("imported from katago.bin.gz (SHA-256 ")
    shown = run("network", "info", str(out)).stdout
    assert "41 planes of any square board" in shown
    assert "by the board" in shown


@pytest.mark.parametrize("name", ["connect4", "chess", "go"])
def test_info_is_in_words(run, name, monkeypatch):
    """No dictionaries and lists as Python writes them."""
    monkeypatch.setenv("COLUMNS", "200")
    shown = run("network", "info", name).stdout
    assert not set("{}[]") & set(shown)
    assert "':" not in shown
    if name.startswith("go"):
        assert "41 planes of any square board" in shown
        assert "CC0-1.0" in shown
    elif name != "chess":
        assert "against mcts1: 9" in shown
        assert "% (95% interval " in shown
        assert " of 100 games, wins 9" in shown
    else:
        assert "8 of 200 Elo each, from 1000 up" in shown
        assert "lichess-rapid, fide" in shown


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        ("network import none.pb.gz --out x.onnx", "check the path"),
        ("network import . --out x.onnx", "check the path"),
        ("network info none.onnx", "check the path"),
        ("network info none.pb.gz", "check the path"),
        ("network import none.pb.gz", "see evenmatch network import --help"),
        ("network export x", "see evenmatch network --help"),
    ],
)
def test_bad_input(refused, arguments, fix):
    assert fix in refused(*arguments.split())


def test_a_file_that_is_no_weights(refused, tmp_path):
    (tmp_path / "x.pb.gz").write_bytes(b"nothing of the kind")
    assert "give a .pb.gz file" in refused(
        "network", "import", str(tmp_path / "x.pb.gz"), "--out", str(tmp_path / "y.onnx")
    )
    assert not (tmp_path / "y.onnx").exists()


def test_places_that_cannot_be_written(refused, weights, tmp_path):
    for out in (weights / "x.onnx", tmp_path, weights):
        message = refused("network", "import", str(weights), "--out", str(out))
        assert "choose another --out" in message
        assert str(out) in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["leela.pb"]


def test_fit_writes_what_goes_with_a_network(run, tmp_path, monkeypatch):
    """Of a random network and games; then what it says of one that cannot be fitted."""
    monkeypatch.setattr(sys, "argv", ["evenmatch", "network", "fit"])
    monkeypatch.setattr(pooled_fit, "EPOCHS", 2)
    pairs = tuple((low, low + 200) for low in range(1050, 2600, 400))
    random_dataset(tmp_path, games=240, shares=(1, 1, 1, 1), bands=pairs, each=3)
    network = random_network(tmp_path / "net.onnx", scales=("dataset",), strength=2 + 8)
    out = tmp_path / "made" / "here"
    words = ("network", "fit", str(tmp_path / "dataset"), "--out", str(out), "--net")
    result = run(*words, str(network))
    assert result.exit_code == 0, result.output
    names = ["chess-dataset.npz", "chess-dataset-targets.npz"]
    assert result.stdout.split() == [str(out / name) for name in names]
    assert load(out / names[0])[1]["command"] == "evenmatch network fit"
    result = run(*words, str(random_network(tmp_path / "other.onnx")))
    assert result.exit_code == 2
    assert result.stderr == (
        "error: this network knows no ratings; use one trained on rated games\n"
    )


# -- mixtures --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alike(tmp_path_factory):
    """A folder with a dataset and two networks that can be mixed."""
    folder = tmp_path_factory.mktemp("mixing")
    pairs = tuple((low, low + 200) for low in range(1050, 2600, 400))
    random_dataset(folder, games=240, shares=(1, 1, 1, 1), bands=pairs, each=3)
    random_network(folder / "first.onnx", scales=("dataset",))
    random_network(folder / "second.onnx", seed=1)
    return folder


def mix(folder, *names, out):
    words = ["network", "mix", *(str(folder / name) for name in names)]
    return [*words, "--data", str(folder / "dataset"), "--out", str(out)]


def test_mix_then_match(run, alike, tmp_path):
    out = tmp_path / "mixed.onnx"
    made = run(*mix(alike, "first.onnx", "second.onnx", out=out))
    assert made.exit_code == 0, made.output
    assert made.stdout == f"{out}: 2 networks of chess, 2 blocks in all\n"
    card = json.loads(run("network", "info", str(out), "--json").stdout)
    assert card["scales"] == ["dataset"]
    assert "first, second, weighted by rating" in card["notes"]
    spec = f"human:elo=1500,net={out},scale=dataset"
    played = run("match", spec, "random", "--game", "chess", "-n", "1", "--json")
    assert played.exit_code == 0, played.output


def test_what_is_no_mixture(refused, alike, tmp_path):
    out = tmp_path / "mixed.onnx"
    assert "one network is not a mixture" in refused(*mix(alike, "first.onnx", out=out))
    nowhere = mix(alike, "first.onnx", "second.onnx", out=tmp_path / "no" / "mixed.onnx")
    assert f"cannot write to {tmp_path / 'no'}; choose another --out" in refused(*nowhere)
    swapped = mix(alike, "second.onnx", "first.onnx", out=out)
    assert "second.onnx knows no ratings; name a network first that does" in refused(*swapped)
    out.touch()
    both = mix(alike, "first.onnx", "second.onnx", out=out)
    assert "exists; choose another --out, or add --overwrite" in refused(*both)
