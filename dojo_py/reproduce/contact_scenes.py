"""Scenes of bodies that touch: how each is run, what is measured of its motion and what must hold.

A measure sees coordinates and velocities only, so that the same number is made of our motion and of MuJoCo's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dojo_py.reproduce.scenes import steps_of
from dojo_py.reproduce.wheel_gaps import Wheel

Array = np.ndarray

OVERLAP = 1e-9
"""Accepted [m]."""
BLOCK = 50
"""Steps that each simulator takes in turn, so that other work on the machine slows both; times are the processor's."""


@dataclass(frozen=True)
class Scene:
    """A shipped scene and what is asked of it."""

    name: str
    """Of the model."""
    what: str
    timestep: float
    """[s]"""
    duration: float
    """[s]"""
    measure: Callable[[Motion, Wheel], float]
    bound: float
    """Largest value of the measure."""
    unit: str
    keyframe: str | None = None
    control: Callable[[float], tuple[float, ...]] | None = None
    """Control (nu,) at a time [s]; none: zero."""
    after: float = 0.0
    """Shortest duration of which the measure says something [s]."""
    slowest: float = np.inf
    """Most that a step may take, over mj_step."""


@dataclass
class Motion:
    """What a simulator made of a scene; T steps."""

    timestep: float
    qpos: Array
    """(T + 1, nq)"""
    qvel: Array
    """(T + 1, nv)"""
    seconds: float = 0.0
    """Of the processor."""
    status: Array = field(default_factory=lambda: np.zeros(0, int))
    """(T,) and the next two of ours only"""
    iterations: Array = field(default_factory=lambda: np.zeros(0, int))
    min_gap: Array = field(default_factory=lambda: np.zeros(0))
    sim: Any = None
    """The simulator, ours only."""
    end: Any = None
    """The last state, ours only."""

    def at(self, time: float) -> int:
        """Number of the state at a time [s]."""
        return min(round(time / self.timestep), len(self.qpos) - 1)


def load(name: str) -> Any:
    """The shipped model, or a pile by its number of bodies: `pile 300`, `spheres 300` (contact_piles.py)."""
    from dojo_py import load_model

    return load_model(_source(name))


def _source(name: str) -> str:
    """Path of the model file, or MJCF."""
    from dojo_py import models
    from dojo_py.reproduce.contact_piles import pile_xml

    kind, _, count = name.partition(" ")
    return pile_xml(int(count), kind) if count else str(models.path(name))


def wheel_of(name: str) -> Wheel:
    """The same model in the wheel."""
    return Wheel(_source(name))


def scene_controls(scene: Scene, nu: int, duration: float) -> Array:
    """(T, nu)"""
    steps = steps_of(duration, scene.timestep)
    if scene.control is None:
        return np.zeros((steps, nu))
    return np.array([scene.control(k * scene.timestep) for k in range(steps)])


def simulate(scene: Scene, duration: float | None = None) -> tuple[Motion, Motion, Wheel]:
    """(ours, MuJoCo's, the wheel): the scene by both, in turn by blocks of steps. duration [s]: the scene's own by default."""
    from dojo_py import HardSimulator

    model, wheel = load(scene.name), wheel_of(scene.name)
    controls = scene_controls(scene, model.nu, scene.duration if duration is None else duration)
    sim = HardSimulator(model, timestep=scene.timestep)
    state = sim.initial_state(keyframe=scene.keyframe)
    sim.step(state, controls[0])  # (loads the kernels)
    theirs = _Theirs(scene, wheel, len(controls))
    n, parts, seconds = len(controls), [], 0.0
    for first in range(0, n, BLOCK):
        block = controls[first : first + BLOCK]
        clock = time.process_time()
        trajectory = sim.rollout(state, block, maximal=False)
        seconds += time.process_time() - clock
        state = trajectory.final_state
        parts.append(trajectory)
        theirs.run(block)
    joined = {
        key: np.concatenate([getattr(p, key)[1 if key in ("qpos", "qvel") and i else 0 :] for i, p in enumerate(parts)])
        for key in ("qpos", "qvel", "status", "iterations", "min_gap")
    }
    return Motion(scene.timestep, seconds=seconds, sim=sim, end=state, **joined), theirs.motion, wheel


class _Theirs:
    """The wheel going through a scene."""

    def __init__(self, scene: Scene, wheel: Wheel, steps: int):
        m = wheel.as_written
        self.wheel, self.data, self.done = wheel, wheel.mujoco.MjData(m), 0
        m.opt.timestep = scene.timestep
        if scene.keyframe is not None:
            key = wheel.mujoco.mj_name2id(m, wheel.mujoco.mjtObj.mjOBJ_KEY, scene.keyframe)
            wheel.mujoco.mj_resetDataKeyframe(m, self.data, key)
        self.motion = Motion(scene.timestep, np.zeros((steps + 1, m.nq)), np.zeros((steps + 1, m.nv)))
        self.motion.qpos[0], self.motion.qvel[0] = self.data.qpos, self.data.qvel

    def run(self, controls: Array) -> None:
        """Steps with these controls."""
        step, model, data = self.wheel.mujoco.mj_step, self.wheel.as_written, self.data
        for control in controls:
            data.ctrl[:] = control
            clock = time.process_time()
            step(model, data)
            self.motion.seconds += time.process_time() - clock
            self.done += 1
            self.motion.qpos[self.done], self.motion.qvel[self.done] = data.qpos, data.qvel


