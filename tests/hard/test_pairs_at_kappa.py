"""Pairs of bodies on the central path: what is kept where a step starts holds for that start, and gaps are distances."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from differences import TIGHT, compare

from dojo_py import HardSimulator, load_model

BOXES = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
  <body><freejoint/><geom type="box" size=".05 .04 .03" mass="0.3"/></body>
  <body pos="0.01 0.02 0.085"><freejoint/><geom type="box" size=".05 .04 .03" mass="0.3"/></body></worldbody></mujoco>"""
CAPSULES = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
  <body><freejoint/><geom type="capsule" size=".03 .1" mass="0.3"/></body>
  <body pos="0.065 0 0.08"><freejoint/><geom type="capsule" size=".03 .1" mass="0.3"/></body></worldbody></mujoco>"""
SEEDS = (5, 9)


def _turning(seed):
    """(qpos, qvel): the upper box turns by 1.6 rad in a step, which is divided into two parts."""
    rng = np.random.default_rng(seed)
    turned, spin = rng.normal(size=4), rng.normal(size=3)
    turned, spin = turned / np.linalg.norm(turned), 158.0 * spin / np.linalg.norm(spin)
    return np.r_[0, 0, 0, 1, 0, 0, 0, 0.01, 0.02, 0.085, turned], np.r_[np.zeros(9), spin]


def _ends(sim, seed):
    """Velocities at the end of the step, and of the one in which what is kept of the pair is forgotten before each part."""
    from dojo_py.hard.step import parts

    start = parts.start_step

    def forgetful(L, P, Q, W, *rest):
        W.relaxed[:] = -1.0
        W.fstart[:] = np.nan
        return start(L, P, Q, W, *rest)

    ends = []
    for begin in (start, forgetful):
        parts.start_step = begin
        step = sim.step(sim.initial_state(*_turning(seed)), np.zeros(0), kappa=3e-3)
        ends.append(step.state.qvel)
        assert step.substeps == 2
    parts.start_step = start
    return ends


@pytest.fixture(scope="module")
def differences():
    """Of both ends for each seed, and how much the step changes: without compilation, so that a kernel can be replaced."""
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, __file__], env=variables, capture_output=True, text=True, timeout=300, check=True)
    return {int(seed): (float(a), float(b)) for seed, a, b in (line.split() for line in done.stdout.splitlines())}


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_start_from_their_own_poses(differences, seed):
    """The same bit for bit. With relaxed points that were kept from the first part's start: 0.33 and 0.30 m/s, rad/s."""
    difference, change = differences[seed]
    assert difference == 0.0 and change > 1e-3


def test_the_gap_of_two_capsules_is_their_distance():
    """Of parallel and crossing axes at κ 1e-3, as the wheel has it. The relaxed points are farther apart, by up to 1.2e-5 m."""
    sim, wheel = HardSimulator(load_model(CAPSULES)), mujoco.MjModel.from_xml_string(CAPSULES)
    wheel.opt.ccd_tolerance = 1e-12
    data, worst = mujoco.MjData(wheel), 0.0
    for tilt in (0.0, 0.1, 0.5, 1.0):
        pose = np.r_[0, 0, 0, 1, 0, 0, 0, 0.065, 0, 0.08, np.cos(tilt / 2), np.sin(tilt / 2), 0, 0]
        trajectory = sim.rollout(sim.initial_state(qpos=pose, qvel=np.zeros(12)), np.zeros((1, 0)), kappa=1e-3)
        assert trajectory.unsolved == 0
        data.qpos[:] = trajectory.final_state.qpos
        mujoco.mj_kinematics(wheel, data)
        worst = max(worst, abs(trajectory.min_gap[0] - mujoco.mj_geomDistance(wheel, data, 0, 1, 9.0, None)))
    print(f"{worst:.1e}")
    assert worst < 1e-12


def test_a_crumb_beside_a_long_capsule_does_not_move_by_round_off():
    """A box of 2 mm, 3 cm from a pen of 20 cm: starts that differ by 1e-13 ended with velocities apart by 0.7 m/s, rad/s."""
    sim = HardSimulator(
        load_model("""<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
      <body quat="0.394 0.157 -0.775 0.469"><freejoint/><geom type="box" size=".001 .001 .001" mass="0.01"/></body>
      <body pos="0.037 0.006 0.009" quat="0.795 -0.57 0.199 -0.052"><freejoint/>
        <geom type="capsule" size=".008 .1" mass="0.08"/></body></worldbody></mujoco>""")
    )
    rng, start = np.random.default_rng(0), sim.initial_state()
    ends = [sim.step(start, np.zeros(0), kappa=1e-4).state.qvel]
    for _ in range(20):
        near = sim.initial_state(sim.model.integrate(start.qpos, 1e-13 * rng.normal(size=12)))
        ends.append(sim.step(near, np.zeros(0), kappa=1e-4).state.qvel)
    assert np.abs(ends[0]).max() > 0.1 and np.ptp(ends, axis=0).max() < 1e-7


def test_a_plate_beside_a_mesh_of_thousands_of_faces():
    """A of the plate's pose at κ 1e-2. Where relaxed points are sought by long steps only they are not found: off by 17."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(4000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    corners = " ".join(f"{x:.7f}" for x in (np.sign(points) * np.abs(points) ** 0.25 * [0.05, 0.04, 0.08]).ravel())
    place, turn = rng.normal(size=3), rng.normal(size=4)
    place *= 0.13 / np.linalg.norm(place)
    sim = HardSimulator(
        load_model(f"""<mujoco><option timestep="0.01" gravity="0 0 0"/>
      <asset><mesh name="m" vertex="{corners}"/></asset><worldbody><geom type="mesh" mesh="m"/>
      <body pos="{place[0]} {place[1]} {place[2]}" quat="{turn[0]} {turn[1]} {turn[2]} {turn[3]}"><freejoint/>
        <geom type="box" size=".002 .01 .02" mass="0.05"/></body></worldbody></mujoco>"""),
        options=TIGHT,
    )
    assert compare(sim, sim.initial_state(), np.zeros(0), 1e-2, columns=range(6)).A < 1e-6


if __name__ == "__main__":
    boxes = HardSimulator(load_model(BOXES))
    for number in SEEDS:
        here, there = _ends(boxes, number)
        print(number, np.abs(here - there).max(), np.abs(here - _turning(number)[1]).max())
