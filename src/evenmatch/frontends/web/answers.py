"""Answers that several routes give: nothing is there, a file."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

NOTHING = {"error": "there is no such game"}
NOTHING_THERE = {"error": "there is no such page"}
MEDIA = {
    "pgn": "application/x-chess-pgn",
    "sgf": "application/x-go-sgf",
    "json": "application/json",
}


def done_or_nothing(done: bool) -> Response:
    """Return an empty answer, or that there is no such game."""
    return JSONResponse({} if done else NOTHING, 200 if done else 404)


def file_answer(text: str, name: str, kind: str) -> Response:
    """Return a text as a file of a kind, one of `MEDIA`."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=MEDIA[kind], headers=headers)
