"""`evenmatch warmup` goes through all players, those too that do not play a game."""

from evenmatch.frontends.commands import warmup
from evenmatch.games import GAMES


def test_players_that_do_not_play_a_game_are_passed_over():
    assert warmup._players(GAMES["connect4"]) == ""


def test_games_can_be_chosen(run, refused):
    result = run("warmup", "connect4")
    assert result.exit_code == 0, result.output
    assert "Connect Four: players" in result.stdout
    assert "Othello" not in result.stdout
    assert "unknown game 'chequers'" in refused("warmup", "chequers")


def test_what_was_compiled_is_seen(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    for game, kept in (("connect4", "games/connect4"), ("go9", "games/go/rules")):
        module = tmp_path / game / f"{kept}.py"
        monkeypatch.setattr(warmup.inspect, "getfile", lambda _, path=module: str(path))
        assert not warmup.is_compiled(GAMES[game])
        (module.parent / "__pycache__").mkdir(parents=True)
        (module.parent / "__pycache__" / f"{module.stem}.advance-30.py311.nbi").touch()
        assert warmup.is_compiled(GAMES[game])
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        assert warmup.is_compiled(GAMES[game])
        monkeypatch.delenv("NUMBA_CACHE_DIR")
