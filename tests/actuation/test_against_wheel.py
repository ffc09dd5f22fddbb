"""Actuator forces, generalised forces and activations against the wheel, every transmission, gain, bias and activation."""

import mujoco
import numpy as np
import pytest

from dojo_py import ModelError, load_model
from dojo_py.handles import handle, handles
from dojo_py.hard.elements.coordinates import maximal_from_minimal
from dojo_py.hard.elements.drives import allocate_drive, build_drives, check_servos, drive_once
from dojo_py.hard.elements.layout import build_layout
from dojo_py.hard.world import build_world
from dojo_py.mechanism.quaternion import matrix

STEP = 1e-7
"""Short, so that velocities over the interval are the wheel's instantaneous ones."""
ARM = """
<mujoco><option timestep="{h}"/><worldbody>
  <site name="ground" pos=".3 0 .1" euler="20 0 10"/>
  <body name="base" pos="0 0 1"><freejoint name="free"/><geom type="box" size=".2 .3 .1" pos=".05 .1 0"/>
    <site name="one" pos=".1 .2 -.1" euler="10 20 30"/>
    <body name="arm" pos=".2 .1 0"><joint name="ball" type="ball" pos="0 .1 0"/><geom type="capsule" size=".05 .3"/>
      <body name="fixed" pos=".1 .1 .1" euler="0 0 45"><geom size=".1"/><site name="two" pos=".1 .1 .2" euler="40 0 5"/></body>
      <body name="hand" pos="0 0 .4">
        <joint name="hinge" axis="0 1 .3" ref="20" {limit}/><joint name="slide" type="slide" axis="1 0 1"/>
        <geom type="box" size=".1 .05 .02"/><site name="three" pos=".2 0 0" euler="0 60 5"/></body>
    </body>
    <body pos="0 -.3 0"><joint name="second" axis="0 0 1"/><geom size=".1" pos=".1 0 0"/><site name="four" pos="0 .1 .1"/></body>
  </body>
</worldbody><actuator>{actuators}</actuator></mujoco>
"""
GENERAL = 'gaintype="affine" gainprm="2 .3 -.4" biastype="affine" biasprm=".5 -3 -.7"'
CASES = {
    "motor hinge": '<motor joint="hinge" gear="3"/>',
    "position": '<position joint="hinge" kp="50" kv="2" gear="2"/>',
    "position with force range": '<position joint="hinge" kp="500" forcerange="-2 3"/>',
    "velocity": '<velocity joint="slide" kv="3"/>',
    "damper": '<damper joint="slide" kv="3" ctrlrange="0 2"/>',
    "affine gain": f'<general joint="hinge" {GENERAL} gear="-1.5"/>',
    "ball": '<motor joint="ball" gear="1 -2 .5"/>',
    "ball in parent": '<motor jointinparent="ball" gear="1 -2 .5"/>',
    "ball affine": f'<general joint="ball" {GENERAL} gear="1 -2 .5"/>',
    "free": '<motor joint="free" gear="1 2 3 -.4 .5 .6"/>',
    "free in parent": '<motor jointinparent="free" gear="1 2 3 -.4 .5 .6"/>',
    "free affine": f'<general joint="free" {GENERAL} gear="1 2 3 -.4 .5 .6"/>',
    "site": '<motor site="two" gear="1 2 3 -.4 .5 .6"/>',
    "site affine": f'<general site="two" {GENERAL} gear="1 2 3 -.4 .5 .6"/>',
    "site against ground": f'<general site="three" refsite="ground" {GENERAL} gear="1 2 3 0 0 0"/>',
    "site against an ancestor": f'<general site="three" refsite="one" {GENERAL} gear="1 2 3 .4 0 -.3"/>',
    "ancestor against site": f'<general site="one" refsite="three" {GENERAL} gear="1 2 3 .4 0 -.3"/>',
    "site against a cousin": f'<general site="three" refsite="four" {GENERAL} gear="1 -2 3 0 .3 0"/>',
    "slider-crank": f'<general cranksite="three" slidersite="one" cranklength="2" {GENERAL} gear="-1.5"/>',
    "slider-crank, slider ahead": f'<general cranksite="one" slidersite="three" cranklength="3" {GENERAL}/>',
    "slider-crank on the ground": '<motor cranksite="four" slidersite="ground" cranklength="2" gear="2"/>',
    "slider-crank, rod too short": '<motor cranksite="ground" slidersite="two" cranklength=".05"/>',
    "control range": '<motor joint="hinge" ctrlrange="-.1 .1"/><motor joint="slide" ctrllimited="true" ctrlrange="-.2 .1"/>',
    "two on one joint": '<motor joint="hinge" gear="2"/><position joint="hinge" kp="20" forcerange="-3 2"/>',
    "integrator": '<general joint="hinge" dyntype="integrator" gainprm="3"/>',
    "integrator with range": '<general joint="hinge" dyntype="integrator" actlimited="true" actrange="-.1 .1" gainprm="3"/>',
    "filter": f'<general joint="hinge" dyntype="filter" dynprm=".02" {GENERAL}/>',
    "filterexact early": '<general joint="hinge" dyntype="filterexact" dynprm=".02" actearly="true" gainprm="3"/>',
    "position with time constant": '<position joint="hinge" kp="30" timeconst=".1"/>',
    "disabled group": '<motor joint="hinge" group="3"/><motor joint="slide"/>',
}
LIMITED = {
    "motors": '<motor joint="hinge" gear="30"/><motor joint="hinge" gear="20"/>',
    "servo": '<position joint="hinge" kp="300" gear="2"/>',
    "servo and motor": '<motor joint="hinge" gear="5"/><position joint="hinge" kp="300" gear="-2" forcerange="-20 1"/>',
    "servo too weak for the motor": '<motor joint="hinge" gear="50"/><position joint="hinge" kp="300" forcerange="-.1 .1"/>',
}


