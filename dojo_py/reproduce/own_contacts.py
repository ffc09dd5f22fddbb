"""What it costs that a robot's parts touch one another: a relaxed step with its derivatives over MuJoCo's step and differences.

Most of the shipped robots touch the ground only (docs/models.md). Here all their flesh touches itself too, with a bit of its own in
contype and conaffinity, all but what parent and child are of each other (MuJoCo's filter), in both programs.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.reproduce.report import import_mujoco
from dojo_py.reproduce.scenes import random_controls, start_of
from dojo_py.reproduce.speed import EPSILON

ROBOTS = ("humanoid", "half_cheetah", "hopper", "quadruped")
"""Whose parts do not overlap at the start; the walker's legs lie in one plane, Atlas's pelvis in its thighs."""
KAPPA, TIMESTEP = 3e-4, 0.01
"""[N m s], [s]"""
STEPS, BLOCK = 200, 20
BOUND = 0.7
OWN = 2
"""Bit of contype and conaffinity."""
PLANE = 0


def with_own_contacts(model: Any) -> Any:
    """The model whose geoms, but planes, touch each other too."""
    body = (np.asarray(model.geom_type) != PLANE) * OWN
    return model.replace(geom_contype=model.geom_contype | body, geom_conaffinity=model.geom_conaffinity | body)


def cost(name: str, steps: int = STEPS) -> dict[str, float]:
    """`ratio`: time of κ steps with A and B over that of MuJoCo's mj_step and one-sided mjd_transitionFD; `hard`: of hard steps.

    `step` [s], `iterations` (median) and `worst` of the κ steps, `unsolved` of both. The processor's time, in turn by blocks.
    """
    from dojo_py import HardSimulator, load_model, save_mjcf

    mujoco = import_mujoco(required=True)
    model = with_own_contacts(load_model(name))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.xml"
        save_mjcf(model, file)
        wheel = mujoco.MjModel.from_xml_path(str(file))
    wheel.opt.timestep = TIMESTEP
    data = mujoco.MjData(wheel)
    data.qpos[:], data.qvel[:] = start_of(model)
    n = 2 * wheel.nv + wheel.na
    A, B = np.zeros((n, n)), np.zeros((n, wheel.nu))
    sim, controls = HardSimulator(model, timestep=TIMESTEP), random_controls(model, steps)
    smooth = hard = sim.initial_state(*start_of(model))
    sim.rollout(smooth, controls[:1], linearize=True, kappa=KAPPA)  # (loads the kernels)
    seconds, iterations, unsolved = np.zeros(3), [], 0
    for first in range(0, steps, BLOCK):
        block = controls[first : first + BLOCK]
        clock = [time.process_time()]
        relaxed: Any = sim.rollout(smooth, block, maximal=False, linearize=True, kappa=KAPPA)
        clock.append(time.process_time())
        limit: Any = sim.rollout(hard, block, maximal=False)
        clock.append(time.process_time())
        for control in block:
            data.ctrl[:] = control
            mujoco.mjd_transitionFD(wheel, data, EPSILON, 0, A, B, None, None)
            mujoco.mj_step(wheel, data)
        clock.append(time.process_time())
        seconds += np.diff(clock)
        smooth, hard = relaxed.final_state, limit.final_state
        iterations += list(relaxed.iterations)
        unsolved += int(relaxed.unsolved) + int(limit.unsolved)
    return {
        "ratio": seconds[0] / seconds[2], "hard": seconds[1] / seconds[2], "step": seconds[0] / steps,
        "iterations": float(np.median(iterations)), "worst": float(np.max(iterations)), "unsolved": unsolved,
    }  # fmt: skip
