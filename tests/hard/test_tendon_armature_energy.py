"""The kinetic energy that sensors show holds the armature of tendons and of the actuators on them, as the wheel's does."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model

TEXT = """<mujoco><option gravity="0 0 0" timestep="1e-4"><flag energy="enable"/></option><worldbody><body>
<joint name="j" axis="0 1 0"/><geom size=".1" mass="1"/></body></worldbody>
<tendon><fixed name="t" armature="2" {}><joint joint="j" coef="1.5"/></fixed></tendon>
<actuator>{}</actuator><sensor><e_kinetic/></sensor></mujoco>"""


@pytest.mark.parametrize("kind", [HardSimulator, SoftSimulator])
def test_kinetic_energy_is_the_wheels(kind):
    text = TEXT.format("", '<motor tendon="t" armature=".3" gear="2"/>')
    wheel = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(wheel)
    data.qvel[:] = 3.0
    mujoco.mj_forward(wheel, data)
    sim = kind(load_model(text))
    found = sim.step(sim.initial_state(qvel=[3.0]), [0.0]).sensordata[0]
    assert found == pytest.approx(data.sensordata[0], rel=1e-9) and found == pytest.approx(4.5 * (2.25 * 3.2 + 0.004), rel=1e-9)


def test_two_bounds_of_actuators_on_a_tendon_are_refused_by_name():
    """MuJoCo scales their sum into the tendon's range first, then each into its own."""
    text = TEXT.format('actuatorfrcrange="-1 1"', '<motor tendon="t" forcerange="-.5 .5"/><motor tendon="t"/>')
    with pytest.raises(ModelError, match="tendon 't', actuatorfrcrange: of several actuators with a forcerange"):
        HardSimulator(load_model(text))
    assert np.isfinite(SoftSimulator(load_model(text)).initial_state().qpos).all()
