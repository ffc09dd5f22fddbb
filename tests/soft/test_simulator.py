"""The public interface of SoftSimulator: states, steps, rollouts, batches, Jacobians, inverse dynamics, energy, refusals."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import oracle
import pytest
from trees import random_tree

import dojo_py
from dojo_py.simulate.status import Status
from dojo_py.soft import SoftOptions, SoftSimulator

HUMANOID = oracle.REPOSITORY / "models" / "humanoid.xml"


@pytest.fixture(scope="module")
def humanoid():
    return SoftSimulator(dojo_py.load_model(HUMANOID), options=SoftOptions(tolerance=1e-12))


def lying(simulator, steps=100):
    """A state with contacts: some time after a fall."""
    trajectory = simulator.rollout(simulator.initial_state(), np.zeros((steps, simulator.model.nu)))
    return simulator.initial_state(trajectory.qpos[-1], trajectory.qvel[-1])


def test_import_loads_no_compiler():
    code = "import sys, dojo_py.soft; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_rollout_is_the_loop_over_steps(humanoid):
    """Cold and warm started solves agree within the solver's tolerance."""
    state = lying(humanoid)
    trajectory = humanoid.rollout(state, np.zeros((20, humanoid.model.nu)))
    for k in range(20):
        step = humanoid.step(state, np.zeros(humanoid.model.nu))
        assert step.status is Status.SOLVED
        state = step.state
        assert np.abs(state.qpos - trajectory.qpos[k + 1]).max() < 1e-9
    assert trajectory.time[-1] == pytest.approx(20 * humanoid.timestep)
    assert trajectory.qpos.shape == (21, humanoid.model.nq)


def test_batch_is_bit_identical_to_single_rollouts(humanoid):
    controls = np.random.default_rng(0).normal(size=(9, 60, humanoid.model.nu))
    state = humanoid.initial_state()
    single = [humanoid.rollout(state, c) for c in controls]
    for threads in (1, 2, 3):
        for one, many in zip(single, humanoid.rollout_batch(state, controls, threads=threads), strict=True):
            assert np.array_equal(one.qpos, many.qpos)
            assert np.array_equal(one.iterations, many.iterations)


def test_callers_arrays_stay_unchanged(humanoid):
    qpos, control = np.array(humanoid.model.qpos0), np.zeros(humanoid.model.nu)
    state = humanoid.initial_state(qpos)
    before = state.qpos.copy(), state.qvel.copy()
    humanoid.step(state, control)
    humanoid.linearize(state, control)
    assert np.array_equal(state.qpos, before[0]) and np.array_equal(state.qvel, before[1]) and not control.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"qpos": np.zeros(3)}, "qpos has shape"),
        ({"qvel": np.full(27, np.nan)}, "not finite"),
    ],
)
def test_bad_states_are_refused(humanoid, arguments, message):
    with pytest.raises(ValueError, match=message):
        humanoid.initial_state(**arguments)


def test_keyframes_by_name_and_number():
    model = mujoco.MjModel.from_xml_path(str(oracle.REPOSITORY / "models" / "atlas.xml"))
    assert model.nkey >= 2
    simulator = SoftSimulator(model)
    assert np.array_equal(simulator.initial_state(keyframe=0).qpos, model.key_qpos[0])
    assert np.array_equal(simulator.initial_state(keyframe=model.key(1).name).qpos, model.key_qpos[1])


def test_threads_may_share_a_simulator(humanoid):
    state, control = lying(humanoid), np.zeros(humanoid.model.nu)
    expected = humanoid.step(state, control).state.qpos
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: humanoid.step(state, control).state.qpos, range(40)):
            assert np.array_equal(result, expected)


def test_bad_controls_are_refused(humanoid):
    state = humanoid.initial_state()
    with pytest.raises(ValueError, match="control has shape"):
        humanoid.step(state, np.zeros(2))
    with pytest.raises(ValueError, match="not finite"):
        humanoid.step(state, np.full(humanoid.model.nu, np.inf))
    with pytest.raises(ValueError, match="controls has shape"):
        humanoid.rollout_batch(state, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="timestep"):
        SoftSimulator(humanoid.model, timestep=0.0)
    with pytest.raises(ValueError, match="did you mean|is not one of"):
        SoftOptions(solver="newton")


