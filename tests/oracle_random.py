"""The random numbers of compiled kernels, drawn again by plain Python.

Where a kernel draws, an oracle draws the same ones from its own copy of the generator, so that
whole trees compare node for node.
"""

WORD = 2**64 - 1


class Xorshift:
    """Vigna's xorshift64*, of which the upper 32 bits are used."""

    def __init__(self, state):
        self.state = int(state)

    def bits(self):
        x = self.state
        x ^= x >> 12
        x ^= (x << 25) & WORD
        x ^= x >> 27
        self.state = x
        return ((x * 2685821657736338717) & WORD) >> 32

    def below(self, bound):
        return (self.bits() * bound) >> 32

    def uniform(self):
        """From the open interval (0, 1)."""
        return (self.bits() + 0.5) / 2**32


def mixed(word):
    """The finalizer of splitmix64, never 0."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return (word ^ (word >> 31)) | 1
