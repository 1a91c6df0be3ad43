"""What a part raised, on its way to who asked for it."""

import pickle

from evenmatch.errors import StateError


def portable(error: BaseException) -> BaseException:
    """Return an exception that another process can read: itself, or its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # of whatever kind: it cannot be sent
        return StateError(f"{type(error).__name__}: {error}")
    return error
