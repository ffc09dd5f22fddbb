"""Combinations that a reader of the code named, each wrong before: one step beside the wheel, its state and its sensors."""

import mujoco
import numpy as np
import pytest

import dojo_py
from dojo_py.soft import SoftSimulator
from dojo_py.soft.options import SoftOptions

BALL = """<mujoco><option timestep=".001"/><worldbody><body><joint name="j" type="ball"/><geom size=".1" pos=".3 0 0"/></body>
</worldbody><actuator><pid joint="j" gear=".5 0 0" kp="3" kv=".1" {}/></actuator></mujoco>"""
WELD = """<mujoco><worldbody><body name="A"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body><body name="B" pos="0 .5 1">
<freejoint/><geom type="box" size=".1 .2 .3" pos=".3 0 0"/><site name="t"/></body></worldbody>
<equality><weld body1="A" body2="B" relpose="-.2 .1 .05 .8 .3 -.2 -.3" torquescale=".5"/></equality>
<sensor><force site="t"/><torque site="t"/></sensor></mujoco>"""
HUNG = """<mujoco><option gravity="0 0 0"/><worldbody><site name="w" pos="0 0 2"/><body name="A" pos="0 0 1">
<joint name="j" axis="0 1 0" pos="-.3 0 0"/><geom name="g" size=".1"/><site name="s" pos=".1 .05 0"/>
<site name="u" pos="-.3 .1 .2"/></body>
<body pos="1 0 1"><freejoint/><geom size=".1"/><site name="f" pos=".05 0 0"/></body></worldbody><tendon>
<spatial name="t" {}><site site="w"/><geom geom="g"/><site site="s"/><pulley divisor="2"/><site site="u"/><site site="f"/></spatial>
<spatial name="plain" {}><site site="w"/><site site="s"/><site site="f"/></spatial></tendon>{}
<sensor><force site="s"/><torque site="s"/><force site="f"/><torque site="f"/></sensor></mujoco>"""
PAIRED = """<mujoco><option cone="elliptic"/><worldbody><geom name="p" type="plane" size="1 1 1"/><body pos="0 0 .095"><freejoint/>
<geom name="b" size=".1"/></body></worldbody><contact><pair geom1="p" geom2="b" condim="4" solreffriction="{}"/></contact>
</mujoco>"""
LIMITED = """<mujoco><compiler angle="radian"/><option timestep=".01"/><worldbody><body><joint axis="0 1 0" limited="true"
range="-.1 .1" solreflimit="{}"/><geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"""
STUCK = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .0999"><freejoint/><geom size=".1" adhesion="7"/>
<site name="s" size=".11"/></body></worldbody><sensor><touch site="s"/><force site="s"/></sensor></mujoco>"""
HAND = """<mujoco><option gravity="0 0 0"/><worldbody><geom type="plane" size="1 1 1"/><body name="hand" mocap="true" pos="0 0 .05">
<geom size=".1"/></body><body pos="0 0 .245"><freejoint/><geom size=".1"/></body></worldbody><actuator><adhesion body="hand"
ctrlrange="0 1" gain="10"/></actuator></mujoco>"""
MOTOR = """<mujoco><option timestep=".005" integrator="implicitfast"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1"
pos=".3 0 0"/></body></worldbody><tendon><fixed name="t" actuatorfrcrange="-.2 .1"><joint joint="j" coef="1"/></fixed></tendon>
<actuator><dcmotor tendon="t" motorconst=".3" resistance="2.9" lugre="109 1.37 .198 .205 .08"/></actuator></mujoco>"""
IDLE = """<mujoco><worldbody><site name="a"/><site name="b" pos="0 0 1"/><body><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
<site name="c"/><body pos=".1 .2 .3" quat=".8 .2 .4 .4"><geom size=".1"/><site name="d" pos=".1 .1 .7"/></body></body></worldbody>
<tendon>
<spatial name="t" limited="true" range="0 .05"><site site="a"/><site site="b"/></spatial>
<spatial name="u" limited="true" range="0 .05" frictionloss="2"><site site="c"/><site site="d"/></spatial></tendon>
<sensor><tendonlimitfrc tendon="t"/><tendonlimitfrc tendon="u"/></sensor></mujoco>"""
SWIMMER = """<mujoco><option timestep=".005" integrator="implicitfast" density="200" viscosity="1.2"/><worldbody><body><freejoint/>
<geom type="box" size=".1 .15 .2" fluidshape="ellipsoid"/><body pos=".2 0 0"><geom size=".1" fluidshape="ellipsoid"/></body></body>
<body pos="2 0 0"><joint axis="0 1 0"/><geom type="box" size=".1 .15 .2" fluidshape="ellipsoid"/></body></worldbody></mujoco>"""
ODD = """<mujoco><option><flag actuation="{}"/></option><worldbody><body name="m" mocap="true" pos="1 2 3">
<site name="x"/></body><body pos="0 0 1">
<joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/><site name="s" pos="5e-7 0 0" quat="1 3e-7 0 0"/></body></worldbody>
<actuator>{}</actuator><sensor><subtreecom body="m"/><framepos objtype="site" objname="s"/><accelerometer site="s"/>{}</sensor>
</mujoco>"""
DRIVEN = '<motor name="a" joint="j" gear="4"/>'
TURNED = [0.8, 0.6, 0, 0]
MOVING = [1, 0.3, 0.2, 0.1, 1, 2, -1]
FRCRANGE = """<mujoco><worldbody><body><joint axis="0 1 0" actuatorfrcrange="1 2"/>
<geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"""
NONE: dict[str, list[float]] = {}
CASES = {
    "pid on a ball": (BALL.format(""), {"qpos": TURNED, "ctrl": [-2.6, 0]}),
    "pid with all, on a ball": (BALL.format('ki="2" slewmax="3"'), {"qpos": TURNED, "ctrl": [2.0, 0], "act": [0, 0]}),
    "pid far round, on a ball": (BALL.format('ki="2" slewmax="300"'), {"qpos": TURNED, "ctrl": [2.0, 0], "act": [5, 0.1]}),
    "torque beside a weld": (WELD, {"qpos": [0.2, 0.1, 0.6, 1.1, 0.9, 0.2, 0.1, 0.3], "qvel": MOVING}),
    "tendon with spring": (HUNG.format('stiffness="10" springlength=".1"', 'stiffness="30" springlength=".1"', ""), NONE),
    "tendon with damper": (HUNG.format('damping="10"', 'damping="2"', ""), {"qvel": MOVING}),
    "tendon with limit": (HUNG.format('limited="true" range="0 .5"', 'limited="true" range="9 20"', ""), {"qvel": MOVING}),
    "tendon with friction": (HUNG.format('frictionloss="5"', 'frictionloss="1"', ""), {"qvel": MOVING}),
    "tendon with rotor": (HUNG.format("", 'armature="1"', ""), {"qvel": MOVING}),
    "tendon with motors": (
        HUNG.format("", "", '<actuator><motor tendon="t" gear="2"/><position tendon="plain" kp="3"/></actuator>'), {"ctrl": [3, 1]}
    ),
    "tendons with equality": (
        HUNG.format("", "", '<equality><tendon tendon1="t" tendon2="plain" polycoef=".1 1 .2 0 0"/></equality>'), {"qvel": MOVING}
    ),
    "ellipsoids in a medium": (SWIMMER, {"qvel": [1, 0.5, -0.3, 2, 1, -1, 2]}),
    "limit, solref of both kinds": (LIMITED.format("0.02 0"), {"qpos": [0.2]}),
    "limit, solref of the other both": (LIMITED.format("-100 1"), {"qpos": [0.2]}),
    "friction, solref of both kinds": (PAIRED.format("0.02 -3"), {"qvel": [1, 0.5, 0, 1, 2, 3]}),
    "friction, solref of the other both": (PAIRED.format("-100 1"), {"qvel": [1, 0.5, 0, 1, 2, 3]}),
    "adhesion of a geom": (STUCK, NONE),
    "adhesion of a hand": (HAND, {"ctrl": [1]}),
    "motor with bristles at a tendon's limit": (MOTOR, {"qvel": [0.5], "ctrl": [0.3]}),
    "force range without actuators": (FRCRANGE, NONE),
    "tendons that nothing moves": (IDLE, NONE),
    "actuation switched off": (ODD.format("disable", DRIVEN, '<actuatorvel actuator="a"/>'), {"qvel": [0.5]}),
    "massless subtree, frames that agree": (ODD.format("enable", "", ""), {"qvel": [5.0]}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_step_is_the_wheels(name):
    """Measured: 1e-9 at most, of the largest sensor 1e-12; before 1e-6 to 1e18."""
    xml, start = CASES[name]
    wheel = mujoco.MjModel.from_xml_string(xml)
    wheel.opt.tolerance, wheel.opt.iterations = 1e-15, 300
    data = mujoco.MjData(wheel)
    for word, values in start.items():
        place = getattr(data, word)
        place[: len(values)] = values
    for model in (dojo_py.load_model(xml), wheel):
        sim = SoftSimulator(model, options=SoftOptions(tolerance=1e-15, iterations=300))
        again = mujoco.MjData(wheel)
        for word in ("qpos", "qvel", "act", "ctrl"):
            getattr(again, word)[:] = getattr(data, word)
        step = sim.step(sim.initial_state(again.qpos.copy(), again.qvel.copy(), act=again.act.copy()), again.ctrl.copy())
        mujoco.mj_step(wheel, again)
        off = {
            "qvel": np.abs(step.state.qvel - again.qvel).max(),
            "act": np.abs(step.state.act - again.act).max(initial=0.0),
            "sensors": np.abs(step.sensordata - again.sensordata).max(initial=0.0)
            / max(1.0, np.abs(again.sensordata).max(initial=0)),
        }
        print(name, off)
        assert off["qvel"] < 1e-9 and off["act"] < 1e-12 and off["sensors"] < 1e-8
        assert len(step.contacts.gap) == again.ncon


def test_a_null_quaternion_is_the_identity_to_sensors_too():
    """They were zeros, with a warning."""
    xml = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/><site name="s" pos=".1 .2 .3"/></body></worldbody>
    <sensor><framepos objtype="site" objname="s"/></sensor></mujoco>"""
    sim = SoftSimulator(dojo_py.load_model(xml))
    step = sim.step(sim.initial_state([0, 0, 1, 0, 0, 0, 0]))
    assert step.sensordata == pytest.approx([0.1, 0.2, 1.3], abs=1e-12)


