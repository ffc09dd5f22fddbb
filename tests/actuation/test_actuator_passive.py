"""Dampers and rotors of actuators: compiled arrays and soft steps of the wheel, both modes at small steps, what is refused."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model, save_mjcf

ARM = """<mujoco><option integrator="{}"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
  <body pos=".3 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></body></worldbody>
  <actuator><position joint="j" gear="3" kp="10" dampratio="1" {}/><motor joint="k"/></actuator>
  <sensor><e_kinetic/></sensor></mujoco>"""
POLYNOMIAL = 'armature=".5" damping=".7 .1 .2"'
ARRAYS = "actuator_acc0 actuator_armature actuator_biasprm actuator_damping actuator_dampingpoly body_invweight0 dof_M0"


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_arrays_and_soft_steps_are_the_wheels(integrator, tmp_path):
    """Measured: 3e-16 after 20 steps."""
    text = ARM.format(integrator, POLYNOMIAL)
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    for name in (*ARRAYS.split(), "dof_invweight0"):
        assert np.abs(getattr(model, name) - getattr(wheel, name)).max() < 1e-9, name
    save_mjcf(model, tmp_path / "arm.xml")
    assert np.array_equal(load_model(tmp_path / "arm.xml").actuator_dampingpoly, model.actuator_dampingpoly)
    data, sim = mujoco.MjData(wheel), SoftSimulator(model)
    state = sim.initial_state(qvel=[1.0, -2.0])
    data.qvel[:] = [1.0, -2.0]
    for _ in range(20):
        data.ctrl[:] = [0.3, 0.1]
        mujoco.mj_step(wheel, data)
        step = sim.step(state, [0.3, 0.1])
        state = step.state
    assert np.abs(state.qvel - data.qvel).max() < 1e-12 and np.abs(step.sensordata - data.sensordata).max() < 1e-12


def test_hard_and_soft_tend_to_the_same_motion():
    """Measured: 5e-4 and 3e-4 rad after 0.1 s."""
    model, gaps = load_model(ARM.format("Euler", 'armature=".5" damping=".7"')), []
    for h in (2e-3, 1e-3):
        sims = [kind(model, timestep=h) for kind in (HardSimulator, SoftSimulator)]
        controls = np.tile([0.3, 0.1], (round(0.1 / h), 1))
        ends = [sim.rollout(sim.initial_state(qvel=[1.0, -2.0]), controls).qpos[-1] for sim in sims]
        gaps.append(np.abs(ends[0] - ends[1]).max())
    assert gaps[0] < 1e-2 and gaps[1] < 0.7 * gaps[0], gaps


def test_refused_by_name():
    with pytest.raises(ModelError, match="polynomial damping"):
        HardSimulator(load_model(ARM.format("Euler", POLYNOMIAL)))
    text = ARM.format("Euler", "").replace('<motor joint="k"/>', '<motor name="m" site="s" armature="1"/>')
    text = text.replace('<joint name="k"', '<site name="s"/><joint name="k"')
    for kind in (HardSimulator, SoftSimulator):
        with pytest.raises(ModelError, match="'m'.*hinge"):
            kind(load_model(text))
    with pytest.raises(ModelError, match="damping: -1 is negative"):
        load_model(ARM.format("Euler", 'damping="-1"'))
