"""Servos that reach the ends of their force range: stiff within it, not at all beyond it."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

ARM = """<mujoco>
  <worldbody>
    <body><joint name="one" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .1 0 0" size=".01" mass=".02"/>
      <body pos=".1 0 0"><joint name="two" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .1 0 0" size=".01" mass=".02"/></body>
    </body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="one" coef=".5"/><joint joint="two" coef=".5"/></fixed></tendon>
  <actuator>{}</actuator>
</mujoco>"""
ACTUATORS = {
    "joints": '<position joint="one" kp="100" kv="10" forcerange="-5 5"/><position joint="two" kp="60" kv="9" forcerange="-3 3"/>',
    "tendon": '<position tendon="both" kp="100" kv="10" forcerange="-5 5"/>',
}


@pytest.mark.parametrize("actuators", ACTUATORS)
@pytest.mark.parametrize("timestep", [0.001, 0.01, 0.02])
def test_newtons_steps_do_not_jump_over_a_range(actuators, timestep):
    """From one end of the range to the other and back for ever: a gripper of this kind took 53 iterations and parts of the step.

    Measured: 4 iterations at most, with and without tendon, at all three time steps.
    """
    sim = HardSimulator(load_model(ARM.format(ACTUATORS[actuators])), timestep=timestep)
    rng = np.random.default_rng(0)
    controls = rng.uniform(-0.5, 0.5, (200, sim.model.nu))
    traj = sim.rollout(sim.initial_state(), controls)
    print(actuators, timestep, traj.iterations.max(), traj.substeps.max())
    assert np.all(traj.status == 0)
    assert traj.substeps.max() == 1 and traj.iterations.max() <= 8
