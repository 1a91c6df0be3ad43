"""Read the weights in a file of torch's (.pt) without torch, and without running what it holds.

The file is a zip archive of a pickle, which says what there is, and of the numbers of each tensor.
A pickle may name any function of any module and have it called. Here its opcodes are only parsed
(`pickletools.genops`, which calls nothing) and followed by a table of those that build plain data.
A name that is not in the tables below is refused, so nothing that a file names is imported.

Sources: `pickletools` of the standard library, which documents each opcode; PyTorch's notes on
serialization semantics, https://docs.pytorch.org/docs/stable/notes/serialization.html.
"""

from __future__ import annotations

import io
import math
import pickletools
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from evenmatch.errors import NetworkError, printable
from evenmatch.network.artifact import LARGEST
from evenmatch.network.foreign import expect

Floats = NDArray[np.float32]
Weights = dict[str, Floats]  #: name of a parameter -> its numbers

STATES = ("model_state_dict", "state_dict")  #: keys of a checkpoint that hold the weights
PARALLEL = "module."  #: before names of what torch's DataParallel wrapped
BFLOAT16 = "bfloat16"
STORAGES = {
    "torch FloatStorage": "<f4", "torch DoubleStorage": "<f8", "torch HalfStorage": "<f2",
    "torch BFloat16Storage": BFLOAT16, "torch LongStorage": "<i8", "torch IntStorage": "<i4",
    "torch ShortStorage": "<i2", "torch CharStorage": "i1", "torch ByteStorage": "u1",
    "torch BoolStorage": "?",
}  # fmt: skip
DTYPES = {
    f"torch {name}"
    for name in ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64",
                 "uint8", "bool")
}  #: names that stand for nothing but themselves  # fmt: skip
REAL = {BFLOAT16, "<f2", "<f4", "<f8"}


class _UnsafeError(Exception):
    """A pickle that names code; the message is the name."""


class _Name(NamedTuple):
    """A global of the tables, as a pickle names it."""

    text: str


class _Storage(NamedTuple):
    """A part of the archive with the numbers of tensors."""

    kind: str
    key: str


class _Tensor(NamedTuple):
    """A tensor, before its numbers are read."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in numbers

    def view(self, flat: Floats) -> Floats:
        """Return it as a view of its storage's numbers. ValueError if they are not all there."""
        expect(len(self.shape) == len(self.strides))
        expect(min((self.offset, *self.shape, *self.strides)) >= 0)
        last = sum((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True))
        count = math.prod(self.shape)
        expect(count <= len(flat) and (not count or self.offset + last < len(flat)))
        steps = [step * flat.itemsize for step in self.strides]
        return as_strided(flat[self.offset :], self.shape, steps, writeable=False)


class _Archive:
    """The numbers in an archive, each storage read once."""

    def __init__(self, archive: zipfile.ZipFile, root: str, size: int) -> None:
        self._archive, self._root, self._left = archive, root, size
        self._read: dict[_Storage, Floats] = {}

    def numbers(self, storage: _Storage) -> Floats:
        """Return a storage's numbers, flat. ValueError or KeyError if they are not there."""
        if storage not in self._read:
            member = self._archive.getinfo(f"{self._root}data/{storage.key}")
            self._left -= member.file_size  # members may overlap, or be of packed zeros
            expect(member.compress_type == zipfile.ZIP_STORED and self._left >= 0)
            raw = self._archive.read(member)
            if storage.kind == BFLOAT16:  # the upper half of a float32
                flat = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
            else:
                flat = np.frombuffer(raw, storage.kind).astype(np.float32, copy=False)
            self._read[storage] = flat
        return self._read[storage]


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_: Any) -> _Tensor:
    expect(isinstance(storage, _Storage) and isinstance(offset, int))
    expect(all(type(n) is int for n in (*shape, *strides)))
    return _Tensor(storage, offset, tuple(shape), tuple(strides))


#: What a pickle may have called -> what is done instead.
CALLS: dict[str, Callable[..., Any]] = {
    "torch._utils _rebuild_tensor_v2": _tensor,
    "torch._utils _rebuild_tensor": _tensor,
    "torch._utils _rebuild_parameter": lambda tensor, *_: tensor,
    "collections OrderedDict": lambda *_: {},
    "collections defaultdict": lambda *_: {},
    "torch Size": lambda sizes=(): tuple(sizes),
    "torch device": lambda *_: None,
    "torch._utils _rebuild_parameter_with_state": lambda tensor, *_: tensor,
    "collections Counter": lambda *_: {},
    "_codecs encode": lambda *_: None,
    "builtins set": lambda items=(): set(items),
    "__builtin__ set": lambda items=(): set(items),
}


