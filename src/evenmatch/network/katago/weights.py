"""Read the networks of KataGo, a Go program, from its model files.

A file is gzipped. Read are model versions 8 to 17: residual blocks with and without global pooling,
nested bottlenecks, transformers, the heads of each version, the encoder of people's profiles. All
have inputs of version 7. `layers` reads what lies between header and heads.

Sources: https://github.com/lightvector/KataGo (cpp/neuralnet/desc.cpp, nneval.cpp); Wu 2019,
"Accelerating Self-Play Learning in Go", appendix A.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evenmatch.errors import NetworkError
from evenmatch.network.foreign import Affine, affine, expect, read_file, unpacked
from evenmatch.network.katago.layers import (
    RefusedError,
    Words,
    activation,
    batch_norm,
    biased,
    blocks_of,
    convolution,
    dense,
    norm_of,
    normed,
    pooled,
    unbiased,
)
from evenmatch.network.katago.net import (
    GLOBAL,
    PROFILE,
    SPATIAL,
    Details,
    KataGoNet,
    PolicyHead,
    ProfileEncoder,
    RootMean,
    ValueHead,
)

VERSIONS = range(8, 18)  #: of model files, those that are read
ERRORS_SINCE = 9  #: versions whose value head says how wrong it expects to be
OPTIMISM_SINCE, Q_SINCE, CHANNELS_SINCE = 12, 16, 17  #: versions by channels of the policy
FACTORS_SINCE = 13  #: versions whose files have the factors of scores
OPTIONS_SINCE, HEAD_OPTIONS_SINCE = 15, 17  #: versions with options of trunk and heads
MEAN, SPREAD, LEAD = range(3)  #: the first of the value head's outputs of scores


class _Factors(NamedTuple):
    """Factors of the value head's outputs: points, moves, and what errors are multiplied by."""

    mean: float = 20.0
    deviation: float = 20.0
    lead: float = 20.0
    time: float = 40.0
    value_error: float = 0.25
    score_error: float = 30.0


def read_katago(path: str | Path) -> KataGoNet:
    """Read a model file (.bin.gz, or .bin), and fold the batch norms that follow a layer.

    Raises NetworkError if the file is missing, holds something else, is corrupt, or is of a
    version or kind that is not read, which the message names.
    """
    packed = read_file(Path(path))
    try:
        data = unpacked(packed)
        words = Words(data)
        name = _header(words, path)
        if words.version not in VERSIONS:
            raise NetworkError(
                f"network {path} is of KataGo's model version {words.version}; versions "
                f"{VERSIONS[0]} to {VERSIONS[-1]} are read"
            )
        with np.errstate(all="ignore"):  # numbers that are not finite are refused
            return _net(words, name, hashlib.sha256(packed).hexdigest())
    except RefusedError as found:
        raise NetworkError(
            f"network {path} has {found}, which is not read; use another network"
        ) from None
    except (ValueError, EOFError, OSError, zlib.error, OverflowError):
        raise NetworkError(f"weights {path} are corrupt; download them again") from None


def _header(words: Words, path: str | Path) -> str:
    """Return the network's name, its version read; NetworkError if the file begins otherwise."""
    try:
        name, words.version = words.text(), words.integer()
        expect(0 <= words.version < 1000)
    except ValueError:
        raise NetworkError(
            f"{path} holds no KataGo network; give a .bin.gz file of model version "
            f"{VERSIONS[0]} to {VERSIONS[-1]}"
        ) from None
    return name


