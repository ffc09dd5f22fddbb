"""What the gauntlet's family `soft` found, each in its smallest form; and that no row writes beyond its arrays."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import oracle
import pytest

import dojo_py
from dojo_py.reproduce.gauntlet import soft
from dojo_py.reproduce.gauntlet.family import Case
from dojo_py.soft import SoftSimulator
from dojo_py.soft.workspace import NBLOCK, NEFC

RECIPE = {"seed": 1, "spread": 0.1, "speed": 0.3, "force": 1.0, "readable": True}
BOX = '<geom type="box" size=".1 .1 .1"/>'
CASES = {
    "gravity compensation that only adds weight is off": """
    <worldbody><body gravcomp="-.3"><joint axis="0 1 0"/><geom size=".1" pos=".2 .1 0"/></body></worldbody>""",
    "gravity compensation that adds weight beside one that takes it": """
    <worldbody><body gravcomp="-.3"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><body gravcomp=".1"><geom size=".1"/></body>
    </body></worldbody>""",
    "gravity compensation by the actuators of a ball": """
    <worldbody><body gravcomp="1"><joint name="b" type="ball" actuatorgravcomp="true"/><geom size=".1" pos=".2 .1 0"/></body>
    </worldbody><actuator><motor joint="b" gear="1 2 3"/></actuator>""",
    "gravity compensation by the actuators of a free joint": """
    <worldbody><body gravcomp="1"><joint name="b" type="free" actuatorgravcomp="true" limited="false"/><geom size=".1"/></body>
    </worldbody><actuator><motor joint="b" gear="1 2 3"/></actuator>""",
    "gravity compensation by actuators of which there are none": """
    <worldbody><body gravcomp="1"><joint axis="0 1 0" actuatorgravcomp="true"/><geom size=".1" pos=".2 .1 0"/></body>
    </worldbody>""",
    "gravity compensation while actuation is off": """
    <option><flag actuation="disable"/></option><worldbody><body gravcomp="1"><joint name="j" actuatorgravcomp="true" axis="0 1 0"/>
    <geom size=".1" pos=".2 .1 0"/></body></worldbody><actuator><motor joint="j"/></actuator>""",
    "a servo of a ball takes the short way": """
    <worldbody><body><joint name="b" type="ball"/><geom size=".1" pos=".2 .1 0"/></body></worldbody><actuator>
    <position joint="b" gear=".1 .2 0" kp="3"/><position jointinparent="b" gear="0 .2 .1" kp="3" kv="1"/></actuator>""",
    "a servo of two sites takes the short way": """
    <worldbody><site name="w" euler="10 20 30"/><body><freejoint/><geom size=".1"/><site name="s" euler="90 20 70"/></body>
    </worldbody><actuator><position site="s" refsite="w" gear="0 0 0 .1 .2 0" kp="3"/></actuator>""",
    "two geoms of one body in a pair": """
    <worldbody><body><joint/><geom name="a" size=".1"/><geom name="b" size=".1" pos=".1 .1 0"/></body></worldbody>
    <contact><pair geom1="a" geom2="b"/></contact>""",
    "a body of the world welded to it": """
    <worldbody><body name="a"/><body><joint/><geom size=".1" pos=".2 0 0"/></body></worldbody><equality>
    <weld body1="a"/></equality>""",
    "a capsule that stands on its end": """
    <worldbody><geom type="plane" size="1 1 1"/><body><joint type="slide"/><geom type="capsule" size=".1 .2"/></body>
    </worldbody>""",
    "a sphere and a capsule in one place": """
    <worldbody><geom size=".1" euler="10 20 30"/><body><joint type="slide"/>
    <geom type="capsule" size=".1 .1" euler="50 70 0"/></body></worldbody>""",
    "contacts without the mid phase": f"""
    <option><flag midphase="disable"/></option><worldbody><body name="a" pos="0 0 .1"><freejoint/>{BOX}<geom size=".12"/></body>
    <body pos=".15 0 .12"><freejoint/>{BOX}<geom size=".12"/></body><geom type="plane" size="1 1 1"/></worldbody>""",
    "noslip with more directions than dofs": f"""
    <option cone="elliptic" noslip_iterations="3"/><worldbody><geom type="plane" size="1 1 1" condim="6"/>
    <body pos="0 0 .095"><joint type="slide" axis="1 1 1"/><joint axis="0 0 1"/>{BOX}</body></worldbody>""",
    "noslip of two islands, one of which stops before": f"""
    <option noslip_iterations="5"/><worldbody><geom type="plane" size="1 1 1" condim="3"/><body pos="0 0 .095"><freejoint/>
    {BOX}</body>
    <body pos="1 0 .095"><joint type="slide" axis="0 0 1"/><joint axis="0 0 1" frictionloss=".1"/>{BOX}<body pos="0 0 .3"><joint
    axis="1 0 0" frictionloss="1"/><geom size=".1" pos="0 .1 0"/></body></body></worldbody>""",
    "noslip of an island lighter than the mean": """
    <option noslip_iterations="30" noslip_tolerance="1e-7"/><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .0099">
    <freejoint/><geom type="box" size=".01 .01 .01" mass=".001"/></body><body pos="1 0 .0995"><freejoint/><geom type="box"
    size=".1 .1 .1" mass="100"/></body></worldbody>""",
    "Runge-Kutta with more than half a turn in a step": """
    <option integrator="RK4" timestep=".004"/><worldbody><body><joint type="ball" damping=".02"/><geom type="box" size=".1 .2 .3"
    mass=".02"/></body></worldbody>""",
    "override of a pair with its own friction reference": """
    <option cone="elliptic"><flag override="enable"/></option><worldbody><geom name="f" type="plane" size="1 1 1"/>
    <body pos="0 0 .095"><freejoint/><geom name="g" type="box" size=".1 .1 .1"/></body></worldbody><contact>
    <pair geom1="f" geom2="g" solreffriction="-200 -10"/></contact>""",
    "drag without springs and dampers": """
    <option integrator="implicitfast" density="900" viscosity="1"><flag spring="disable" damper="disable"/></option>
    <worldbody><body>
    <joint/><geom type="box" size=".1 .2 .3" pos=".3 0 0"/></body></worldbody>""",
    "a ball at rest within its limit's margin": """
    <worldbody><body><joint type="ball" range="0 10" margin=".5"/><geom size=".1" pos=".1 0 0"/></body></worldbody>""",
    "filters and activations of servos that take the short way": """
    <worldbody><body><joint name="b" type="ball"/><geom size=".1" pos=".2 .1 0"/></body></worldbody><actuator>
    <position joint="b" gear=".1 .2 0" kp="3" timeconst=".1"/><intvelocity joint="b" gear=".1 .2 0" kp="3" actrange="-1 1"/>
    <general joint="b" gear=".1 .02 0" gainprm="2" biastype="affine" biasprm="1 -2 -1" dyntype="filter" dynprm=".1"
    actlimited="true" actrange="-.2 .2" actearly="true"/></actuator>""",
    "activations by Runge-Kutta": """
    <option integrator="RK4"/><worldbody><body><joint name="b" type="ball"/><geom size=".1" pos=".2 .1 0"/></body></worldbody>
    <actuator><position joint="b" gear=".1 .2 0" kp="3" timeconst=".1"/></actuator>""",
    "activations rest while actuation is off": """
    <option><flag actuation="disable"/></option><worldbody><body><joint name="j"/><geom size=".1" pos=".2 .1 0"/></body></worldbody>
    <actuator><general joint="j" dyntype="filter" dynprm=".1" actlimited="true" actrange="-.2 .2"/></actuator>""",
    "noslip, pyramidal, with dry friction": f"""
    <option noslip_iterations="3"/><worldbody><geom type="plane" size="1 1 1" condim="6"/>
    <body pos="0 0 .095"><joint type="slide" axis="1 1 1" frictionloss=".3"/><joint axis="0 0 1"/>{BOX}</body></worldbody>""",
}


@pytest.mark.parametrize("name", CASES)
def test_smallest_forms(name):
    """Arrays, stages, a step and twenty, at the bounds of the family; from the initial pose, too."""
    compared = 0
    for change in ({}, {"spread": 0.0, "speed": 0.0}, {"spread": 2.0, "force": 30.0}, {"speed": 600.0}):
        recipe = RECIPE | change
        found = soft.check(Case(f"<mujoco>{CASES[name]}</mujoco>", 0.004, settings=recipe))
        assert not {key: outcome for key, outcome in found.items() if outcome.broken}
        compared += "stages" in found
    assert compared >= 3  # not all are ties


WELDS = """<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="1 1 1"/>
  <body name="a" pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body name="b" pos=".3 0 .09"><joint name="j" frictionloss="1" range="-1 1" margin="4"/><joint type="slide" frictionloss="1"
  range="-.1 .1" margin="1"/><geom type="box" size=".1 .1 .1"/></body></worldbody><equality><weld body1="a" body2="b"/>
  <weld body1="a"/><connect body1="b" anchor="0 0 .1"/><joint joint1="j"/></equality></mujoco>"""


def test_rows_stay_within_their_column_blocks():
    """Every weld took six blocks where one was reserved, so that the rows behind wrote beyond the array."""
    simulator = SoftSimulator(dojo_py.load_model(WELDS))
    simulator.acceleration(simulator.initial_state())
    rows = simulator.work.rows
    used = rows.rows["block"][: int(rows.counts[NEFC])]
    assert len(np.unique(used)) == 4 + 2 + 4 + 8 == int(rows.counts[NBLOCK]) <= len(rows.J_colind)
    data = mujoco.MjData(wheel := mujoco.MjModel.from_xml_string(WELDS))
    mujoco.mj_forward(wheel, data)
    assert max(oracle.row_differences(simulator, wheel, data).values()) < 1e-12


REFUSED = {
    "two activations": ('<general name="m" joint="h" dyntype="user" actdim="2"/>', "'m', actuator_actnum"),
    "plugin": (
        '<plugin name="m" joint="h" plugin="mujoco.pid" actdim="1"><config key="kp" value="1"/>'
        '<config key="ki" value="1"/></plugin>',
        "'m', plugin",
    ),
}
ROBOT = """<mujoco><extension><plugin plugin="mujoco.pid"/></extension><worldbody><body><joint name="h"/>
  <geom size=".1" pos=".2 0 0"/><body><joint name="b" type="ball"/><geom size=".1"/></body>
  </body></worldbody><actuator>{}</actuator></mujoco>"""
TORUS = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="t"><config key="radius1" value=".3"/>
  <config key="radius2" value=".1"/></instance></plugin></extension><asset><mesh name="t"><plugin instance="t"/></mesh></asset>
  <worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/><geom name="ring" type="sdf" mesh="t">
  <plugin instance="t"/></geom></body></worldbody></mujoco>"""


@pytest.mark.parametrize("name", REFUSED)
def test_actuators_of_the_wheel_are_refused_by_name(name):
    text, message = REFUSED[name]
    wheel = mujoco.MjModel.from_xml_string(ROBOT.format(text))
    with pytest.raises(dojo_py.ModelError, match=message):
        SoftSimulator(wheel)


def test_signed_distance_fields_are_refused_by_name():
    with pytest.raises(dojo_py.ModelError, match="plane–sdf.*'ring'"):
        SoftSimulator(mujoco.MjModel.from_xml_string(TORUS))


BOUNDSCHECK = """
from dojo_py.reproduce.gauntlet import soft
for seed in range(30):
    broken = {k: o for k, o in soft.check(soft.generate(seed)).items() if o.broken}
    assert not broken, (seed, broken)
"""


@pytest.mark.slow
def test_nothing_reads_or_writes_beyond_an_array(tmp_path):
    """Compiled with checked indices, which takes a minute. The hard mode: tests/hard/test_bounds.py."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
    run = subprocess.run([sys.executable, "-c", BOUNDSCHECK], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0 and "out of bounds" not in run.stdout + run.stderr, run.stdout + run.stderr
