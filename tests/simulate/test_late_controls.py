"""Controls that arrive late: forces, activations and samples beside the wheel's; both modes; what refuses them."""

import dataclasses

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftOptions, SoftSimulator, load_model
from dojo_py.simulate.history import late_actuators
from dojo_py.soft import workspace

TEXT = """<mujoco><option timestep=".004" integrator="{integrator}"/><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/>
<geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/><body pos=".3 0 0"><joint name="b" axis="0 1 0" damping=".1"/>
<geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body></body></worldbody>
<actuator><motor name="now" joint="a"/><motor name="late" joint="b" {late}/>
<position name="servo" joint="a" kp="3" timeconst=".05" ctrlrange="-1 1" delay=".012" nsample="4"/>
<pid name="pid" joint="b" kp="2" kv=".1" delay=".02" nsample="9" interp="linear"/></actuator>
<sensor><actuatorfrc actuator="late"/><actuatorfrc actuator="pid" nsample="3" delay=".008"/><jointpos joint="a"/></sensor>
</mujoco>"""
LATE = ['delay=".012" nsample="3"', 'delay=".0132" nsample="5"', 'delay=".0132" nsample="5" interp="linear"',
        'nsample="4"', 'delay=".0132" nsample="6" interp="cubic"', 'delay=".001" nsample="2" interp="linear"',
        'delay=".1" nsample="5"']  # fmt: skip


def text(late, integrator="Euler"):
    return TEXT.format(late=late, integrator=integrator)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("late", LATE)
def test_the_soft_mode_is_the_wheel(late, integrator):
    """Motion, activations, sensors, samples. Measured: 9e-16."""
    model, wheel = load_model(text(late, integrator)), mujoco.MjModel.from_xml_string(text(late, integrator))
    for name in ("history", "historyadr", "delay"):
        for kind in ("actuator", "sensor"):
            assert np.array_equal(getattr(model, f"{kind}_{name}"), getattr(wheel, f"{kind}_{name}")), (kind, name)
    u, data, sensed = np.random.default_rng(0).normal(size=(60, model.nu)), mujoco.MjData(wheel), []
    sim = SoftSimulator(model)
    start = sim.initial_state()
    assert start.history is None and not model.left_out
    for row in u:
        data.ctrl[:] = row
        mujoco.mj_step(wheel, data)
        sensed.append(data.sensordata.copy())
    traj = sim.rollout(start, u)
    end = traj.final_state
    assert np.array_equal(traj.control, u) and end.history.shape == data.history.shape
    pairs = ((end.qpos, data.qpos), (end.qvel, data.qvel), (end.act, data.act), (traj.sensordata, np.array(sensed)))
    error = max(np.abs(ours - theirs).max() for ours, theirs in pairs)
    print(f"largest difference {error:.1e}")
    assert error < 1e-10
    there, wheels = traj.state(33), mujoco.MjData(wheel)  # the wheel goes on from our samples
    wheels.history[:], wheels.time = there.history, there.time
    wheels.qpos[:], wheels.qvel[:], wheels.act[:] = there.qpos, there.qvel, there.act
    for row in u[33:]:
        wheels.ctrl[:] = row
        mujoco.mj_step(wheel, wheels)
    assert np.abs(wheels.qpos - data.qpos).max() < 1e-10 and np.abs(wheels.act - data.act).max() < 1e-10


