"""How games of Go against a program ended, and what both sides make of the score.

Games count all stones that stand on the board. Where two passes ended one, the network's ownership
says which of them are dead, and so does the program: if both name the winner that the board does,
no stone left standing decided anything.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenmatch.games.game import AreaGame
from evenmatch.network.inference import network_of
from evenmatch.opponents.gtp_program import GtpEngine, start_commands
from evenmatch.play.arena import Played
from evenmatch.play.scoring import ownership_of, score_of


def ends_of(game: AreaGame, played: Sequence[Played], cmd: str) -> dict[str, Any]:
    """Return how games ended; ``cmd`` starts the program.

    For the games that were played out: "agreed", how many winners all three name, the board, the
    network and the program; "disputed", the scores of the others as they report them.
    """
    engine, plies = GtpEngine(cmd), [len(one.actions) for one in played]
    told = [scores(game, one.actions, engine) for one in played if played_out(game, one)]
    engine.close()
    disputed = [one for one in told if len({winner(text) for text in one}) > 1]
    return {
        "plies": round(float(np.mean(plies)), 1),
        "resigned": len(played) - len(told),
        "agreed": len(told) - len(disputed),
        "disputed": disputed,
    }


def program(cmd: str) -> str:
    """Return what a program calls itself, with its version."""
    engine = GtpEngine(cmd)
    told = f"{engine.name} {engine.ask('version')}"
    engine.close()
    return told


def played_out(game: AreaGame, one: Played) -> bool:
    """Whether a game continued to its end by the rules, and nobody resigned."""
    return bool(game.outcome(last_state(game, one.actions))[0][0])


def last_state(game: AreaGame, actions: Sequence[int]):
    """Return where actions lead, [1, S]."""
    state = game.initial()
    for action in actions:
        state = game.after(state, np.array([action]))
    return state


def scores(game: AreaGame, actions: Sequence[int], engine: GtpEngine) -> list[str]:
    """Return the scores by the board, by the network's ownership, and by the program."""
    state = game.initial()
    commands = [f"boardsize {game.width}", "clear_board", *start_commands(game, state[0])]
    for action in actions:
        colour = "b" if game.to_play(state)[0] == 1 else "w"
        commands.append(f"play {colour} {game.action_text(state[0], action)}")
        state = game.after(state, np.array([action]))
    for command in commands:
        engine.ask(command)
    ownership = ownership_of(network_of(game), game, state[0])
    ours = [score_of(game, state[0]).text, score_of(game, state[0], ownership).text]
    return [*ours, engine.ask("final_score").strip()]


def winner(text: str) -> str:
    """Return B or W of a score such as B+3.5; 0 for a draw."""
    return text[:1].upper()
