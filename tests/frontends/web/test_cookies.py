"""The cookie, and the secret that signs it."""

import multiprocessing
import stat

import pytest

from evenmatch.errors import StateError
from evenmatch.frontends.web.auth import SECRET, Cookies, is_secure, secret_of

TOKEN = "o4Xn_3-Yt"


@pytest.fixture
def cookies():
    return Cookies(b"s" * 32)


def value(cookies):
    return cookies.write(TOKEN, secure=False).partition(";")[0]


def test_a_token_comes_back(cookies):
    assert cookies.read(value(cookies)) == TOKEN
    assert cookies.read(f"theme=dark; {value(cookies)}; x") == TOKEN
    assert cookies.read(f"evenmatch=someone.else; {value(cookies)}") == TOKEN, "two of one name"


def test_what_a_cookie_is_like(cookies):
    name, *rest = cookies.write(TOKEN, secure=True).split("; ")
    assert name.startswith(f"evenmatch={TOKEN}.")
    assert rest == ["Max-Age=15552000", "Path=/", "HttpOnly", "SameSite=Lax", "Secure"]
    assert "Secure" not in cookies.write(TOKEN, secure=False)
    assert cookies.clear(secure=True) == (
        "evenmatch=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure"
    )


def test_what_was_not_signed_here_is_nobody(cookies):
    whole = value(cookies)
    assert Cookies(b"t" * 32).read(whole) is None
    assert cookies.read(whole.replace(TOKEN, TOKEN.lower())) is None
    assert cookies.read(whole[:-1]) is None
    assert cookies.read(whole + "=") is None
    assert cookies.read(whole.replace("evenmatch", "Evenmatch")) is None


@pytest.mark.parametrize(
    "header",
    [None, "", ";", "=", "evenmatch", "evenmatch=", "evenmatch=.", "evenmatch=a", "evenmatch=a.",
     "evenmatch=é.é", "evenmatch=\udce9.\udce9", "evenmatch=\0.\0", "evenmatch=" + "a." * 50_000],
)  # fmt: skip
def test_garbage_is_nobody(cookies, header):
    assert cookies.read(header) is None


def test_an_empty_token_is_nobody(cookies):
    assert cookies.read(cookies.write("", secure=False)) is None


@pytest.mark.parametrize(
    ("scheme", "forwarded", "proxied", "secure"),
    [
        ("http", None, False, False),
        ("https", None, False, True),
        ("wss", None, False, True),
        ("http", "https", False, False),
        ("http", "https", True, True),
        ("http", "HTTPS", True, True),
        ("http", "https, http", True, False),
        ("http", "http, https", True, True),
        ("https", "http", True, False),
        ("https", None, True, True),
    ],
)
def test_when_a_browser_speaks_https(scheme, forwarded, proxied, secure):
    assert is_secure(scheme, forwarded, proxied) == secure


# -- the secret ----------------------------------------------------------------------------------


def test_the_secret_is_made_once_and_for_the_server_alone(state):
    secret = secret_of(state)
    assert len(secret) == 32
    assert secret_of(state) == secret
    assert stat.S_IMODE((state / SECRET).stat().st_mode) == 0o600
    assert secret_of(state.with_name("other")) != secret


def test_a_damaged_secret_says_what_to_do(state):
    state.mkdir()
    (state / SECRET).write_bytes(b"short")
    with pytest.raises(StateError, match="is damaged; delete it, and everybody enters again"):
        secret_of(state)


def test_a_folder_that_cannot_be_made(state):
    state.write_text("a file")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        secret_of(state)


def _ask(folder, together, answers):
    together.wait(60)
    answers.put(secret_of(folder))


def test_servers_that_begin_at_once_share_a_secret(state):
    context = multiprocessing.get_context("fork")
    together, answers = context.Barrier(3), context.Queue()
    children = [context.Process(target=_ask, args=(state, together, answers)) for _ in range(3)]
    for child in children:
        child.start()
    secrets = {answers.get(timeout=60) for _ in children}
    for child in children:
        child.join(60)
    assert secrets == {secret_of(state)}
