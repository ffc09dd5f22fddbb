"""A state is kept while its mechanism is edited and compiled again, as MjSpec.recompile keeps it."""

import dataclasses

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, load_mechanism
from dojo_py.mechanism.spec import Actuator, Body, Geom, Joint

XML = """<mujoco><worldbody><body name="target" mocap="true" pos="0 0 2"/>
  <body name="ball" pos="1 0 1"><freejoint name="free"/><geom size=".1"/></body>
  <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".05"/>
    <body name="lower" pos=".3 0 0"><joint name="b" type="ball"/><joint name="c" type="slide"/><geom size=".05"/></body></body>
  </worldbody>
  <equality><connect name="tie" body1="ball" body2="upper" anchor="0 0 0" active="false"/></equality>
  <actuator><general name="slow" joint="a" dyntype="filter" dynprm="0.1"/><motor name="m" joint="c"/></actuator></mujoco>"""


def test_the_wheel_keeps_the_same():
    """Random states and edits: delete, add, change; qpos, qvel, act as the wheel's recompile leaves them."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        robot, spec = load_mechanism(XML), mujoco.MjSpec.from_string(XML)
        wheel, data = spec.compile(), None
        data = mujoco.MjData(wheel)
        mujoco.mj_integratePos(wheel, data.qpos, rng.normal(size=wheel.nv), 1.0)
        data.qvel[:], data.act[:], data.time = rng.normal(size=wheel.nv), rng.normal(size=wheel.na), 2.0
        data.mocap_pos[:] = rng.normal(size=(1, 3))
        sim = SoftSimulator(robot.compile())
        state = sim.initial_state(data.qpos, data.qvel, act=data.act)
        state = dataclasses.replace(state, mocap_pos=np.array(data.mocap_pos), time=2.0)
        kept = robot.keep(state)
        for edit in rng.permutation(["delete a", "delete ball", "add", "change", "actuator"])[:3]:
            if edit == "delete a":
                robot.delete(robot.joint("a"))
                for name in ("slow",):
                    spec.delete(spec.actuator(name))
                spec.delete(spec.joint("a"))
            elif edit == "delete ball":
                robot.delete(robot.body("ball"))
                spec.delete(spec.body("ball"))
            elif edit == "add":
                robot.add(
                    Body(
                        "new",
                        pos=(2, 0, 1),
                        joints=[Joint("new", axis=(0, 1, 0))],
                        geoms=[Geom("new", type="sphere", size=(0.1, 0, 0))],
                    )
                )
                body = spec.worldbody.add_body(name="new", pos=[2, 0, 1])
                body.add_joint(name="new", axis=[0, 1, 0])
                body.add_geom(name="new", size=[0.1, 0, 0])
            elif edit == "change":
                robot.body("lower").pos = (0.5, 0, 0)
                spec.body("lower").pos = [0.5, 0, 0]
            else:
                robot.add(Actuator("fresh", joint="c"))
                spec.add_actuator(name="fresh", target="c", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        new, after = spec.recompile(wheel, data)
        model, moved = kept.compile()
        assert (model.nq, model.nv, model.na, model.nkey) == (new.nq, new.nv, new.na, 0)
        for ours, theirs in ((moved.qpos, after.qpos), (moved.qvel, after.qvel), (moved.act, after.act)):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        np.testing.assert_allclose(moved.mocap_pos, after.mocap_pos, atol=1e-12)
        assert moved.time == state.time and moved.model is model
        HardSimulator(model).step(HardSimulator(model).initial_state(moved.qpos, moved.qvel, act=moved.act), np.zeros(model.nu))


def test_equalities_that_are_switched_stay_switched():
    robot = load_mechanism(XML)
    sim = SoftSimulator(robot.compile())
    kept = robot.keep(dataclasses.replace(sim.initial_state(), eq_active=np.array([True])))
    robot.delete(robot.joint("c"))
    assert kept.compile()[1].eq_active.tolist() == [True]


def test_a_joint_of_another_type_starts_anew_and_other_states_are_refused():
    robot = load_mechanism(XML)
    sim = SoftSimulator(robot.compile())
    state = sim.step(sim.initial_state(qvel=np.arange(11.0)), np.zeros(2)).state
    kept = robot.keep(state)
    robot.joint("b").type = "hinge"
    model, moved = kept.compile()
    assert moved.joint("b").qpos == 0.0 and moved.joint("a").qpos == state.joint("a").qpos and model.nq == 10
    with pytest.raises(ValueError, match=r"state.qpos has shape \(13,\), the mechanism's model has 10"):
        robot.keep(state)


def test_keyframes_that_are_not_described_are_no_state():
    robot = load_mechanism(XML.replace("<mujoco>", '<mujoco><size nkey="3"/>'))
    sim = SoftSimulator(robot.compile())
    state = sim.step(sim.initial_state(qvel=np.arange(11.0)), np.zeros(2)).state
    kept = robot.keep(state)
    for _ in range(2):
        model, moved = kept.compile()
        assert model.nkey == 3 and np.array_equal(moved.qpos, state.qpos) and np.array_equal(moved.qvel, state.qvel)
    robot.joint("b").type = "hinge"
    assert kept.compile()[1].joint("b").qpos == 0.0
    robot.joint("b").type = "ball"
    assert np.array_equal(kept.compile()[1].qpos, state.qpos)
