"""Every stage of the soft mode against the wheel: the shipped models, public robots, and a hundred random trees."""

import re

import mujoco
import numpy as np
import oracle
import pytest
from default_run import one_in
from public import GYMNASIUM_MJCF, OWN_URDF, SHARED_MJCF, URDF
from trees import random_tree

import dojo_py
from dojo_py.soft import SoftOptions, SoftSimulator

STATES = 10
SMOOTH_BOUND = 1e-10
CONTACT_BOUND = 1e-9
ROW_BOUND = 1e-9
ACCELERATION_BOUND = 1e-7

PUBLIC = [*GYMNASIUM_MJCF, *(name for name in SHARED_MJCF if not name.endswith("scene.xml"))]
PUBLIC += [f"{folder} scene" for folder in oracle.SCENES]
UNREAD = ("hopper", "halfcheetah", "humanoid")
"""Files of the original package that the wheel does not read."""
URDFS = [name for name in URDF if not name.endswith(tuple(f"/{stem}.urdf" for stem in UNREAD))]
ARM = OWN_URDF["arm.urdf"].read_text(encoding="utf-8").partition("?>")[2]
REPEATED = '<dynamics damping="0.2" friction="0.1"/>'
REFUSED = {
    "repeated": (re.sub(r"<mass [^>]*>", r"\g<0>\g<0>", ARM), "repeats the element"),
    "orbital": (ARM.replace('"prismatic"', '"orbital"'), "type: 'orbital'"),
}
"""Files that the wheel refuses too -> what we say."""


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


BOUNDS = {"smooth": SMOOTH_BOUND, "contacts": CONTACT_BOUND, "rows": ROW_BOUND, "qacc": ACCELERATION_BOUND}


def check(simulator, wheel, seed, states=STATES):
    for (stage, bound), differences in zip(BOUNDS.items(), compare(simulator, wheel, seed, states), strict=True):
        print(f"{stage}: {max(differences.values(), default=0.0):.1e} (bound {bound:g})", end="; ")
        over = {key: value for key, value in differences.items() if not value <= bound}
        assert not over, f"{stage} beyond {bound:g}: {over}"


OPTIONS = SoftOptions(tolerance=1e-12, iterations=200)


@pytest.mark.parametrize("path", oracle.MODELS, ids=lambda p: p.stem)
def test_shipped_models_read_by_us(path):
    """Measured at worst: smooth 8e-14, contacts 7e-16, rows 7e-14, qacc 2e-13."""
    wheel = oracle.with_options(mujoco.MjModel.from_xml_path(str(path)), tolerance=1e-12, iterations=200)
    check(SoftSimulator(dojo_py.load_model(path), options=OPTIONS), wheel, seed=1)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_robots(name):
    """All by Newton's method: gymnasium's humanoids ask for PGS, which is not at the minimum after 200 sweeps.

    Measured at worst: smooth 5e-15, contacts 4e-15, rows 4e-13, qacc 4e-10.
    """
    newton = int(mujoco.mjtSolver.mjSOL_NEWTON)
    wheel = oracle.with_options(oracle.public_model(name), tolerance=1e-12, iterations=200, solver=newton)
    check(SoftSimulator(wheel), wheel, seed=2)


@pytest.mark.parametrize("name", URDFS)
def test_public_urdf(name, tmp_path, monkeypatch):
    """Contacts among the robot's own links. Measured at worst: smooth 4e-15, contacts 6e-17, rows 2e-14, qacc 2e-12."""
    monkeypatch.chdir(tmp_path)  # the wheel writes its warnings here
    wheel = oracle.public_model(name)
    check(SoftSimulator(wheel, options=OPTIONS), oracle.with_options(wheel, tolerance=1e-12, iterations=200), seed=3)


@pytest.mark.parametrize("name", REFUSED)
def test_urdf_that_both_refuse(name):
    text, message = REFUSED[name]
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(dojo_py.ModelError, match=message):
        dojo_py.load_model(text)


def test_urdf_that_the_wheel_does_not_read():
    """Repeated elements, as in Dojo's hopper: inverse(forward) stands for the wheel. Measured: 2e-15 of the largest force."""
    text = ARM.replace(REPEATED, REPEATED + REPEATED)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    model = dojo_py.load_model(text, "skip")
    simulator = SoftSimulator(model, options=OPTIONS)
    rng = np.random.default_rng(4)
    for _ in range(STATES):
        qpos = model.integrate(model.qpos0, 0.5 * rng.normal(size=model.nv))
        state = simulator.initial_state(qpos, rng.normal(size=model.nv))
        qacc = simulator.acceleration(state)
        forces = simulator.work.forces
        scale = max(1.0, *(np.abs(f).max() for f in (forces.constraint, forces.bias, forces.passive)))
        error = np.abs(simulator.inverse(state, qacc) - forces.actuator).max() / scale
        print(f"inverse(forward): {error:.1e} (bound 1e-8)")
        assert error < 1e-8


def test_actuator_damping_and_armature():
    """Seen through the gear, as part of the joint's own. Measured: 3e-16."""
    text = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" damping="0.5" armature="0.01"/><geom size="0.1" pos="0.2 0 0"/>
      <body pos="0.5 0 0"><joint name="k" type="slide" axis="1 0 0"/><geom size="0.1"/></body></body></worldbody><actuator>
      <motor joint="j" gear="3" damping="2 0.3 0.1" armature="0.1"/><motor joint="k" gear="-2" damping="1"/></actuator></mujoco>"""
    for integrator in range(4):
        wheel = oracle.with_options(mujoco.MjModel.from_xml_string(text), integrator=integrator, tolerance=1e-12)
        simulator = SoftSimulator(wheel)
        check(simulator, wheel, seed=0)
        state = simulator.initial_state(qvel=np.array([0.7, -0.4]))
        data = oracle.forward(wheel, state.qpos, state.qvel)
        mujoco.mj_step(wheel, data)
        assert oracle.difference(simulator.step(state).state.qvel, data.qvel) < 1e-12


@pytest.mark.parametrize("seed", one_in(range(100), 4))
def test_random_trees(seed):
    """Measured at worst: smooth 7e-15, contacts 1e-14, rows 8e-14, qacc 3e-9."""
    wheel = oracle.without_unsupported_pairs(mujoco.MjModel.from_xml_string(random_tree(seed)))
    wheel = oracle.with_options(wheel, tolerance=1e-12, iterations=200)
    check(SoftSimulator(wheel), wheel, seed, states=5)
