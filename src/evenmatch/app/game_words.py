"""A game and its end in words, for every screen."""

from collections.abc import Callable
from pathlib import Path

from evenmatch.games.catalog import game_info
from evenmatch.games.game import PASS
from evenmatch.network.imported import described
from evenmatch.opponents.controller import LevelPath
from evenmatch.opponents.rating_range import EVEN, OURS, at_level, called, title_of
from evenmatch.opponents.table import parse_spec, player_name
from evenmatch.play.played_game import End, PlayedGame
from evenmatch.play.scoring import Score
from evenmatch.play.session import Session
from evenmatch.profiles import Finished
from evenmatch.profiles.levels import Level
from evenmatch.profiles.raters import LADDER, is_elo
from evenmatch.profiles.saved_game import plays_even
from evenmatch.ratings.scale import SCALES

FILES = ("net", "search_net")  #: keys of specs that name networks
AT_YOUR_LEVEL = f"{OURS}, at about your level"  #: who `even` is
BALANCED = 0.2  #: values no further from 0 count as even
LEADS = ((0.5, "a little ahead"), (0.85, "ahead"), (1.0, "winning"))
ROUND = 10.0  #: what levels of Elo within a game are rounded to
ABOVE = 50.0  #: Elo above the person's strength for which a reason is given


def name_of(session: PlayedGame) -> str:
    """Return what the opponent is called, with its level if it has one."""
    return title_of(session.game.id, session.opponent)


def network_notes(spec: str) -> str:
    """Say which networks of KataGo's a spec names; empty if none. NetworkError."""
    values = parse_spec(spec)[1]
    named = dict.fromkeys(values[key] for key in FILES if key in values)
    return " ".join(filter(None, (described(Path(file)) for file in named)))


def who_plays(game_id: str, spec: str) -> str:
    """Say who the opponent is, in full: `title_of`, but that `even` plays at about your level."""
    return AT_YOUR_LEVEL if player_name(spec) == EVEN else title_of(game_id, spec)


def has_level(session: Session) -> bool:
    """Return whether the opponent plays at a level that can be shown."""
    return session.rating is not None or player_name(session.opponent) == EVEN


def level_now(session: Session) -> str:
    """Say at which level the opponent plays now, in a sentence."""
    name, write = called(session.game.id, session.opponent), _about(session.game.id)
    if session.path is not None:
        return f"{name} plays at about {write(session.path.last)} now."
    if player_name(session.opponent) == EVEN:
        return f"{name} has not moved yet; its level follows from your moves."
    if session.rating is None:
        return f"The level of {name} is not known."
    write = SCALES[game_info(session.game.id).written].write
    return f"{name} plays at {write(session.rating)} in all games."


def level_story(session: Session) -> str:
    """Say in a sentence how the level of `even` moved in a game, and why; empty if it has none."""
    path = session.path
    known = session.recognised or "unsure" in parse_spec(session.opponent)[1]
    return "" if path is None else story_of(session.game.id, path, known)


def not_counted(session: Session) -> str:
    """Say why the result of a game does not count for a level; empty if it does or never can."""
    if session.played_at is None or not is_elo(session.game.id):
        return ""
    if session.counts and not any(session.marks):
        return ""
    if session.end is End.YOU_RESIGNED and not session.begun:
        return "you made no move"
    if session.start or session.given:
        return "it began from a position or moves that were given"
    if any(session.marks):
        return "you had hints or took moves back"
    return "you gave up a game that was not lost" if session.end is End.YOU_RESIGNED else ""


def story_of(game_id: str, path: LevelPath, known: bool = False) -> str:
    """Say in a sentence how a level moved in a game, and why.

    ``known``: something was known of the person before this game.
    """
    write = _about(game_id)
    first, last, person = map(write, (path.first, path.last, path.person))
    took = f"took you for {person} by {'what it knew of you and ' * known}this game"
    why = ""
    if path.limit:
        why = f", the {'strongest' if path.limit > 0 else 'weakest'} that it can play"
    elif last == person:
        why = ""
    elif path.last > path.person + ABOVE:
        why = ", " + ("to catch up with you" if path.behind else "above that as it was not sure")
    elif path.last < path.person - ABOVE:
        why = ", below that as it was ahead"
    if first == last:
        return f"It {took}, and played at about {last}{why}."
    return f"It began at about {first}, {took}, and ended at {last}{why}."


def _about(game_id: str) -> Callable[[float], str]:
    """Return what writes levels within a game: as ranks, or Elo in tens."""
    info = game_info(game_id)
    write = SCALES[info.written].write
    return write if info.written != "elo" else lambda level: write(ROUND * round(level / ROUND))


