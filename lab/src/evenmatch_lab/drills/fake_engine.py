"""An engine of chess or Go that fails in one of many ways; it needs nothing but Python.

python fake_engine.py uci|gtp HOW [WHEN]

WHEN is the command at which it begins to fail, by default when it is to move.
"""

import sys
import time

MOVING = {"uci": "go", "gtp": "genmove"}
ANSWERS = {
    "illegal": ("bestmove a1a8", "= a99\n"),
    "nonsense": ("bestmove \x00\x01", "= \x00\x01\n"),
    "nothing": ("bestmove", "=\n"),
    "garbage": ("bestmove zzzz", "= zzzz\n"),
}


def say(text: str) -> None:
    """Write a line at once."""
    print(text, flush=True)


def fail(protocol: str, how: str) -> None:
    """Fail; some ways end with an answer all the same."""
    if how == "closes":
        sys.stdout.close()
    while how in ("hang", "closes"):
        time.sleep(60)
    if how == "die":
        sys.exit(1)
    while how == "endless line":
        sys.stdout.write("x" * 65536)
    while how == "endless lines":
        print("info string x")
    if how == "garbage":
        sys.stdout.buffer.write(bytes(range(256)) * 64 + b"\n")
        sys.stdout.flush()
    say(ANSWERS[how][protocol == "gtp"])


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


def main(protocol: str, how: str, when: str = "") -> None:
    """Answer lines until one says quit."""
    for line in sys.stdin:
        first = (line.split() or [""])[0]
        if first == "quit":
            return
        if first == (when or MOVING[protocol]):
            fail(protocol, how)
        else:
            {"uci": uci, "gtp": gtp}[protocol](first)


if __name__ == "__main__":
    main(*sys.argv[1:])
