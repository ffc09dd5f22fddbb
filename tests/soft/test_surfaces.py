"""Surfaces that move and that stick, rotors on spatial tendons, dampers and rotors of actuators on balls: beside the wheel.

Frames that MuJoCo takes for the same, too.
"""

import dataclasses

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model

SCENE = """<mujoco><option timestep=".004" {option}/><worldbody>
<geom name="floor" type="plane" size="2 2 1" condim="{condim}" {floor} friction=".8 .01 .001"/>
<body name="a" pos=".3 .1 .0495"><freejoint/><geom name="box" type="box" size=".1 .08 .05" condim="{condim}" {box}/></body>
<body name="b" pos=".35 .12 .1485"><freejoint/><geom name="ball" size=".05" condim="{condim}" {ball}/></body></worldbody>
{pair}</mujoco>"""
BELT = 'surfacevel="1 .2 .3 .1 .2 .5"'
WHEEL = 'surfacevel="0 1 0 .3 0 3"'
STICKY = 'adhesion="5"'
PAIR = '<contact><pair geom1="floor" geom2="box" adhesion="2"/><pair geom1="ball" geom2="box" adhesion="9"/></contact>'
FLAGS = "><flag spring='disable' damper='disable'/></option><option"
SCENES = {
    "belt": {"floor": BELT, "ball": WHEEL},
    "belt, spin and rolling": {"floor": BELT, "ball": WHEEL, "box": 'surfacevel="0 0 .3 1 2 3"', "condim": 6},
    "belt, elliptic": {"floor": BELT, "ball": WHEEL, "condim": 4, "option": 'cone="elliptic"'},
    "belt, implicit, no slip": {"floor": BELT, "option": 'integrator="implicit" noslip_iterations="3"'},
    "belt without friction": {"floor": BELT, "condim": 1},
    "sticky": {"floor": 'adhesion="5"', "box": 'adhesion="7"'},
    "sticky, elliptic": {"floor": 'adhesion="5"', "box": 'adhesion="7"', "option": 'cone="elliptic"', "condim": 4},
    "sticky by priority": {"floor": 'adhesion="5"', "box": 'adhesion="7" priority="1"', "condim": 6},
    "sticky, frictionless": {"floor": 'adhesion="5"', "condim": 1},
    "sticky within the gap": {"floor": f'{STICKY} margin=".002" gap=".03"', "ball": 'adhesion="-1"', "option": 'gravity="0 0 0"'},
    "sticky pairs": {"pair": PAIR, "floor": 'adhesion="50"'},
    "sticky, passive forces off": {"floor": 'adhesion="5"', "option": FLAGS},
}
TREES = """<mujoco><option timestep=".01" integrator="{integrator}"/><worldbody><site name="w" pos="1 .3 1.5"/>
<body pos="0 0 1"><joint name="b" type="ball"/><geom size=".1" pos=".1 0 0"/><site name="s" pos=".2 .1 0"/>
<body pos=".3 0 0"><joint name="j" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/><site name="e" pos=".2 0 .05"/></body></body>
<body pos="0 1 1"><joint name="k" axis="1 0 0"/><geom size=".1" pos=".1 .1 0"/><site name="q" pos="0 .2 0"/></body>
<body pos="0 2 1"><freejoint name="f"/><geom size=".1 .2 .1" type="box" pos=".1 .1 0"/><site name="fs" pos="0 .2 0"/></body>
</worldbody><tendon><spatial name="t" {tendon}><site site="w"/><site site="e"/><site site="q"/>
<pulley divisor="2"/><site site="w"/><site site="fs"/>
</spatial></tendon><actuator>{actuator}</actuator></mujoco>"""
PASSIVE = 'armature=".5" damping=".3 .1 .1" gear="-2 1 1"'
ON_JOINTS = "".join(f"<motor {joint} {PASSIVE}/>" for joint in ('joint="b"', 'jointinparent="b"', 'joint="f"', 'jointinparent="j"'))
ROTORS = {
    "of a spatial tendon": {"tendon": 'armature=".5"'},
    "of its actuator": {"actuator": '<motor tendon="t" armature=".5" gear="2"/>'},
    "of balls and free joints": {"actuator": ON_JOINTS},
}
FRAMES = """<mujoco><worldbody><geom type="plane" size="2 2 1"/><body pos="0 0 .2"><freejoint/>
<inertial pos="-0.000132925 -0.000516418 0.0820911" quat="0.6951 -0.00714556 0.00738537 0.71884"
  mass="1" diaginertia=".03 .02 .01"/>
<geom type="box" size=".05 .06 .2821" pos="-0.000132925 -0.000516418 0.0820911" quat="0.6951 -0.00714564 0.00738544 0.71884"/>
<geom type="box" size=".05 .3 .05" pos="0 0 .0000004" quat="1 .0000003 0 0"/>
<geom size=".2 .1" type="capsule" quat="1 -.0000009 0 0"/>
<site pos=".1 .2 .3" quat="-0.6951 0.00714564 -0.00738544 -0.71884"/></body></worldbody></mujoco>"""


