"""``evenmatch me export``, ``import``, ``rename`` and ``delete``: what is done with one's games."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from evenmatch.app.import_games import add_games, kinds_of
from evenmatch.errors import UsageError, counted
from evenmatch.files import replace_file
from evenmatch.frontends import console
from evenmatch.frontends.commands.me import no_games, person_of
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info, game_of_files
from evenmatch.profiles import Profile
from evenmatch.profiles.database import OWNER_ONLY
from evenmatch.profiles.export import TEXTS
from evenmatch.profiles.guesses import json_of
from evenmatch.profiles.people import named


def export(name: str | None, game: str | None, out: Path | None) -> None:
    """Write a person's finished games to a file or standard output.

    Where no game is named, also what they said of pairs of games.
    """
    profile, person = Profile(), person_of(name)
    notation = "" if out is None or out.suffix.lower() in JSON else out.suffix.lower()[1:]
    kind = get_game(game).id if game else None
    if notation not in TEXTS:
        raise _unfit(out)
    games = [
        one
        for one in profile.games.finished(person, kind)
        if kind or not notation or game_info(one.saved.game).notation == notation
    ]
    guesses = [] if kind or notation else profile.guesses.of(person)
    if not games and not guesses:
        raise UsageError(no_games(profile, name, kind or _kind_of(out)))
    if notation and notation != game_info(games[0].saved.game).notation:
        raise _unfit(out)
    text = "".join(map(TEXTS[notation], games)) + "".join(map(json_of, guesses))
    if out is None:
        sys.stdout.write(text)
        return
    if out.exists():
        raise UsageError(f"{out} is there already; choose another name, or delete it")
    replace_file(out, text, OWNER_ONLY)
    judged = f" and what was said of {counted(len(guesses), 'pair')}" if guesses else ""
    console.tell(f"Wrote {counted(len(games), 'game')}{judged} to {out}")


def _unfit(out: Path | None) -> UsageError:
    kinds = ".json, or .pgn for chess, .sgf for Go"
    return UsageError(f"{out} cannot hold these games; choose a name that ends in {kinds}")


JSON = (".json", ".jsonl")


def _kind_of(out: Path | None) -> str | None:
    """Return the game that a file's name tells, None for any."""
    return None if out is None else game_of_files([out])


def take_in(files: Sequence[Path], player: str, name: str | None, game: str | None) -> None:
    """Add a player's games of PGN or SGF files to a person's.

    Where no game is named, each file's name tells it; records of Go tell the size of the board.
    """
    kind = get_game(game).id if game else None
    read = [(path, [kind] if kind else kinds_of(path)) for path in files]
    *notes, added = add_games(Profile(), person_of(name), read, player, "--player")
    for note in notes:
        console.note(note)
    whose = "" if name is None else f" --name {shlex.quote(name)}"
    console.output().print(f"{added} To see them: evenmatch me{whose}", markup=False)


# -- people --------------------------------------------------------------------------------------


def rename(name: str | None, new: str) -> None:
    """Give a person another name."""
    new = named(new, one="one")
    Profile().people.rename(person_of(name), new)
    console.output().print(
        f"You play by the name {new} now: add --name {shlex.quote(new)}.",
        markup=False,
    )


def delete(name: str | None, sure: bool) -> None:
    """Delete a person's games and what opponents remember; asks first."""
    profile, person = Profile(), person_of(name)
    games = len(profile.games.finished(person))
    what = f"{counted(games, 'finished game')} of {person}, unfinished ones, guesses, and memories"
    if not sure:
        if not console.is_terminal(sys.stdin):
            raise UsageError(f"this deletes {what} for good; add --yes")
        if input(f"Delete {what} for good? [y/N] ").strip().lower() not in ("y", "yes"):
            return
    profile.people.delete(person)
    console.output().print(f"Deleted {what}.", markup=False)
    for file in sorted(profile.folder.glob("games.*")):
        console.note(f"{file} has finished games of everybody; delete it if you want to.")
