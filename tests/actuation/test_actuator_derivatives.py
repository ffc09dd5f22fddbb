"""A and B through the actuators against central differences of the step at the same κ."""

import numpy as np
import pytest

import dojo_py

KAPPA = 1e-4
EPSILON = 1e-4
ARM = """<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1" {limit}/>
  <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/><site name="rail" euler="0 70 0"/><body pos=".4 0 0">
  <joint name="b" axis="0 1 .3" damping=".1"/>
  <geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/><site name="pin" pos=".3 .02 0"/><body pos=".3 0 0">
  <joint name="c" type="ball" damping=".05"/>
  <site name="tip" pos="0 .1 0" euler="40 0 0"/><geom type="box" size=".05 .1 .03"/></body></body></body></worldbody>
  <actuator>{actuators}</actuator></mujoco>"""
AFFINE = 'gaintype="affine" gainprm="2 3 -4" biastype="affine" biasprm=".5 -3 -.7"'
CASES = {
    "damper": '<damper joint="a" kv="3" ctrlrange="0 2"/><damper joint="b" kv="1" gear="2" ctrlrange="0 2"/>',
    "affine gain": f'<general joint="a" {AFFINE} gear="-1.5"/><general joint="b" {AFFINE}/>',
    "affine gain with activation": f'<general joint="a" {AFFINE} dyntype="filter" dynprm=".05" actearly="true"/>',
    "affine gain, saturated": f'<general joint="a" {AFFINE} forcerange="-.1 .1"/><general joint="b" {AFFINE}/>',
    "affine gain on a ball": f'<general joint="c" {AFFINE} gear="1 .5 -.3"/>',
    "muscles": '<muscle joint="a" lengthrange="-1.5 1.5" force="30"/><muscle joint="b" gear="-2" lengthrange="-3 3" force="8"/>',
    "muscle's force on a ball": '<general joint="c" gaintype="muscle" gainprm=".6 1.3 3 1 .4 1.7 1.5 1.3 1.2" lengthrange="-2 2"/>',
    "muscle beyond its bound": '<muscle joint="a" lengthrange="-1.5 1.5" force="30" forcerange="-1 0"/>',
    "slider-crank": f'<general cranksite="pin" slidersite="rail" cranklength="1" {AFFINE} gear="1.5"/>',
    "servo of a slider-crank": '<position cranksite="rail" slidersite="tip" cranklength="1.3" kp="20" kv=".3"/>',
    "slider-crank, rod too short": '<motor cranksite="pin" slidersite="rail" cranklength=".01"/>',
    "wrenches fixed in bodies": '<motor site="tip" gear="8 -3 5 .2 1 .4"/><motor site="pin" gear="0 6 9 0 -1 0"/>',
    "fixed in a body, beside one against another site": (
        '<motor site="tip" gear="8 -3 5 .2 1 .4" forcerange="-.2 .5"/>'
        '<position site="tip" refsite="rail" gear="1 2 0 0 0 1" kp="9"/>'
    ),
    "fixed in a body, with activation": (
        '<general site="pin" gear="0 6 20 0 -1 0" dyntype="filter" dynprm=".05" actearly="true"/><motor joint="b"/>'
    ),
    "damper on a site": f'<general site="pin" gear="3 6 2 0 -1 0" {AFFINE}/>',
    "servo of a ball": '<position joint="c" kp="2" kv=".1" gear=".3 0 .2"/>',
}
BOUNDED = {
    "motor beside a free servo": '<motor joint="a" gear="3"/><position joint="a" kp="5"/>',
    "motor beside a saturated servo": '<motor joint="a" gear="3"/><position joint="a" kp="500" gear="-2"/>',
    "motor beside a servo with its own bound": '<motor joint="a" gear="3"/><position joint="a" kp="500" forcerange="-2 1"/>',
    "motor beyond what the servo can take back": '<motor joint="a" gear="50"/><position joint="a" kp="500" forcerange="-.1 .1"/>',
    "beside others": '<motor joint="b"/><motor joint="a" gear="30"/><position joint="a" kp="5"/><motor site="pin" gear="0 0 9"/>',
    "motors": '<motor joint="a" gear="30"/><motor joint="a" gear="20"/>',
    "damper and motor": '<motor joint="a" gear="3"/><damper joint="a" kv="30" ctrlrange="0 2"/>',
}