@pytest.mark.parametrize("kind", [SoftSimulator, HardSimulator])
def test_late_controls_are_earlier_ones(kind):
    """A delay of three steps: the motion under controls three rows later; single steps, roll-outs and batches agree."""
    late = kind(load_model(text(LATE[0]).replace(' delay=".02" nsample="9" interp="linear"', ' delay=".012" nsample="4"')))
    plain = text("").replace(' delay=".012" nsample="4"', "").replace(' delay=".02" nsample="9" interp="linear"', "")
    prompt = kind(load_model(plain))
    u = np.random.default_rng(1).normal(size=(40, late.model.nu))
    shifted = np.concatenate([np.zeros((3, late.model.nu)), u[:-3]])
    shifted[:, 0] = u[:, 0]
    traj = late.rollout(late.initial_state(), u)
    expected = prompt.rollout(prompt.initial_state(), shifted)
    assert np.array_equal(traj.qpos, expected.qpos) and np.array_equal(traj.act, expected.act)
    state = late.initial_state()
    for row in u:
        state = late.step(state, row).state
    assert np.abs(state.qpos - traj.qpos[-1]).max() < 1e-9
    assert np.array_equal(late.rollout(traj.state(15), u[15:]).sensordata, traj.sensordata[15:])
    assert np.array_equal(late.rollout_batch(traj.state(15), u[None, 15:])[0].qpos, traj.qpos[15:])
    for ask in (lambda: late.rollout(state, u, linearize=True), lambda: late.loop(3)):
        with pytest.raises(ValueError, match="come late"):
            ask()
    assert prompt.linearize(prompt.initial_state(), u[0]).on_their_way is None


def ends(sim, state, step):
    """[q, v, act, samples of controls] of the state after a step, samples in order."""
    way = sim.linearize(state, np.zeros(sim.model.nu)).on_their_way
    return np.concatenate([step.state.qpos, step.state.qvel, step.state.act, step.state.history[way.places]])


@pytest.mark.parametrize("kind", [SoftSimulator, HardSimulator])
@pytest.mark.parametrize("late", LATE)
def test_derivatives_with_the_controls_on_their_way(kind, late):
    """Every coordinate, rate, sample and control, by central differences. Measured: 5e-9 of 0.02."""
    sim = kind(load_model(text(late)))
    u = np.random.default_rng(2).normal(size=(12, sim.model.nu))
    state, control = sim.rollout(sim.initial_state(), u).final_state, np.array([0.3, -0.2, 0.1, 0.4, 0.2])[: sim.model.nu]
    lin = sim.linearize(state, control)
    A, B = lin.widened()
    places, nv, eps = lin.on_their_way.places, sim.model.nv, 1e-5
    before = 2 * nv + sim.model.na
    at = {"kappa": lin.kappa} if kind is HardSimulator else {}  # (whose steps without it end elsewhere by what tolerances leave)
    assert np.array_equal(lin.next_state.history, sim.step(state, control, **at).state.history)
    assert A.shape == (before + len(places),) * 2 and B.shape == (len(A), sim.model.nu)
    n = len(A)

    def after(change):
        history = state.history.copy()
        history[places] += change[before:n]
        there = dataclasses.replace(
            state, qpos=state.qpos + change[:nv], qvel=state.qvel + change[nv : 2 * nv], act=state.act + change[2 * nv : before],
            history=history,
        )  # fmt: skip
        return ends(sim, state, sim.step(there, control + change[n:]))

    numeric = [(after(eps * row) - after(-eps * row)) / (2 * eps) for row in np.eye(n + sim.model.nu)]
    error = np.abs(np.array(numeric).T - np.hstack([A, B])).max()
    print(f"{error:.1e}")
    assert error < 1e-6


def slopes(value, u):
    """Central differences of value(u), a number, by every entry of u."""
    out = np.zeros_like(u)
    for place in np.ndindex(*u.shape):
        move = np.zeros_like(u)
        move[place] = 1e-3
        out[place] = (value(u + move) - value(u - move)) / 2e-3
    return out


@pytest.mark.parametrize("late", LATE)
def test_reverse_mode_is_by_the_controls_that_were_sent(late):
    """Of a motion of 15 steps, against differences of roll-outs and against the product of the widened steps. Measured: 1e-9."""
    model = load_model(text(late))
    sim, rng = HardSimulator(model), np.random.default_rng(3)
    before = sim.rollout(sim.initial_state(), rng.normal(size=(7, model.nu)))
    u, weight = rng.normal(size=(15, model.nu)), rng.normal(size=2 * model.nv + model.na)
    traj = sim.rollout(before.final_state, u)
    found = sim.rollout_vjp(traj, weight)

    def value(controls):
        end = sim.rollout(before.final_state, controls).final_state
        return weight @ np.concatenate([end.qpos, end.qvel, end.act])

    numeric = slopes(value, u)
    assert np.abs(found.control - numeric).max() < 1e-6 * max(1.0, np.abs(numeric).max())
    wide, by_control = None, np.zeros_like(u)
    for t in range(len(u) - 1, -1, -1):
        A, B = sim.linearize(traj.state(t), u[t]).widened()
        wide = np.concatenate([weight, np.zeros(len(A) - len(weight))]) if wide is None else wide
        by_control[t], wide = wide @ B, wide @ A
    assert np.abs(found.control - by_control).max() < 1e-9 * max(1.0, np.abs(numeric).max())


