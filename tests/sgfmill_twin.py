"""SGF read by sgfmill, an independent reader, to compare with ours.

``python tests/sgfmill_twin.py FILE...`` compares every game of files of one game a line.
"""

import sys

from sgf_reading import sgf_games
from sgfmill import sgf, sgf_moves

from evenmatch.records.go.game_text import SgfGame
from evenmatch.records.streams import Stream

TEXTS = {
    "rules": "RU",
    "result": "RE",
    "date": "DT",
    "event": "EV",
    "place": "PC",
    "overtime": "OT",
    "comment": "GC",
}


def read(data: bytes) -> SgfGame:
    """Return the first game of a text as sgfmill reads it."""
    game = sgf.Sgf_game.from_bytes(data)
    root, size = game.get_root(), game.get_size()
    black, white, _ = root.get_setup_stones()
    _, moves = sgf_moves.get_setup_and_moves(game)

    def raw(name: str) -> str:
        return root.get_raw(name).decode() if root.has_property(name) else ""

    def text(name: str) -> str:
        return root.get(name).strip() if root.has_property(name) else ""

    def action(point: tuple[int, int] | None) -> int:
        return size * size if point is None else (size - 1 - point[0]) * size + point[1]

    return SgfGame(
        size=size,
        moves=tuple((1 if colour == "b" else -1, action(point)) for colour, point in moves),
        komi=float(raw("KM")) if raw("KM") else None,
        handicap=int(raw("HA") or 0),
        black=tuple(sorted(map(action, black))),
        white=tuple(sorted(map(action, white))),
        to_play={"": 0, "B": 1, "W": -1}[raw("PL")],
        players=(text("PB"), text("PW")),
        ranks=(text("BR"), text("WR")),
        time=raw("TM"),
        **{field: text(name) for field, name in TEXTS.items()},
    )


def main() -> int:
    """Compare all games of the files; return how many differ."""
    different = 0
    for path in sys.argv[1:]:
        with Stream(path) as stream:
            lines = stream.read(1 << 40).split(b"\n")
        games = list(sgf_games(path))
        lines = [line for line in lines if line.strip()]
        wrong = [k for k, line in enumerate(lines) if k >= len(games) or read(line) != games[k]]
        print(f"{path}: {len(lines)} games, {len(games)} read, {len(wrong)} different", wrong[:5])
        different += len(wrong) + abs(len(games) - len(lines))
    return different


if __name__ == "__main__":
    sys.exit(main() > 0)