def read_weights(data: bytes, path: Path) -> Weights:
    """Return the state dict in the bytes of a checkpoint; ``path`` is named in errors.

    It is the whole file, or what one of `STATES` holds there. Numbers that are not floating-point,
    such as counts of batches, are left out. NetworkError if there is none, if the file is damaged
    or of torch before 1.6, or if it names code.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            pickles = [name for name in archive.namelist() if name.endswith("data.pkl")]
            expect(len(pickles) == 1)
            root = pickles[0].removesuffix("data.pkl")
            orders = [x for x in archive.namelist() if x == f"{root}byteorder"]
            expect(not orders or archive.read(orders[0]) == b"little")
            member = archive.getinfo(pickles[0])
            expect(member.file_size <= min(len(data), LARGEST))
            held = _state(plain(archive.read(member)))
            storages = _Archive(archive, root, len(data))
            return {
                name.removeprefix(PARALLEL): tensor.view(storages.numbers(tensor.storage))
                for name, tensor in held.items()
                if tensor.storage.kind in REAL
            }
    except _UnsafeError as name:
        raise NetworkError(
            f"{path} names code ({printable(str(name))}), which is not run; save its weights "
            "alone: torch.save(model.state_dict(), FILE)"
        ) from None
    except (*DAMAGED, zipfile.BadZipFile):
        raise NetworkError(
            f"{path} is not a whole checkpoint of torch 1.6 or later; download it again, or save "
            "it again: torch.save(model.state_dict(), FILE)"
        ) from None


#: What following damaged bytes raises.
DAMAGED = (
    ValueError, LookupError, TypeError, AttributeError, EOFError, OSError, RecursionError,
    NotImplementedError, RuntimeError, ArithmeticError,
)  # fmt: skip


def _state(held: Any) -> dict[str, _Tensor]:
    """Return the tensors of the state dict in a checkpoint. ValueError if there are none."""
    expect(isinstance(held, dict))
    inner = next((held[key] for key in STATES if isinstance(held.get(key), dict)), held)
    tensors = {k: v for k, v in inner.items() if isinstance(k, str) and isinstance(v, _Tensor)}
    expect(bool(tensors))
    return tensors


def plain(data: bytes) -> Any:
    """Return the plain data of a pickle: dicts, lists, tuples, numbers, texts, tensors.

    Nothing that it names is called or imported. _UnsafeError for a name that is not in `CALLS`,
    `STORAGES` or `DTYPES`, ValueError or another of `DAMAGED` for an opcode that is not followed.
    """
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        at = marks.pop()
        items = stack[at:]
        del stack[at:]
        return items

    argument: Any
    for opcode, argument, _ in pickletools.genops(data):
        name = opcode.name
        if name in PUSHED:
            stack.append(argument)
        elif name in CONSTANTS:
            stack.append(CONSTANTS[name])
        elif name in EMPTY:
            stack.append(EMPTY[name]())
        elif name == "MARK":
            marks.append(len(stack))
        elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
            memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            stack.append(memo[argument])
        elif name in ("TUPLE", "LIST"):
            stack.append(tuple(since_mark()) if name == "TUPLE" else since_mark())
        elif name in TUPLES:
            marks.append(len(stack) - TUPLES[name])
            stack.append(tuple(since_mark()))
        elif name in ("APPENDS", "SETITEMS"):
            _add(since_mark(), stack[-1], pairs=name == "SETITEMS")
        elif name == "APPEND":
            _add([stack.pop()], stack[-1], pairs=False)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            _add([key, value], stack[-1], pairs=True)
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            if name == "STACK_GLOBAL":
                last, module = stack.pop(), stack.pop()
                argument = f"{module} {last}"
            stack.append(_allowed(argument))
        elif name in ("REDUCE", "NEWOBJ"):
            arguments, called = stack.pop(), stack.pop()
            expect(isinstance(called, _Name) and isinstance(arguments, tuple))
            stack.append(_called(called, arguments))
        elif name == "BINPERSID":
            stack.append(_storage(stack.pop()))
        elif name == "BUILD":
            stack.pop()  # attributes beside the items of a dict
        elif name == "STOP":
            return stack.pop()
        elif name not in ("PROTO", "FRAME"):
            raise ValueError(name)
    raise EOFError


PUSHED = {
    "BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "BINFLOAT", "FLOAT",
    "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "BINBYTES", "SHORT_BINBYTES",
    "BINSTRING", "SHORT_BINSTRING",
}  # fmt: skip
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_SET": set}
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def _add(items: list[Any], to: Any, pairs: bool) -> None:
    """Add items to a list, or keys and values in turn to a dict. ValueError for anything else."""
    if pairs:
        expect(isinstance(to, dict))
        to.update(zip(items[::2], items[1::2], strict=True))
    else:
        expect(isinstance(to, list))
        to.extend(items)


def _allowed(text: str) -> _Name:
    if not any(text in table for table in (CALLS, STORAGES, DTYPES)):
        raise _UnsafeError(text.replace(" ", "."))
    return _Name(text)


def _called(name: _Name, arguments: tuple[Any, ...]) -> Any:
    if name.text not in CALLS:
        raise _UnsafeError(name.text.replace(" ", "."))
    return CALLS[name.text](*arguments)


def _storage(key: Any) -> _Storage:
    """Return a storage by its persistent id: ('storage', type, key, device, size)."""
    expect(isinstance(key, tuple) and len(key) == 5 and key[0] == "storage")
    kind = key[1]
    expect(isinstance(kind, _Name) and kind.text in STORAGES and isinstance(key[2], str))
    return _Storage(STORAGES[kind.text], key[2])