SEEN = """<jointpos joint="a" nsample="4" delay=".0132" interp="cubic"/><jointpos joint="b" nsample="3" interval=".009"/>
<jointvel joint="a" nsample="5" interval=".0111 -.004" delay=".0223" interp="linear"/></sensor>"""
FAILING = [0, 3, 4, 5, 9]


@pytest.mark.parametrize("kind", [SoftSimulator, HardSimulator])
@pytest.mark.parametrize("late", [*LATE, 'delay=".03" nsample="8" interp="cubic"'])
def test_a_step_that_fails_leaves_what_is_on_its_way(kind, late):
    """A force that overflows, also twice in a row: samples and time as they were; roll-outs and batches go on as single steps."""
    sim = kind(load_model(text(late).replace("</sensor>", SEEN)))
    u = np.random.default_rng(4).normal(size=(30, sim.model.nu))
    forces = np.zeros((len(u), sim.model.nv))
    forces[FAILING] = 1e300
    start = sim.rollout(sim.initial_state(), u[:7]).final_state
    traj, state, failed = sim.rollout(start, u, joint_forces=forces), start, []
    for k, row in enumerate(u):
        step = sim.step(state, row, joint_forces=forces[k])
        after = step.state
        if after.time == state.time:
            failed.append(k)
            assert np.array_equal(after.history, state.history) and np.array_equal(after.qpos, state.qpos)
        else:
            assert not np.array_equal(after.history, state.history)
        for name in ("qpos", "qvel", "act", "time", "history"):
            assert np.array_equal(getattr(after, name), getattr(traj.state(k + 1), name)), (k, name)
        assert np.array_equal(step.sensordata, traj.sensordata[k])
        state = after
    assert set(failed) <= set(FAILING) and failed[:2] == [0, 3]  # (what fails twice in a row stops in the hard mode)
    assert np.isfinite(traj.qpos).all() and np.isfinite(state.history).all()
    batch = sim.rollout_batch([start, traj.state(4)], np.array([u, np.roll(u, -4, axis=0)])[:, :26], joint_forces=forces[:26])
    assert np.array_equal(batch[0].qpos, traj.qpos[:27]) and np.array_equal(batch[0].state(26).history, traj.state(26).history)
    assert np.array_equal(sim.rollout(traj.state(4), u[4:], joint_forces=forces[4:]).qpos, traj.qpos[4:])


@pytest.mark.parametrize("kind", [SoftSimulator, HardSimulator])
@pytest.mark.parametrize("late", LATE)
def test_the_control_of_a_step_that_fails_never_arrives(kind, late):
    """Reverse mode from after a failure, by differences of roll-outs. Measured: 8e-11."""
    sim, rng = kind(load_model(text(late))), np.random.default_rng(5)
    start = sim.rollout(sim.initial_state(), rng.normal(size=(7, sim.model.nu))).final_state
    u, weight = rng.normal(size=(10, sim.model.nu)), rng.normal(size=2 * sim.model.nv + sim.model.na)
    forces = np.zeros((len(u), sim.model.nv))
    forces[0] = 1e300
    traj = sim.rollout(start, u, joint_forces=forces)
    assert traj.time[1] == traj.time[0] and (traj.status[1:] == 0).all()
    found = sim.rollout_vjp(traj, weight, joint_forces=forces)

    def value(controls):
        end = sim.rollout(start, controls, joint_forces=forces).final_state
        return weight @ np.concatenate([end.qpos, end.qvel, end.act])

    numeric = slopes(value, u)
    late_ones = [a.address for a in late_actuators(sim.model) if a.delay > 0.0]
    assert not numeric[0].any() and not found.control[0, late_ones].any()
    error = np.abs(found.control - numeric)[1:].max() / max(1.0, np.abs(numeric).max())
    print(f"{error:.1e}")
    assert error < 1e-6