@pytest.mark.parametrize(("solver", "tries"), [("Newton", 1), ("CG", 2)])
def test_a_solve_whose_line_search_gives_up_is_not_solved(solver, tries):
    """A residual of 89 was SOLVED."""
    boxes = "".join(
        f'<body pos="{0.17 * i} 0 {0.09 + 0.15 * (i % 3)}"><freejoint/>'
        f'<geom type="box" size=".08 .1 .09" condim="{condim}"/></body>'
        for i, condim in enumerate((1, 3, 4, 6) * 2)
    )
    xml = f'<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="5 5 1"/>{boxes}</worldbody></mujoco>'
    sim = SoftSimulator(dojo_py.load_model(xml), options=SoftOptions(solver=solver, ls_iterations=tries))
    run = sim.rollout(sim.initial_state(), np.zeros((200, 0)))
    solved = run.residual[run.status == dojo_py.Status.SOLVED]
    print(f"{solver}: {run.unsolved} of 200 not solved, residual of the others up to {solved.max():.1e}")
    assert run.unsolved > 0 and solved.max() < 1e-3


def test_a_step_whose_activation_overflows_is_not_solved():
    """It was SOLVED, and its state refused by the next step."""
    xml = """<mujoco><option timestep="0.01"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1"/></body></worldbody>
    <actuator><general joint="j" dyntype="filter" dynprm="0" gainprm="0"/></actuator></mujoco>"""
    for sim in (SoftSimulator(dojo_py.load_model(xml)), dojo_py.HardSimulator(dojo_py.load_model(xml))):
        run = sim.rollout(sim.initial_state(), np.ones((40, 1)))
        assert np.isfinite(run.act).all() and run.status[-1] == dojo_py.Status.NOT_FINITE
        sim.step(run.final_state)


