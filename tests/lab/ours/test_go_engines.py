"""Games against other programs at Go: which are due, and what the page says of made-up ones."""

from evenmatch_lab.ours import go_engines


def part(game_id, wins, losses, disputed=()):
    """Return a part of pairs that were won or lost as a whole."""
    return {
        "settings": {
            "game": game_id, "player": "ours", "opponent": "theirs", "openings": 4, "seed": 1,
            "komi": 7.0, "games": 2 * (wins + losses),
        },
        "program": "GNU Go 3.8",
        "row": {
            "first": [wins, losses, 0],
            "second": [wins, losses, 0],
            "pairs": [losses, 0, 0, 0, wins],
            "distinct": 2 * (wins + losses),
        },
        "ends": {"plies": 60.0, "resigned": 1, "agreed": 3, "disputed": list(disputed)},
        "seconds": 2.0,
    }  # fmt: skip


def test_games_on_each_board_come_in_parts_that_resume():
    parts = go_engines.parts(quick=False)
    for game_id, komi, games in (("go9", 7.0, 50), ("go", 7.5, 20)):
        settings = [x.settings for x in parts.values() if x.settings["game"] == game_id]
        assert sum(one["games"] for one in settings) == games
        assert [one["first"] for one in settings] == list(range(0, games, 10))
        assert {one["komi"] for one in settings} == {komi}
        assert {one["player"] for one in settings} == {"alphazero:sims=200"}
