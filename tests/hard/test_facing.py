"""On the central path boxes and meshes show all faces that look at the other shape: nothing jumps where they turn."""

import numpy as np
import pytest
from default_run import in_turn, some
from differences import compare, tight
from scipy.spatial.transform import Rotation

from dojo_py import HardSimulator, Status, load_model

SCENE = """<mujoco><option timestep="0.01" gravity="0 0 0"/><asset><mesh name="stone" vertex="{stone}"/></asset><worldbody>
  <body name="below"><freejoint/><geom {below} mass="0.3"/></body>
  <body name="above" pos="0 0 .2"><freejoint/><geom {above} mass="0.3"/></body></worldbody></mujoco>"""
BOX, STONE, ROD = 'type="box" size=".05 .04 .03"', 'type="mesh" mesh="stone"', 'type="capsule" size=".02 .05"'
PAIRS = {"boxes": (BOX, BOX), "box, mesh": (BOX, STONE), "meshes": (STONE, STONE), "mesh, capsule": (STONE, ROD)}


def _model(below, above, seed):
    points = np.random.default_rng(seed).normal(size=(14, 3))
    points *= [0.06, 0.05, 0.04] / np.linalg.norm(points, axis=1)[:, None]
    return load_model(SCENE.format(stone=" ".join(f"{x:.6f}" for x in points.ravel()), below=below, above=above))


def _pose(seed, t):
    """(14,) coordinates at t in [0, 1]: one body turns past another, apart from it."""
    rng = np.random.default_rng(seed)
    axis, turns = rng.normal(size=3), Rotation.random(2, random_state=seed)
    turned = Rotation.from_rotvec(1.5 * t * axis / np.linalg.norm(axis)) * turns[1]
    return np.r_[0, 0, 0, np.roll(turns[0].as_quat(), 1), 0.06 * (t - 0.5), 0.02, 0.13, np.roll(turned.as_quat(), 1)]


def _largest_jump(sim, seed, kappa, parts=200):
    """Of the velocity [m/s, rad/s] between starts 1e-10 of the path apart, where it changes most."""

    def end(t):
        step = sim.step(sim.initial_state(qpos=_pose(seed, t), qvel=np.zeros(12)), np.zeros(0), kappa=kappa)
        assert step.status is Status.SOLVED
        return step.state.qvel

    ends = np.array([end(t) for t in np.linspace(0.0, 1.0, parts + 1)])
    largest = 0.0
    for i in np.argsort(-np.linalg.norm(np.diff(ends, axis=0), axis=1))[:12]:
        low, high, a, b = i / parts, (i + 1) / parts, ends[i], ends[i + 1]
        while high - low > 1e-10:
            middle = 0.5 * (low + high)
            c = end(middle)
            if np.linalg.norm(c - a) > np.linalg.norm(b - c):
                high, b = middle, c
            else:
                low, a = middle, c
        largest = max(largest, float(np.linalg.norm(b - a)))
    return largest


@pytest.mark.parametrize("seed", some(range(3), [0]))
@pytest.mark.parametrize("name", PAIRS)
def test_what_turns_jumps_nowhere(name, seed):
    """κ 1e-4, 200 starts on each of three paths: at most 1e-7. Where one face is shown 0.6 to 1.8."""
    jump = _largest_jump(HardSimulator(_model(*PAIRS[name], seed)), seed, 1e-4)
    print(f"{name}, {seed}: {jump:.1e}")
    assert jump < 1e-6


@pytest.mark.parametrize(("name", "kappa"), in_turn(PAIRS, (1e-3, 1e-5)))
def test_derivatives_between_faces(name, kappa):
    """A of 8 poses of each pair, against Ridders' differences; worst 4e-9."""
    sim = tight(_model(*PAIRS[name], 1), 0.01)
    worst = max(
        compare(sim, sim.initial_state(_pose(2, t), np.zeros(12)), np.zeros(0), kappa).A for t in np.linspace(0.05, 0.95, 8)
    )
    print(f"{name}, κ {kappa:g}: {worst:.1e}")
    assert worst < 1e-5
