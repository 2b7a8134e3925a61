"""Launches of programs in turn: for studies, tuning, benchmarks, and whatever else compares runs with runs.

    turns()          which candidate runs when: interleaved, so that a drift of the machine hits all alike
    Launch           one start of a program: words, environment, folder, time limit
    execute() runs a launch to its end, which is always an Outcome, never an exception
    Runner           goes through the turns, with a limit for all of them, progress, and interruption
    Samples          what was measured, by candidate and round, for leadline.statistics

`leadline.launch` records one command of the user's, with the user's own terminal and signals. A launch here may be such
a command (`leadline record ...`); the arrow never points the other way.
"""
