"""The server: how it starts, where it listens, and by which names it is reached."""

import socket
import threading

import pytest

pytest.importorskip("starlette", reason="the page needs the extra web")

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends.web import server
from evenmatch.frontends.web import service as warming
from evenmatch.frontends.web.server import Addresses, checked_host, listen, serve


def test_it_tells_that_it_prepares_before_it_does(tmp_path, monkeypatch, capsys):
    told = []
    monkeypatch.setattr(warming, "is_compiled", lambda game: False)

    def note(*args, **kwargs):
        told.append(capsys.readouterr().err)

    monkeypatch.setattr(warming, "first_move", note)
    monkeypatch.setattr(server, "of_start", lambda *_: None)
    monkeypatch.setattr("uvicorn.Server.run", note)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serve("127.0.0.1", port, None, tmp_path, games=["connect4"])
    assert told[0].startswith("Preparing the games; ")
    assert told[1] == "", "another opponent"
    assert told[2].startswith(f"Open http://127.0.0.1:{port} ")


def test_what_was_compiled_is_loaded_behind_the_page(tmp_path, monkeypatch, capsys):
    """It stops with the server: a move that is being made is the last."""
    moves, served = [], threading.Event()

    def slow(spec, game):
        moves.append(spec)
        served.wait(20)

    def run(*args, **kwargs):
        assert "Preparing" not in capsys.readouterr().err
        threading.Timer(0.2, served.set).start()

    monkeypatch.setattr(warming, "is_compiled", lambda game: True)
    monkeypatch.setattr(warming, "first_move", slow)
    monkeypatch.setattr("uvicorn.Server.run", run)
    serve("127.0.0.1", 0, None, tmp_path, games=["connect4", "othello"])
    assert moves == ["even"]


def test_what_loads_behind_the_page_ends_with_a_start_that_fails(tmp_path, monkeypatch):
    def fail(*_):
        raise StateError("the profile cannot be read")

    moves, begun = [], threading.Event()

    def slow(spec, game):
        moves.append(spec)
        begun.wait(1)

    monkeypatch.setattr(warming, "is_compiled", lambda game: True)
    monkeypatch.setattr(warming, "first_move", slow)
    monkeypatch.setattr(server, "of_start", fail)
    with pytest.raises(StateError):
        serve("127.0.0.1", 0, None, tmp_path, games=["connect4", "othello"])
    assert moves == ["even"]
    assert not any(thread.name == "warming" for thread in threading.enumerate())


def test_a_folder_that_cannot_keep_games_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"games cannot be kept in .*; choose another --state"):
        serve("127.0.0.1", 1, None, tmp_path / "file" / "state")


def test_options_that_do_not_go_together(refused):
    assert "leave out --name" in refused("web", "--people", "--name", "Ann")
    assert "add --people" in refused("web", "--proxied")


# -- addresses -------------------------------------------------------------------------------------

AWAY = "192.0.2.7"  #: of this machine, as others on the network know it


@pytest.fixture
def free():
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@pytest.fixture
def at(free, monkeypatch):
    """Return a function that listens, and says how that is reached."""
    monkeypatch.setattr(server, "own_address", lambda family: AWAY)
    opened = []

    def at(host: str, *known: str) -> Addresses:
        opened.append(listen(host, free))
        return Addresses(host, opened[-1], known)

    yield at
    for one in opened:
        one.close()


@pytest.mark.parametrize("option", ["--host", "--known-as"])
@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_host_is_refused(refused, option, text):
    """It would be every interface."""
    assert f"{option} is empty; leave it out, or write" in refused("web", option, text)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("http://x y", "a name such as even.example, or an address"),
        ("http://", "a name such as even.example, or an address"),
        ("*", "a name such as even.example, or an address"),
        ("a..b", "a name such as even.example, or an address"),
        ("https://even.example:443/play", "--known-as even.example"),
        ("even.example:8443", "--known-as even.example"),
        ("http://[::1]:8765", "--known-as ::1"),
    ],
)
def test_what_is_no_host_is_refused(refused, text, fix):
    """With the host that was meant, where there is one."""
    said = refused("web", "--known-as", text)
    assert said == f"error: --known-as {text!r} is not a host; write {fix}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [("Even.Example.", "even.example"), ("2001:db8:0:0::1", "2001:db8::1"), ("127.1", "127.0.0.1")],
)
def test_hosts_are_written_as_browsers_do(text, written):
    """The guard compares them with what browsers send."""
    assert checked_host(text, "--known-as") == written


@pytest.mark.parametrize("text", ["fe80::1%eth0", f"{'a' * 64}.example"])
def test_what_no_browser_sends_is_refused(refused, text):
    assert "is not a host; write" in refused("web", "--known-as", text)


def test_a_port_that_is_taken_is_told_once(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError) as told:
            serve("127.0.0.1", port, None, tmp_path, games=["connect4"])
    assert str(told.value) in [
        f"port {port} is in use; choose another: --port {port + step}" for step in (1, -1)
    ]


@pytest.mark.parametrize("host", ["999.1.1.1", "192.0.2.1"])
def test_addresses_of_others_are_told(host, free):
    with pytest.raises(UsageError, match=f"{host} is no address of this machine; write another"):
        listen(host, free)


def test_this_machine_alone_by_default(at, free):
    here = at("127.0.0.1", "even.example")
    assert here.names == ("localhost", "127.0.0.1", "::1", "even.example")
    assert here.told() == f"Open http://127.0.0.1:{free} in a browser. To stop: Ctrl+C."


@pytest.mark.parametrize("host", ["0.0.0.0", "0"])
def test_where_all_may_come_an_address_that_works_is_told(at, free, host):
    """And the server answers to it."""
    everywhere = at(host, "box")
    assert everywhere.names == ("localhost", "127.0.0.1", "::1", AWAY, "box")
    assert everywhere.told() == (
        f"Open http://127.0.0.1:{free} in a browser. To stop: Ctrl+C.\n"
        f"Others on your network open http://{AWAY}:{free} or http://box:{free}. They play as you; "
        "with --people each has games of their own."
    )
    assert everywhere.told(people=True).endswith(f"http://box:{free}.")


def test_without_a_network_a_name_is_asked_for(at, monkeypatch):
    monkeypatch.setattr(server, "own_address", lambda family: "")
    told = at("0.0.0.0").told(people=True)
    assert told.endswith("\nFor others add --known-as with the name or address that they type.")


def test_behind_a_proxy_the_names_are_told(at, free):
    proxied = at("127.0.0.1", "even.example").told(people=True, proxied=True)
    assert proxied.endswith("\nOthers open even.example through your proxy.")


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_addresses_of_six_are_in_brackets(at, free):
    try:
        everywhere = at("::")
    except UsageError:
        pytest.skip("this machine has no IPv6")
    assert everywhere.told().startswith(f"Open http://[::1]:{free} in a browser.")