def differences(simulator, state, control):
    """A (n, n), B (n, nu), n = 2 nv + na, by central differences of `step(kappa=KAPPA)`."""
    model = simulator.model
    nv, columns = model.nv, []
    n = 2 * nv + model.na
    size = n + model.nu
    for i in range(size):
        ends = []
        for sign in (1, -1):
            move = np.zeros(size)
            move[i] = sign * EPSILON
            qpos = model.integrate(state.qpos, move[:nv])
            start = simulator.initial_state(qpos, state.qvel + move[nv : 2 * nv], act=state.act + move[2 * nv : n])
            ends.append(simulator.step(start, control + move[n:], kappa=KAPPA).state)
        dq = model.difference(ends[0].qpos, ends[1].qpos)
        columns.append(np.concatenate([dq, ends[0].qvel - ends[1].qvel, ends[0].act - ends[1].act]) / (2 * EPSILON))
    table = np.array(columns).T
    return table[:, :n], table[:, n:]


@pytest.mark.parametrize("name", CASES | BOUNDED)
def test_against_differences(name):
    """Measured: 4e-7 of the largest entry, from the differences themselves."""
    text = ARM.format(actuators=(CASES | BOUNDED)[name], limit='actuatorfrcrange="-4 6"' if name in BOUNDED else "")
    model = dojo_py.load_model(text)
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        qpos = model.integrate(model.qpos0, rng.uniform(-1, 1, model.nv))
        state = simulator.initial_state(qpos, rng.uniform(-2, 2, model.nv), act=rng.uniform(-1, 1, model.na))
        control = rng.uniform(0.1, 1, model.nu)
        lin = simulator.linearize(state, control, kappa=KAPPA)
        for ours, by_difference in zip((lin.A, lin.B), differences(simulator, state, control), strict=True):
            error = np.abs(ours - by_difference).max() / max(1e-3, np.abs(by_difference).max())
            print(f"{name}, state {seed}: {error:.1e} (bound 1e-5)")
            assert error < 1e-5


def test_gear_of_a_servo_that_takes_the_short_way():
    """Its whole turn is 2π times the gear, which counts in the derivative by the gear."""
    text = ARM.format(actuators='<position name="s" joint="c" kp="2" kv=".1" gear=".3 0 .2"/>', limit="")
    model = dojo_py.load_model(text)
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    state, control = simulator.initial_state(model.integrate(model.qpos0, np.full(model.nv, 0.3))), np.array([2.5])
    column = simulator.linearize(state, control, kappa=KAPPA, parameters=["gear:s.0"]).parameters["gear:s.0"]
    ends = []
    for sign in (1, -1):
        values = simulator.parameter("gear:s.0").value + sign * 1e-4
        ends.append(simulator.with_parameters({"gear:s.0": values}).step(state, control, kappa=KAPPA).state)
    by_difference = np.concatenate([model.difference(ends[0].qpos, ends[1].qpos), ends[0].qvel - ends[1].qvel]) / 2e-4
    assert np.abs(by_difference).max() > 1e-3
    assert np.ravel(column) == pytest.approx(by_difference, rel=1e-5, abs=1e-6 * np.abs(by_difference).max())


@pytest.mark.parametrize("limits", ['forcerange="-1.65e-7 1.11e-7"', 'ctrlrange="-1e-7 1e-7"', ""])
def test_controls_whose_force_is_a_tenth_of_a_micronewton(limits):
    """The difference step stays within the range: B = h gear / inertia to 1e-9. Before: off by a factor of 70 with the first."""
    xml = f"""<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="x" type="slide" axis="1 0 0"/>
      <geom type="sphere" size=".001" mass="1e-4" contype="0" conaffinity="0"/></body></worldbody>
      <actuator><motor joint="x" gear="-2" {limits}/></actuator></mujoco>"""
    sim = dojo_py.HardSimulator(dojo_py.load_model(xml), timestep=1e-3)
    lin = sim.linearize(sim.initial_state(), np.array([2e-9]), kappa=1e-8)
    np.testing.assert_allclose(lin.B[1, 0], -2 * 1e-3 / 1e-4, rtol=1e-9)
