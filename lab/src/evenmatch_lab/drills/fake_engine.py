"""An engine of chess or Go that fails in one of many ways; it needs nothing but Python.

python fake_engine.py uci|gtp HOW [WHEN]

WHEN is the command at which it begins to fail, by default when it is to move.
"""

import sys
import time

PROTOCOL, HOW = sys.argv[1:3]
WHEN = sys.argv[3] if len(sys.argv) > 3 else {"uci": "go", "gtp": "genmove"}[PROTOCOL]


def say(text: str) -> None:
    """Write a line at once."""
    print(text, flush=True)


def fail(word: str) -> None:
    """Fail; some ways end with an answer all the same."""
    while HOW == "hang":
        time.sleep(60)
    if HOW == "die":
        sys.exit(1)
    while HOW == "endless line":
        sys.stdout.write("x" * 65536)
    while HOW == "endless lines":
        print("info string x")
    if HOW == "garbage":
        sys.stdout.buffer.write(bytes(range(256)) * 64 + b"\n")
        sys.stdout.flush()
    answers = {
        "illegal": ("bestmove a1a8", "= a99\n"),
        "nonsense": ("bestmove \x00\x01", "= \x00\x01\n"),
        "nothing": ("bestmove", "=\n"),
        "garbage": ("bestmove zzzz", "= zzzz\n"),
        "closes": ("", ""),
    }
    if HOW == "closes":
        sys.stdout.close()
        time.sleep(60)
    say(answers[HOW][PROTOCOL == "gtp"])


def uci(word: str) -> None:
    """Answer a command of UCI."""
    if word == "uci":
        say("id name Fake 17\nuciok")
    elif word == "isready":
        say("readyok")
    elif word == "go":
        say("info depth 1 score cp 0 nodes 1 pv e2e4\nbestmove e2e4")


def gtp(word: str) -> None:
    """Answer a command of GTP."""
    answers = {"name": "Fake", "list_commands": "name\nplay\ngenmove\nboardsize\nclear_board"}
    say(f"= {answers.get(word, '')}\n")


for line in sys.stdin:
    first = (line.split() or [""])[0]
    if first == "quit":
        break
    if first == WHEN:
        fail(first)
    else:
        {"uci": uci, "gtp": gtp}[PROTOCOL](first)
