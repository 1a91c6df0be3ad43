"""How the server starts: what it prepares, and what it refuses."""

import socket
import threading

import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends.web import server
from evenmatch.frontends.web import service as warming
from evenmatch.frontends.web.server import serve


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
