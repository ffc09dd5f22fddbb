"""Mocap bodies and switched equalities in both modes: arrays and motions of the wheel, closed forms, states that carry them."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model, load_trajectory

TEXT = """<mujoco><option timestep=".004"/><worldbody><geom type="plane" size="5 5 1"/>
  <body name="free" pos="0 0 1"><freejoint/><geom size=".1" mass="2"/><site name="tip" pos=".1 0 0"/></body>
  <body name="hand" mocap="true" pos="0 0 1" quat="1 0 0 .1"><geom type="sphere" size=".05" contype="2" conaffinity="0"/>
    <body name="finger" pos=".2 0 0"><joint name="f" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".02 .1" contype="0" conaffinity="0"/>
  </body></body>
  <body name="table" mocap="true" pos="1 0 .5"><geom type="sphere" size=".3" contype="4" conaffinity="4"/></body>
  <body name="ball" pos="1 0 1"><freejoint/><geom size=".1" contype="4" conaffinity="4"/></body></worldbody>
  <equality><weld name="hold" body1="hand" body2="free"/>
    <connect name="pin" body1="free" anchor=".1 0 0" active="false"/></equality>
  <sensor><framepos name="where" objtype="body" objname="finger"/><accelerometer name="feel" site="tip"/></sensor>
  <keyframe><key mpos="0 0 2 1 0 0"/><key/></keyframe></mujoco>"""


def test_arrays_are_the_wheels():
    ours, theirs = load_model(TEXT), mujoco.MjModel.from_xml_string(TEXT)
    for name in ("nmocap", "body_mocapid", "body_weldid", "key_mpos", "key_mquat", "body_invweight0", "body_pos", "body_quat"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-12, atol=1e-15), name


MISPLACED = ['<body><joint/><geom size="1"/><body mocap="true"/></body>', '<body mocap="true"><joint/><geom size="1"/></body>']


@pytest.mark.parametrize("wrong", MISPLACED)
def test_mocap_bodies_are_children_of_the_world(wrong):
    with pytest.raises(ModelError, match="mocap: a mocap body is a child of the world without joints"):
        load_model(f"<mujoco><worldbody>{wrong}</worldbody></mujoco>")


def moved(state, t):
    """The state with the hand and the table elsewhere, and from step 30 on another equality."""
    pos = state.mocap_pos + np.array([[0.002, 0.001 * np.sin(t), 0.001], [0, 0, 0.001]])
    quat = state.mocap_quat + 0.001 * np.array([[0, 1, 0, 0], [0, 0, 1, 0]])
    return replace(state, mocap_pos=pos, mocap_quat=quat, eq_active=np.array([t < 30, t >= 30]))


def test_the_soft_motion_is_the_wheels():
    theirs, sim = mujoco.MjModel.from_xml_string(TEXT), SoftSimulator(load_model(TEXT))
    theirs.opt.tolerance = 0.0
    sim = SoftSimulator(load_model(TEXT.replace('timestep=".004"', 'timestep=".004" tolerance="0"')))
    data, state = mujoco.MjData(theirs), sim.initial_state()
    for t in range(60):
        state = moved(state, t)
        data.mocap_pos[:], data.mocap_quat[:], data.eq_active[:] = state.mocap_pos, state.mocap_quat, state.eq_active
        mujoco.mj_step(theirs, data)
        step = sim.step(state)
        state = step.state
        assert np.abs(state.qpos - data.qpos).max() < 1e-9  # 4e-13
        assert np.abs(step.sensordata - data.sensordata).max() < 1e-7 * max(1.0, np.abs(data.sensordata).max())


@pytest.mark.parametrize("kind", [HardSimulator, SoftSimulator])
def test_states_and_trajectories_carry_them(kind, tmp_path):
    sim = kind(load_model(TEXT))
    state = sim.initial_state()
    assert np.allclose(state.mocap_pos, [[0, 0, 1], [1, 0, 0.5]]) and state.eq_active.tolist() == [True, False]
    assert sim.initial_state(keyframe=0).mocap_pos.tolist() == [[0, 0, 2], [1, 0, 0]]
    state = moved(state, 40)
    step = sim.step(state)
    assert np.array_equal(step.state.mocap_pos, state.mocap_pos) and np.array_equal(step.state.eq_active, state.eq_active)
    traj = sim.rollout(state, np.zeros((5, 0)))
    assert np.array_equal(traj.qpos[1], step.state.qpos) and np.array_equal(traj.state(3).mocap_quat, step.state.mocap_quat)
    (again,) = sim.rollout_batch([traj.state(2)], np.zeros((1, 3, 0)))
    assert np.abs(again.qpos[-1] - traj.qpos[-1]).max() < 1e-9
    traj.save(tmp_path / "run.npz")
    loaded = load_trajectory(tmp_path / "run.npz").state(1)
    assert np.array_equal(loaded.mocap_pos, state.mocap_pos) and np.array_equal(loaded.eq_active, state.eq_active)
    wrong = {"mocap_pos": np.zeros((1, 3)), "mocap_quat": np.zeros((2, 4)), "eq_active": np.ones(3, bool)}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=name):
            sim.step(replace(state, **{name: value}))


def test_a_hard_weld_follows_the_hand():
    """At the end of every step the welded body is where the hand is, to round-off; switched off, it falls."""
    sim = HardSimulator(load_model(TEXT))
    state = sim.initial_state()
    for t in range(25):
        state = moved(state, t)
        step = sim.step(state)
        assert step.solved
        state = step.state
        hand = state.mocap_pos[0]
        offset = sim.model.eq_data[0, 3:6]
        assert np.abs(state.qpos[:3] - (hand + rotate(state.mocap_quat[0], offset))).max() < 1e-9  # 1e-15
    state = replace(state, eq_active=[False, False])
    free = sim.step(state).state
    assert free.qvel[2] == pytest.approx(state.qvel[2] - 9.81 * 0.004, abs=1e-9)
    lin = sim.linearize(replace(free, eq_active=[False, True]))
    assert np.isfinite(lin.A).all()


def rotate(q, v):
    from dojo_py.mechanism import quaternion

    return quaternion.rotate(q, v)


def test_a_hard_ball_rests_on_the_table_that_sinks():
    sim = HardSimulator(load_model(TEXT))
    state = sim.initial_state()
    for _ in range(150):
        state = sim.step(state).state
    assert state.qpos[-5] == pytest.approx(0.9, abs=1e-6)
    for _ in range(100):
        pos = state.mocap_pos.copy()
        pos[1, 2] -= 1e-4
        state = sim.step(replace(state, mocap_pos=pos)).state
    assert state.qpos[-5] == pytest.approx(0.89, abs=1e-6)


def test_switching_off_is_the_model_without():
    """An equality that a state switches off gives bit for bit the motion of the file where it is not active."""
    sim = HardSimulator(load_model(TEXT))
    state = replace(sim.initial_state(), eq_active=[False, False])
    without = HardSimulator(load_model(TEXT.replace('name="hold"', 'name="hold" active="false"')))
    a, b = (s.rollout(start, np.zeros((30, 0))) for s, start in ((sim, state), (without, without.initial_state())))
    assert np.array_equal(a.qpos, b.qpos)
