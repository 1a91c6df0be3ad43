"""SGF in a text, read whole."""

from math import isnan

import numpy as np

from evenmatch.records.codec import ignored
from evenmatch.records.go.game_text import SgfGame
from evenmatch.records.go.sgf import sgf_batches
from evenmatch.records.go.sgf_text import text
from evenmatch.records.go.tokens import Prop
from evenmatch.records.go.values import handicap_of, komi_of, to_play_of
from evenmatch.records.streams import Sources, Text


def read_sgf(data: bytes | str) -> list[SgfGame]:
    """Return the games of a text that has no fault."""
    faults = []
    games = list(sgf_games(Text(data.encode() if isinstance(data, str) else data), faults.append))
    assert faults == []
    return games


def sgf_games(path, on_fault=None):
    """Yield the games of a file, a folder, "-" or a text, without those that have a fault."""
    with Sources(path) as sources:
        for batch in sgf_batches(sources, on_fault or ignored):
            for fault in batch.kept_faults() if on_fault else ():
                on_fault(fault)
            said = {prop: batch.texts(prop) for prop in Prop}
            for game in np.flatnonzero(batch.reasons == 0).tolist():
                yield sgf_game(batch, game, said)


def sgf_game(batch, game, texts):
    """Return a game of a batch that has no fault; ``texts`` are all that stand in the batch."""
    part = slice(*batch.first[game : game + 2].tolist())
    black, white = batch.setup(game)

    def said(prop):
        return texts[prop][game]

    komi = komi_of(said(Prop.KM))
    return SgfGame(
        size=int(batch.sizes[game]),
        moves=tuple(zip(batch.sides[part].tolist(), batch.actions[part].tolist(), strict=True)),
        komi=None if komi is None or isnan(komi) else komi,
        rules=said(Prop.RU),
        handicap=handicap_of(said(Prop.HA)) or 0,
        black=black,
        white=white,
        to_play=to_play_of(said(Prop.PL)) or 0,
        result=said(Prop.RE),
        players=(said(Prop.PB), said(Prop.PW)),
        ranks=(said(Prop.BR), said(Prop.WR)),
        date=said(Prop.DT),
        event=said(Prop.EV),
        place=said(Prop.PC),
        time=said(Prop.TM),
        overtime=said(Prop.OT),
        comment=text(batch.raw(Prop.GC)[game], batch.encodings[game]),
    )
