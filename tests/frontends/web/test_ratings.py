"""Files that visitors send to be rated: how long they are kept, how much of them, and turns."""

import asyncio

import pytest

pytest.importorskip("starlette", reason="the page needs the extra web")

from evenmatch.frontends.web import ratings
from evenmatch.frontends.web.ratings import CANCELLED, Ratings
from evenmatch.frontends.web.service import Service

PGN = "".join(
    f'[White "{white}"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 1-0\n\n'
    for white in ("Ann", "Cid")
).encode()


@pytest.fixture(params=[None], ids=["many people"])
def service(request, tmp_path):
    service = Service(request.param, tmp_path, ("chess",))
    yield service
    service.close()


def begun(files: Ratings, person: str, data: bytes = PGN) -> str:
    return files.begin(person, data, "x.pgn", "chess")


async def heard(files: Ratings, number: str) -> list[str]:
    """Return what is told of a file until the end."""
    return [f"{name} {told}" async for name, told in files.events(number)]


def test_a_file_is_there_for_who_listens_after_its_end(service):
    async def late():
        files = Ratings(service)
        number = begun(files, "Ann", b"")
        await asyncio.gather(*files._tasks)
        assert "empty" in (await heard(files, number))[-1]
        assert not files.knows(number, "Ann")

    asyncio.run(late())


WRONG_MOVE = b'[White "Ann"]\n[Black "Bob"]\n\n1. e4 e4 2. Ke5 1-0\n\n'


@pytest.mark.parametrize(
    "data", [b"no games", b"\x89PNG\r\n", WRONG_MOVE, PGN + WRONG_MOVE], ids=range(4)
)
def test_where_a_file_lies_is_not_told(service, data):
    async def read():
        files = Ratings(service)
        told = await heard(files, begun(files, "Ann", data))
        assert "evenmatch-" not in "".join(told)
        assert "/" not in "".join(told)

    asyncio.run(read())


def test_who_listens_is_told_of_a_cancel(service):
    async def cancelled():
        files = Ratings(service)
        number = begun(files, "Ann")
        hearing = asyncio.create_task(heard(files, number))
        await asyncio.sleep(0)
        assert files.cancel(number, "Ann")
        assert CANCELLED in (await asyncio.wait_for(hearing, 60))[-1]

    asyncio.run(cancelled())


@pytest.mark.parametrize(("service", "games"), [(None, 1), ("Ann", 2)], indirect=["service"])
def test_so_many_games_of_a_file_are_rated_where_many_people_play(service, games, monkeypatch):
    monkeypatch.setattr(ratings, "MOST_SIDES", 2)

    async def end():
        files = Ratings(service)
        return (await heard(files, begun(files, "Ann")))[-1]

    told = asyncio.run(end())
    assert f"Read {games} game" in told
    assert ("send the others as another file" in told) is (games == 1)


def test_files_take_turns(service, monkeypatch):
    monkeypatch.setattr(ratings, "BATCH", 2)
    order = []

    async def listen(files: Ratings, person: str):
        async for name, _ in files.events(begun(files, person)):
            order.extend([person] * (name == "progress"))

    async def both():
        files = Ratings(service)
        await asyncio.gather(listen(files, "Ann"), listen(files, "Bob"))

    asyncio.run(both())
    assert order == ["Ann", "Bob", "Ann", "Bob"]
