"""Models with one feature each that random trees have seldom or never, both as we and as the wheel reads them."""

import mujoco
import numpy as np
import oracle
import pytest
from test_stages import OPTIONS, check

import dojo_py
from dojo_py.soft import SoftOptions, SoftSimulator

STEPS = 200
MODELS = {
    "rolling friction, elliptic, tilted floor": """
    <option cone="elliptic" impratio="5"/><worldbody>
    <geom type="plane" size="5 5 1" euler="10 0 0" condim="6" friction="1 .1 .05"/><body pos="0 0 .1"><freejoint/>
    <geom type="capsule" size=".1 .2" condim="6"/></body><body pos=".5 0 .1"><freejoint/>
    <geom type="sphere" size=".1" condim="6" friction=".5 .2 .1"/></body></worldbody>""",
    "rolling friction, a ball on a box": """
    <option cone="elliptic"/><worldbody><geom type="plane" size="5 5 1" condim="6"/><body pos="0 0 .1"><freejoint/>
    <geom type="box" size=".1 .1 .1" condim="6"/></body><body pos="0.03 0 .29"><freejoint/>
    <geom type="sphere" size=".1" condim="6"/></body></worldbody>""",
    "weld of two free bodies": """
    <worldbody><geom type="plane" size="5 5 1"/><body name="a" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/>
    </body><body name="b" pos=".3 0 .3" euler="20 30 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody>
    <equality><weld body1="a" body2="b" torquescale="0.3" solref="0.01 1"/></equality>""",
    "welds with relpose and anchor, to the world": """
    <worldbody><body name="a" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="b" pos=".3 0 .3" euler="20 30 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody>
    <equality><weld body1="a" body2="b" relpose=".2 0 .1 .9 .1 .2 0" anchor=".1 0 0" torquescale="2"/>
    <weld body1="b" torquescale="0.1"/></equality>""",
    "weld of sites, connect to the world": """
    <worldbody><site name="w" pos="0 0 1" euler="0 30 0"/><body name="a" pos="0 0 .3"><freejoint/>
    <geom type="box" size=".1 .1 .1"/><site name="s" pos=".1 0 0" euler="10 20 30"/></body></worldbody><equality>
    <weld site1="w" site2="s"/><connect body1="a" anchor="0 .1 .1"/></equality>""",
    "joint equalities, one inactive": """
    <worldbody><body name="a"><joint name="j"/><geom size=".1" pos=".2 0 0"/><body name="b" pos=".4 0 0">
    <joint name="k" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/></body></body></worldbody><equality>
    <joint joint1="j" joint2="k" polycoef=".1 .5 .3 -.2 .1"/><joint joint1="j" active="false"/>
    <joint joint1="k" polycoef=".3 0 0 0 0"/></equality>""",
    "limits of balls": """
    <worldbody><body pos="0 0 1">
    <joint type="ball" limited="true" range="0 10" margin=".1" solreflimit="-500 -10" solimplimit=".5 .9 .1 .3 3"/>
    <geom type="capsule" size=".05 .2" pos="0 0 -.3"/><body pos="0 0 -.5">
    <joint type="ball" limited="true" range="0 170" damping=".1" frictionloss=".2" stiffness="3"/>
    <geom size=".1" pos="0 0 -.1"/></body></body></worldbody>""",
    "limits closer than their margins": """
    <worldbody><body><joint type="hinge" limited="true" range="-5 5" margin="1"/><geom size=".1" pos=".2 0 0"/></body>
    <body pos="1 0 0"><joint type="slide" limited="true" range="-.01 .01" margin=".5" solreflimit="-200 -3"/>
    <geom size=".1"/></body></worldbody>""",
    "contact references in both formats": """
    <worldbody><geom type="plane" size="5 5 1" solref="-1000 -20"/><body pos="0 0 .1"><freejoint/>
    <geom type="box" size=".1 .1 .1" solref="-300 -5" solmix="2"/></body><body pos=".5 0 .1"><freejoint/>
    <geom type="sphere" size=".1" solref="0.02 1"/></body><body pos="1 0 .1"><freejoint/>
    <geom type="sphere" size=".1" solref="-1000 0" priority="2"/></body></worldbody>""",
    "solmix 0": """
    <worldbody><geom type="plane" size="5 5 1" solmix="0"/><body pos="0 0 .1"><freejoint/>
    <geom type="sphere" size=".1" solmix="0" solref=".01 .5" solimp=".1 .5 .01 .9 5"/></body></worldbody>""",
    "a contact pair, elliptic": """
    <option cone="elliptic"/><worldbody><geom name="f" type="plane" size="5 5 1"/><body pos="0 0 .1"><freejoint/>
    <geom name="g" type="box" size=".1 .1 .1"/></body></worldbody><contact>
    <pair geom1="f" geom2="g" condim="6" friction="1 .2 .1 .05 .02" solref=".01 1" solreffriction="-200 -10" solimp=".5
     .9 .01 .5 2" margin=".02" gap=".01"/></contact>""",
    "a contact pair, pyramidal": """
    <option cone="pyramidal"/><worldbody><geom name="f" type="plane" size="5 5 1"/><body pos="0 0 .1"><freejoint/>
    <geom name="g" type="box" size=".1 .1 .1"/></body></worldbody><contact>
    <pair geom1="f" geom2="g" condim="6" friction="1 .2 .1 .05 .02" solref=".01 1" solreffriction="-200 -10" solimp=".5
     .9 .01 .5 2" margin=".02" gap=".01"/></contact>""",
    "override": """
    <option o_margin="0.05" o_solref="-500 -20" o_solimp=".3 .8 .02 .2 4" o_friction=".6 .4 .02 .01 .03" cone="elliptic"
     impratio="20"><flag override="enable"/></option><worldbody><geom type="plane" size="5 5 1" condim="6"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" condim="6"/></body></worldbody>""",
    "exclusions and bodies without joints": """
    <worldbody><geom type="plane" size="5 5 1"/><body name="a" pos="0 0 .2"><freejoint/><geom size=".15"/>
    <body name="b" pos=".2 0 0"><geom size=".15"/><body name="c" pos=".2 0 0"><joint axis="0 1 0"/><geom size=".15"/>
    </body></body></body><body name="d" pos="0 .2 .2"><freejoint/><geom size=".15"/></body></worldbody><contact>
    <exclude body1="a" body2="d"/></contact>""",
    "fixed tendons": """
    <worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05 .1" pos="0 0 -.2"/>
    <body pos="0 0 -.4"><joint name="k" axis="0 1 0"/><geom type="capsule" size=".05 .1" pos="0 0 -.2"/>
    <body pos="0 0 -.4"><joint name="s" type="slide"/><geom size=".05"/></body></body></body></worldbody><tendon>
    <fixed name="t" limited="true" range="-.1 .1" stiffness="10 3 200" damping="1 .2 .1" frictionloss=".5" springlength="0.05 0.1"
    armature=".02" margin=".02">
    <joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed><fixed name="u"><joint joint="k" coef="1"/>
    <joint joint="s" coef="3"/></fixed></tendon><equality><tendon tendon1="t" tendon2="u" polycoef=".1 .5 .2 0 .1"/>
    <tendon tendon1="u"/></equality><actuator><position tendon="t" kp="30" kv="2"/></actuator>""",
    "spatial tendons": """
    <worldbody><site name="w" pos="0.1 0 2"/><site name="w2" pos=".5 0 2"/>
    <geom name="p" type="cylinder" size=".1 .1" pos="0 .3 1.5" euler="30 20 0" contype="0" conaffinity="0"/>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" ref="10" springref="20"/><site name="side" pos="0 .3 0"/>
    <geom name="g" size=".15" pos=".05 0 0"/><site name="s" pos="0 0 -.3"/><site name="s2" pos=".2 0 -.3"/>
    <body pos="0 0 -.5"><joint name="b" axis="1 0 0"/><geom size=".1"/><site name="e" pos=".1 0 -.3"/>
    <geom name="c" type="cylinder" size=".05 .1" euler="90 0 0" pos="0 .05 -.1" contype="0" conaffinity="0"/>
    <site name="cs" pos="0 .3 -.1"/></body></body><body pos="1 0 1"><joint type="slide" axis="1 0 0"/><joint type="ball"/>
    <geom size=".1" pos=".05 0 .02"/><site name="x" pos="0 0 .2"/></body></worldbody><tendon>
    <spatial name="t" stiffness="30" damping="1 .2"><site site="w"/><geom geom="g"/><site site="e"/></spatial>
    <spatial name="u" frictionloss=".5" width=".01" rgba="1 0 0 .5"><site site="w"/><geom geom="g" sidesite="side"/>
    <site site="s2"/><geom geom="c" sidesite="cs"/><site site="e"/></spatial>
    <spatial name="v" springlength=".5" limited="true" range="0 1.5" stiffness="2"><site site="w"/><geom geom="p"/>
    <site site="e"/><pulley divisor="2"/><site site="x"/><site site="s"/><pulley divisor="3"/><site site="w2"/>
    <site site="x"/></spatial></tendon><equality><tendon tendon1="u" tendon2="t" polycoef=".1 .5"/></equality><actuator>
    <motor tendon="t"/><position tendon="v" kp="3" dampratio="1"/></actuator>""",
    "shell inertia in frames": """
    <worldbody><frame pos="0 0 .3" euler="0 90 0"><body><freejoint/><geom type="box" size=".1 .2 .1" shellinertia="true"/>
    <frame pos=".1 .1 0"><geom type="sphere" size=".05" mass="2"/></frame></body></frame><geom type="plane" size="5 5 1"/>
    </worldbody>""",
    "actuators of a clamped joint": """
    <worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0" actuatorfrcrange="-.5 .5" limited="false"/>
    <geom type="capsule" size=".05 .1" pos="0 0 -.2"/></body></worldbody><actuator>
    <intvelocity joint="j" kp="3" actrange="-1 1"/><damper joint="j" kv="2" ctrlrange="0 1"/>
    <cylinder joint="j" timeconst=".1" area=".2" bias="1 2 3"/></actuator>""",
    "friction loss at a limit": """
    <worldbody><body pos="0 0 1">
    <joint axis="0 1 0" frictionloss="5" range="-10 10" limited="true" solreffriction="-100 -5" solimpfriction=".2 .99 .1
     .5 2" armature="1"/><geom type="capsule" size=".05 .1" pos="0 0 -.2"/></body></worldbody>""",
    "hinges, a ball and a slide in a body": """
    <worldbody><body pos="0 0 1"><joint axis="0 1 0" pos=".2 0 .3" ref="20"/><joint axis="1 0 .3" pos="-.2 .3 0" damping=".1"/>
    <joint name="b" type="ball" pos="0 .1 .1" range="0 20" stiffness="2" armature=".1"/>
    <joint type="slide" axis="1 1 0" frictionloss=".2"/><geom type="box" size=".1 .2 .05" pos=".1 0 0"/></body></worldbody>
    <actuator><motor joint="b" gear="1 2 3"/><position jointinparent="b" gear="0 1 0" kp="3"/></actuator>""",
    "four joints in a body": """
    <option gravity="1 2 -9"/><worldbody><body pos="0 0 1" gravcomp="1.5"><joint type="slide" axis="1 0 0"/>
    <joint type="slide" axis="0 1 1"/><joint type="hinge" axis="1 1 0"/><joint type="hinge" axis="0 1 0" pos=".1 0 0"/>
    <geom type="box" size=".1 .2 .3"/></body></worldbody>""",
    "actuators of free and ball joints": """
    <worldbody><body pos="0 0 .5"><freejoint name="f"/><geom type="box" size=".1 .2 .3"/><body pos="0 0 .4">
    <joint type="ball" name="b"/><geom size=".1"/></body></body></worldbody><actuator>
    <motor joint="f" gear="1 2 3 .1 .2 .3"/><motor jointinparent="b" gear="1 2 3"/><motor joint="b" gear="0 1 1"/>
    <position joint="b" kp="10" gear="1 0 0"/></actuator>""",
    "cylinder and ellipsoid, condim 4": """
    <option cone="elliptic"/><worldbody><geom type="plane" size="0 0 1" condim="4" conaffinity="3"/><body pos="0 0 .1">
    <freejoint/><geom type="cylinder" size=".1 .1" condim="4"/></body><body pos="1 0 .1"><freejoint/>
    <geom type="ellipsoid" size=".1 .2 .1" condim="4" contype="2" conaffinity="0"/></body></worldbody>""",
}
WHEEL_ONLY = "shell inertia in frames"
"""What our reader refuses by name and the soft mode simulates on a model that the wheel read."""