class Scene:
    """One model here and in the wheel, at the same random state."""

    def __init__(self, actuators: str, limit: str = "", timestep: float = STEP, seed: int = 0, control: float | None = None):
        text = ARM.format(actuators=actuators, limit=limit, h=timestep)
        if "group" in actuators:
            text = text.replace("<option ", '<option actuatorgroupdisable="3" ')
        self.model = load_model(text)
        self.wheel = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.wheel)
        rng, m, self.h = np.random.default_rng(seed), self.model, timestep
        self.qpos = m.integrate(m.qpos0, rng.uniform(-0.8, 0.8, m.nv))
        self.qvel, self.act = rng.uniform(-1, 1, m.nv), rng.uniform(-0.1, 0.1, m.na)
        self.control = rng.uniform(-1, 1, m.nu)
        if control is not None:
            self.control[:], self.act[:] = control, control
        self.data.qpos[:], self.data.qvel[:], self.data.act[:], self.data.ctrl[:] = self.qpos, self.qvel, self.act, self.control
        mujoco.mj_forward(self.wheel, self.data)
        self.where = build_layout(m)[1]
        world = build_world(m, "cone", "skip", float(m.opt.timestep))
        self.layout, self.table = world.layout, world.actuators
        self.drive = allocate_drive(self.table, self.layout, m.na)
        layout, _, _, table, _ = handles(world)
        self.next_act = np.zeros(m.na)
        bodies = np.zeros((len(self.layout.mass), 13))
        maximal_from_minimal(layout, self.qpos, self.qvel, timestep, bodies)
        drive_once(layout, table, handle(self.drive), bodies, self.qpos, self.qvel, self.act, self.control, timestep, self.next_act)

    def generalised(self) -> np.ndarray:
        """(nv,) forces, wrenches and servos as one generalised force, by the wheel's Jacobians."""
        total, servos, m, d = self.drive.force.copy(), self.drive.servos, self.wheel, self.data
        for k, dof in enumerate(servos.servo_dof):
            gear, joint = servos.servo_gear[k], self.model.dof_jntid[dof]
            angle, rate = self.qpos[self.model.jnt_qposadr[joint]], self.qvel[dof]
            force = servos.servo_force[k] + servos.servo_b1[k] * gear * angle + servos.servo_b2[k] * gear * rate
            total[dof] += gear * np.clip(force, *servos.servo_range[k])
        for k, dof in enumerate(servos.ball_dof):
            first = self.model.jnt_qposadr[self.model.dof_jntid[dof]]
            q, gear = self.qpos[first : first + 4], servos.ball_gear[k]
            q = q * np.sign(q[0]) / np.linalg.norm(q)
            vector = 2.0 * np.arctan2(np.linalg.norm(q[1:]), q[0]) * q[1:] / np.linalg.norm(q[1:])
            axis = matrix(q).T @ gear if servos.ball_in_parent[k] else gear
            force = servos.ball_law[k] @ [1.0, gear @ vector, axis @ self.qvel[dof : dof + 3]]
            total[dof : dof + 3] += axis * np.clip(force, *servos.ball_range[k])
        for i, b in enumerate(self.where.body):
            linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
            centre = d.xpos[b] + d.xmat[b].reshape(3, 3) @ self.layout.com[i]
            mujoco.mj_jac(m, d, linear, angular, centre, int(b))
            total += linear.T @ self.drive.wrench[i, :3] + angular.T @ self.drive.wrench[i, 3:]
        return total


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_forces_are_the_wheels(name, seed):
    """Measured: 1.3e-6, from velocities over an interval of 1e-7 s instead of at an instant; without such terms 5e-16."""
    scene = Scene(CASES[name], seed=seed)
    assert scene.drive.actuator_force == pytest.approx(scene.data.actuator_force, abs=5e-6)
    assert scene.generalised() == pytest.approx(scene.data.qfrc_actuator, abs=5e-6)
    assert np.abs(scene.data.qfrc_actuator).max() > 1e-3


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("seed", range(4))
def test_bounded_joints_get_the_wheels_force(name, seed):
    """Measured: 5e-16."""
    scene = Scene(LIMITED[name], limit='actuatorfrcrange="-4 6"', seed=seed)
    assert scene.generalised() == pytest.approx(scene.data.qfrc_actuator, abs=1e-12)


