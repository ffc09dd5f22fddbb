"""Sensors of the soft mode: Model arrays and every reading along a motion equal to the wheel's."""

import mujoco
import numpy as np
import pytest
from sensor_scene import LINES, scene

from dojo_py import ModelError, SoftSimulator, load_model, load_trajectory
from dojo_py.mechanism.sensor_kinds import BY_NUMBER, SENSOR_KINDS

CASES = [("Euler", "pyramidal", 3, 0), ("RK4", "elliptic", 4, 1), ("implicitfast", "elliptic", 6, 2)]
CASES += [("implicit", "pyramidal", 1, 3)]


def loads(model, steps):
    rng = np.random.default_rng(0)
    wrenches, forces = 0.3 * rng.normal(size=(steps, model.nbody, 6)), 0.3 * rng.normal(size=(steps, model.nv))
    return wrenches, forces, rng.normal(size=(steps, model.nu))


def theirs_of(text, steps, qvel):
    """(T, nsensordata) after every mj_step, under the same loads."""
    model = mujoco.MjModel.from_xml_string(text)
    data, rows = mujoco.MjData(model), []
    data.qvel[:] = qvel
    for wrench, force, control in zip(*loads(model, steps), strict=True):
        data.xfrc_applied[:], data.qfrc_applied[:], data.ctrl[:] = wrench, force, control
        mujoco.mj_step(model, data)
        rows.append(data.sensordata.copy())
    return model, np.array(rows)


@pytest.mark.parametrize("case", CASES)
def test_every_reading_is_the_wheels(case):
    """Relative to the largest reading of a sensor, or 1. Measured: 4e-12 after 120 steps."""
    text, steps = scene(*case), 120
    ours = load_model(text)
    qvel = 0.5 * np.random.default_rng(1).normal(size=ours.nv)
    model, expected = theirs_of(text, steps, qvel)
    for name in dir(model):
        if name.startswith("sensor_") and name != "sensor_user":
            assert np.array_equal(getattr(ours, name), getattr(model, name)), name
    assert not ours.left_out and ours.nsensordata == model.nsensordata
    wrenches, forces, controls = loads(ours, steps)
    sim = SoftSimulator(ours)
    traj = sim.rollout(sim.initial_state(qvel=qvel), controls, wrenches=wrenches, joint_forces=forces)
    assert traj.sensordata.shape == expected.shape
    loud = set()
    for i in range(model.nsensor):
        rows = slice(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i])
        size = max(1.0, np.abs(expected[:, rows]).max())
        off = np.abs(traj.sensordata[:, rows] - expected[:, rows]).max() / size
        word = BY_NUMBER[int(model.sensor_type[i])]
        assert off < 1e-8, (word, i, off)
        loud |= {word} if expected[:, rows].any() else set()
    assert loud == set(SENSOR_KINDS)  # every type has something to say
    one = sim.step(sim.initial_state(qvel=qvel), controls[0], wrenches=wrenches[0], joint_forces=forces[0])
    assert np.abs(one.sensordata - expected[0]).max() < 1e-8 * max(1.0, np.abs(expected[0]).max())


def test_every_type_is_in_the_scene():
    tags = {line.split()[0].strip("</>") for line in "".join(LINES).replace("><", ">\n<").replace("/>", "/>\n").split("\n") if line}
    assert tags == set(SENSOR_KINDS)


def test_by_name_and_cut(tmp_path):
    sim = SoftSimulator(load_model(scene()))
    traj = sim.rollout(sim.initial_state(qvel=np.ones(sim.model.nv)), np.zeros((300, 4)))
    assert traj.sensor("clipped").shape == (300, 3) and np.abs(traj.sensor("clipped")).max() == 0.1
    assert traj.sensor("bounded").max() == 5.0 and np.linalg.norm(traj.sensor("axis"), axis=1) == pytest.approx(1.0)
    step = sim.step(traj.state(7), np.zeros(4))
    assert step.sensor("clipped") == pytest.approx(traj.sensor("clipped")[7])
    assert sim.model.sensor("clipped").noise == 3.0
    for reader in (traj, step):
        with pytest.raises(ValueError, match="no sensor is named 'cliped'.*'clipped'"):
            reader.sensor("cliped")
        with pytest.raises(TypeError, match="the name of a sensor"):
            reader.sensor(3)
    traj.save(tmp_path / "run.npz")
    again = load_trajectory(tmp_path / "run.npz")
    assert np.array_equal(again.sensordata, traj.sensordata) and np.array_equal(again.sensor("axis"), traj.sensor("axis"))
    for one in sim.rollout_batch(traj.state(0), np.zeros((2, 300, 4)), threads=2):
        assert np.array_equal(one.sensordata, traj.sensordata)


def test_a_model_without_sensors_has_none():
    sim = SoftSimulator(load_model("box"))
    traj = sim.rollout(sim.initial_state(), np.zeros((3, sim.model.nu)))
    assert traj.sensordata.shape == (3, 0) and sim.step(sim.initial_state()).sensordata.shape == (0,)


def test_the_flag_sensor_leaves_zeros():
    text = scene().replace("<worldbody>", '<option><flag sensor="disable"/></option><worldbody>', 1)
    sim = SoftSimulator(load_model(text))
    assert not sim.rollout(sim.initial_state(), np.zeros((3, 4))).sensordata.any()


