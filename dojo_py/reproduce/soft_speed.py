"""What a soft step costs beside `mj_step`: the same model, state and controls, one thread, one after the other in one process."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from dojo_py import models
from dojo_py.reproduce.report import Report, import_mujoco
from dojo_py.reproduce.scenes import random_controls
from dojo_py.simulate.status import LOST

BOUND, BOUND_LARGE = 1.2, 1.5
"""Greatest time of a step over `mj_step`: of shipped models; of the large ones."""
CHAIN, CAPSULES, HUMANOIDS = "chain of 100 hinges", "chain of 100 capsules", "22 humanoids"
LARGE = (CHAIN, CAPSULES, HUMANOIDS)
STEPS, ROUNDS = 100, 11
"""Of a block that is timed; how often each of the two runs it."""
SETTLE = 300
"""Steps of `mj_step` before, with controls at zero or those of the keyframe."""
DRIVE = 0.5
"""Share of the controls' ranges: under all of it some motions end, in both programs."""
SPACING = 1.5
"""[m] between the humanoids."""
QUICK: dict[str, Any] = {"rounds": 5}
"""Arguments of `run` for `--quick`."""


class Times(NamedTuple):
    """Shortest seconds a step of both, and what they stepped."""

    ours: float
    theirs: float
    contacts: int
    """where the block begins"""

    @property
    def ratio(self) -> float:
        """Ours over the wheel's."""
        return self.ours / self.theirs


def chain_of_capsules(links: int = 100) -> str:
    """MJCF text of a chain on ball joints that falls on a plane from 1 m."""
    inside = ""
    for i in reversed(range(links)):
        joint, pos = ('<joint type="ball"/>', "0.1 0 0") if i else ("<freejoint/>", "0 0 1")
        inside = f'<body pos="{pos}">{joint}<geom type="capsule" size="0.02" fromto="0.02 0 0 0.08 0 0"/>{inside}</body>'
    return f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{inside}</worldbody></mujoco>'


def many_humanoids(mujoco: Any, count: int = 22) -> Any:
    """MjModel of humanoids on one floor, on a square grid."""
    file = str(models.path("humanoid"))
    world, side = mujoco.MjSpec.from_file(file), int(np.ceil(np.sqrt(count)))
    for i in range(1, count):
        other = mujoco.MjSpec.from_file(file)
        for extra in [*other.worldbody.geoms, *other.keys]:
            other.delete(extra)
        place = world.worldbody.add_frame(pos=[SPACING * (i % side), SPACING * (i // side), 0.0])
        place.attach_body(other.worldbody.first_body(), f"humanoid{i}_", "")
    for key in list(world.keys):
        world.delete(key)
    return world.compile()


def wheel_model(name: str) -> Any:
    """MjModel of a shipped model or of one of the large ones."""
    mujoco: Any = import_mujoco(required=True)
    if name == HUMANOIDS:
        return many_humanoids(mujoco)
    if name == CHAIN:
        return mujoco.MjModel.from_xml_string(models.npendulum_xml(100, timestep=0.001))
    if name == CAPSULES:
        return mujoco.MjModel.from_xml_string(chain_of_capsules())
    return mujoco.MjModel.from_xml_path(str(models.path(name)))


def step_times(name: str, driven: bool, rounds: int = ROUNDS) -> Times:
    """Both programs step a block from the state after `SETTLE` steps, in turn; the least disturbed round of each counts.

    driven: random controls of half their ranges, else those of the settling. The wheel is called from Python for each control,
    0.3 µs of a step.
    """
    mujoco: Any = import_mujoco(required=True)
    from dojo_py import SoftSimulator

    wheel = wheel_model(name)
    data = mujoco.MjData(wheel)
    if wheel.nkey:
        mujoco.mj_resetDataKeyframe(wheel, data, wheel.nkey - 1 if name == CHAIN else 0)  # (that of the chain: horizontal)
    mujoco.mj_step(wheel, data, SETTLE)
    controls = DRIVE * random_controls(wheel, STEPS) if driven else np.tile(data.ctrl, (STEPS, 1))
    start = data.qpos.copy(), data.qvel.copy(), data.act.copy()
    contacts = int(data.ncon)
    simulator = SoftSimulator(wheel)
    state = simulator.initial_state(*start[:2], act=start[2])
    if any(status in LOST for status in simulator.rollout(state, controls).status):
        raise RuntimeError(f"{name}: the motion ends within the block, whose time says nothing")
    ours, theirs = [], []
    for _ in range(rounds):
        clock = time.perf_counter()
        simulator.rollout(state, controls)
        ours.append(time.perf_counter() - clock)
        mujoco.mj_resetData(wheel, data)
        data.qpos[:], data.qvel[:], data.act[:] = start
        clock = time.perf_counter()
        for control in controls:
            data.ctrl[:] = control
            mujoco.mj_step(wheel, data)
        theirs.append(time.perf_counter() - clock)
    return Times(min(ours) / STEPS, min(theirs) / STEPS, contacts)


def bound_of(name: str) -> float:
    """Greatest ratio that a model may have."""
    return BOUND_LARGE if name in LARGE else BOUND


def all_names() -> tuple[str, ...]:
    """All models that are timed."""
    return (*models.names(), *models.scenes(), *LARGE)


def run(names: tuple[str, ...] | None = None, rounds: int = ROUNDS) -> Report:
    """All models at rest and driven."""
    rows: list[tuple[object, ...]] = []
    holds, worst = True, 0.0
    for name in all_names() if names is None else names:
        rest, driven = (step_times(name, driven, rounds) for driven in (False, True))
        figures = [f"{1e6 * t:.1f}" for t in (rest.ours, rest.theirs)], [f"{1e6 * t:.1f}" for t in (driven.ours, driven.theirs)]
        rows.append((name, rest.contacts, *figures[0], f"{rest.ratio:.2f}", *figures[1], f"{driven.ratio:.2f}"))
        holds = holds and max(rest.ratio, driven.ratio) <= bound_of(name)
        worst = max(worst, rest.ratio, driven.ratio)
    columns = (
        "model", "contacts", "soft step at rest [µs]", "mj_step at rest [µs]", "ratio at rest", "soft step driven [µs]",
        "mj_step driven [µs]", "ratio driven",
    )  # fmt: skip
    notes = [
        f"one thread, {STEPS} steps from the state after {SETTLE}, in turn, the shortest of {rounds} rounds of each",
        "at rest: the controls of the keyframe, or none; driven: random controls of half their ranges",
        "mj_step is called in a loop of Python, 0.3 µs of a step",
        f"bounds: {BOUND} for shipped models, {BOUND_LARGE} for the last three; largest ratio here {worst:.2f}",
    ]
    return Report("soft_speed", "Speed of one soft step", columns, rows, notes, holds=holds, replays=_motion())


def _motion() -> dict[str, Any]:
    """A motion of the kind that is timed."""
    from dojo_py import SoftSimulator, load_model

    model = load_model("humanoid")
    simulator = SoftSimulator(model)
    return {"humanoid, driven": simulator.rollout(simulator.initial_state(), random_controls(model, 2 * STEPS))}