def test_controls_beyond_a_range_that_is_not_kept_have_a_derivative():
    """With the flag clampctrl switched off a control beyond its range acts; B was zero there."""
    xml = """<mujoco><option><flag clampctrl="disable"/></option><worldbody><body><joint name="j" axis="0 1 0"/>
    <geom size=".1" pos=".3 0 0"/></body></worldbody>
    <actuator><motor joint="j" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>"""
    model = dojo_py.load_model(xml)
    soft = SoftSimulator(model)
    hard = dojo_py.HardSimulator(model, timestep=soft.timestep)
    B = [sim.linearize(sim.initial_state(), [2.0]).B[1, 0] for sim in (soft, hard)]
    assert B[0] > 0 and B[0] == pytest.approx(B[1], rel=1e-3)


@pytest.mark.parametrize(
    "name", [name for name in CASES if name.startswith("tendon with") or name == "force range without actuators"]
)
def test_the_hard_mode_agrees(name):
    """What acts along tendons is in its sensors of force, too. Measured: 4e-3 of the largest; a limit and a rotor by 0.3."""
    xml, start = CASES[name]
    model = dojo_py.load_model(xml)
    ends = []
    for sim in (SoftSimulator(model, timestep=1e-5), dojo_py.HardSimulator(model, timestep=1e-5)):
        qvel = np.zeros(model.nv)
        qvel[: len(start.get("qvel", []))] = start.get("qvel", [])
        ends.append(sim.step(sim.initial_state(qvel=qvel), start.get("ctrl")))
    soft, hard = ends
    assert hard.status is dojo_py.Status.SOLVED
    if model.nsensor:
        scale = np.abs(soft.sensordata).max()
        on_free = np.abs(hard.sensordata[6:]).max() / scale
        print(f"{name}: {np.abs(hard.sensordata - soft.sensordata).max() / scale:.1e}, of the free body {on_free:.1e}")
        assert on_free < 1e-3
        if "limit" not in name and "rotor" not in name:
            assert hard.sensordata == pytest.approx(soft.sensordata, abs=0.01 * scale)
    else:
        assert hard.state.qvel == pytest.approx(soft.state.qvel, rel=1e-6)
