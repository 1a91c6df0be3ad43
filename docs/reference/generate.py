"""Writes the reference of commands and players from the tables that the program itself uses.

MkDocs calls ``on_files`` before it builds the site. ``python docs/reference/generate.py NAME``
prints one page.
"""

import re
import sys
from collections.abc import Callable

import typer.main


def commands_page() -> str:
    """Return the page of all commands with their arguments and options."""
    from evenmatch.frontends.cli import app

    lines = ["# Commands", "", "Every command has `--help`, which says the same.", ""]
    for name, command in sorted(typer.main.get_command(app).commands.items()):
        inner = getattr(command, "commands", None)
        if inner is None:
            lines += _command(f"evenmatch {name}", command)
        for part, one in sorted((inner or {}).items()):
            lines += _command(f"evenmatch {name} {part}", one)
    return "\n".join(lines) + "\n"


def _command(name: str, command) -> list[str]:
    lines = [f"## {name}", "", _plain(command.help or ""), ""]
    rows = [_row(one) for one in command.params if one.name != "help"]
    if rows:
        lines += ["| argument or option | what it does |", "|---|---|", *rows, ""]
    return lines


def _row(parameter) -> str:
    argument = parameter.param_type_name == "argument"
    name = (parameter.metavar or parameter.name.upper()) if argument else ", ".join(parameter.opts)
    if not argument and not parameter.is_flag and parameter.metavar:
        name += f" {parameter.metavar}"
    text = _plain(getattr(parameter, "help", "") or "")
    return f"| `{name.replace('|', '&#124;')}` | {text.replace('|', '&#124;')} |"


def _plain(text: str) -> str:
    """Return a help text without the markup of colours."""
    text = re.sub(r"(?<!\\)\[cyan\](.*?)\[/cyan\]", r"`\1`", text)
    text = re.sub(r"(?<!\\)\[/?(dim|bold|cyan)\]", "", text)
    return re.sub(r"[ \t]*\n[ \t]*(?!\n)", " ", text.replace("\\[", "[")).strip()


def players_page() -> str:
    """Return the page of all players with the keys of their specs."""
    from evenmatch.opponents import PLAYERS

    lines = [
        "# Players",
        "",
        "A player is named by a spec: `name`, or `name:key=value,key=value`. An example is",
        "`alphazero:sims=200`. `evenmatch players NAME` prints the keys of one.",
        "",
        "Players marked with \\* come with the laboratory (`pip install ./lab`).",
        "",
    ]
    own = _own_players()
    for name, kind in PLAYERS.items():
        lines += [f"## {name}{'' if name in own else ' *'}", "", f"{_sentence(kind.summary)}", ""]
        if kind.keys:
            lines += ["| key | default | what it does |", "|---|---|---|"]
        for key, entry in kind.keys.items():
            shown = entry.usual if entry.default is None else _written(entry.default)
            lines.append(f"| `{key}` | {shown} | {entry.help} |")
        lines.append("")
    return "\n".join(lines)


def _own_players() -> set[str]:
    from evenmatch.opponents import table

    return set(table.PLAYERS) - set(table.plugged_in())


def _written(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_written(one)} ({game})" for game, one in value.items())
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


PAGES: dict[str, Callable[[], str]] = {"commands": commands_page, "players": players_page}


def on_files(files, config):
    """Add the generated pages to the files of the site."""
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    return files


if __name__ == "__main__":
    print(PAGES[sys.argv[1]]())
