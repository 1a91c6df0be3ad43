"""Networks of other programs where one of ours is expected: imported once, in the user's cache."""

from pathlib import Path

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import digest_of

LEELA = (".pb.gz", ".pb")  #: how the names of Leela's weights end


def as_artifact(path: Path) -> Path:
    """Return a network's artifact; of Leela's weights one is made. NetworkError if it cannot be."""
    if not path.name.endswith(LEELA):
        return path
    from platformdirs import user_cache_path

    from evenmatch.network.leela.graph import import_leela

    try:
        target = user_cache_path("evenmatch") / "networks" / f"{digest_of(path)}.onnx"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            import_leela(path, target)
    except OSError as error:
        raise NetworkError(f"cannot use {path} ({error.strerror or error})") from None
    return target
