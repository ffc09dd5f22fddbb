"""Dampers and rotors of actuators: compiled arrays and soft steps of the wheel, both modes at small steps, what is refused."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model, save_mjcf

ARM = """<mujoco><option integrator="{}"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
  <body pos=".3 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></body></worldbody>
  <actuator><position joint="j" gear="3" kp="10" dampratio="1" {}/><motor joint="k"/></actuator>
  <sensor><e_kinetic/></sensor></mujoco>"""
TENDONS = """<mujoco><option integrator="{}"/><worldbody><site name="w" pos="0 0 .4"/>
  <body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/><site name="s" pos=".2 0 .1"/>
    <body pos=".3 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="-.7"/></fixed>
    <spatial name="u"><site site="w"/><site site="s"/></spatial></tendon>
  <actuator><position tendon="t" gear="3" kp="10" dampratio="1" {}/><motor tendon="u" gear="2" damping=".4 .3 .1"/></actuator>
  <sensor><e_kinetic/></sensor></mujoco>"""
BALLS = """<mujoco><option integrator="{}"/><worldbody>
  <body><joint name="f" type="free"/><geom type="box" size=".1 .2 .05" pos=".05 0 0"/><body pos=".3 0 0">
  <joint name="b" type="ball"/><geom type="box" size=".05 .1 .2" pos=".1 .05 0"/></body></body></worldbody>
  <actuator><motor joint="f" gear="2 0 1 0 .5 0" {}/><motor jointinparent="b" gear="1.5 .3 .2" damping=".04 .3 .1" armature=".02"/>
  </actuator><sensor><e_kinetic/></sensor></mujoco>"""
SCENES = {"hinges": ARM, "tendons": TENDONS, "ball and free": BALLS}
NO_DAMPERS = '><flag damper="disable"/></option>'
POLYNOMIAL = 'armature=".5" damping=".7 .1 .2"'
ARRAYS = "actuator_acc0 actuator_armature actuator_biasprm actuator_damping actuator_dampingpoly body_invweight0 dof_M0"


def speed(model):
    """(nv,) of rates."""
    return np.resize([1.0, -2.0], model.nv)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "RK4", "no dampers"])
def test_arrays_and_soft_steps_are_the_wheels(integrator, scene, tmp_path):
    """Measured: 4e-16 after 20 steps."""
    text = scene.format(integrator, POLYNOMIAL)
    if integrator == "no dampers":
        text = scene.format("Euler", POLYNOMIAL).replace("/>", NO_DAMPERS, 1)
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    for name in (*ARRAYS.split(), "dof_invweight0"):
        assert np.abs(getattr(model, name) - getattr(wheel, name)).max() < 1e-9, name
    save_mjcf(model, tmp_path / "arm.xml")
    assert np.array_equal(load_model(tmp_path / "arm.xml").actuator_dampingpoly, model.actuator_dampingpoly)
    data, sim = mujoco.MjData(wheel), SoftSimulator(model)
    state = sim.initial_state(qvel=speed(model))
    data.qvel[:] = speed(model)
    for _ in range(20):
        data.ctrl[:] = [0.3, 0.1]
        mujoco.mj_step(wheel, data)
        step = sim.step(state, [0.3, 0.1])
        state = step.state
    assert np.abs(state.qvel - data.qvel).max() < 1e-12 and np.abs(step.sensordata - data.sensordata).max() < 1e-12


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_hard_and_soft_tend_to_the_same_motion(scene):
    """Measured: 5e-4 and 3e-4 rad after 0.1 s, with tendons 1.6e-3 and 8e-4."""
    model, gaps = load_model(scene.format("Euler", POLYNOMIAL)), []
    for h in (2e-3, 1e-3):
        sims = [kind(model, timestep=h) for kind in (HardSimulator, SoftSimulator)]
        controls = np.tile([0.3, 0.1], (round(0.1 / h), 1))
        ends = [sim.rollout(sim.initial_state(qvel=speed(model)), controls).qpos[-1] for sim in sims]
        gaps.append(np.abs(model.difference(*ends)).max())
    assert gaps[0] < 1e-2 and gaps[1] < 0.7 * gaps[0], gaps


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_derivatives(scene):
    """With polynomial dampers and rotors. Measured: 7e-8, the round-off of the differences."""
    model = load_model(scene.format("Euler", POLYNOMIAL))
    sim, nv = HardSimulator(model), model.nv
    qpos = model.integrate(model.qpos0, np.resize([0.3, -0.4, 0.1, 0.2, -0.1], nv))
    state, control, eps = sim.initial_state(qpos=qpos, qvel=speed(model)), np.array([0.3, 0.1]), 1e-6
    lin = sim.linearize(state, control)

    def end(change):
        moved = sim.initial_state(qpos=model.integrate(qpos, change[:nv]), qvel=state.qvel + change[nv : 2 * nv])
        after = sim.step(moved, control + change[2 * nv :]).state
        return np.concatenate([model.difference(after.qpos, lin.next_state.qpos), after.qvel])

    numeric = np.array([(end(eps * row) - end(-eps * row)) / (2 * eps) for row in np.eye(2 * nv + 2)]).T
    error = np.abs(np.hstack([lin.A, lin.B]) - numeric).max()
    print(f"{error:.1e}")
    assert error < 1e-6


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_the_flag_switches_dampers_off_in_the_hard_mode(scene):
    texts = [scene.format("Euler", passive) for passive in ('armature=".5" damping="1"', 'armature=".5"')]
    texts = [texts[0].replace("/>", NO_DAMPERS, 1), texts[1].replace('damping=".4 .3 .1"', "").replace('damping=".04 .3 .1"', "")]
    ends = []
    for text in texts:
        sim = HardSimulator(load_model(text.replace('dampratio="1"', "")))
        ends.append(sim.step(sim.initial_state(qvel=speed(sim.model)), [0.3, 0.1]).state.qvel)
    assert np.array_equal(*ends)


def test_refused_by_name():
    text = ARM.format("Euler", "").replace('<joint name="k"', '<site name="s"/><joint name="k"')
    for name in ("armature", "damping"):  # (so does the wheel)
        with pytest.raises(ModelError, match=f"'m', {name}: needs a joint or a tendon"):
            load_model(text.replace('<motor joint="k"/>', f'<motor name="m" site="s" {name}="1"/>'))
    text = TENDONS.format("Euler", "").replace('damping=".4 .3 .1"', 'name="m" armature="1"')
    SoftSimulator(load_model(text))
    text = text.replace('<site site="w"/>', '<site site="w"/><geom geom="g"/>')
    text = text.replace('<site name="w"', '<geom name="g" size=".02"/><site name="w"')
    with pytest.raises(ModelError, match="'m', armature: .*wraps around geoms"):
        SoftSimulator(load_model(text))
    with pytest.raises(ModelError, match="damping: -1 is negative"):
        load_model(ARM.format("Euler", 'damping="-1"'))
