"""What compiled kernels share: how they are compiled, 64-bit words, random numbers.

Numba does not notice edits here when it loads kernels of other files from its cache:
after a change run ``evenmatch warmup --clear``.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

kernel = njit(cache=True, nogil=True, error_model="numpy")  #: compiles once, kept on disk
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)  #: inside kernels


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
