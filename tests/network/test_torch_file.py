"""Files of torch's: weights are read as torch reads them, and nothing that a file names is run."""

import io
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.errors import NetworkError  # noqa: E402
from evenmatch.network.torch_file import read_weights  # noqa: E402

PATH = Path("net.pt")


def saved(what, **options):
    file = io.BytesIO()
    torch.save(what, file, **options)
    return file.getvalue()


def refusal(data):
    with pytest.raises(NetworkError) as caught:
        read_weights(data, PATH)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("net.pt ")
    return message


def changed(data, name, content, compression=zipfile.ZIP_STORED):
    """The archive with another content of one of its members; None leaves it out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", compression) as new:
        for member in old.namelist():
            if not member.endswith(name):
                new.writestr(member, old.read(member))
            elif content is not None:
                new.writestr(member, content)
    return out.getvalue()


def weights():
    return {"a.weight": torch.arange(6.0).reshape(2, 3), "a.bias": torch.tensor([1.5, -2.0])}


def assert_same(data, expected):
    found = read_weights(data, PATH)
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert found[name].dtype == np.float32
        np.testing.assert_array_equal(found[name], tensor.detach().float().numpy())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_weights_of_each_precision(dtype):
    state = {name: (x / 3).to(dtype) for name, x in weights().items()}
    assert_same(saved(state), state)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_pickles_of_each_protocol(protocol):
    assert_same(saved(weights(), pickle_protocol=protocol), weights())


def test_views_of_one_storage():
    whole = torch.arange(24.0).reshape(4, 6)
    state = {"t": whole.T, "part": whole[1:3, 2:], "whole": whole, "one": torch.tensor(2.5)}
    assert_same(saved(state), state)


def test_what_stands_beside_the_weights():
    """A module's state dict in a checkpoint with an optimiser's state; parameters; counts."""
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(module.parameters())
    module(torch.ones(2, 2)).sum().backward()
    optimizer.step()
    state = {k: v for k, v in module.state_dict().items() if "num_batches" not in k}
    beside = {"optimizer": optimizer.state_dict(), "epoch": 3, "loss": 0.25, "by": ("x", None, {1})}
    beside |= {"dtype": torch.bfloat16, "on": torch.device("cpu"), "size": torch.Size([2, 3])}
    assert_same(saved({"model_state_dict": module.state_dict(), **beside}), state)
    assert_same(saved(dict(module.named_parameters())), dict(module.named_parameters()))
    parallel = OrderedDict((f"module.{name}", x) for name, x in weights().items())
    assert_same(saved({"state_dict": parallel}), weights())


class Code:
    """What a pickle may do: have any function called, here one that makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("beside", [True, False])
def test_code_is_not_run(tmp_path, beside):
    mark = tmp_path / "ran"
    data = saved({**weights(), "x": Code(mark)} if beside else Code(mark))
    assert "names code (" in refusal(data)
    assert not mark.exists()
    torch.load(io.BytesIO(data), weights_only=False)  # what this would have done
    assert mark.exists()


def test_a_whole_module_names_its_class():
    assert "names code (torch.nn.modules.linear.Linear), which is not run" in refusal(
        saved(torch.nn.Linear(2, 2))
    )


@pytest.mark.parametrize(
    "text",
    [
        b"cos\nsystem\n(S'true'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"(S'true'\nios\nsystem\n.",
        b"ctorch._utils\n_rebuild_tensor_v2\nctorch\nFloatStorage\n\x81.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
        b"\x82\x01.",
    ],
)
def test_opcodes_that_run_code_are_refused(text):
    refusal(changed(saved(weights()), "data.pkl", text))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"\x80\x02}q\x00.", saved(weights())[:-50], saved(weights())[:200]],
    ids=["empty", "zip alone", "pickle alone", "without its end", "beginning"],
)
def test_damaged_files(data):
    assert "is not a whole checkpoint" in refusal(data)


def test_files_of_old_torch():
    data = saved(weights(), _use_new_zipfile_serialization=False)
    assert "is not a whole checkpoint of torch 1.6 or later" in refusal(data)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data/0", b"\0" * 8),
        ("data/0", None),
        ("byteorder", b"big"),
        ("data.pkl", None),
        ("data.pkl", b"}."),
    ],
)
def test_members_that_do_not_fit(name, content):
    assert "is not a whole checkpoint" in refusal(changed(saved(weights()), name, content))


def test_numbers_are_not_unpacked():
    """An archive whose numbers are compressed could hold far more than the file has."""
    data = saved({"a": torch.zeros(100_000)})
    packed = changed(data, "nothing", None, zipfile.ZIP_DEFLATED)
    assert len(packed) < 10_000
    assert "is not a whole checkpoint" in refusal(packed)
