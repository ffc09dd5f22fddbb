"""Servos (`pid`) and motors (`dcmotor`): their law, arrays and motion beside the wheel; A and B of the hard mode by differences."""

import dataclasses

import mujoco
import numpy as np
import pytest

import dojo_py
from dojo_py import ModelError, load_mechanism, load_model
from dojo_py.formats.save import mjcf

LONE = """<mujoco><option timestep="0.01"/><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
<actuator>{}</actuator></mujoco>"""
TWO = """<mujoco><option timestep="0.005" integrator="{integrator}" tolerance="0" iterations="100"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" range="-60 90"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 .3" damping=".1"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/></body></body>
</worldbody><tendon><fixed name="t"><joint joint="a" coef=".5"/><joint joint="b" coef="-1"/></fixed></tendon>
<actuator>{actuators}</actuator><sensor><actuatorfrc actuator="m"/></sensor></mujoco>"""
CASES = {
    "servo": '<pid name="m" joint="a" kp="8" kv=".5" gear="2"/>',
    "servo with all": '<pid name="m" joint="a" kp="8" dampratio=".7" ki="3" imax=".05" slewmax="3" input="pos vel ff"'
    ' forcerange="-3 4"/>',
    "servo of a tendon": '<pid name="m" tendon="t" kp="8" kv=".5" ki="2" input="pos" inheritrange="0"/>',
    "motor": '<dcmotor name="m" joint="a" motorconst=".3" resistance=".8" gear="10"/>',
    "motor with current": '<dcmotor name="m" joint="b" motorconst=".3 .4" resistance=".8" inductance=".02" gear="10"'
    ' saturation="1 0 90"/>',
    "motor with friction": '<dcmotor name="m" joint="a" motorconst=".3" resistance=".8" gear="10" lugre="1 .01 .05 .1 .2"'
    ' cogging=".1 3 .2"/>',
    "hot motor": '<dcmotor name="m" joint="a" motorconst=".3" resistance=".8" gear="10" thermal="2 3 0 .004 25 20"/>',
    "motor with a controller": """<dcmotor name="m" joint="a" nominal="24 3 60" gear="5" input="pos vel ff voltage"
        controller="3 2 .2 5 .1 12" inductance=".005" thermal="2 3 0 .004 25 20" lugre="1 .01 .05 .1 .2" saturation=".8"/>""",
    "two": '<pid name="m" joint="a" kp="8" kv=".5"/><motor joint="b" ctrlrange="-.1 .1"/><dcmotor joint="b" nominal="12 1 60"/>',
    "motor with damping": '<dcmotor name="m" joint="a" nominal="12 1.908 26.32" damping=".03 .02"/>',
    "general": """<general name="m" joint="a" gaintype="pid" dyntype="pid" biastype="affine" gainprm="2" biasprm="0 -9 -.3"
  dynprm=".1 8"
        input="pos vel" ctrlrange="-1 1" velrange="-2 2"/>""",
    "switched off": '<pid name="m" joint="b" kp="8"/><dcmotor joint="a" nominal="12 1 60" inductance=".02" group="3"/>',
}


def drawn(rng):
    """A random servo or motor that the wheel accepts."""
    words = [word for word in ("pos", "vel", "ff") if rng.random() < 0.6]
    some = lambda share: rng.random() < share  # noqa: E731
    if some(0.5):
        words = words or ["pos"]
        text = f'<pid joint="j" kp="{rng.uniform(1, 5)}" kv="{rng.uniform(0, 2)}" input="{" ".join(words)}"'
        if "pos" in words:
            text += (f' ki="{rng.uniform(1, 3)}"' + (' imax=".3"' if some(0.5) else "")) if some(0.5) else ""
            text += f' slewmax="{rng.uniform(1, 30)}"' if some(0.5) else ""
        return text + "/>"
    every = [*words, "voltage"] if some(0.5) or not words else words
    text = f'<dcmotor joint="j" motorconst="{rng.uniform(0.5, 2)}" resistance="{rng.uniform(0.5, 2)}" input="{" ".join(every)}"'
    if words:
        with_pos = "pos" in words
        numbers = [rng.uniform(1, 5), rng.uniform(1, 5) * (with_pos and some(0.5)), rng.uniform(0, 2)]
        numbers += [rng.uniform(1, 30) * (with_pos and some(0.5)), 0.3 * some(0.5), rng.uniform(0.5, 3) * some(0.5)]
        text += f' controller="{" ".join(map(str, numbers))}"'
    text += f' thermal="{rng.uniform(1, 2)} {rng.uniform(1, 2)} 0 .1 20 {rng.uniform(15, 25)}"' if some(0.4) else ""
    text += f' lugre="{rng.uniform(1, 200)} {rng.uniform(0, 2)} 1 2 {rng.uniform(0.1, 1)}"' if some(0.4) else ""
    text += f' inductance="{rng.uniform(0.01, 0.1)}"' if some(0.4) else ""
    text += f' cogging="{rng.uniform(0.1, 1)} 3 .5"' if some(0.4) else ""
    return text + (f' saturation="0 0 {rng.uniform(1, 50)}"' if some(0.3) else "") + "/>"


