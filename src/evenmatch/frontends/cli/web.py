"""``evenmatch web``: the page."""

from pathlib import Path
from typing import Annotated

import typer

from evenmatch.frontends.cli.program import PLAY, command, whole


@command(PLAY)
def web(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="NUMBER", parser=whole(1, 65535), help="The port.")
    ] = 8765,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Your name, as in `evenmatch play --name`."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state", metavar="FOLDER", help="Where games are kept.", show_default="as elsewhere"
        ),
    ] = None,
    known_as: Annotated[
        list[str] | None,
        typer.Option(
            "--known-as", metavar="HOST", help="Another name by which browsers ask for the page."
        ),
    ] = None,
    people: Annotated[
        bool, typer.Option("--people", help="Each visitor gets their own games and level.")
    ] = False,
    proxied: Annotated[
        bool,
        typer.Option(
            "--proxied",
            help="With --people: a proxy is in front, and its X-Forwarded-For and -Proto are true.",
        ),
    ] = False,
    root_path: Annotated[
        str | None,
        typer.Option(
            "--root-path",
            metavar="PATH",
            help="Where a proxy shows the page, such as /evenmatch.",
            show_default="its X-Forwarded-Prefix",
        ),
    ] = None,
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="A game to offer; may be repeated.",
            show_default="all",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Write down what happens, as lines of JSON without names; - for the screen.",
        ),
    ] = None,
) -> None:
    """Serve a page on which you play in a browser, against an opponent of your level.

    Everybody who opens it plays as you, and sees your games. So it listens on this machine alone,
    unless you say otherwise. With `--people` others can play, too: each has their own games.
    """
    from evenmatch.errors import UsageError
    from evenmatch.games import get_game
    from evenmatch.profiles.people import named

    try:
        from evenmatch.frontends.web.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("evenmatch"):
            raise
        raise UsageError("the page needs more packages: pip install 'evenmatch[web]'") from None
    if people and name is not None:
        raise UsageError("with --people each visitor chooses a name; leave out --name")
    if proxied and not people:
        raise UsageError("--proxied is for many visitors; add --people, or leave it out")
    person = None if name is None else named(name)
    offered = [get_game(game).id for game in games or ()]
    serve(
        host,
        port,
        person,
        state,
        known_as or (),
        offered,
        log,
        people=people,
        proxied=proxied,
        root_path=root_path,
    )
