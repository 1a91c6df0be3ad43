"""Sentences that people read have a subject, a verb and the field's standard term.

Counts the turns of phrase that a reader stumbles over, in Markdown, and in the docstrings, messages
and help texts of the code. ``python tests/test_plain_english.py PATH...`` prints each one.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: By name: what is found, and what stands in its place.
PATTERNS = {
    "tell": (r"\b(told|tells?|telling)\b", "report, estimate, distinguish, condition on"),
    "by the estimates": (r"\bby (the|its|their) estimates?\b", "by point estimate"),
    "Of first": (r"(?:^|[.:;] )Of (?!course)[a-z0-9]", "the plain subject, or 'In', 'For'"),
    "headless who": (
        r"(?:^|[.:;,] |\b(?:of|to|for|by|from|against|as|than) )[Ww]ho (?!are you\b)[a-z]+s\b"
        r"|\b[Ww]hoever\b",
        "the player who, anyone who",
    ),
    "for = because": (
        r"[a-z0-9)`], for (it|they|there|nobody|people) (?!who|of)\w+",
        "because",
    ),
    "else = otherwise": (r"[,;] else\b|\. Else\b", "otherwise"),
    "a = per": (
        r"\b(moves?|games?|points?|simulations?|nats|positions) a "
        r"(move|game|class|point|rank|side|pair|second|minute)\b",
        "per",
    ),
    "likeliest": (r"\blikeli(est|er)\b", "most likely, more likely"),
    "foresee": (r"\bfore(see|sees|saw|seen|seeing|tell|tells|told)\b", "predict"),
    "quaint": (r"\b(anew|besides|mend(s|ed|ing)?|ought to|shall)\b", "again, also, fix, should"),
    "somebody": (r"\b([Ss]omebody|[Aa]nybody)\b", "the player, a person, anyone"),
    "go on with": (r"\b(go|goes|going|gone|went) on\b", "continue, resume"),
    "is no": (r"\b(?:is|are) no (?!longer|more|less|one|reason|way)\w+[.;,]", "is not a"),
    "not told from": (r"\b(recogni[sz]ed|known|picked) apart\b", "distinguished"),
}

#: How many of each a reader meets at most, in guides and reference, in results, in the product.
MOST = {"guides": 0, "results": 0, "product": 0, "laboratory": 1}
PLACES = {
    "guides": ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"],
    "results": ["docs/results"],
    "product": ["src/evenmatch"],
    "laboratory": ["lab"],
}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a file that people read, each with its first line."""
    source = path.read_text(encoding="utf-8")
    yield from _markdown(source) if path.suffix == ".md" else _python(source)


def _markdown(source: str) -> Iterator[tuple[int, str]]:
    """Paragraphs without code, comments and the targets of links."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])  # noqa: E731
    source = re.sub(r"<!--.*?-->|^```.*?^```", blank, source, flags=re.S | re.M)
    source = re.sub(r"``?[^`\n]+(?:\n[^`\n]+)?``?", "`x`", re.sub(r"\]\([^)\n]+\)", "]", source))
    line = 1
    for part in re.split(r"(\n\s*\n|\n(?=\s*[-|*#]|\s*\d+\. ))", source):
        if part.strip():
            yield line, " ".join(part.split()).lstrip("-|*# ")
        line += part.count("\n")


def _python(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings, and other strings of three words or more."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = re.sub(r"``?[^`]+``?", "`x`", node.value)
            if len(text.split()) > 2:
                for paragraph in re.split(r"\n\s*\n", text):
                    yield node.lineno, " ".join(paragraph.split())


def files(place: Path) -> Iterator[Path]:
    """Yield the Markdown and Python files below a path, but for logs and results of code."""
    found = [place] if place.is_file() else sorted([*place.rglob("*.md"), *place.rglob("*.py")])
    return (path for path in found if not {"archive", "static", "vendor"} & {*path.parts})


def hits(path: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the name, the line and the words around each turn of phrase in a file."""
    for line, text in texts(path):
        for name, (pattern, _) in PATTERNS.items():
            for found in re.finditer(pattern, text):
                yield name, line, text[max(found.start() - 40, 0) : found.end() + 40]


@pytest.mark.parametrize("group", PLACES)
def test_sentences_are_plain(group):
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name} ({PATTERNS[name][1]}): ...{words}..."
        for place in PLACES[group]
        for path in files(ROOT / place)
        if group != "guides" or path.parent.name not in ("results", "go", "kgs", "fide", "chesscom")
        for name, line, words in hits(path)
    ]
    assert len(found) <= MOST[group], f"{len(found)} of at most {MOST[group]}:\n" + "\n".join(found)


def test_each_turn_of_phrase_is_found():
    seen = (
        "It is told the rank, and by the estimates. Of people one is lost, else not, for it ran. "
        "Who plays gains ten points a game; whoever foresees the likeliest goes on anew. "
        "Somebody is no player."
    )
    for name in PATTERNS.keys() - {"not told from"}:
        assert re.search(PATTERNS[name][0], seen), name


if __name__ == "__main__":
    for place in sys.argv[1:]:
        for path in files(Path(place)):
            for name, line, words in hits(path):
                print(f"{path}:{line}: {name} ({PATTERNS[name][1]}): ...{words}...")
