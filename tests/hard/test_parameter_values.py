"""Values of parameters by name: which there are, what is refused, and that they stay when a state places bodies and equalities."""

from dataclasses import replace

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.hard.parameters.registry import KINDS
from dojo_py.hard.parameters.shared import OVERLAPPING, _moved_rows

ARM = """<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="2 2 1" pos="0 0 -1"/>
<body name="a" pos="0 0 1"><joint name="arm" axis="0 1 0" range="-1 1"/><geom type="capsule" size=".02 .1" mass="1"/>
<body name="b" pos=".3 0 0"><joint name="arm.1" axis="0 1 0" range="-2 2"/><geom name="ball" type="sphere" size=".05" mass="1"/>
<site name="tip"/></body></body>
<body name="c" pos="0 .5 1"><joint name="shoulder" type="ball" range="0 1.5"/><geom type="sphere" size=".05" mass="1"/></body>
<site name="post"/></worldbody>
<actuator><motor name="m" joint="arm" forcerange="-3 3"/></actuator>
<equality><connect name="c" body1="b" body2="c" anchor="0 0 .1"/>
<connect name="s" site1="tip" site2="post" active="false"/></equality>
</mujoco>"""


@pytest.fixture(scope="module")
def arm():
    return HardSimulator(load_model(ARM))


def refused(sim, values):
    with pytest.raises(ValueError) as caught:
        sim.with_parameters(values)
    return str(caught.value)


def test_both_ends_of_a_range_move_past_the_other(arm):
    """In either order, and one end alone where it stays below the other."""
    for names in (("arm.0", "arm.1"), ("arm.1", "arm.0")):
        values = dict(zip(sorted(f"joint_range:{name}" for name in ("arm.0", "arm.1")), (2.0, 3.0), strict=True))
        moved = arm.with_parameters({f"joint_range:{name}": values[f"joint_range:{name}"] for name in names})
        assert moved.parameter("joint_range:arm.0").value == 2.0 and moved.parameter("joint_range:arm.1").value[0] == 3.0
    assert "the lower end of 'arm', 5, must be below the upper one, 1" in refused(arm, {"joint_range:arm.0": 5.0})


def test_the_angle_of_a_ball_is_positive(arm):
    assert "joint_range: the largest angle of the ball 'shoulder', -0.1, must be positive" in refused(
        arm, {"joint_range:shoulder.1": -0.1}
    )


def test_a_range_without_width_is_differentiated(arm):
    """A motor that may not pull at all; its column is finite."""
    still = arm.with_parameters({"forcerange": 0.0})
    found = still.linearize(still.initial_state(), [1.0], kappa=1e-3, parameters=["forcerange"])
    assert found.parameters["forcerange"].shape == (2 * arm.model.nv, 2)
    assert np.isfinite(found.parameters["forcerange"]).all()


def test_a_model_without_bodies_has_no_columns():
    """Points of sites and anchors asked for the size of the smallest body, and there is none."""
    sim = HardSimulator(load_model("<mujoco/>"))
    names = [name for name in KINDS if not sim.parameter(name).size]
    assert {"mass", "site_pos", "equality_anchor"} <= set(names)
    found = sim.linearize(sim.initial_state(), parameters=names)
    assert all(found.parameters[name].shape == (0, 0) for name in names)


def test_names_with_dots(arm):
    """What is written like a label is that alone; numbers at the end may be left out."""
    assert arm.parameter("damping:arm.1").labels == ("arm.1",)
    assert arm.parameter("joint_range:arm.1").labels == ("arm.1",)
    assert set(arm.parameter("joint_range:arm.1.0").labels) == {"arm.1.0"}


def test_what_the_model_does_not_have_is_refused(arm):
    assert "the model has no tendon_stiffness" in refused(arm, {"tendon_stiffness": 1.0})


@pytest.mark.parametrize("active", [[False, False], [True, True]])
def test_values_stay_where_a_state_switches_equalities(arm, active):
    """Of what is there: not the anchor of a connect that is off; one that is switched on has the file's sites."""
    anchor, mass = {"equality_anchor:c.0": [[0.0, 0.0, 0.12]]}, {"mass:a": 2.0}
    other = arm.with_parameters({**anchor, **mass})
    found = other.step(replace(other.initial_state(), eq_active=np.array(active)), [0.0]).state
    on, off = ' active="true"', ' active="false"'
    alone = HardSimulator(load_model(ARM.replace(off, on) if active[0] else ARM.replace("<connect name", f"<connect{off} name", 1)))
    alone = alone.with_parameters({**mass, **(anchor if active[0] else {})})
    expected = alone.step(alone.initial_state(), [0.0]).state
    np.testing.assert_allclose(found.qvel, expected.qvel, atol=1e-7)


