"""Every stage of the soft mode against the wheel: the shipped models, public robots, and a hundred random trees."""

import mujoco
import numpy as np
import oracle
import pytest
from trees import random_tree

import dojo_py
from dojo_py.soft import SoftOptions, SoftSimulator

STATES = 10
SMOOTH_BOUND = 1e-10
CONTACT_BOUND = 1e-9
ROW_BOUND = 1e-9
ACCELERATION_BOUND = 1e-7

PUBLIC = [
    ("mujoco_humanoid", "humanoid.xml"),
    ("franka_emika_panda", "panda.xml"),
    ("franka_emika_panda", "panda_nohand.xml"),
    ("franka_emika_panda", "hand.xml"),
    ("skydio_x2", "x2.xml"),
    ("unitree_a1", "a1.xml"),
]


def compare(simulator, wheel, seed, states=STATES):
    """Worst differences over random states; the wheel solves to 1e-12 too."""
    rng = np.random.default_rng(seed)
    smooth, contact, row, qacc = [], [], [], []
    for _ in range(states):
        qpos, qvel = oracle.random_state(wheel, rng)
        ctrl, act = rng.uniform(-1, 1, wheel.nu), rng.uniform(-0.5, 0.5, wheel.na)
        data = oracle.forward(wheel, qpos, qvel, ctrl, act)
        state = simulator.initial_state(qpos, qvel)
        state = type(state)(state.qpos, state.qvel, act, 0.0)
        ours = simulator.acceleration(state, ctrl)
        smooth.append(oracle.smooth_differences(simulator, wheel, data))
        contact.append(oracle.contact_differences(simulator, data))
        row.append(oracle.row_differences(simulator, wheel, data))
        qacc.append({"qacc": oracle.difference(ours, data.qacc)})
    return tuple(map(oracle.worst, (smooth, contact, row, qacc)))


def check(simulator, wheel, seed, states=STATES):
    for differences, bound in zip(
        compare(simulator, wheel, seed, states), (SMOOTH_BOUND, CONTACT_BOUND, ROW_BOUND, ACCELERATION_BOUND), strict=True
    ):
        over = {key: value for key, value in differences.items() if not value <= bound}
        assert not over, f"beyond {bound:g}: {over}"


OPTIONS = SoftOptions(tolerance=1e-12, iterations=200)


@pytest.mark.parametrize("path", oracle.MODELS, ids=lambda p: p.stem)
def test_shipped_models_read_by_us(path):
    """Measured at worst: smooth 8e-14, contacts 7e-16, rows 7e-14, qacc 2e-13."""
    wheel = oracle.with_options(mujoco.MjModel.from_xml_path(str(path)), tolerance=1e-12, iterations=200)
    check(SoftSimulator(dojo_py.load_model(path), options=OPTIONS), wheel, seed=1)


@pytest.mark.parametrize(("folder", "name"), PUBLIC, ids=lambda p: p)
def test_public_robots(shared, folder, name):
    """Measured at worst: smooth 5e-15, contacts 4e-15, rows 4e-13, qacc 4e-10."""
    wheel = oracle.with_options(oracle.shared_model(folder, name), tolerance=1e-12, iterations=200)
    check(SoftSimulator(wheel), wheel, seed=2)


@pytest.mark.parametrize("seed", range(100))
def test_random_trees(seed):
    """Measured at worst: smooth 7e-15, contacts 1e-14, rows 8e-14, qacc 3e-9."""
    wheel = oracle.without_unsupported_pairs(mujoco.MjModel.from_xml_string(random_tree(seed)))
    wheel = oracle.with_options(wheel, tolerance=1e-12, iterations=200)
    check(SoftSimulator(wheel), wheel, seed, states=5)
