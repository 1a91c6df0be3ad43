"""What compiled kernels share: how they are compiled, 64-bit words, random numbers.

Kernels do not count references to arrays, which saves a tenth of a search's own time: numba
counts each row of an array it looks at, with instructions that wait for all memory before them.
Functions that make arrays of their own need the count (numba refuses to compile them without):
they are ``allocating``.

Numba compiles a function again for every constant that it is called with, and for the constant that
a loop's variable begins with: where that would be a large function, kernels write ``np.int64(0)``.

Numba does not notice edits here when it loads kernels of other files from its cache:
after a change run ``evenmatch warmup --clear``.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

_COUNTED: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
_UNCOUNTED = _COUNTED | {"_nrt": False}
kernel = njit(**_UNCOUNTED)  #: compiles once, kept on disk
inlined = njit(forceinline=True, **_UNCOUNTED)  #: inside kernels
allocating = njit(**_COUNTED)  #: a kernel that makes arrays


@intrinsic
def popcount(typingctx, word):
    """Return the number of set bits of an unsigned 64-bit word, as int64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def trailing_zeros(typingctx, word):
    """Return the index of the lowest set bit of a non-zero unsigned 64-bit word, as int64."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def leading_zeros(typingctx, word):
    """Return how many bits above the highest set bit of a non-zero uint64 are 0, as uint64."""

    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@intrinsic
def byteswap(typingctx, word):
    """Return an unsigned 64-bit word with its eight bytes in reverse order."""

    def codegen(context, builder, signature, args):
        return builder.bswap(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def fetch(typingctx, array, i, j):
    """Ask for the cache line where ``array[i, j]`` begins, and do not wait for it."""

    def codegen(context, builder, signature, args):
        rows = context.make_array(signature.args[0])(context, builder, args[0])
        strides = cgutils.unpack_tuple(builder, rows.strides)
        address = rows.data
        for k in (1, 2):
            index = context.cast(builder, args[k], signature.args[k], types.intp)
            step = builder.mul(index, strides[k - 1])
            address = cgutils.pointer_add(builder, address, step, cgutils.voidptr_t)
        flag = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
        ask = builder.module.declare_intrinsic("llvm.prefetch", (cgutils.voidptr_t,), shape)
        builder.call(ask, [address, flag(0), flag(3), flag(1)])  # to read, to keep, data

    return types.void(array, i, j), codegen


@inlined
def next_random(state):
    """Advance a xorshift64* generator: uint64 state (not 0) -> (new state, 32 random bits)."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    return state, (state * np.uint64(2685821657736338717)) >> np.uint64(32)


@inlined
def random_below(state, bound):
    """Draw an int64 in [0, bound), bound < 2**31: uint64 state -> (new state, number)."""
    state, bits = next_random(state)
    return state, np.int64((bits * np.uint64(bound)) >> np.uint64(32))


@inlined
def nth_set_bit(word, n):
    """Return the index of the n-th (from 0) set bit of a word that has more than n."""
    for _ in range(n):
        word &= word - np.uint64(1)
    return trailing_zeros(word)


@inlined
def scrambled(word):
    """Return a non-zero word that starts an independent generator (splitmix64's finalizer)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) | np.uint64(1)
