"""Markdown with lines of at most 100 characters, as the docs have them.

    python -m evenmatch_lab.markdown FILE...

rewrites files so. Tables, headings and code stay as they are: they cannot be wrapped. Comments
count for nothing, for nobody sees them.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

WIDTH = 100
BREAK = "  "  #: the end of a line that the next one must not join
FENCE = "```"
WHOLE = re.compile(
    r"\s*(\||#|!\[|<(?!!--f:\S*>\S)|\[[^\]]+\]: |:::|---|Command: `)|\s*$"
)  #: lines that stay
ITEM = re.compile(r"(\s*)([-*+]|\d+\.)\s+")
#: What a wrapped line must not begin with, for it would be no text any more.
MARKUP = re.compile(r"([-+*#>|]|\d+[.)])(\s|$)|<!--")
COMMENT = re.compile(r"<!--[^>]*-->")


def seen(text: str) -> str:
    """Return a text as readers see it, without comments."""
    return COMMENT.sub("", text)


def wrapped(lines: Sequence[str]) -> list[str]:
    """Return lines of Markdown with every paragraph and list item wrapped."""
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        fence = line.lstrip().startswith(FENCE)
        plain = not fenced and not fence
        if paragraph and (not plain or WHOLE.match(line) or ITEM.match(line)):
            out += _wrapped(paragraph)
            paragraph = []
        if plain and not WHOLE.match(line):
            paragraph.append(line)
            if line.endswith(BREAK):
                out += _wrapped(paragraph)
                paragraph = []
        else:
            out.append(line)
        fenced ^= fence
    return out[:-1]


def _wrapped(paragraph: list[str]) -> list[str]:
    begins = (MARKUP.match(line.lstrip()) for line in paragraph[1:])
    if all(len(seen(line)) <= WIDTH for line in paragraph) and not any(begins):
        return paragraph
    first = paragraph[0]
    item = ITEM.match(first)
    begin = item[0] if item else re.match(r"\s*", first)[0]  # type: ignore[index]
    indent = " " * len(begin)
    text = " ".join([first[len(begin) :].strip(), *(line.strip() for line in paragraph[1:])])
    if not item and len(begin) >= 4:  # code, or a part of a list that is laid out by hand
        return paragraph
    lines = _filled(text, begin, indent)
    end = BREAK if paragraph[-1].endswith(BREAK) else ""
    *most, last = _mended(lines)
    return [*most, last + end]


def _filled(text: str, begin: str, indent: str) -> list[str]:
    """Return lines with as many words each as there is room for, at least one."""
    first, *words = text.split()
    lines = [begin + first]
    for word in words:
        if len(seen(f"{lines[-1]} {word}")) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(indent + word)
    return lines


def _mended(lines: list[str]) -> Iterator[str]:
    """Yield lines none of which begins like markup: the last word before goes down with it."""
    rows = [line.rstrip() for line in lines]
    for at in range(len(rows) - 1, 0, -1):
        body = rows[at].lstrip()
        while MARKUP.match(body) and " " in rows[at - 1].strip():
            indent = rows[at][: len(rows[at]) - len(body)]
            rows[at - 1], _, word = rows[at - 1].rpartition(" ")
            body = f"{word} {body}"
            rows[at] = indent + body
    yield from rows


def main() -> None:
    """Rewrite the files named on the command line."""
    for name in sys.argv[1:]:
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        path.write_text("\n".join(wrapped(text.split("\n"))), encoding="utf-8")


if __name__ == "__main__":
    main()
