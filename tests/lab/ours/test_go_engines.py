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


def test_parts_of_a_game_add_up_and_are_set_beside_the_aim():
    results = {"a": part("go9", 5, 0), "b": part("go9", 4, 1), "c": part("go", 1, 4)}
    text = "\n".join(go_engines.page(results))
    assert "| 9x9 Go | 7 | 18-2-0 | 90.0% (" in text
    assert "| 2 | 6 of 6 | 4 |" in text
    assert "9x9 Go: the aim of above 90% is missed by the score of 90.0%" in text
    assert (
        "- Go: the aim of above 90% is missed by the score of 20.0%; its interval lies below"
        in text
    )
    assert "Not the same winner" not in text


def test_games_whose_winner_is_disputed_are_told():
    text = "\n".join(go_engines.page({"a": part("go9", 5, 0, [["B+2", "W+3", "W+3"]])}))
    assert "the program): B+2, W+3, W+3." in text
    assert "3 of 4" in text