LATE = [
    'nsample="3"', 'nsample="4" delay=".01"', 'nsample="4" delay=".013"', 'nsample="2" delay=".05"', 'nsample="1" delay=".02"',
    'nsample="6" delay=".0132" interp="linear"', 'nsample="5" delay=".0132" interp="cubic"',
    'nsample="5" delay=".001" interp="cubic"',
    'nsample="3" interval=".0111"', 'nsample="3" interval=".0111 -.005"', 'nsample="3" interval=".002"',
    'interval=".02"', 'nsample="8" interval=".0111 -.004" delay=".0223"', 'nsample="5" delay=".012"', 'nsample="2" interval=".012"',
    'nsample="8" interval=".0091" delay=".0223" interp="linear"', 'nsample="8" interval=".0091" delay=".0223" interp="cubic"',
]  # fmt: skip
SEEN = ['<jointpos joint="j" {}/>', '<accelerometer site="sa" {}/>', '<framequat objtype="body" objname="b" {}/>']
SEEN += ['<gyro site="sa" cutoff=".1" {}/>', '<contact data="found force" num="2" {}/>']


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_what_comes_late_or_seldom_is_the_wheels(integrator):
    """Outputs, and the samples that states keep (the wheel's, the oldest first). Measured: 9e-14."""
    lines = [line.format(late) for line in SEEN for late in LATE]
    text, steps = scene(integrator, lines=lines), 40
    ours = load_model(text)
    qvel = 0.5 * np.random.default_rng(1).normal(size=ours.nv)
    wheel = mujoco.MjModel.from_xml_string(text)
    for name in ("history", "historyadr", "delay", "interval"):
        assert np.array_equal(getattr(ours, f"sensor_{name}"), getattr(wheel, f"sensor_{name}")), name
    model, expected = theirs_of(text, steps, qvel)
    wrenches, forces, controls = loads(ours, steps)
    sim = SoftSimulator(ours)
    traj = sim.rollout(sim.initial_state(qvel=qvel), controls, wrenches=wrenches, joint_forces=forces)
    size = np.maximum(1.0, np.abs(expected).max(axis=0))
    error = np.abs(traj.sensordata - expected) / size
    print(f"largest error {error.max():.1e}")
    assert error.max() < 1e-8, [lines[i] for i in range(ours.nsensor) if error[:, ours.sensor_adr[i]].max() > 1e-8]
    state, found = sim.initial_state(qvel=qvel), []
    for k in range(steps):
        step = sim.step(state, controls[k], wrenches=wrenches[k], joint_forces=forces[k])
        state = step.state
        found.append(step.sensordata)
    assert np.abs(np.array(found) - expected).max() < 1e-8 * size.max()
    again = sim.rollout(traj.state(17), controls[17:], wrenches=wrenches[17:], joint_forces=forces[17:])
    assert np.abs(again.sensordata - traj.sensordata[17:]).max() < 1e-9 * size.max()


EVERY = ["0", ".00377", ".001", ".0049999", ".005", ".0077", ".01"]
EVERY += [".002 -.001", ".004 -.003", ".0035 -.0034", ".0123 -.004", ".006 -.0055"]


@pytest.mark.parametrize("delay", [".0038", ".0138", ".03"])
@pytest.mark.parametrize("every", EVERY)
def test_samples_before_the_start_are_steps_apart(every, delay):
    """Intervals below and above the time step of 5 ms, some with a phase: samples at the start, and outputs, are the wheel's."""
    text = f"""<mujoco><option timestep=".005"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
    </worldbody><sensor><jointpos joint="j" delay="{delay}" interval="{every}" nsample="5" interp="linear"/></sensor></mujoco>"""
    wheel, sim, found = mujoco.MjModel.from_xml_string(text), SoftSimulator(load_model(text)), []
    data = mujoco.MjData(wheel)
    data.qpos[:] = 1.0
    traj = sim.rollout(sim.initial_state(qpos=[1.0]), np.zeros((12, 0)))
    assert traj.state(0).history == pytest.approx(data.history, abs=1e-12)
    for _ in range(12):
        mujoco.mj_step(wheel, data)
        found.append(data.sensordata.copy())
    assert traj.sensordata == pytest.approx(np.array(found), abs=1e-9)


def test_a_saved_trajectory_keeps_the_samples(tmp_path):
    text = scene(lines=['<jointpos joint="j" nsample="4" delay=".01"/>'])
    sim = SoftSimulator(load_model(text))
    traj = sim.rollout(sim.initial_state(), np.zeros((9, sim.model.nu)))
    traj.save(tmp_path / "run.npz")
    loaded = load_trajectory(tmp_path / "run.npz")
    assert np.array_equal(loaded.state(5).history, traj.state(5).history) and traj.state(5).history.any()


FAULTY = {'delay=".1"': "needs samples", 'nsample="-2"': "is not from 0", 'nsample="2" interval="-1"': "no time between samples",
          'nsample="2" interval=".1 .05"': "before the start", 'nsample="2" interval=".1 -.2"': "before the start",
          'nsample="2" interp="spline"': "is not one of"}  # fmt: skip


@pytest.mark.parametrize("late", FAULTY)
def test_faulty_samples_are_named(late):
    with pytest.raises(ModelError, match=FAULTY[late]):
        load_model(scene(lines=[f"<clock {late}/>"]))


def test_samples_are_bounded():
    line = '<contact num="400000" data="found force torque" nsample="400000"/>'
    with pytest.raises(ModelError, match="400000 samples of 2800000 numbers are more than 5000000 numbers"):
        load_model(scene(lines=[line]))