def test_sites_of_a_crank_stay_where_the_centre_of_mass_moves():
    crank = """<mujoco><worldbody><body name="w"><joint axis="0 1 0"/><geom type="cylinder" size=".1 .02" mass="1"/>
    <site name="pin" pos="0 0 .08"/></body><body name="s" pos=".4 0 0"><joint type="slide" axis="1 0 0"/><geom size=".05" mass="1"/>
    <site name="rod"/></body></worldbody>
    <actuator><position cranksite="pin" slidersite="rod" cranklength=".3" kp="10"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(crank))
    moved = sim.with_parameters({"com:w": [[0.0, 0.01, 0.02]]})
    np.testing.assert_allclose(moved.parameter("site_pos").value, sim.parameter("site_pos").value, atol=1e-15)


MANY = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 .1" friction=".8 .01 .001" condim="6"/>
<body name="a" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size=".1" condim="6"/>
  <geom name="box" pos=".3 0 0" type="box" size=".1 .2 .3"/><geom name="leg" pos="-.5 0 0" type="capsule" size=".05 .1"/>
  <geom name="drum" pos="-.9 0 0" type="cylinder" size=".05 .1"/><geom pos="-1.4 0 0" type="ellipsoid" size=".05 .1 .2"/></body>
<body name="b" pos="2 0 1"><joint name="h" axis="0 1 0" damping=".1" stiffness="1" armature=".1" frictionloss=".1" range="-1 1"
  limited="true" actuatorfrclimited="true" actuatorfrcrange="-5 5"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.4"/>
  <site name="s1" pos=".1 0 -.2"/><body name="c" pos="0 0 -.4"><joint name="bl" type="ball" damping=".1" stiffness=".5"/>
  <geom type="sphere" size=".06" pos="0 0 -.2"/><site name="s2" pos=".1 0 -.1"/></body></body>
<body name="d" pos="2 1 1"><joint name="sl" type="slide" axis="0 0 1"/><geom type="sphere" size=".1"/></body></worldbody>
<tendon><fixed name="tf" stiffness="1" damping=".1" limited="true" range="-1 1" springlength="0 .1"><joint joint="h" coef="1"/>
  <joint joint="sl" coef="2"/></fixed>
  <spatial name="ts" stiffness="3" damping=".2" springlength=".1 .2"><site site="s1"/><site site="s2"/></spatial></tendon>
<equality><connect name="e" body1="c" body2="d" anchor="0 0 .1"/></equality>
<actuator><position joint="h" kp="3" kv=".3" ctrlrange="-1 1" forcerange="-2 2"/><motor site="s1" gear="1 0 0 0 1 0"/>
  <general joint="sl" gainprm="2" biastype="affine" biasprm="0 -1 -.1" dyntype="filter" dynprm=".1"/>
  <position tendon="tf" kp="2" kv=".2" forcerange="-3 3"/></actuator></mujoco>"""


@pytest.mark.parametrize("model", [MANY, "gripper", "quadrotor"])
def test_kinds_that_hold_the_same_numbers_are_known(model):
    """Those whose writing changes another kind's values, but for the centres of mass, from which points are counted."""
    sim = HardSimulator(model)
    world, acting = sim.world, sim._acting
    there = {name: kind.read(world, acting) for name, kind in KINDS.items()}
    there = {name: value for name, value in there.items() if value.size}
    found = {
        (first, second)
        for first, values in there.items()
        for second in there
        for row in range(len(values))
        if first != second and _moved_rows(world, acting, first, row, second).any()
    } - {("com", "contact_point")}
    assert found <= {*OVERLAPPING, *((b, a) for a, b in OVERLAPPING)}, found
    assert model != MANY or {*OVERLAPPING} <= found


def test_two_names_of_one_number_are_refused(arm):
    """The last one's value counted. A colon without a name stood for all."""
    masses = arm.parameter("mass").value
    for values in ({"mass": masses, "mass:b": 0.4}, {"mass:b": 0.4, "mass": masses}):
        assert "mass:b belongs to two names" in refused(arm, values)
    assert "'mass:' names nothing behind the colon; 'mass' stands for all" in refused(arm, {"mass:": masses})
    both = arm.with_parameters({"mass:a": 0.3, "mass:b": 0.4})
    assert both.parameter("mass:b").value == 0.4