STATEFUL = ["integrator", "integrator with range", "filter", "filterexact early", "position with time constant"]


@pytest.mark.parametrize("name", STATEFUL)
def test_activations_are_the_wheels(name):
    """Measured: 0."""
    scene = Scene(CASES[name], timestep=0.01)
    mujoco.mj_step(scene.wheel, scene.data)
    assert scene.next_act == pytest.approx(scene.data.act, abs=1e-15)
    assert np.abs(scene.next_act - scene.act).max() > 1e-4


def test_two_servos_with_a_range_on_a_bounded_joint_are_refused_by_name():
    text = ARM.format(
        actuators='<position name="p" joint="hinge" kp="3" forcerange="-1 1"/><velocity name="v" joint="hinge" kv="1"/>',
        limit='actuatorfrcrange="-4 6"', h=0.01,
    )  # fmt: skip
    model = load_model(text)
    layout, where = build_layout(model)
    with pytest.raises(ModelError, match=r"'p': .*'hinge'.*actuatorfrcrange.*'v'"):
        check_servos(model, build_drives(model, layout, where))


def test_servos_are_only_those_that_need_it():
    scene = Scene(CASES["two on one joint"] + '<motor joint="slide"/><position joint="ball" kp="2" gear="1 0 0"/>')
    assert scene.table.servo.tolist() == [-1, 0, -1, -1]
    assert scene.table.ball_servo.tolist() == [-1, -1, -1, 0]
