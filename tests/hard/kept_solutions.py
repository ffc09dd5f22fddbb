"""Run by test_kept_solutions.py in a process whose kernels are not compiled, so that solves can be made to fail. Prints JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dojo_py import HardSimulator, load_model
from dojo_py.hard.islands import BODIES, NODES
from dojo_py.hard.report import COLUMNS, STATUS
from dojo_py.hard.solve.residual_norm import BEYOND_IMPULSES, BEYOND_ROUND_OFF, residual_of
from dojo_py.hard.statuses import SOLVED, STALLED
from dojo_py.hard.step import completion, island_step, parts, step

PAST_AN_EDGE = """<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody>
  <geom type="box" size=".05 .1 .03" pos=".466 0 .086"/>
  <body><joint axis="0 1 0"/><geom type="box" size=".2 .02 .01" pos=".2 0 0" mass="1"/></body></worldbody></mujoco>"""
"""A rod that swings past a box: two features carry beside the shapes, and the step is solved again without them."""


def ghosts() -> dict[str, Any]:
    """The step where the solve without ghosts fails."""
    whole, solves = island_step.whole, 0

    def fails_later(L: Any, P: Any, Q: Any, A: Any, W: Any, *more: Any) -> None:
        nonlocal solves
        solves += 1
        whole(L, P, Q, A, W, *more)
        if solves > 1:
            W.found[STATUS] = STALLED

    sim = HardSimulator(load_model(PAST_AN_EDGE))
    start = sim.initial_state(qpos=[0.17], qvel=[-45.14])
    island_step.whole = completion.whole = fails_later
    found = sim.step(start)
    island_step.whole = completion.whole = whole
    return {"solves": solves, "status": int(found.status), "substeps": int(found.substeps), "residual": float(found.residual)}


def rejected() -> dict[str, Any]:
    """The step where its solution creates energy, and of its parts only the first is solved: how it ends."""
    one_part, throws, calls = parts.one_part, completion.throws, 0

    def first_only(L: Any, P: Any, Q: Any, A: Any, W: Any, *more: Any) -> None:
        nonlocal calls
        calls += 1
        one_part(L, P, Q, A, W, *more)
        if calls > 1:
            W.found[STATUS] = STALLED

    sim = HardSimulator(load_model(PAST_AN_EDGE))
    start = sim.initial_state(qpos=[0.17], qvel=[-45.14])
    parts.one_part, completion.throws = first_only, lambda *_: True
    found = sim.step(start)
    parts.one_part, completion.throws = one_part, throws
    return {"ending": found.ending.name, "status": found.status.name}


def holds() -> list[list[Any]]:
    """(source, once) of every solve after points were held anew."""
    calls: list[list[Any]] = []
    whole, hold_apart, left = completion.whole, completion.hold_apart, [2]

    def solved(L: Any, P: Any, Q: Any, A: Any, W: Any, h: float, recovery: float, kappa: float, source: int, once: bool) -> None:
        calls.append([source, once])
        W.found[STATUS] = SOLVED

    def held(*_: Any) -> tuple[int, bool]:
        left[0] -= 1
        return (1 if left[0] >= 0 else 0), False

    class Options:
        recovery_speed = 5.0

    class Work:
        options, found = Options(), np.zeros(COLUMNS + 9)

    completion.whole, completion.hold_apart = solved, held
    completion._hold_again(None, None, None, None, Work(), 0.01, 5.0)
    completion.whole, completion.hold_apart = whole, hold_apart
    return calls


def joints() -> list[float]:
    """Residuals of a joint's row of 1e-9 m/s under impulses of 1e6 N s: as usual and where a solve is stuck; of 1 mm."""
    at: list[Any] = []
    solve_island = step.solve_island

    def watched(L: Any, P: Any, Q: Any, A: Any, W: Any, *more: Any) -> Any:
        at[:] = [L, W]
        return solve_island(L, P, Q, A, W, *more)

    step.solve_island = watched
    sim = HardSimulator(load_model(PAST_AN_EDGE))
    sim.step(sim.initial_state())
    step.solve_island = solve_island
    L, W = at
    node, body = W.members[NODES, W.span[NODES, 0]], W.members[BODIES, W.span[BODIES, 0]]
    W.size[body, :3], W.rn[node, 0] = 1e6, 1e-9
    out = [float(residual_of(L, W, 0.01, counted)) for counted in (BEYOND_ROUND_OFF, BEYOND_IMPULSES)]
    W.size[body, :3], W.rn[node, 0] = 1e30, 1e-3 / 0.01
    return [*out, float(residual_of(L, W, 0.01, BEYOND_IMPULSES))]


if __name__ == "__main__":
    print(json.dumps({"ghosts": ghosts(), "rejected": rejected(), "holds": holds(), "joints": joints()}))
