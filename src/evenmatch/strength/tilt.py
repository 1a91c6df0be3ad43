"""The least change of a policy that brings its expected worth to a wanted number."""

import numpy as np
from numpy.typing import NDArray

from evenmatch.strength.styles import softmax


def tilted(pi: NDArray, worth: NDArray, target: float) -> NDArray[np.float64]:
    """Return the policy nearest to ``pi`` [A] whose expected worth is ``target``.

    It is pi(a) exp(lambda worth(a)) / Z, which of all with that expectation has the least
    relative entropy to pi. Beyond what the actions with pi > 0 are worth, the best or worst.
    """
    support = pi > 0
    logs, worths = np.log(pi[support]), worth[support]
    low, high = -64.0, 64.0
    for _ in range(40):
        tilt = (low + high) / 2
        low, high = (tilt, high) if softmax(logs + tilt * worths) @ worths < target else (low, tilt)
    out = np.zeros(len(pi))
    out[support] = softmax(logs + low * worths)
    return out
