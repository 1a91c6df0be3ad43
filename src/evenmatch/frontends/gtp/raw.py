"""What a network says of the position, without a search: ``kata-raw-nn``, ``kata-raw-human-nn``.

Answers are written as KataGo writes them (docs/GTP_Extensions.md and command/gtp.cpp of
lightvector/KataGo). Values are White's. Networks of people's moves are conditioned on a
profile (``humanSLProfile``, see `network.katago.profiles`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import quoted
from evenmatch.frontends.gtp.engine import Conversation
from evenmatch.frontends.gtp.protocol import WHITE, GtpError, read_number, take
from evenmatch.games.line import Line
from evenmatch.network.artifact import DETAILS, OPTIMISTIC
from evenmatch.network.conditions import profile_row
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.katago.profiles import Profile, read_profile

PROFILE, OPTIMISM = "humanSLProfile", "rootPolicyOptimism"  #: parameters
SYMMETRIES = range(8)


def raw(engine: Conversation, words: Sequence[str]) -> str:
    """Return what the network says: a symmetry or ``all``, and optimism of the policy, if any.

    GtpError without a network of the game.
    """
    optimism = engine.settings[OPTIMISM]
    if len(words) > 1:
        optimism = read_number(words[1], 0)
        if optimism > 1:
            raise GtpError("optimism is a number from 0 to 1")
    network = engine.thinker.network(engine.game.game)
    profile = _profile(engine) if network.card.profiles else None
    return _said(engine, words, network, profile, optimism, people=False)


def raw_human(engine: Conversation, words: Sequence[str]) -> str:
    """Return what the network of people's moves says of a profile: a symmetry or ``all``."""
    profile = _profile(engine)
    if profile is None:
        raise GtpError(f"{PROFILE} is not set; send, for example: kata-set-param {PROFILE} rank_8k")
    return _said(engine, words, engine.thinker.people(engine.game.game), profile, 0.0, people=True)


def _profile(engine: Conversation) -> Profile | None:
    """Return the profile that is set, None if none is."""
    name = engine.settings[PROFILE]
    return read_profile(name) if name else None


def _said(
    engine: Conversation,
    words: Sequence[str],
    network: NetworkEvaluator,
    profile: Profile | None,
    optimism: float,
    *,
    people: bool,
) -> str:
    line = engine.game.line
    condition = None
    if profile is not None:
        points = line.game.height * line.game.width
        condition = profile_row(profile, network.card, points, black=line.side != WHITE)
    states, legal = engine.game.as_ruled(line)
    texts = []
    for symmetry in _symmetries(take(words, 1)[0]):
        said = network.evaluate_whole(states[0], symmetry, condition)
        chances = _policy(said, legal, optimism)
        texts.append(f"symmetry {symmetry}\n{_written(line, said, chances, people)}")
    return "\n".join(texts)


def _symmetries(word: str) -> Sequence[int]:
    """Return the symmetries that a word names. GtpError."""
    if word.lower() == "all":
        return SYMMETRIES
    if word not in map(str, SYMMETRIES):
        raise GtpError(f"{quoted(word)} is not a symmetry; write 0 to 7, or all")
    return [int(word)]


def _policy(said: Mapping[str, NDArray], legal: NDArray, optimism: float) -> NDArray[np.float64]:
    """Return chances [A] of the ``legal`` moves [A], NaN of the others."""
    logits = said["logits"].astype(np.float64)
    if optimism and OPTIMISTIC in said:
        logits += optimism * (said[OPTIMISTIC] - logits)
    chances = np.full(len(logits), np.nan)
    if legal.any():
        weights = np.exp(logits[legal] - logits[legal].max())
        chances[legal] = weights / weights.sum()
    return chances


def _written(line: Line, said: Mapping[str, NDArray], chances: NDArray, people: bool) -> str:
    """Write outputs as KataGo does; without details the score is taken to be the lead."""
    sign = 1 if line.side == WHITE else -1
    win, never, loss = _outcome(said)[::sign]
    lead = sign * float(said.get("leads", 0.0))
    score, square, time, *errors = said.get(DETAILS, (sign * lead, lead**2, -1.0, -1.0, -1.0))
    score = sign * float(score)
    rows = [f"whiteWin {win:.6f}", f"whiteLoss {loss:.6f}", f"noResult {never:.6f}"]
    if people:
        rows += [f"whiteScore {score:.3f}", f"whiteScoreSq {square:.3f}"]
    else:
        rows += [f"whiteLead {lead:.3f}", f"whiteScoreSelfplay {score:.3f}"]
        rows += [f"whiteScoreSelfplaySq {square:.3f}", f"varTimeLeft {time:.3f}"]
    rows += [f"shorttermWinlossError {errors[0]:.3f}", f"shorttermScoreError {errors[1]:.3f}"]
    height, points = line.game.height, line.game.height * line.game.width
    texts = ["    NAN " if math.isnan(chance) else f"{chance:8.6f} " for chance in chances]
    rows += ["policy", *_rows(texts[:points], height)]
    rows += [f"policyPass {text}" for text in texts[points:]]
    if "ownership" in said:
        owned = [f"{sign * own:9.7f} " for own in said["ownership"]]
        rows += ["whiteOwnership", *_rows(owned, height)]
    return "\n".join(rows)


def _outcome(said: Mapping[str, NDArray]) -> tuple[float, float, float]:
    """Return the chances of a win, of no result and of a loss, of the side to move."""
    if "wdl" in said:
        win, never, loss = (float(chance) for chance in said["wdl"])
        return win, never, loss
    value = float(said["values"])
    return (1 + value) / 2, 0.0, (1 - value) / 2


def _rows(texts: Sequence[str], height: int) -> list[str]:
    width = len(texts) // height
    return ["".join(texts[at : at + width]) for at in range(0, len(texts), width)]


COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
    "kata-raw-nn": raw,
    "kata-raw-human-nn": raw_human,
}
