"""Adhesion in the soft mode beside the wheel."""

import dataclasses

import mujoco
import numpy as np
import pytest

from dojo_py import SoftSimulator, load_model

TEXT = """<mujoco><option timestep="0.005" cone="{cone}" integrator="{integrator}"/><default>
  <geom margin="{margin}" gap="{gap}"/></default>
<worldbody><geom type="plane" size="3 3 .1"/>
<body name="a" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/>
<body name="b" pos=".3 0 0"><joint axis="0 1 .2"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/></body></body>
<body name="c" pos="0 0 .305"><freejoint/><geom size=".1"/></body></worldbody>
<actuator><adhesion name="one" body="a" ctrlrange="0 2" gain="10"/><adhesion name="two" body="c" ctrlrange="0 .5" gain="20"/>
<general body="c" biastype="affine" biasprm="1 0 -2" gaintype="affine" gainprm="1 2 3"/></actuator>
<sensor><actuatorvel actuator="one"/><actuatorfrc actuator="one"/></sensor></mujoco>"""


@pytest.mark.parametrize(
    ("cone", "integrator", "margin", "gap"),
    [("pyramidal", "Euler", 0, 0), ("elliptic", "implicit", 0.01, 0), ("elliptic", "implicitfast", 0.002, 0.02)],
)
def test_motion_is_the_wheels(cone, integrator, margin, gap):
    """Measured: 6e-16 after 30 steps."""
    text = TEXT.format(cone=cone, integrator=integrator, margin=margin, gap=gap)
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    model = model.replace(opt=dataclasses.replace(model.opt, tolerance=0.0, iterations=300))
    wheel.opt.tolerance, wheel.opt.iterations = 0.0, 300
    data, rng, sim = mujoco.MjData(wheel), np.random.default_rng(0), SoftSimulator(model)
    state = sim.initial_state()
    for _ in range(30):
        data.ctrl[:] = control = rng.uniform(-0.1, 1.0, model.nu)
        step = sim.step(state, control)
        state = step.state
        mujoco.mj_step(wheel, data)
        assert np.abs(state.qpos - data.qpos).max() < 1e-12
        assert np.abs(step.sensordata - data.sensordata).max() < 1e-12
    assert np.abs(data.actuator_force).max() > 1.0 and data.ncon >= 4
