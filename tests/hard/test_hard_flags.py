"""A disable flag in the hard mode: bit for bit the motion of the same file without the part that it switches off."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

# two arms over a floor, a loop between them, a ball: every part that a flag is about
SCENE = """<mujoco><option timestep=".01" {gravity}><flag {flags}/></option><worldbody>{floor}
  <body name="a" pos="0 0 .6"><joint name="j" axis="0 1 0" {limit} {spring} {damper} {dry}/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" {touch}/>
    <body name="b" pos=".4 0 0" gravcomp="{comp}"><joint name="k" axis="0 1 0" {damper}/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" {touch}/></body></body>
  <body name="c" pos="1.2 0 .2"><freejoint/><geom type="sphere" size=".1" {touch}/></body>
  <body name="d" pos=".4 0 .9"><joint name="l" axis="0 1 0"/><geom type="capsule" size=".02 .1" {touch}/></body>
  </worldbody>
  <equality>{loop}</equality>
  <actuator><motor joint="k" {clamp}/></actuator></mujoco>"""
PARTS = {
    "gravity": "", "floor": '<geom type="plane" size="5 5 1"/>', "limit": 'range="-20 10"',
    "spring": 'stiffness="3" springref="40"',
    "damper": 'damping=".4"', "dry": 'frictionloss=".3"', "comp": ".5", "clamp": 'ctrlrange="-.2 .2"',
    "loop": '<joint joint1="j" joint2="l" polycoef="0 1 0 0 0"/>', "touch": "", "flags": "",
}  # fmt: skip
NO_TOUCH = {"touch": 'contype="0" conaffinity="0"', "floor": ""}
OFF = {
    "contact": NO_TOUCH,
    "gravity": {"gravity": 'gravity="0 0 0"'},
    "limit": {"limit": ""},
    "equality": {"loop": ""},
    "frictionloss": {"dry": ""},
    "spring": {"spring": ""},
    "damper": {"damper": ""},
    "clampctrl": {"clamp": ""},
    "constraint": {**NO_TOUCH, "limit": "", "dry": "", "loop": ""},
    "spring damper": {"spring": "", "damper": "", "comp": "0"},
}
WITHOUT_EFFECT = "warmstart refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd".split()


def motion(**changes):
    sim = HardSimulator(load_model(SCENE.format(**(PARTS | changes))))
    control = 0.5 * np.sin(0.3 * np.arange(60))[:, None]
    run = sim.rollout(sim.initial_state(qvel=[1.0, -2.0, 0.5, 0, 0, 0, 0, 0, 0.0]), control)
    assert run.unsolved == 0
    return run.qpos


def disabled(names):
    return " ".join(f'{name}="disable"' for name in names.split())


@pytest.fixture(scope="module")
def plain():
    return motion()


@pytest.mark.parametrize("flags", OFF)
def test_a_flag_is_the_model_without_the_part(flags, plain):
    with_flag = motion(flags=disabled(flags))
    assert np.array_equal(with_flag, motion(**OFF[flags]))
    assert np.abs(with_flag - plain).max() > 1e-3  # the part mattered: 0.02 and more


@pytest.mark.parametrize("flag", WITHOUT_EFFECT)
def test_flags_about_mujocos_solver_change_nothing(flag, plain):
    assert np.array_equal(motion(flags=disabled(flag)), plain)


def test_actuation_off_is_no_control():
    assert np.array_equal(motion(flags=disabled("actuation"), clamp='ctrlrange="0 1e-300"'), motion(clamp='ctrlrange="0 1e-300"'))
    assert np.abs(motion(flags=disabled("actuation")) - motion()).max() > 1e-3


def test_filterparent_lets_parent_and_child_touch():
    text = SCENE.format(**(PARTS | {"flags": 'filterparent="disable"', "touch": 'contype="0" conaffinity="0"'}))
    sphere = '<geom type="sphere" size=".1" pos="{}"/>'
    inside = text.replace('<body name="b"', sphere.format(".1 0 .3") + '<body name="b"')
    inside = inside.replace("</body></body>", sphere.format("-.3 0 .45") + "</body></body>")
    assert (
        len(HardSimulator(load_model(inside)).world.pairs.geom)
        == len(HardSimulator(load_model(inside.replace("filterparent", "sensor"))).world.pairs.geom) + 1
    )


def test_parameters_are_those_in_effect():
    sim = HardSimulator(load_model(SCENE.format(**(PARTS | {"flags": disabled("gravity")}))))
    assert np.all(sim.parameter("gravity").value == 0)
