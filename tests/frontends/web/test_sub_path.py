"""The page below a path, behind a proxy that leaves the path in requests or takes it away."""

import pytest
from frontends.web.conftest import HOST, OWN, Crowd
from starlette.testclient import TestClient

from evenmatch.errors import UsageError
from evenmatch.frontends.web.guard import Guard, SubPath, checked_path

ABOVE = "/even/match"


@pytest.fixture(params=["left", "taken away", "told"])
def ask(request, tmp_path):
    """Ask for a path of the page through a proxy; ``left``: it does not take the path away."""
    crowd = Crowd(tmp_path)
    own = ABOVE if request.param != "told" else ""
    told = {"x-forwarded-prefix": f"{ABOVE}/"} if request.param == "told" else {}
    before = "" if request.param == "taken away" else ABOVE
    app = SubPath(Guard(crowd.app, (HOST,)), own)
    with TestClient(app, base_url=f"http://{HOST}", follow_redirects=False) as client:
        headers = OWN | told

        def ask(path, how="GET", **more):
            return client.request(
                how, before + path, headers=headers | more.pop("headers", {}), **more
            )

        ask.socket = lambda path: client.websocket_connect(before + path, headers=headers)
        yield ask


def test_all_that_the_page_names_is_below_the_path(ask):
    text = ask("/").text
    assert f'src="{ABOVE}/static/app.js"' in text
    assert f'href="{ABOVE}/me"' in text
    assert 'href="/' not in text.replace(f'href="{ABOVE}/', "")
    assert 'src="/' not in text.replace(f'src="{ABOVE}/', "")
    assert ask("/static/app.js").status_code == 200
    assert f'"{ABOVE}/static/app.js"' in ask("/play/1", headers={"accept": "text/html"}).text


def test_cookies_and_redirects_stay_below_it(ask):
    start = ask("/api/start")
    assert start.status_code == 200
    cookie = start.headers["set-cookie"]
    assert f"; Path={ABOVE};" in cookie
    assert ask("/me/").headers["location"] == f"http://{HOST}{ABOVE}/me"


def test_a_game_is_played_below_it(ask):
    cookie = {"cookie": ask("/api/start").headers["set-cookie"].partition(";")[0]}
    wanted = {"game": "connect4", "opponent": {"name": "random"}, "side": "first"}
    row = ask("/api/tables", "POST", json=wanted, headers=cookie).json()["id"]
    assert ask(f"/api/tables/{row}", headers=cookie).json()["yours"]


@pytest.mark.parametrize("told", ["//evil.example", "/a/../b", '/a"><script>', "evil", "/a b"])
def test_what_is_no_path_is_not_believed(tmp_path, told):
    crowd = Crowd(tmp_path)
    with TestClient(SubPath(Guard(crowd.app, (HOST,))), base_url=f"http://{HOST}") as client:
        text = client.get("/", headers={"x-forwarded-prefix": told}).text
    assert 'src="/static/app.js"' in text
    with pytest.raises(UsageError, match=r"--root-path .* is not a path; write one such as"):
        checked_path(told)


def test_a_path_is_read():
    assert [checked_path(x) for x in ("/evenmatch", "/a/b/", "/", "", None)] == [
        "/evenmatch", "/a/b", "", "", "",
    ]  # fmt: skip