def smallest_gap(motion: Motion, wheel: Wheel, samples: int = 100) -> float:
    """By the wheel's geometry, of states evenly spread over a motion, the last among them [m]."""
    rows = np.unique(np.linspace(1, len(motion.qpos) - 1, samples).astype(int))
    return min(wheel.smallest_gap(motion.qpos[k]) for k in rows)


# measures


def moved(motion: Motion, wheel: Wheel) -> float:
    """How far anything moves in the second half [m]."""
    return float(np.abs(motion.qpos[-1] - motion.qpos[len(motion.qpos) // 2]).max())


def speed(motion: Motion, wheel: Wheel) -> float:
    """Mean speed of the fastest coordinate over the second half [nm/s]."""
    half = len(motion.qpos) // 2
    return 1e9 * moved(motion, wheel) / ((len(motion.qpos) - 1 - half) * motion.timestep)


def slip_of(body: int, of: int) -> Callable[[Motion, Wheel], float]:
    """Mean speed of one body in the frame of another over the second half [nm/s]."""

    def measure(motion: Motion, wheel: Wheel) -> float:
        half, seen = len(motion.qpos) // 2, []
        for k in (half, len(motion.qpos) - 1):
            wheel.pose(motion.qpos[k])
            d = wheel.data
            seen.append(d.xmat[of].reshape(3, 3).T @ (d.xpos[body] - d.xpos[of]))
        return 1e9 * float(np.linalg.norm(seen[1] - seen[0])) / ((len(motion.qpos) - 1 - half) * motion.timestep)

    return measure


def loops(motion: Motion, wheel: Wheel) -> float:
    """Largest error of the loops in a hundred states, but the start's own [m]."""
    rows = np.unique(np.linspace(1, len(motion.qpos) - 1, 100).astype(int))
    return max(wheel.loop_error(motion.qpos[k]) for k in rows)


def out_of_turn(motion: Motion, wheel: Wheel) -> float:
    """Dominoes that do not begin to fall after the one before, or still stand, or move, at the end."""
    upright = 1.0 - 2.0 * motion.qpos[:, 5::7] ** 2  # cosine of the tilt about y
    fallen = upright < np.cos(0.05)
    begins = np.where(fallen.any(axis=0), np.argmax(fallen, axis=0), len(upright))
    restless = np.abs(motion.qvel[-1]).reshape(-1, 6).max(axis=1) > 1e-5
    return float((np.diff(begins[1:]) <= 0).sum() + (~fallen[-1]).sum() + restless.sum())


def last_speed(motion: Motion, wheel: Wheel) -> float:
    """Of the fastest body at the end [m/s]; 0 rad/s beside it."""
    return float(np.abs(motion.qvel[-1].reshape(-1, 6)[:, :3]).max())


def _lift(t: float) -> float:
    return min(0.2, 0.1 * max(t - 2.0, 0.0))


def _arms(t: float) -> tuple[float, ...]:
    """Elbows lift the box from the table, sway and set it down."""
    elbow = -0.5 * np.sin(0.5 * t) ** 2
    return (0.15 * np.sin(t), 0.0, 0.0, elbow) * 2


SCENES = (
    Scene("tower", "ten blocks stand", 0.02, 60.0, moved, 1e-6, "m"),
    Scene("arch", "nine wedges stand", 0.02, 60.0, moved, 1e-6, "m"),
    Scene("pyramid", "55 blocks stand", 0.02, 60.0, moved, 1e-6, "m"),
    Scene("card_house", "seven cards stand", 0.005, 60.0, moved, 1e-6, "m", after=3.0),
    Scene("dominoes", "twenty fall in turn", 0.005, 4.0, out_of_turn, 0, "out of turn", "push", after=4.0),
    Scene("pinch", "plates hold a capsule, 12 N", 0.01, 60.0, speed, 1.0, "nm/s", control=lambda t: (12.0, 12.0)),
    Scene("pinch", "plates hold a capsule, 60 N", 0.01, 60.0, speed, 1.0, "nm/s", control=lambda t: (60.0, 60.0)),
    Scene("gripper", "fingers lift and hold a mug", 0.01, 66.0, slip_of(4, 1), 1.0, "nm/s",
          control=lambda t: (_lift(t), 15.0 * (t >= 1.0), 15.0 * (t >= 1.0)), after=12.0),
    Scene("hand", "four fingers lift and hold an egg", 0.01, 66.0, slip_of(14, 1), 1.0, "nm/s",
          control=lambda t: (_lift(t), *(0.3 * (t >= 0.5), 0.3 * min(t, 1.0)) * 4), after=12.0),
    Scene("slope", "blocks on a slope below its angle", 0.01, 60.0, speed, 1.0, "nm/s", after=2.0),
    Scene("stewart", "platform on six legs: loop error", 0.01, 60.0, loops, 1e-9, "m",
          control=lambda t: tuple(0.04 * np.sin(0.7 * t + k) for k in range(6))),
    Scene("two_arms_box", "two arms lift a box: loop error", 0.01, 60.0, loops, 1e-9, "m", control=_arms),
    Scene("parallel_cranks", "redundant four-bar: loop error", 0.01, 60.0, loops, 1e-9, "m", "swing"),
    Scene("stairs", "the quadruped falls onto stairs", 0.01, 5.0, last_speed, 1e-6, "m/s", "stairs", after=3.0),
    Scene("pile", "100 mixed bodies come to rest", 0.01, 5.0, last_speed, 1e-3, "m/s", slowest=25.0),
)  # fmt: skip
