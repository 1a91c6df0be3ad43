"""The cookie that a browser is known by: the token of its login, signed with the server's secret.

The signature keeps made-up tokens away from the database.
"""

import base64
import hashlib
import hmac
import secrets
from pathlib import Path

from evenmatch.errors import StateError
from evenmatch.files import replacing
from evenmatch.profiles.accounts import UNUSED
from evenmatch.profiles.database import OWNER_ONLY, locked_folder

NAME = "evenmatch"  #: of the cookie
SECRET = "web-secret"  #: file in the state folder
BYTES = 32  #: of the secret
LONGEST = 200  #: characters of a cookie's value that are looked at
COMMON = ("HttpOnly", "SameSite=Lax")  #: what every cookie has


def secret_of(folder: Path) -> bytes:
    """Return the secret of a state folder; it is made with the first use, even by two at once.

    Raises OSError where it cannot be read or made, StateError where it is damaged.
    """
    path = folder / SECRET
    if not path.exists():
        with locked_folder(folder):
            if not path.exists():
                with replacing(path, OWNER_ONLY) as partial:
                    partial.write_bytes(secrets.token_bytes(BYTES))
    secret = path.read_bytes()
    if len(secret) != BYTES:
        raise StateError(f"{path} is damaged; delete it, and everybody enters again")
    return secret


def is_secure(scheme: str, forwarded: str | None = None, proxied: bool = False) -> bool:
    """Tell whether a browser speaks https; ``scheme`` is what the server is spoken to with.

    ``forwarded`` is the header X-Forwarded-Proto, which counts only behind a proxy.
    """
    if proxied and forwarded:
        scheme = forwarded.rpartition(",")[2].strip()  # the last is our own proxy's
    return scheme.lower() in ("https", "wss")


class Cookies:
    """Writes and reads the cookies of one secret."""

    def __init__(self, secret: bytes):
        self._secret = secret

    def read(self, header: str | None) -> str | None:
        """Return the token in a Cookie header, None if none is there that was signed here."""
        for pair in (header or "").split(";"):
            name, _, value = pair.strip().partition("=")
            token = self._token(value.strip()) if name == NAME else None
            if token is not None:
                return token
        return None

    def write(self, token: str, secure: bool, path: str = "") -> str:
        """Return the Set-Cookie header that lets a browser keep a token, for a path and below."""
        return _header(f"{token}.{self._signature(token)}", round(UNUSED), secure, path)

    def clear(self, secure: bool, path: str = "") -> str:
        """Return the Set-Cookie header that lets a browser forget its token."""
        return _header("", 0, secure, path)

    def _token(self, value: str) -> str | None:
        token, dot, signature = value[:LONGEST].rpartition(".")
        given, due = _as_bytes(signature), _as_bytes(self._signature(token))
        return token if hmac.compare_digest(given, due) and dot and token else None

    def _signature(self, token: str) -> str:
        digest = hmac.new(self._secret, _as_bytes(token), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _header(value: str, seconds: int, secure: bool, path: str) -> str:
    reach = f"Path={path or '/'}"
    parts = (f"{NAME}={value}", f"Max-Age={seconds}", reach, *COMMON, *["Secure"] * secure)
    return "; ".join(parts)
