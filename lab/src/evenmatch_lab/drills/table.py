"""The table of drills: what happens, what is asserted to be kept, what may be lost."""

from evenmatch_lab.drills.drill import Drill

NOTHING = "nothing"
THE_MOVE = "the move in progress"
ALL_OR_NONE = "the part of the work that does not fit"

DRILLS: dict[str, Drill] = {
    "training": Drill(
        "a training by self-play is killed, and goes on",
        "finished iterations; the same weights, positions and numbers at the end",
        "the iteration in progress",
        "evenmatch_lab.drills.jobs:training",
    ),
    "self_play": Drill(
        "nodes of a cluster and the learner are killed in a training on Ray",
        "finished iterations; the same weights, positions and numbers at the end",
        "parts in progress, which are counted and played again; the learner's iteration",
        "evenmatch_lab.drills.clusters:self_play",
    ),
    "experiment": Drill(
        "an experiment is killed, and goes on",
        "finished parts; the same results at the end",
        "the part in progress",
        "evenmatch_lab.drills.jobs:experiment",
    ),
    "worker": Drill(
        "one of two processes of an experiment is killed",
        "the experiment, which ends with the same results",
        "the part in progress, which is told and done again",
        "evenmatch_lab.drills.jobs:worker",
    ),
    "calibration": Drill(
        "a calibration is killed, and goes on",
        "finished batches of games; the same bytes at the end",
        "the batch in progress",
        "evenmatch_lab.drills.jobs:calibration",
    ),
    "dataset": Drill(
        "the building of a dataset is killed, and begun again",
        "there is no dataset or a whole one; the same bytes at the end",
        "all that was built; a hidden folder is left beside it",
        "evenmatch_lab.drills.jobs:dataset",
    ),
    "terminal_game": Drill(
        "`evenmatch play` is killed, and gone on with",
        "every move that was shown, every finished game",
        THE_MOVE,
        "evenmatch_lab.drills.games:terminal_game",
    ),
    "web_game": Drill(
        "the page's server is killed while browsers play",
        "every move that a browser saw, once; marks, clocks, results",
        THE_MOVE,
        "evenmatch_lab.drills.games:web_game",
    ),
    "profile": Drill(
        "two programs play on one profile and are killed",
        "every move and every finished game, once; what the opponent learned",
        THE_MOVE,
        "evenmatch_lab.drills.games:profile",
    ),
    "clock_profile": Drill(
        "the same, with clocks that jump by minutes to ten years",
        "the same; `evenmatch me` tells levels",
        THE_MOVE,
        "evenmatch_lab.drills.clocks:profile",
    ),
    "clock_web": Drill(
        "the page's server is killed, and its clock jumps",
        "the same as without; chess clocks do not jump",
        "the move in progress; numbers of states, which the page counts anew",
        "evenmatch_lab.drills.clocks:web_game",
    ),
    "full_disk": Drill(
        "a disk becomes full during jobs and games; then there is room again",
        "what was written before; one line says why; all goes on to the same results",
        ALL_OR_NONE,
        "evenmatch_lab.drills.disks:full",
    ),
    "read_only": Drill(
        "the state folder cannot be written",
        "its files; commands work without it, or say why not in one line",
        "what would have been written",
        "evenmatch_lab.drills.disks:read_only",
    ),
    "files": Drill(
        "a file is cut short, or holds garbage",
        "the file as it is; one line says what is wrong",
        "what the damaged file held",
        "evenmatch_lab.drills.damaged:files",
    ),
    "engines": Drill(
        "an engine hangs, dies, lies or writes without end in a match",
        "one line says so, in time, in little memory; no engine runs on",
        "the match",
        "evenmatch_lab.drills.engines:players",
    ),
    "evaluations": Drill(
        "Stockfish does so while ratings are estimated",
        "the same, or the estimate without it",
        "the estimate, which can be made without an engine",
        "evenmatch_lab.drills.engines:evaluations",
    ),
    "forest": Drill(
        "a forest is larger than the memory that its process gets",
        "all files; one line says so",
        "the match",
        "evenmatch_lab.drills.memory:forest",
    ),
    "networks": Drill(
        "a network file is of another game, half, garbage, or made to fill the memory",
        "one line refuses it, in at most 250 MB more than a match needs anyway",
        NOTHING,
        "evenmatch_lab.drills.networks:files",
    ),
}
