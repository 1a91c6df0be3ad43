"""The ranks and bands of a rating scale: of the catalog, or of the network that knows it."""

from dataclasses import replace

from evenmatch.games.catalog import GameInfo, game_info
from evenmatch.network.card import Card
from evenmatch.network.conditions import scale_number
from evenmatch.ratings.ranks import Bands, Ranks


def number_of(scale: str, card: Card) -> int:
    """Return the number of the network's scale that it is asked about for a rating scale.

    That is the scale itself, or the one that stands for it. UsageError if the network knows none.
    """
    return scale_number(conditioned_as(scale, card), card.scales)


def conditioned_as(scale: str, card: Card) -> str:
    """Return the scale that a network is asked about for a rating scale."""
    instead = game_info(card.game).source(scale).conditioned_as
    return instead if instead and scale not in card.scales else scale


def ranks_of(scale: str, card: Card) -> Ranks:
    """Return the ranks that are estimated on a scale: the catalog's or those of the head."""
    source = game_info(card.game).source(scale)
    if source.ranks is None:
        return head_ranks(scale, card)
    lowest, width, count = source.ranks
    return Ranks(lowest=lowest, width=width, count=count, written=source.written)


def estimated_ranks(scale: str, card: Card) -> Ranks:
    """Return the ranks that the estimator of a scale is fitted to: weaker people's too."""
    ranks, below = ranks_of(scale, card), game_info(card.game).source(scale).below
    return replace(ranks, lowest=ranks.lowest - below * ranks.width, count=ranks.count + below)


def head_ranks(scale: str, card: Card) -> Ranks:
    """Return the ranks that a network's strength head distinguishes, as its ratings are written."""
    written = game_info(card.game).source(scale).written
    return replace(Ranks(**card.ranks), written=written)


def bands_of(scale: str, info: GameInfo) -> Bands:
    """Return the bands of ratings that tables of a scale are of."""
    source = info.source(scale)
    return Bands(source.bands, source.written) if source.bands else Ranks().bands