def against(game: Finished) -> str:
    """Name the opponent of a finished game, with the level that it was asked to play at."""
    saved = game.saved
    name = saved.opponent if game.imported else called(saved.game, saved.opponent)
    return at_level(saved.game, name, None if plays_even(game) else game.outcome.level)


def shown_level(game_id: str, level: Level) -> str:
    """Write a level as people are to read it: a provisional one roundly, and called so."""
    text = SCALES[game_info(game_id).written].write(level.shown)
    return f"provisional, about {text}" if level.provisional else text


def no_level_yet(level: Level) -> str:
    """Say what is missing until a level may be shown; empty if nothing is."""
    if not level.missing:
        return ""
    more = (
        "1 more move of your own is"
        if level.missing == 1
        else (f"{level.missing} more moves of your own are")
    )
    return f"No level yet: {more} needed."


def how_ended(game: Finished) -> str:
    """Say how a finished game ended: as it is kept, otherwise by its last position."""
    line = game.line
    if why := game.outcome.ending or line.game.ending(line.state):
        score = game.outcome.score
        return why if not score or "resign" in why else f"{why}, by {abs(score):g}"
    if line.legal:
        return "not on the board"
    board = line.game.board(line.state[None])[0]
    if line.game.counts_pieces:
        mine, theirs = (int((board == side).sum()) for side in (game.saved.side, -game.saved.side))
        return f"{mine} to {theirs} discs"
    if line.game.drops:
        return "four in a row" if line.game.winning_cells(line.state) else "full board"
    return ""


def moves_of(game: Finished) -> int:
    """Return how many moves were made, counted as the game counts them; passes are none."""
    line = game.line
    made = sum(line.text(ply) != PASS for ply in range(line.ply))
    return game_info(line.game.id).board_style.moves(made)


def results_hint(level: Level) -> str:
    """Say how results would count towards a level, without a full stop.

    Empty where some count already, or where people, not programs, made the scale.
    """
    if level.scale != LADDER or level.results:
        return ""
    return (
        "No result counts yet. Results count in games that you play to their end; most in those "
        "at a level"
    )


def result_line(session: PlayedGame) -> str:
    """Say who won, and how where the board alone does not show it."""
    name = name_of(session)
    if session.end is not None:
        return end_line(session, session.end, name)
    why = session.game.ending(session.state)
    how = f": {why}" if why else ""
    by = _margin(session)
    if session.result == 0:
        return f"A draw{by}{how}."
    return f"{'You win' if session.result > 0 else f'{name} wins'}{by}{how}."


def _margin(session: PlayedGame) -> str:
    """Say by how much a game ended, where that matters."""
    score = score_to_show(session)
    if score is not None:
        return f" by {abs(score.lead):g} ({score.text})" if score.lead else ""
    mine, theirs = counts(session)
    counted = session.game.counts_pieces
    return f", {max(mine, theirs)} to {min(mine, theirs)}" if counted else ""


def end_line(session: PlayedGame, end: End, name: str) -> str:
    """Say who won a game that ended off the board, and how."""
    late = {End.YOUR_TIME: "Your time is up", End.OPPONENTS_TIME: f"{name}'s time is up"}
    if end in late and session.result == 0:
        return f"{late[end]}: a draw, for the other side has only its king."
    return {
        End.YOU_RESIGNED: f"You resigned: {name} wins.",
        End.OPPONENT_RESIGNED: f"{name} resigns: you win.",
        End.DRAW_AGREED: f"{name} agrees: a draw.",
        End.YOUR_TIME: f"Your time is up: {name} wins.",
        End.OPPONENTS_TIME: f"{name}'s time is up: you win.",
    }[end]


def score_to_show(session: PlayedGame) -> Score | None:
    """Return the score of a game of area that has ended on the board, otherwise None."""
    return session.score() if session.over and session.end is None else None


def value_to_show(session: PlayedGame) -> float | None:
    """Return the value of the position for the person; None where it means nothing.

    Before both sides have moved it is what the network thinks of the start, not of this game.
    """
    if session.over or not session.both_moved:
        return None
    return session.value()


def evenness(value: float, opponent: str) -> str:
    """Say in words how a game of ``value`` for the person stands."""
    if abs(value) < BALANCED:
        return "even"
    who = "you are" if value > 0 else f"{opponent} is"
    how = next(words for bound, words in LEADS if abs(value) <= bound)
    return f"{who} {how}"


def counts(session: PlayedGame) -> tuple[int, int]:
    """Return how many discs the person and the opponent have."""
    board = session.game.board(session.state[None])[0]
    return int((board == session.side).sum()), int((board == -session.side).sum())
