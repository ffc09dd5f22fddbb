"""A family of the gauntlet for its own tests: cases are tuples of numbers; 13 is unlucky, others hang, raise or end the process."""

import os
import time

from dojo_py.reproduce.gauntlet.family import Outcome

TITLE = "toy: tuples of numbers"
PROPERTIES = {"no thirteen": "13 is not among the numbers", "few": "at most 8 numbers"}
FIXED = (0, 1)
TIME_LIMIT = 1.0
HANGS, RAISES, DIES = 100, 101, 102


def generate(seed):
    return (seed,) if seed >= HANGS else tuple(range(seed))


def check(case):
    if HANGS in case:
        time.sleep(60.0)
    if RAISES in case:
        raise KeyError("no such number")
    if DIES in case:
        os._exit(7)
    bad = case.count(13)
    found = {"no thirteen": Outcome(len(case), bad, float(bad), f"entry {case.index(13)}" if bad else "")}
    if case:
        found["few"] = Outcome(1, int(len(case) > 8), float(len(case)), f"{len(case)} numbers")
    return found


def shrink(case):
    half = len(case) // 2
    if half:
        yield case[:half]
        yield case[half:]
    for k in range(len(case)):
        yield case[:k] + case[k + 1 :]


def describe(case):
    return f"case = {case!r}"
