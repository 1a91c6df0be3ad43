"""Games as files, while they are played and when they are over."""

import json


def record(visitor, row: int):
    return visitor.get(f"/api/tables/{row}/record")


def test_an_unfinished_game_of_chess_is_pgn_without_a_result(visitor):
    row = visitor.begin("chess", "random")
    assert record(visitor, row).text.endswith("\n*\n\n")  # no move yet
    with visitor.at(row) as seen:
        state = seen.move(seen.turn(), "e4")
        answer = record(visitor, row)
        assert answer.headers["content-type"].startswith("application/x-chess-pgn")
        assert f'filename="chess-{row}.pgn"' in answer.headers["content-disposition"]
        assert f"1. e4 {state['moves'][1]['text']} *" in answer.text
        assert '[Result "*"]' in answer.text
        seen.ask("resign", state["seq"])
        seen.until(lambda new: new["over"])
    assert '[Result "0-1"]' in record(visitor, row).text


def test_an_unfinished_game_of_go_is_sgf_without_a_result(visitor):
    row = visitor.begin("go9", "random", komi=5.5)
    with visitor.at(row) as seen:
        seen.move(seen.turn(), "E5")
        text = record(visitor, row).text
    assert ";B[ee]" in text
    assert "KM[5.5]" in text
    assert "RE[" not in text


def test_an_unfinished_game_without_a_notation_is_json(visitor):
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        seen.move(seen.turn(), "4")
        told = json.loads(record(visitor, row).text)
    assert (told["result"], told["moves"][0], told["ending"]) == (None, "4", "")
    assert told["ended"] is None
