"""A door, and what is right at it."""

import random
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from evenmatch.errors import EvenmatchError

SECONDS = 1.0  #: of the processor that an input may take, whatever else the machine does
PATIENCE = 10.0  #: seconds of the clock, in which it must be done in any case
LONGEST_MESSAGE = 10_000  #: characters of a refusal: it may name a spec and a file
SHOWN = 1000  #: characters of a message that a find tells
AGAIN = 2  #: times that what took too long is tried again: another program may have been at work

Kind = Literal["accepted", "refused", "exception", "answer", "slow", "memory", "crash", "hang"]
RIGHT = ("accepted", "refused")


class Wrong(Exception):  # noqa: N818 - it is no error of the program's
    """A door answered, but not as it should; the message says how."""


class Verdict(NamedTuple):
    """What became of an input."""

    kind: Kind
    seconds: float  #: of the processor
    told: str = ""  #: of a find what it was, of a refusal its line


@dataclass(frozen=True)
class Door:
    """What reads things that others wrote."""

    name: str
    title: str  #: what it reads, in words for a table
    draw: Callable[[random.Random, Sequence[bytes]], bytes]  #: an input, of the examples
    examples: Callable[[Path], Sequence[bytes]]  #: valid ones, made in a folder
    opened: Callable[[Path], Callable[[bytes], bool]]
    """Returns what takes an input, given a folder to write in: True if it is accepted, False if it
    is refused by an answer; an EvenmatchError refuses it too."""
    megabytes: int = 400  #: by which the process may grow


def drawn(door: Door, seed: int, number: int, examples: Sequence[bytes]) -> bytes:
    """Return an input: the examples themselves first, then what is drawn of them."""
    if number < len(examples):
        return examples[number]
    return door.draw(random.Random(f"{door.name}:{seed}:{number}"), examples)


def judged(take: Callable[[bytes], bool], data: bytes) -> Verdict:
    """Return what became of an input; of what takes too long the shortest of some tries counts."""
    begun = time.perf_counter()
    verdict = _tried(take, data)
    if time.perf_counter() - begun > PATIENCE and verdict.kind in RIGHT:
        return Verdict("slow", verdict.seconds, f"took more than {PATIENCE:g} s of the clock")
    for _ in range(AGAIN):
        if verdict.seconds < SECONDS or verdict.kind not in RIGHT:
            return verdict
        verdict = min(verdict, _tried(take, data), key=lambda one: one.seconds)
    if verdict.seconds < SECONDS:
        return verdict
    return Verdict("slow", verdict.seconds, f"took {verdict.seconds:.1f} s")


def _tried(take: Callable[[bytes], bool], data: bytes) -> Verdict:
    begun = time.process_time()
    try:
        kind: Kind = "accepted" if take(data) else "refused"
        told = ""
    except EvenmatchError as error:
        told = str(error)
        kind = "answer" if (fault := fault_of(told)) else "refused"
        told = f"{fault}: {told[:SHOWN]!r}" if fault else told
    except Wrong as wrong:
        kind, told = "answer", str(wrong)
    except Exception:
        kind, told = "exception", traceback.format_exc()
    return Verdict(kind, time.process_time() - begun, told)


def fault_of(message: str) -> str:
    """Return what is wrong with a message that is to be one line for a person, or nothing."""
    if not message.strip():
        return "an empty message"
    if len(message) > LONGEST_MESSAGE:
        return "a message of many characters"
    if len(message.splitlines()) > 1:
        return "a message of several lines"
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in message):
        return "a message with control characters"
    try:
        message.encode()
    except UnicodeEncodeError:
        return "a message that cannot be written"
    return ""
