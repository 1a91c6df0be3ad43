"""Marks of moves that their mover did not choose alone: no evidence of strength."""

OWN = ""  #: the mark of a move that its mover chose alone
GIVEN, HINT, RETRY = "given", "hint", "retry"
MARKS = {
    GIVEN: "the game was started after this move",
    HINT: "the player followed a hint",
    RETRY: "the player took a move back, and played this one instead",
}  #: what each mark means
