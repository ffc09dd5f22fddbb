"""Hulls of meshes hold points within their faces and edges, which are corners of none: what is shown is the face all the same."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

HALF = np.array([0.03, 0.02, 0.006])
GAP = 7e-4
SCENE = """<mujoco><option timestep="0.01" gravity="0 0 0"/><asset><mesh name="plate" vertex="{vertices}"/></asset><worldbody>
  <body><freejoint/><geom type="mesh" mesh="plate" mass="0.1"/></body>
  <body pos="0 0 {height}"><freejoint/><geom type="mesh" mesh="plate" mass="0.1"/></body></worldbody></mujoco>"""


def plate(rng):
    """Corners of a flat box and 40 points within each of its large faces, proud of it by 3 nm."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * HALF
    within = rng.uniform(-0.9, 0.9, (80, 3))
    within[:, 2] = np.where(np.arange(80) < 40, -1.0, 1.0) * (1.0 + rng.uniform(0.0, 5e-7, 80))
    return np.concatenate([corners, within * HALF])


def plates_that_meet(seed):
    """(MJCF, step in which they do), after a third of it."""
    rng = np.random.default_rng(seed)
    text = SCENE.format(vertices=" ".join(f"{x:.17g}" for x in plate(rng).ravel()), height=2 * HALF[2] + GAP)
    model = load_model(text)
    sim = HardSimulator(model)
    qpos = np.array(model.qpos0)
    qpos[3:7] += rng.uniform(-2e-6, 2e-6, 4)
    qvel = np.zeros(12)
    qvel[2] = 0.2
    return text, sim.step(sim.initial_state(qpos, qvel))


@pytest.mark.parametrize("seed", range(8))
def test_features_are_of_the_faces_that_look_at_each_other(seed):
    """No contact is deeper than the pair: before, the far face was shown where the farthest corner lay within a face, and a
    feature had a gap of minus the thickness, -13 mm."""
    text, step = plates_that_meet(seed)
    wheel = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(wheel)
    data.qpos[:] = step.state.qpos
    mujoco.mj_kinematics(wheel, data)
    distance = mujoco.mj_geomDistance(wheel, data, 0, 1, 0.01, None)
    assert step.status is Status.SOLVED  # before, 5 of 8 were not solved
    assert len(step.contacts.gap) >= 4 and step.contacts.gap.min() > distance - 1e-6 > -2e-6
    assert step.contacts.impulse[:, 0].sum() == pytest.approx(0.05 * (0.2 - GAP / 0.01), rel=1e-3)


ROUNDS = pytest.mark.xfail(
    strict=True, reason="bound 30: 34 to 61; corners are found missing and all is solved again, once or twice"
)


@pytest.mark.parametrize("seed", [0, 5, 6, *(pytest.param(seed, marks=ROUNDS) for seed in (1, 2, 3, 4, 7))])
def test_few_iterations_are_enough(seed):
    assert plates_that_meet(seed)[1].iterations <= 30