def both(text):
    return load_model(text), mujoco.MjModel.from_xml_string(text)


def test_a_step_of_random_ones_is_the_wheels():
    """Measured: 1e-13."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(25):
        model, wheel = both(LONE.format(drawn(rng)))
        for name in (
            "ctrlrange",
            "ctrllimited",
            "ctrlnum",
            "ctrladr",
            "ctrlspec",
            "actnum",
            "dynprm",
            "gainprm",
            "biasprm",
            "forcerange",
        ):
            assert np.allclose(getattr(model, f"actuator_{name}"), getattr(wheel, f"actuator_{name}"), atol=1e-12), name
        sim, data = dojo_py.SoftSimulator(model), mujoco.MjData(wheel)
        for _ in range(3):
            data.qpos[0], data.qvel[0] = rng.uniform(-1, 1, 2)
            data.ctrl[:], data.act[:] = rng.uniform(-2, 2, model.nu), rng.uniform(-0.5, 0.5, model.na)
            step = sim.step(sim.initial_state(data.qpos, data.qvel, act=data.act), data.ctrl)
            mujoco.mj_step(wheel, data)
            pairs = ((step.state.act, data.act), (step.state.qvel, data.qvel), (step.state.qpos, data.qpos))
            worst = max(worst, *(np.abs(a - b).max(initial=0.0) for a, b in pairs))
    print(f"{worst:.1e}")
    assert worst < 1e-11


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("name", CASES)
def test_motion_is_the_wheels(name, integrator):
    text = TWO.format(actuators=CASES[name], integrator=integrator)
    if name == "switched off":
        text = text.replace("<option ", '<option actuatorgroupdisable="3" ')
    model, wheel = both(text)
    sim, data, rng = dojo_py.SoftSimulator(model), mujoco.MjData(wheel), np.random.default_rng(1)
    data.act[:] = rng.uniform(-0.1, 0.1, model.na)
    state, U = sim.initial_state(act=data.act), rng.uniform(-1.5, 1.5, (40, model.nu))
    for control in U:
        data.ctrl[:] = control
        step = sim.step(state, control)
        state = step.state
        mujoco.mj_step(wheel, data)
        assert np.abs(step.sensordata - data.sensordata).max() < 1e-9
    worst = max(
        np.abs(state.qpos - data.qpos).max(), np.abs((state.act - data.act) / np.maximum(1.0, np.abs(data.act))).max(initial=0.0)
    )
    print(f"{name}, {integrator}: {worst:.1e}")
    assert worst < 1e-10


def motion(simulator, state, control, kappa):
    """Coordinates, rates and activations after a step."""
    end = simulator.step(state, control, kappa=kappa).state
    return end.qpos, end.qvel, end.act


@pytest.mark.parametrize("name", CASES)
def test_hard_derivatives_against_differences(name):
    """Measured: 1e-7 of the largest entry, from the differences."""
    model, kappa, e = load_model(TWO.format(actuators=CASES[name], integrator="Euler")), 1e-4, 1e-5
    sim = dojo_py.HardSimulator(model, timestep=0.005)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        qpos, qvel, act = rng.uniform(-0.5, 0.5, 2), rng.uniform(-1, 1, 2), rng.uniform(-0.05, 0.05, model.na)
        control = rng.uniform(0.1, 1, model.nu)
        lin = sim.linearize(sim.initial_state(qpos, qvel, act=act), control, kappa=kappa)
        ours, theirs = np.hstack([lin.A, lin.B]), []
        n = 4 + model.na
        for i in range(n + model.nu):
            ends = []
            for sign in (1, -1):
                move = np.zeros(n + model.nu)
                move[i] = sign * e
                state = sim.initial_state(qpos + move[:2], qvel + move[2:4], act=act + move[4:n])
                ends.append(np.concatenate(motion(sim, state, control + move[n:], kappa)))
            theirs.append((ends[0] - ends[1]) / (2 * e))
        error = np.abs(ours - np.array(theirs).T).max() / max(1e-3, np.abs(theirs).max())
        print(f"{name}, state {seed}: {error:.1e}")
        assert error < 1e-5


@pytest.mark.parametrize("name", [name for name in CASES if name != "switched off"])
def test_modes_agree_as_the_step_shrinks(name):
    """The gap between the modes after 0.05 s falls with the step."""
    text = TWO.format(actuators=CASES[name], integrator="Euler").replace('range="-60 90"', "")
    ends = []
    for h in (1e-3, 2.5e-4):
        model = load_model(text.replace('timestep="0.005"', f'timestep="{h}"'))
        control = np.tile(np.linspace(0.5, 1.0, model.nu), (round(0.05 / h), 1))
        sims = dojo_py.HardSimulator(model), dojo_py.SoftSimulator(model)
        hard, soft = (sim.rollout(sim.initial_state(), control).qpos[-1] for sim in sims)
        ends.append(np.abs(hard - soft).max())
    print(name, ends)
    assert ends[1] < 0.5 * ends[0] + 1e-9 and ends[1] < 1e-3


def test_views_and_files():
    model, wheel = both(TWO.format(actuators=CASES["two"], integrator="Euler"))
    assert (model.nu, model.nactuator, model.na) == (wheel.nu, 3, 0) == (4, 3, 0)
    assert model.actuator("m").ctrlrange.shape == (2, 2) and model.actuator(1).ctrlrange.tolist() == [-0.1, 0.1]
    changed = model.replace(actuator_ctrlrange=model.actuator_ctrlrange * 2, actuator_ctrllimited=np.array([0, 0, 1, 0], bool))
    again = load_model(mjcf(changed))
    assert np.array_equal(again.actuator_ctrlrange, changed.actuator_ctrlrange)
    text = TWO.format(
        actuators=CASES["servo with all"] + CASES["motor with a controller"].replace('"m"', '"n"'), integrator="Euler"
    )
    text = text.replace("</mujoco>", '<keyframe><key ctrl="1 2 3 4 5 6 7" act=".1 .2 .3 .4 .5 .6 .7"/></keyframe></mujoco>')
    mechanism = load_mechanism(text)
    mechanism.bind_keyframes()
    mechanism.delete(mechanism.actuator("m"))
    kept = mechanism.compile()
    assert kept.key_ctrl.tolist() == [[4, 5, 6, 7]] and kept.key_act.tolist() == [[0.3, 0.4, 0.5, 0.6, 0.7]]


FAULTY = {
    '<pid joint="a" input="vel pos"/>': "input: 'vel pos' is not some of",
    '<pid joint="a" input="voltage"/>': "is not some of",
    '<pid joint="a" input="vel" ki="1"/>': "need the control 'pos'",
    '<pid joint="a" kv="1" dampratio="1"/>': "kv or dampratio, not both",
    '<pid joint="a" slewmax="-1"/>': "slewmax: -1 is negative",
    '<dcmotor joint="a" motorconst="1"/>': "resistance must be positive",
    '<dcmotor joint="a" resistance="1"/>': "motor constant must be positive",
    '<dcmotor joint="a" motorconst="1" resistance="1" controller="1"/>': "needs one of the controls 'pos', 'vel', 'ff'",
    '<dcmotor joint="a" motorconst="1" resistance="1" thermal="1"/>': "thermal resistance and capacitance must be positive",
    '<dcmotor joint="a" motorconst="1" resistance="1" forcerange="-1 1"/>': "is not an attribute of dcmotor",
    '<general joint="a" gaintype="dcmotor"/>': "a motor needs dyntype",
    '<general joint="a" dyntype="pid"/>': "need its gaintype",
}


@pytest.mark.parametrize("text", FAULTY)
def test_what_is_wrong_is_named(text):
    model = TWO.format(actuators=text.replace("<", "<", 1), integrator="Euler").replace('<actuatorfrc actuator="m"/>', "")
    with pytest.raises(ModelError, match=FAULTY[text]):
        load_model(model)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(model)


def test_models_of_other_versions_are_not_changed():
    """Every array over controls has a row a control."""
    model = load_model(TWO.format(actuators=CASES["two"], integrator="Euler"))
    assert {f.name for f in dataclasses.fields(model) if f.metadata.get("shape", ("",))[0] == "nu"} == {
        "actuator_ctrllimited", "actuator_ctrlrange",
    }  # fmt: skip