def largest_difference(text, steps=25):
    """Of qpos and qvel from the wheel's, after steps with random controls, solvers run to the end."""
    wheel, model = mujoco.MjModel.from_xml_string(text), load_model(text)
    wheel.opt.tolerance, wheel.opt.iterations, wheel.opt.ls_iterations, wheel.opt.ls_tolerance = 0.0, 300, 300, 1e-10
    option = dataclasses.replace(model.opt, tolerance=0.0, iterations=300, ls_iterations=300, ls_tolerance=1e-10)
    sim, data, rng, found = SoftSimulator(model.replace(opt=option)), mujoco.MjData(wheel), np.random.default_rng(0), []
    qpos, qvel = model.integrate(model.qpos0, 0.003 * rng.standard_normal(model.nv)), 0.3 * rng.standard_normal(model.nv)
    data.qpos[:], data.qvel[:], state = qpos, qvel, sim.initial_state(qpos, qvel)
    for _ in range(steps):
        data.ctrl[:] = control = rng.uniform(-0.5, 0.5, model.nu)
        mujoco.mj_step(wheel, data)
        state = sim.step(state, control).state
        found.append(max(np.abs(state.qpos - data.qpos).max(), np.abs(state.qvel - data.qvel).max()))
    return max(found)


@pytest.mark.parametrize("case", SCENES)
def test_surfaces_move_and_stick_as_the_wheels(case):
    """Measured: 6e-15 at most."""
    text = SCENE.format(**{"option": "", "condim": 3, "floor": "", "box": "", "ball": "", "pair": ""} | SCENES[case])
    assert largest_difference(text) < 1e-11
    plain = mujoco.MjModel.from_xml_string(text)
    assert plain.flg_surfacevel or plain.flg_adhesion


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "RK4"])
@pytest.mark.parametrize("case", ROTORS)
def test_rotors_and_dampers_turn_as_the_wheels(case, integrator):
    """Measured: 1e-12 at most."""
    text = TREES.format(**{"tendon": "", "actuator": "", "integrator": integrator} | ROTORS[case])
    assert largest_difference(text, steps=15) < 1e-10


def test_frames_that_differ_by_round_off_are_one():
    """Contacts of boxes at six digits' worth of the principal axes: 7e-16, and 2e-6 where each stands by its own numbers."""
    assert largest_difference(FRAMES) < 1e-11


@pytest.mark.parametrize("what", ['surfacevel="1 0 0 0 0 0"', 'adhesion="3"'])
def test_the_hard_mode_names_surfaces(what, tmp_path):
    def file(floor, box=""):
        text = SCENE.format(option="", condim=3, floor=floor, box=box, ball="", pair="")
        (tmp_path / "m.xml").write_text(text)
        return load_model(tmp_path / "m.xml")

    with pytest.raises(ModelError, match=f"m.xml:2: contact: {what.split('=')[0]}: .*soft mode only"):
        HardSimulator(file(what))
    HardSimulator(file("", f'{what} contype="0" conaffinity="0"'))
