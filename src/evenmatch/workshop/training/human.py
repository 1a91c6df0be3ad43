"""Presets of supervised training: every number of it; needs no torch."""

from dataclasses import dataclass, replace
from typing import Literal

from evenmatch.errors import UsageError

CLASSIFIER = "classifier"  #: the preset whose strength head learned nothing but classes
FORMAT = 112  #: planes of Leela's format; a game without it has its own encoding


@dataclass(frozen=True, kw_only=True)
class HumanPreset:
    """All settings of a supervised training; in brackets Chen et al.'s 2025, or their code's."""

    blocks: int  #: residual blocks; those of a katago network are as its --init has them [20]
    channels: int  #: filters, likewise [256]
    normed: bool = True  #: whether there is batch normalisation [yes]
    squeezed: int = 0  #: units of the blocks' squeeze-excitation; 0: there is none [none]
    value_channels: int = 8  #: channels of the value head's 1x1 convolution [1]
    value_hidden: int = 256  #: units of its hidden layer [256]
    strength_channels: int = 8  #: channels of the strength head's [1]
    planes: int = FORMAT  #: input planes [119]
    samples: int  #: of all ranks in a batch [32]
    moves: int = 7  #: m, positions of each rank in a sample [7]
    compared: int = 0  #: ranks of a sample, drawn from those of a dataset; 0: all ranks [all]
    fewest: int = 1  #: games that players of a rank need in a dataset to be compared
    strangers: bool = False
    """Whether opponents in ranked games may be of other splits, or bots; nothing is learned of
    their moves then."""
    conditioned: bool = True  #: whether ranked positions come with the rating of the mover
    turned: bool = False  #: whether positions are shown in random symmetries [no]
    replies: int = 0  #: further positions of any rank in a batch, for policy and value alone [0]
    ranks: tuple[int, ...] = ()  #: that are learned from, increasing; all if empty [all, 3 or 2]
    unknown: float = 0.1  #: share of positions whose mover's rating is hidden [1]
    bare: float = 1 / 16  #: share of positions shown without those before them [0]
    strength_dropout: float = 0.3  #: of the strength head's hidden units, in training [0]
    steps: int  #: batches [160,000]
    interval: int = 500  #: steps between checkpoints
    optimizer: str = "muon"  #: [sgd]
    learning_rate: float = 0.02  #: [0.01]
    own_rate: float = (
        1.0  #: factor of the step size of conditions and strength; see `FitConfig` [1]
    )
    final_learning_rate: float = 2e-4  #: reached along half a cosine [0.005, in steps]
    momentum: float = 0.95  #: [0.9]
    weight_decay: float = 1e-2  #: [1e-4]
    ema: float | None = 0.999  #: decay of the averaged weights [none]
    ranking_weight: float = 1.0  #: of each of the strength head's rankings; 0: learns none [1]
    class_weight: float = 1.0  #: of its classification of single moves; 0: learns none [1]
    value_loss: Literal["squared", "logistic"] = "squared"  #: see `fit.FitConfig` [squared]
    value_weight: float = 1.0  #: of the value loss [1]
    kept_weight: float = 0.0  #: of keeping value, lead and ownership as they began; see `kept_loss`
    kept_every: int = 1  #: one position in so many of a batch is compared for it
    validation: int = 32  #: batches of held-out positions that every interval is judged by
    judged: float = 0.0  #: share of the value target that the game's eval is, where it has one [0]
    taught: float = 0.0  #: share of the policy that teachers' are at first; in the end none [0]

    @property
    def ranked(self) -> bool:
        """Whether there is a strength head, which learns from moves of all ranks."""
        return self.ranking_weight > 0 or self.class_weight > 0

    @property
    def intervals(self) -> int:
        """How many intervals the training has."""
        return -(-self.steps // self.interval)


SMALL = HumanPreset(
    blocks=8,
    channels=64,
    squeezed=8,
    value_channels=32,
    value_hidden=128,
    samples=4,
    replies=256,
    steps=9_000,
    ranking_weight=0.25,
    class_weight=0.25,
    value_loss="logistic",
    judged=1.0,
    taught=0.8,
)
SHORT = replace(
    SMALL,
    blocks=6,
    samples=8,
    replies=0,
    steps=900,
    interval=300,
    learning_rate=0.01,
    ema=0.99,
    ranking_weight=1.0,
    class_weight=1.0,
    taught=0.0,
)

#: ``small`` is meant for two cores, ``further`` to train on weights of its shape, a Maia's or
#: its own, by --init; ``short``, from a Maia's too, for a comparison with three below, which see as
#: many positions: two of them know but the outer ranks, or the middle too, and ``classifier``
#: learns no ranking, as the network of SL_sum and SL_vote. ``tiny`` is a real training in seconds,
#: for trying things out. ``paper`` is Chen et al. 2025's but for the learning rate, which falls
#: along a cosine to the half that theirs drops to in a step.
HUMAN_PRESETS = {
    "small": SMALL,
    "further": replace(SMALL, steps=5_000, learning_rate=0.005),
    "short": SHORT,
    "two-ranks": replace(SHORT, ranks=(1, 8), samples=24),
    "three-ranks": replace(SHORT, ranks=(1, 5, 8), samples=18),
    CLASSIFIER: replace(SHORT, samples=9, ranking_weight=0.0),
    "tiny": HumanPreset(
        blocks=1,
        channels=8,
        squeezed=2,
        samples=1,
        moves=2,
        replies=3,
        steps=4,
        interval=2,
        ema=0.5,
        value_loss="logistic",
    ),
    "paper": HumanPreset(
        blocks=20,
        channels=256,
        value_channels=1,
        strength_channels=1,
        planes=119,
        samples=32,
        steps=160_000,
        optimizer="sgd",
        learning_rate=0.01,
        final_learning_rate=0.005,
        momentum=0.9,
        unknown=1.0,
        bare=0.0,
        strength_dropout=0.0,
        weight_decay=1e-4,
        ema=None,
    ),
}


#: Presets of networks of every board. Initial weights, --init, have their shape; the default is
#: of g170-b6c96's kind. ``small`` is meant for two cores: a step has 255 positions of 19x19, of
#: which 61 a second were learned from on one core (150 steps in 625 s; EPYC, bf16). A step size
#: of 1e-3 for all weights lost much of the value in 60 steps, 2e-4 did not. ``tiny`` is for trying
#: things out.
BOARD = HumanPreset(
    blocks=6,
    channels=96,
    strength_channels=32,
    ema=0.99,
    samples=3,
    replies=192,
    compared=2,
    fewest=30,
    strangers=True,
    conditioned=False,
    turned=True,
    bare=0.0,
    steps=1_800,
    interval=150,
    optimizer="adamw",
    learning_rate=2e-4,
    own_rate=5.0,
    final_learning_rate=2e-6,
    momentum=0.9,
    weight_decay=1e-2,
    ranking_weight=0.25,
    class_weight=0.25,
    value_weight=0.25,
    kept_weight=1.0,
    kept_every=4,
    value_loss="logistic",
    validation=8,
)
#:
#: ``short`` and the three below it see equally many positions of one server, OGS, for figure 5 of
#: Chen et al. 2025. ``two-ranks`` knows 1k to 1d and 17k to 16k, ``three-ranks`` 9k to 8k as well.
#: ``classifier`` is the network of SL_sum and SL_vote.
BOARD_SHORT = replace(BOARD, samples=12, replies=0, steps=300, interval=100)
BOARD_PRESETS = {
    "small": BOARD,
    "short": BOARD_SHORT,
    "two-ranks": replace(BOARD_SHORT, ranks=(6, 14)),
    "three-ranks": replace(BOARD_SHORT, ranks=(6, 10, 14)),
    CLASSIFIER: replace(BOARD_SHORT, samples=18, ranking_weight=0.0),
    "tiny": replace(
        BOARD,
        blocks=3,
        channels=6,
        strength_channels=4,
        samples=1,
        replies=3,
        moves=2,
        fewest=1,
        steps=4,
        interval=2,
        ema=0.5,
        own_rate=1.0,
        validation=2,
    ),
}

#: By the architecture of a game's networks, as the catalog names it.
PRESETS_OF = {"resnet": HUMAN_PRESETS, "katago": BOARD_PRESETS}


def get_human_preset(name: str, architecture: str = "resnet") -> HumanPreset:
    """Return the preset ``name``; UsageError listing the valid names if none."""
    presets = PRESETS_OF[architecture]
    if name not in presets:
        known = ", ".join(presets)
        raise UsageError(f"unknown preset {name!r}; choose one of: {known}")
    return presets[name]
