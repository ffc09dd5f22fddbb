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
SCENES = {"franka_emika_panda": "panda.xml", "skydio_x2": "x2.xml", "unitree_a1": "a1.xml"}
URDF = ["ant", "atlas_simple", "atlas_v2", "fourbar", "gazebo_a1", "panda_end_effector", "quadruped"]
REFUSED = {"halfcheetah": "repeats the element", "humanoid": "type: 'orbital'"}
"""Files that the wheel refuses too: what we say."""


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


@pytest.mark.parametrize(("folder", "name"), PUBLIC, ids=lambda p: p)
def test_public_robots(shared, folder, name):
    """Measured at worst: smooth 5e-15, contacts 4e-15, rows 4e-13, qacc 4e-10."""
    wheel = oracle.with_options(oracle.shared_model(folder, name), tolerance=1e-12, iterations=200)
    check(SoftSimulator(wheel), wheel, seed=2)


@pytest.mark.parametrize(("folder", "robot"), SCENES.items(), ids=lambda p: p)
def test_public_scenes(shared, folder, robot):
    """On their floor. Measured at worst: smooth 5e-15, contacts 4e-15, rows 3e-14, qacc 4e-10."""
    wheel = oracle.with_options(oracle.shared_scene(folder, robot), tolerance=1e-12, iterations=200)
    check(SoftSimulator(wheel), wheel, seed=2)


@pytest.mark.parametrize("name", URDF)
def test_public_urdf(shared, name, tmp_path, monkeypatch):
    """Contacts among the robot's own links. Measured at worst: smooth 4e-15, contacts 6e-17, rows 2e-14, qacc 2e-12."""
    monkeypatch.chdir(tmp_path)  # the wheel writes its warnings here
    wheel = oracle.without_unsupported_pairs(mujoco.MjModel.from_xml_string(oracle.strip_urdf_meshes(f"{name}.urdf")))
    check(SoftSimulator(wheel, options=OPTIONS), oracle.with_options(wheel, tolerance=1e-12, iterations=200), seed=3)


@pytest.mark.parametrize("name", REFUSED)
def test_public_urdf_that_both_refuse(shared, name):
    text = oracle.strip_urdf_meshes(f"{name}.urdf")
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(dojo_py.ModelError, match=REFUSED[name]):
        dojo_py.load_model(text)


def test_public_urdf_that_the_wheel_does_not_read(shared):
    """The hopper's repeated elements: inverse(forward) stands for the wheel. Measured: 2e-15 of the largest force."""
    text = oracle.strip_urdf_meshes("hopper.urdf")
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


@pytest.mark.parametrize("seed", range(100))
def test_random_trees(seed):
    """Measured at worst: smooth 7e-15, contacts 1e-14, rows 8e-14, qacc 3e-9."""
    wheel = oracle.without_unsupported_pairs(mujoco.MjModel.from_xml_string(random_tree(seed)))
    wheel = oracle.with_options(wheel, tolerance=1e-12, iterations=200)
    check(SoftSimulator(wheel), wheel, seed, states=5)