@pytest.mark.parametrize("name", MODELS)
def test_agrees_with_the_wheel(name):
    """All stages at random states, every integrator. Measured at worst: smooth 1e-15, rows 1e-15, qacc 1e-9, 200 steps 1e-8."""
    text = f"<mujoco>{MODELS[name]}</mujoco>"
    wheel = oracle.with_options(mujoco.MjModel.from_xml_string(text), tolerance=1e-12, iterations=200)
    models = [wheel]
    if name in WHEEL_ONLY:
        with pytest.raises(dojo_py.ModelError, match="is not simulated"):
            dojo_py.load_model(text)
    else:
        models.append(dojo_py.load_model(text))
    rng = np.random.default_rng(3)
    qvel, controls = 0.3 * rng.normal(size=wheel.nv), rng.uniform(-1, 1, (STEPS, wheel.nu))
    for model in models:
        check(SoftSimulator(model, options=OPTIONS), wheel, seed=1, states=12)
        for code, integrator in enumerate(("Euler", "RK4", "implicit", "implicitfast")):
            simulator = SoftSimulator(model, options=SoftOptions(integrator=integrator, tolerance=1e-12, iterations=200))
            other = oracle.with_options(wheel, integrator=code)
            data = mujoco.MjData(other)
            data.qvel[:] = qvel
            for control in controls:
                data.ctrl[:] = control
                mujoco.mj_step(other, data)
            ours = simulator.rollout(simulator.initial_state(wheel.qpos0, qvel), controls)
            difference = np.abs(ours.qpos[-1] - data.qpos).max()
            print(f"{integrator}: {difference:.1e} (bound 1e-6)", end="; ")
            assert difference < 1e-6 and not ours.status.any()


@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_impulses_of_contacts_are_the_wheels_forces(condim, cone):
    """Normal and tangents of `step.contacts`, whatever the cone."""
    from test_solvers import scene

    model = oracle.with_options(scene(condim), cone=cone, tolerance=1e-12, iterations=200)
    simulator = SoftSimulator(model)
    qpos, qvel = oracle.random_state(model, np.random.default_rng(2), spread=0.02, speed=0.5, heights=(0.09, 0.1))
    data = oracle.forward(model, qpos, qvel)
    forces, force = np.zeros((data.ncon, 3)), np.zeros(6)
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        forces[i] = force[:3]
    found = simulator.step(simulator.initial_state(qpos, qvel)).contacts
    assert len(found) == data.ncon > 3
    assert oracle.difference(found.impulse / simulator.timestep, forces) < 1e-7
