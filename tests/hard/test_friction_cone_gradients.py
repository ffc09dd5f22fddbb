"""Derivatives of the κ step with torsional, rolling and anisotropic friction, for all contacts, against Ridders' differences.

By state and wrench (A, reverse mode) and by the coefficients. Bound 1e-5 (scaled as in differences.py).
"""

import numpy as np
import pytest
from differences import compare, tight
from test_parameters import differences

from dojo_py import load_model

FRICTION = 'condim="6" friction=".5 .3 .02 .01 .03"'
SPHERE, BLOCK = 'type="sphere" size=".2"', 'type="box" size=".3 .2 .1"'
ROD, TILTED = 'type="capsule" size=".05 .4"', 'type="plane" size="0 0 1" euler="10 20 0"'
ON_WORLD = {
    "sphere on a slope": (SPHERE, TILTED, ".21"),
    "box on a slope": (BLOCK, TILTED, ".11"),
    "cylinder on a slope": ('type="cylinder" size=".1 .2"', TILTED, ".25"),
    "ellipsoid on a slope": ('type="ellipsoid" size=".1 .2 .15"', TILTED, ".16"),
    "sphere on a fixed box": (SPHERE, BLOCK, ".301"),
}
ON_BODY = {
    "sphere on a sphere": (SPHERE, 'type="sphere" size=".3"', ".3 .2 .352"),
    "sphere on a box": (SPHERE, BLOCK, "0 .05 .301"),
    "crossing capsules": (f'{ROD} euler="90 0 0"', 'type="capsule" size=".1 .4" euler="0 80 10"', "0 .1 .151"),
    "box on a box": ('type="box" size=".1 .1 .1" euler="5 3 20"', BLOCK, "0 .05 .212"),
    "ellipsoid on a box": ('type="ellipsoid" size=".1 .2 .15"', BLOCK, "0 .05 .26"),
}
SCENES = ON_WORLD | ON_BODY


def scene(name, friction=FRICTION):
    """(simulator, state) of two bodies, or one over the world, that slide, spin and roll on each other."""
    first, second, place = SCENES[name]
    pair = f'<contact><pair geom1="one" geom2="two" {friction}/></contact>'
    if name in ON_WORLD:
        world = f'<geom name="two" {second}/><body pos="0 0 {place}"><freejoint/><geom name="one" {first} mass="1"/></body>'
        rate = [0.5, 0.2, -1.0, 0.5, 1.0, 2.0]
    else:
        world = f"""<body pos="{place}"><freejoint/><geom name="one" {first} mass="1"/></body>
          <body><freejoint/><geom name="two" {second} mass="2"/></body>"""
        rate = [0.3, 0.2, -1.0, 0.5, 1.0, 2.0, 0, 0, 0.3, 0.5, -0.5, 0.3]
    gravity = "0 0 -9.81" if name in ON_WORLD else "0 0 0"
    model = load_model(f'<mujoco><option gravity="{gravity}"/><worldbody>{world}</worldbody>{pair}</mujoco>')
    sim = tight(model, 0.01)
    return sim, sim.initial_state(qvel=np.array(rate))


@pytest.mark.parametrize("kappa", [1e-2, 1e-4])
@pytest.mark.parametrize("name", SCENES)
def test_the_step_by_its_state(name, kappa):
    sim, state = scene(name)
    result = compare(sim, state, np.zeros(0), kappa)
    print(name, kappa, result)
    assert result.A < 1e-5


@pytest.mark.parametrize("name", ["box on a slope", "sphere on a sphere", "box on a box"])
@pytest.mark.parametrize("parameter", ["friction", "friction_directions", "friction_torsional", "friction_rolling"])
def test_the_step_by_its_coefficients(name, parameter):
    sim, state = scene(name)
    value = sim.parameter(parameter).value
    got = sim.linearize(state, np.zeros(0), kappa=1e-4, parameters=[parameter]).parameters[parameter]
    for k in range(value.size):
        scale = value.ravel()[k]
        expected = differences(sim, state.qpos, state.qvel, np.zeros(0), parameter, k, scale, 1e-4)
        assert np.abs(expected).max() > 1e-8
        assert np.abs(scale * got[:, k] - expected).max() < 1e-5 * max(np.abs(expected).max(), 1e-3)


@pytest.mark.parametrize("name", ["sphere on a slope", "sphere on a sphere", "crossing capsules"])
def test_points_and_radii_feel_the_torques(name):
    sim, state = scene(name)
    kinds = [k for k in ("contact_point", "contact_radius") if sim.parameter(k).size]
    found = sim.linearize(state, np.zeros(0), kappa=1e-4, parameters=kinds).parameters
    for kind in kinds:
        for k in range(sim.parameter(kind).size):
            expected = differences(sim, state.qpos, state.qvel, np.zeros(0), kind, k, 0.1, 1e-4)
            assert np.abs(0.1 * found[kind][:, k] - expected).max() < 1e-5 * max(np.abs(expected).max(), 1e-3), (kind, k)


@pytest.mark.parametrize("name", ["box on a slope", "sphere on a box"])
def test_reverse_mode_is_forward_mode(name):
    sim, state = scene(name)
    whole = sim.rollout(state, np.zeros((6, 0)), kappa=1e-3, linearize=True)
    expected = weights = np.random.default_rng(0).normal(size=2 * sim.model.nv)
    for A in whole.A[::-1]:
        expected = expected @ A
    back = sim.rollout_vjp(sim.rollout(state, np.zeros((6, 0)), kappa=1e-3), weights)
    assert np.abs(back.state - expected).max() < 1e-9 * np.abs(expected).max()
