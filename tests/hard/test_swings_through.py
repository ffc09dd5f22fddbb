"""A step in which a limb would swing through what it meets, on the central path, where steps are not divided."""

import pytest

from dojo_py import HardSimulator, Status, load_model

LEG_OVER_A_BOX = """<mujoco><option timestep="0.02"/><worldbody>
<geom type="plane" size="5 5 .1" friction="1"/><geom type="box" size=".5 .5 .05" pos=".9 0 .05" friction="1"/>
<body pos="0 0 .5"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom type="sphere" size=".08" mass="2" contype="0" conaffinity="0"/>
<body><joint name="hip" axis="0 1 0" damping=".1"/>
<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2" mass=".2" contype="0" conaffinity="0"/>
<body pos="0 0 -.46"><joint name="knee" type="slide" axis="0 0 1" range="-.1 .25" limited="true" damping="1" stiffness="300"/>
<geom type="sphere" size=".04" mass=".1"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("kappa", [1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("knee", [-0.098, 0.0, 0.1])
def test_a_foot_that_would_pass_through_a_box_stops_on_it(kappa, knee):
    """The foot is 1.6 mm (knee at -0.098) to 3 cm above a box of 10 cm, at 12 m/s: without impulses it would end below the box.

    From there the box pushed it down, against the floor: STALLED at every kappa. Now 17 to 41 iterations.
    (In the hard limit 165, in 3 parts.)
    """
    sim = HardSimulator(load_model(LEG_OVER_A_BOX))
    step = sim.step(sim.initial_state([0.337, -0.258, 4.894, knee], [0.5, -1.7, 21.65, 0.0]), kappa=kappa)
    print(kappa, knee, step.iterations, step.attempts, step.substeps, step.contacts.gap)
    assert step.status == Status.SOLVED and step.substeps == 1
    assert step.iterations <= 60
    assert step.contacts.gap.min() > -1e-9
