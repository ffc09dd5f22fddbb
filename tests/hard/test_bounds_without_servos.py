"""The bound of all actuators' forces along a joint holds beside a servo that has no part in it, because its gear is 0."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

SLIDE = """<mujoco><worldbody><body pos="0 0 1" gravcomp="{}"><joint name="j" type="slide" axis="0 0 1" actuatorgravcomp="{}"
  actuatorfrcrange="-.5 .5"/><geom size=".1" mass="1"/></body></worldbody>
  <actuator><{} joint="j" gear="{}"/>{}</actuator></mujoco>"""


@pytest.mark.parametrize("gear", ["0", "1e-9"])
@pytest.mark.parametrize("servo", ['position kp="1"', 'velocity kv="1"'])
@pytest.mark.parametrize(("lift", "other", "control"), [("0.8", "", [0.0]), ("0", '<motor joint="j"/>', [0.0, 3.0])])
def test_the_bound_holds(gear, servo, lift, other, control):
    """With gear 0 it was lost: gravity compensation of 7.8 N, and a motor of 3 N, acted in full."""
    sim = HardSimulator(load_model(SLIDE.format(lift, "true" if lift != "0" else "false", servo, gear, other)), timestep=1e-3)
    end = sim.rollout(sim.initial_state(), np.tile(control, (100, 1))).qvel[-1, 0]
    assert np.isclose(end, -(9.81 - 0.5) * 0.1, atol=1e-6)