def test_divergence_is_a_status_and_keeps_the_last_good_state(humanoid):
    state = humanoid.initial_state(qvel=np.full(humanoid.model.nv, 1e9))
    trajectory = humanoid.rollout(state, np.zeros((5, humanoid.model.nu)))
    assert np.isfinite(trajectory.qpos).all() and np.isfinite(trajectory.qvel).all()
    assert (trajectory.status == Status.NOT_FINITE).all()
    assert "timestep" in Status(trajectory.status[0]).message


@pytest.mark.parametrize("centred", [False, True])
def test_linearize_matches_the_wheels_finite_differences(humanoid, centred):
    """Measured: 4e-9 (centred) of the largest entry, in contact."""
    wheel = oracle.with_options(mujoco.MjModel.from_xml_path(str(HUMANOID)), tolerance=1e-12)
    state = lying(humanoid)
    control = np.zeros(wheel.nu)
    control[0] = wheel.actuator_ctrlrange[0, 1]  # at its limit: only the inner side is used
    ours = humanoid.linearize(state, control, centred=centred)
    data = oracle.forward(wheel, state.qpos, state.qvel, control)
    A, B = np.zeros((2 * wheel.nv, 2 * wheel.nv)), np.zeros((2 * wheel.nv, wheel.nu))
    mujoco.mjd_transitionFD(wheel, data, 1e-6, centred, A, B, None, None)
    assert oracle.difference(ours.A, A) < (1e-7 if centred else 1e-5)
    assert oracle.difference(ours.B, B) < (1e-6 if centred else 1e-5)
    assert np.array_equal(ours.next_state.qpos, humanoid.step(state, control).state.qpos)


def test_rollout_with_jacobians_and_its_file(humanoid, tmp_path):
    """A and B of every step are those of `linearize`; the file gives all of it back; a batch is the same."""
    state, m = lying(humanoid), humanoid.model
    controls = np.random.default_rng(1).uniform(-0.1, 0.1, (3, m.nu))
    trajectory = humanoid.rollout(state, controls, linearize=True)
    assert trajectory.A.shape == (3, 2 * m.nv, 2 * m.nv) and trajectory.B.shape == (3, 2 * m.nv, m.nu)
    lin = humanoid.linearize(trajectory.state(2), controls[2])
    assert np.array_equal(lin.A, trajectory.A[2]) and np.array_equal(lin.B, trajectory.B[2])
    trajectory.save(tmp_path / "soft.npz")
    loaded = dojo_py.load_trajectory(tmp_path / "soft.npz")
    for name in ("time", "qpos", "qvel", "act", "control", "status", "iterations", "residual", "min_gap", "A", "B"):
        assert np.array_equal(getattr(loaded, name), getattr(trajectory, name)), name
    assert loaded.metadata["mode"] == "soft" and loaded.maximal is None
    going_on = humanoid.step(loaded.final_state, controls[0])
    assert np.array_equal(going_on.state.qpos, humanoid.step(trajectory.final_state, controls[0]).state.qpos)
    batch = humanoid.rollout_batch(state, np.stack([controls, controls]), threads=2, linearize=True)
    assert all(np.array_equal(one.A, trajectory.A) and np.array_equal(one.qpos, trajectory.qpos) for one in batch)


def test_states_of_the_hard_mode_are_states_here():
    model = dojo_py.load_model(oracle.REPOSITORY / "models" / "box.xml")
    hard, soft = dojo_py.HardSimulator(model), SoftSimulator(model)
    step = soft.step(hard.initial_state(keyframe="slide"), np.zeros(model.nu))
    assert step.solved and isinstance(step, type(hard.step(hard.initial_state())))
    assert hard.step(step.state).solved


@pytest.mark.parametrize("seed", range(0, 100, 5))
def test_inverse_of_forward(seed):
    """inverse(forward) gives the actuator force back. Measured: 1e-10 of the largest force."""
    model = mujoco.MjModel.from_xml_string(random_tree(seed))
    simulator = SoftSimulator(model, options=SoftOptions(tolerance=1e-14, iterations=200))
    rng = np.random.default_rng(seed)
    qpos, qvel = oracle.random_state(model, rng)
    control = rng.uniform(-1, 1, model.nu)
    state = simulator.initial_state(qpos, qvel)
    qacc = simulator.acceleration(state, control)
    force = simulator.work.forces.actuator.copy()
    scale = max(1.0, *(np.abs(f).max() for f in (simulator.work.forces.constraint, simulator.work.forces.bias)))
    assert np.abs(simulator.inverse(state, qacc) - force).max() < 1e-8 * scale
    data = oracle.forward(model, qpos, qvel, control)
    data.qacc[:] = rng.normal(size=model.nv)
    mujoco.mj_inverse(model, data)
    assert oracle.difference(simulator.inverse(state, data.qacc), data.qfrc_inverse) < 1e-10


