"""Fitted methods as files, and those that come with evenmatch.

A file (.npz) holds the arrays of a `PooledFeatures`, and facts about it as JSON: the rating scale,
the ranks, the network whose outputs it reads, and what it learned from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import NetworkError, UsageError, quoted
from evenmatch.estimation.move_features import NetworkScorer
from evenmatch.estimation.pooled import (
    HALVES,
    VERSION,
    Evals,
    GameModel,
    Layer,
    NormalCurve,
    PooledFeatures,
    Standardization,
)
from evenmatch.estimation.running import PHASES
from evenmatch.estimation.strength_estimator import StrengthEstimator
from evenmatch.games import get_game
from evenmatch.games.catalog import SOURCES, game_info
from evenmatch.network.artifact import digest_of, graph_digest, human_policy_path, shipped_path
from evenmatch.network.conditions import scale_number
from evenmatch.network.imported import as_artifact
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.ratings.ranks import Ranks

ALONE, WITH_EXTRA, TARGETS = "{}-{}.npz", "{}-{}-maia.npz", "{}-{}-targets.npz"
"""Files of a game and a rating scale: estimators of moves, alone or with the
`GameInfo.extra_networks`; targets of SE-MCTS."""
OF_PHASE = tuple(f"{{}}-{{}}-{phase}.npz" for phase in PHASES)
"""The same for estimators of each phase, which use the extra networks where a game has some."""

SHIPPED: dict[str, str] = {
    scale: ALONE.format(info.game, scale)
    for scale, (info, source) in SOURCES.items()
    if source.ships
}
"""Rating scale -> file name under `evenmatch/nets/`."""

SHIPPED_WITH_EXTRA: dict[str, str] = {
    scale: WITH_EXTRA.format(info.game, scale)
    for scale, (info, source) in SOURCES.items()
    if source.extra_networks
}
"""The same for estimators that also use `GameInfo.extra_networks`."""

WITH_TARGETS: tuple[str, ...] = tuple(
    scale for scale in SHIPPED if not SOURCES[scale][1].conditioned_as
)
"""The rating scales that SE-MCTS has targets of: those that the network knows itself."""

FILE_KEYS = {"correlation": "kinship"}  #: names of numbers in files, where they have older ones


class Fitted(NamedTuple):
    """Where fitted estimators of a game are, and the network whose outputs they read."""

    folder: Path
    network: Path

    def scales(self, game_id: str) -> list[str]:
        """Return the rating scales of a game that the folder has estimators of."""
        begin, end = ALONE.format(game_id, "|").split("|")
        names = [path.name for path in sorted(self.folder.glob(f"{begin}*{end}"))]
        others = [x.format("", "").removeprefix("-") for x in (WITH_EXTRA, TARGETS, *OF_PHASE)]
        return [
            name.removeprefix(begin).removesuffix(end)
            for name in names
            if not name.endswith(tuple(others))
        ]

    def has_extra(self, scale: str, game_id: str) -> bool:
        """Return whether the folder has an estimator that also uses the extra networks."""
        return (self.folder / WITH_EXTRA.format(game_id, scale)).exists()

    def method(self, scale: str, game_id: str, with_extra: bool = False) -> PooledFeatures:
        """Return what was fitted; NetworkError if a file is missing or does not fit.

        ``with_extra``: the estimator that also uses `GameInfo.extra_networks`.
        """
        return self._read(WITH_EXTRA if with_extra else ALONE, scale, game_id, with_extra)

    def of_phases(self, scale: str, game_id: str) -> list[PooledFeatures]:
        """Return what was fitted to each phase; UsageError if nothing was.

        Raises as ``method`` too.
        """
        if not all((self.folder / x.format(game_id, scale)).exists() for x in OF_PHASE):
            ours = "evenmatch" if self.folder == nets() else self.folder
            raise UsageError(
                f"no estimator of phases of {scale} is in {ours}; make some from a dataset, "
                "`evenmatch network fit DATASET --phases --out FOLDER`, and name it: "
                "--fitted FOLDER"
            )
        with_extra = bool(game_info(game_id).extra_networks)
        return [self._read(name, scale, game_id, with_extra) for name in OF_PHASE]

    def _read(self, file: str, scale: str, game_id: str, with_extra: bool) -> PooledFeatures:
        name = file.format(game_id, scale)
        method, facts = load(self.folder / name)
        if facts["network"] != digest_of(self.network):
            ours = self.folder == nets()
            fix = "reinstall evenmatch" if ours else "give the one that it was fitted to by --net"
            raise NetworkError(f"the estimator of {scale} is of another network; {fix}")
        if facts["policies"] != [
            graph_digest(path) for path in extra_networks(game_id, with_extra)
        ]:
            fix = "reinstall evenmatch" if self.folder == nets() else "fit it again"
            raise NetworkError(f"the estimator of {scale} uses other networks; {fix}")
        if self.folder == nets():
            method.shifts = game_info(game_id).source(scale).shifts
        return method

    def scorer(
        self, scales: Sequence[str], game_id: str, with_extra: bool = False
    ) -> NetworkScorer:
        """Return what rates moves for the estimators of some scales."""
        game = get_game(game_id)
        evaluator = NetworkEvaluator(as_artifact(self.network), game)
        policies = [NetworkEvaluator(path, game) for path in extra_networks(game_id, with_extra)]
        return NetworkScorer(evaluator, scales[0], policies, scales[1:])


def shipped_fitted(game_id: str) -> Fitted:
    """Return where the estimators that come with evenmatch are."""
    people = human_policy_path(game_id)
    return Fitted(nets(), Path(people) if people else shipped_path(game_id))


def extra_networks(game_id: str, with_extra: bool = True) -> list[Path]:
    """Return the files of `GameInfo.extra_networks`; none unless ``with_extra``."""
    return [nets() / f"{name}.onnx" for name in game_info(game_id).extra_networks if with_extra]


def shipped_estimator(scale: str = "lichess-rapid", fast: bool = False) -> StrengthEstimator:
    """Return the estimator of one person's rating that comes with evenmatch.

    The scale determines the game. ``fast``: one that uses our network alone and has larger errors,
    where the usual one also uses `GameInfo.extra_networks`. UsageError lists the rating scales;
    NetworkError if a file is missing or does not fit.
    """
    method, game = shipped_method(scale, fast), SOURCES[scale][0].game
    return StrengthEstimator(shipped_fitted(game).scorer([scale], game, method.policies), method)


def shipped_method(scale: str, fast: bool = False) -> PooledFeatures:
    """Return the method of `shipped_estimator`. Raises as that does."""
    if scale not in SHIPPED:
        raise UsageError(f"no rating scale {quoted(scale)}; choose one of: {', '.join(SHIPPED)}")
    game = SOURCES[scale][0].game
    return shipped_fitted(game).method(scale, game, scale in SHIPPED_WITH_EXTRA and not fast)


def shipped_file(scale: str) -> Path:
    """Return the file of `shipped_method`."""
    return nets() / (SHIPPED | SHIPPED_WITH_EXTRA)[scale]


def shipped_targets(scale: str) -> Targets:
    """Return the targets of SE-MCTS that come with evenmatch; they are of its network.

    UsageError lists the rating scales; NetworkError if that is another now.
    """
    if scale not in WITH_TARGETS:
        fault = f"no rating scale {quoted(scale)}"
        if scale in SOURCES:
            fault = f"{quoted(scale)} has no targets for se yet"
        raise UsageError(f"{fault}; choose one of: {', '.join(WITH_TARGETS)}")
    return Targets.load(
        targets_path(scale), digest_of(shipped_fitted(SOURCES[scale][0].game).network)
    )


def targets_path(scale: str) -> Path:
    """Return where the targets of SE-MCTS are, of a scale in ``WITH_TARGETS``."""
    return nets() / TARGETS.format(SOURCES[scale][0].game, scale)


def nets() -> Path:
    """Return the folder of what comes with evenmatch."""
    return Path(__file__).parents[1] / "nets"


class Targets:
    """Target curves of the ranks, and between them those of any rating.

    Both are [R, P], the strongest rank first: ``beta`` of SE_inf, ``plain`` of SE.
    """

    def __init__(self, beta: ArrayLike, plain: ArrayLike, ranks: Ranks):
        self.beta, self.plain = np.asarray(beta, np.float64), np.asarray(plain, np.float64)
        self.ranks = ranks

    def at(self, rating: float, plain: bool = False) -> NDArray[np.float64]:
        """Return the curve [P] of a rating: between the middles of ranks, the last ones beyond."""
        middles = self.ranks.middle(np.arange(self.ranks.count, 0, -1))
        place = np.interp(rating, middles, np.arange(self.ranks.count))
        low = min(int(place), self.ranks.count - 2)
        rows = (self.plain if plain else self.beta)[::-1]  # the weakest first, as the middles
        return rows[low] + (place - low) * (rows[low + 1] - rows[low])

    @classmethod
    def load(cls, path: Path, network: str) -> Targets:
        """Read them. NetworkError if the file is missing, corrupt or of another network."""
        try:
            with np.load(path) as file:
                lowest, width, count = map(int, file["ranks"])
                written = str(file["written"]) if "written" in file else "elo"  # older files
                ranks = Ranks(lowest=lowest, width=width, count=count, written=written)
                beta, plain = (_curves(file[name], count) for name in ("beta", "plain"))
                targets = cls(beta, plain, ranks)
                same = str(file["network"]) == network
        except FileNotFoundError:
            raise NetworkError(f"no targets {path}; reinstall evenmatch to restore them") from None
        except Exception:
            raise NetworkError(f"targets {path} are corrupt; reinstall evenmatch") from None
        if not same:
            raise NetworkError(f"targets {path} are of another network; use the one that ships")
        return targets


def _curves(read: NDArray, count: int) -> NDArray[np.float64]:
    """Return curves [R, P] of so many ranks; ValueError if these are none."""
    if read.ndim != 2 or len(read) != count or count < 2 or not np.isfinite(read).all():
        raise ValueError("no curves")
    return read.astype(np.float64)


def load(path: Path) -> tuple[PooledFeatures, dict[str, Any]]:
    """Read a method and the facts about it. NetworkError if the file is not one."""
    try:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        facts = json.loads(str(arrays.pop("facts")))
        if facts["version"] != VERSION:
            raise NetworkError(f"estimator {path} is of another version; reinstall evenmatch")
        number = scale_number(facts["scale"], facts["scales"])
        ranks, with_extra = Ranks(**facts["ranks"]), bool(facts["policies"])
        classes = facts.get("classes", 0)  # older files: as many as ranks
        method = PooledFeatures(number, ranks, classes=classes, policies=with_extra)
        method.centres = np.array(facts["centres"], np.float64)
        for kind in Evals:
            known = [_held(arrays, f"{kind.value}.{half}.") for half in range(HALVES)]
            if all(known):
                method.models[kind] = [_model(one) for one in known]
        if not method.models:
            raise KeyError("models")
    except NetworkError:
        raise
    except FileNotFoundError:
        raise NetworkError(f"no estimator {path}; reinstall evenmatch to restore it") from None
    except Exception:  # numpy, zipfile and zlib raise all kinds of them for damaged files
        raise NetworkError(
            f"estimator {path} is corrupt; reinstall evenmatch to restore it"
        ) from None
    return method, facts


def _held(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {
        name.removeprefix(prefix): value
        for name, value in arrays.items()
        if name.startswith(prefix)
    }


def _model(held: dict[str, Any]) -> GameModel:
    """Put a model together again."""
    exact = {name: value.astype(np.float64) for name, value in held.items()}
    count = sum(name.endswith(".weight") for name in held)
    layers = [Layer(held[f"layer{n}.weight"], held[f"layer{n}.bias"]) for n in range(count)]
    numbers, features = (
        Standardization(exact[f"{part}.mean"], exact[f"{part}.deviation"])
        for part in ("numbers", "features")
    )
    curve = NormalCurve(
        exact["curve"], exact["precision"], exact["spread"], float(exact[FILE_KEYS["correlation"]])
    )
    return GameModel(numbers, layers, features, curve)