def test_late_controls_arrive_where_a_run_waits_for_room(monkeypatch):
    """Contacts outgrow the work arrays, and those of all steps the notes for sensors: the run that goes on has its controls."""
    monkeypatch.setattr(workspace, "LEAST_ROOM", 1)
    monkeypatch.setattr(workspace, "ROOM_A_GEOM", 1)
    boxes = "".join(f'<body pos="{0.15 * k} 1 .0502"><freejoint/><geom type="box" size=".05 .05 .05"/></body>' for k in range(12))
    scene = text(LATE[2]).replace("<worldbody>", f'<worldbody><geom type="plane" size="9 9 1"/>{boxes}')
    sim, u = SoftSimulator(load_model(scene)), np.random.default_rng(6).normal(size=(12, 5))
    room = len(sim.work.rows.contacts)
    first = sim.rollout(sim.initial_state(), u)
    contacts = [len(sim.step(first.state(k)).contacts) for k in range(len(u))]
    assert contacts[0] == 0 and room < max(contacts) <= len(sim.work.rows.contacts) and sum(contacts) > 4 * len(u)
    second = sim.rollout(sim.initial_state(), u)
    assert np.array_equal(first.qpos, second.qpos) and np.array_equal(first.sensordata, second.sensordata)
    alone = SoftSimulator(load_model(text(LATE[2])))
    assert np.abs(first.qpos[:, -2:] - alone.rollout(alone.initial_state(), u).qpos).max() < 1e-9


def test_mistakes_are_named():
    with pytest.raises(ModelError, match="motor 'late', delay: a delay needs samples: nsample"):
        load_model(text('delay=".1"'))
    with pytest.raises(ModelError, match="nsample: -1 is not from 0"):
        load_model(text('nsample="-1"'))
    with pytest.raises(ModelError, match="actuator_delay: is not simulated by the soft mode's integrator RK4, .*Euler, implicit"):
        SoftSimulator(load_model(text(LATE[0], "RK4")))
    with pytest.raises(ModelError, match="integrator RK4"):
        SoftSimulator(load_model(text(LATE[0])), options=SoftOptions(integrator="RK4"))
    SoftSimulator(load_model(text(LATE[0], "RK4")), options=SoftOptions(integrator="Euler"))


@pytest.mark.parametrize("late", [LATE[1], LATE[2]])
def test_gradients_by_parameters_through_late_controls(late):
    """It was refused with advice to call what was called. Beside differences of roll-outs: 6e-8 of the largest measured."""
    sim = HardSimulator(load_model(text(late)))
    rng = np.random.default_rng(8)
    u, weight, start = rng.normal(size=(12, sim.model.nu)), rng.normal(size=2 * sim.model.nv + sim.model.na), sim.initial_state()
    traj = sim.rollout(start, u)
    found, plain = sim.rollout_vjp(traj, weight, parameters=["mass"]), sim.rollout_vjp(traj, weight)
    assert np.abs(found.control - plain.control).max() < 1e-9 * np.abs(plain.control).max()
    assert np.abs(found.state - plain.state).max() < 1e-9 * np.abs(plain.state).max()

    def value(mass):
        end = sim.with_parameters({"mass": mass}).rollout(start, u).final_state
        return weight @ np.concatenate([end.qpos, end.qvel, end.act])

    numeric = slopes(value, sim.parameter("mass").value)
    error = np.abs(found.parameters["mass"] - numeric).max() / np.abs(numeric).max()
    print(f"{error:.1e}")
    assert error < 1e-6
    with pytest.raises(ValueError, match="'timestep' moves the samples of controls that come late"):
        sim.rollout_vjp(traj, weight, parameters=["timestep"])