@pytest.mark.parametrize("seed", range(0, 100, 5))
def test_energy_and_momentum(seed):
    """Measured: 2e-15."""
    model = oracle.with_options(mujoco.MjModel.from_xml_string(random_tree(seed)), enableflags=2)
    simulator = SoftSimulator(model)
    qpos, qvel = oracle.random_state(model, np.random.default_rng(seed))
    data = oracle.forward(model, qpos, qvel)
    mujoco.mj_subtreeVel(model, data)
    state = simulator.initial_state(qpos, qvel)
    assert simulator.energy(state) == pytest.approx(data.energy.sum(), rel=1e-12)
    linear, angular = simulator.momentum(state)
    mass = model.body_subtreemass[0]
    assert np.abs(linear - mass * data.subtree_linvel[0]).max() < 1e-12 * max(1.0, np.abs(linear).max())
    assert np.abs(angular - data.subtree_angmom[0]).max() < 1e-11 * max(1.0, np.abs(angular).max())


def test_contact_records_carry_the_weight(humanoid):
    """At rest the contact impulses of one step balance gravity's."""
    simulator = SoftSimulator(dojo_py.load_model(oracle.REPOSITORY / "models" / "sphere.xml"))
    trajectory = simulator.rollout(simulator.initial_state(), np.zeros((3000, simulator.model.nu)))
    step = simulator.step(simulator.initial_state(trajectory.qpos[-1], trajectory.qvel[-1]), np.zeros(simulator.model.nu))
    weight = 9.81 * simulator.model.body_mass.sum() * simulator.timestep
    assert step.contacts.world_impulse[:, 2].sum() == pytest.approx(weight, rel=1e-3)
    assert (step.contacts.bodies[:, 1] == 0).all()  # the ground pushes the first body


def test_unsupported_features_are_refused_by_name():
    text = """<mujoco><option integrator="discrete"/>
      <asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
      <body name="a"><freejoint/><geom size="1"/></body><geom name="left" type="plane" size="1 1 1"/>
      <geom name="right" type="hfield" hfield="h"/></worldbody>
      <contact><pair geom1="left" geom2="right"/></contact></mujoco>"""
    with pytest.raises(dojo_py.ModelError) as caught:
        SoftSimulator(mujoco.MjModel.from_xml_string(text))
    message = str(caught.value)
    assert "integrator" in message and "plane–height field" in message and "left" in message and "right" in message


def test_runs_without_compilation():
    """The same code, interpreted."""
    path = oracle.REPOSITORY / "models" / "box.xml"
    simulator = SoftSimulator(dojo_py.load_model(path))
    compiled = simulator.rollout(simulator.initial_state(), np.zeros((3, simulator.model.nu))).qpos[-1]
    code = (
        "import json, numpy as np, dojo_py; from dojo_py.soft import SoftSimulator;"
        f"s = SoftSimulator(dojo_py.load_model({str(path)!r}));"
        "print(json.dumps(s.rollout(s.initial_state(), np.zeros((3, s.model.nu))).qpos[-1].tolist()))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    output = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True).stdout
    assert np.abs(compiled - np.array(json.loads(output))).max() < 1e-13


def test_smallest_gap_is_where_each_step_ends():
    """A ball of 0.1 m over a plane whose contacts are listed within 1 cm: its own height is the gap, of the last state too."""
    xml = """<mujoco><worldbody><geom type="plane" size="1 1 1" margin=".01"/>
        <body pos="0 0 .145"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    simulator = SoftSimulator(dojo_py.load_model(xml), timestep=0.002)
    falling = simulator.initial_state(qvel=[0, 0, -2, 0, 0, 0])
    trajectory = simulator.rollout(falling, np.zeros((30, 0)))
    height = trajectory.qpos[1:, 2] - 0.1
    assert height[0] > 0.01 > 0.0 > height.min()
    assert np.array_equal(trajectory.min_gap, np.where(height < 0.01, trajectory.min_gap, np.inf))
    assert trajectory.min_gap[height < 0.01] == pytest.approx(height[height < 0.01], abs=1e-14)
    assert len(simulator.rollout(simulator.initial_state(), np.zeros((0, 0))).min_gap) == 0
