"""Fuzzing of every door: what reads text, files or messages that others wrote.

    python -m evenmatch_lab.fuzz [DOOR ...] [--inputs 10000] [--seed 1] [--out FILE]

    mutations.py   valid examples made wrong: bytes, words, lines, numbers, brackets, encodings
    packing.py     what is compressed, damaged, or unpacks to much
    door.py        a door, and what is right at it
    doors/         the doors, and the table of them
    child.py       inputs one after the other, in a process of their own with bounds
    runner.py      starts children, and counts what they found
    web.py         the page's server, by benchmarks/web_hostile.py
    guided.py      the same doors under Atheris, which follows the code that an input reaches

An input depends on the door, the seed and its number alone. Right is a result, or an error of ours
in one line. An exception, a crash, a second or more of work, or memory over a bound is a find.
"""