def _net(words: Words, name: str, digest: str) -> KataGoNet:
    if (words.integer(), words.integer()) != (SPATIAL, GLOBAL):
        raise RefusedError("inputs of another version than 7")
    factors, encoded, suicide_area = _Factors(), 0, 0
    if words.version >= FACTORS_SINCE:
        words.real()  # of targets that no output is left of
        factors = _Factors(*(words.real() for _ in _Factors._fields))
        expect(min(factors) > 0)
    if words.version >= OPTIONS_SINCE:
        encoded, suicide_area = words.integer(), words.integer()
        words.zeros(6, "options")
    if encoded not in (0, 1) or suicide_area not in (0, 1):
        raise RefusedError("an encoder or planes of a version that is not known")
    words.text()
    blocks, channels = words.count(), words.count()
    for _ in range(4):  # channels of the middle, regular, dilated and pooled, told again by layers
        words.count()
    tip = words.integer() if words.version >= OPTIONS_SINCE else 0
    if tip not in (0, 1):
        raise RefusedError(f"a trunk norm of kind {tip}")
    if words.version >= OPTIONS_SINCE:
        words.zeros(5, "options of the trunk")
    stem = unbiased(convolution(words, SPATIAL))
    told = unbiased(dense(words, GLOBAL))
    expect(len(stem.bias) == len(told.weight) == channels)
    return KataGoNet(
        name=name,
        stem=stem,
        told=told,
        encoder=_encoder(words, channels) if encoded else None,
        blocks=blocks_of(words, blocks, channels),
        tip=_root_mean(words, channels) if tip else norm_of(words, channels),
        policy=_policy(words, channels),
        value=_value(words, channels, factors),
        digest=digest,
        version=words.version,
        suicide_area=bool(suicide_area),
    )


def _encoder(words: Words, channels: int) -> ProfileEncoder:
    words.text()
    expect(words.count() == PROFILE)
    first = biased(words, PROFILE)
    one = activation(words)
    second = biased(words, len(first.bias))
    two = activation(words)
    last = unbiased(dense(words, len(second.bias)))
    expect(len(last.bias) == channels)
    return ProfileEncoder(first, second, last, (one, two))


def _root_mean(words: Words, channels: int) -> RootMean:
    """Return the trunk's last norm by the root of the mean square, and its activation."""
    words.text()
    expect(words.count() == channels)
    epsilon, whole, groups = words.real(), words.integer(), words.integer()
    expect(0 < epsilon <= 1)
    if groups:
        raise RefusedError("a trunk norm by groups of channels")
    scale, bias = affine(words.floats(channels), words.floats(channels))
    return RootMean(scale, bias, epsilon, bool(whole), activation(words))


def _policy(words: Words, channels: int) -> PolicyHead:
    words.text()
    outputs = 4 if words.version >= Q_SINCE else 2 if words.version >= OPTIMISM_SINCE else 1
    if words.version >= CHANNELS_SINCE:
        outputs = words.count()
        words.zeros(3, "options of the policy")
        if outputs not in (2, 4):
            raise RefusedError(f"a policy of {outputs} channels")
    first, pooling = pooled(words, channels, convolution(words, channels))
    middle = activation(words)
    last = convolution(words, len(first.bias))
    expect(last.shape[::2] == (outputs, 1))
    wide = 3 * len(pooling.channels.bias)
    hidden, kind = None, "relu"
    if words.version >= OPTIONS_SINCE:
        hidden = biased(words, wide)
        kind, wide = activation(words), len(hidden.bias)
    passing = dense(words, wide)
    expect(len(passing) == outputs)
    own, *others = [(unbiased(last[[i]]), unbiased(passing[[i]])) for i in range(min(outputs, 2))]
    return PolicyHead(first, pooling, *own, middle, hidden, kind, *others)


def _value(words: Words, channels: int, factors: _Factors) -> ValueHead:
    words.text()
    if words.version >= HEAD_OPTIONS_SINCE:
        words.zeros(3, "options of the value head")
    weight = convolution(words, channels)
    first = normed(weight, batch_norm(words, len(weight)))
    one = activation(words)
    hidden = biased(words, 3 * len(weight))
    two = activation(words)
    outcome, score = biased(words, len(hidden.bias)), biased(words, len(hidden.bias))
    ownership = unbiased(convolution(words, len(weight)))
    outputs = 6 if words.version >= ERRORS_SINCE else 4
    expect((len(outcome.bias), len(score.bias), len(ownership.bias)) == (3, outputs, 1))
    in_order = Affine(*(array[[0, 2, 1]] for array in outcome))  # of win, loss, no result
    lead = affine(*(array[[LEAD]] * np.float32(factors.lead) for array in score))
    rest = [i for i in range(outputs) if i != LEAD]
    known = tuple(factor for i, factor in enumerate(factors) if i in rest)
    details = Details(Affine(*(array[rest] for array in score)), words.version, known)
    return ValueHead(first, hidden, in_order, lead, ownership, (one, two), details)
