"""On the central path, cylinders that stand on faces and are lifted off or tilted: every step is SOLVED in few iterations."""

import itertools

import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

SHAPES = {
    "floor": "",
    "cylinder": 'type="cylinder" size=".08 .05"',
    "box": 'type="box" size=".08 .08 .05"',
}
HEAD = """<mujoco><worldbody><geom type="plane" size="2 2 .1"/>{below}
  <body pos=".03 .02 {height}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1e-3 1.2e-3 1.4e-3"/><geom {shape}/></body>
  </worldbody></mujoco>"""
BODY = '<body pos="0 0 .051"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1e-3 1.2e-3 1.4e-3"/><geom {}/></body>'
ON = [("cylinder", "floor"), ("cylinder", "cylinder"), ("cylinder", "box"), ("box", "cylinder")]


LEFT = {
    ("cylinder", "box", "pyramid", 1e-5): "bound 0 of 90 not SOLVED: one, where a rim crosses the edge of a box",
    ("cylinder", "box", "pyramid", 1e-1): "bound 0 of 90 not SOLVED: 13, thrown off at 12 m/s; none with arms at the end of a step",
    ("cylinder", "floor", "cone", 1e-5): "bound 60 iterations: one step takes 71; at most 60 with arms at the end of a step",
    ("cylinder", "floor", "pyramid", 1e-5): "bound 60 iterations: one step takes 104; at most 60 with arms at the end of a step",
    ("cylinder", "cylinder", "pyramid", 1e-5): "bound 60 iterations: one step takes 100; at most 60 with arms at the end of a step",
    ("box", "cylinder", "cone", 1e-4): "bound 0 of 90 not SOLVED: one; none with arms at the end of a step",
    ("box", "cylinder", "pyramid", 1e-3): "bound 60 iterations: one of 90 steps takes 83 or is INEXACT after 166",
}


def cases():
    for (name, below), friction, kappa in itertools.product(ON, ("cone", "pyramid"), (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)):
        case = (name, below, friction, kappa)
        yield pytest.param(*case, marks=[pytest.mark.xfail(strict=False, reason=LEFT[case])] if case in LEFT else [])


@pytest.mark.parametrize(("name", "below", "friction", "kappa"), list(cases()))
def test_what_stands_on_a_cap_is_solved(name, below, friction, kappa):
    """Thirty drawn velocities, three steps. Before, ε = 1e-3 at every κ: 11 % not SOLVED on the floor at κ = 0.01, a third with
    pyramids, half of a cylinder on a cylinder; 147 iterations."""
    body = BODY.format(SHAPES[below]) if below != "floor" else ""
    xml = HEAD.format(below=body, height=0.152 if body else 0.051, shape=SHAPES[name].replace(".08", ".06"))
    sim, iterations = HardSimulator(load_model(xml), timestep=0.01, friction=friction), []
    for seed in range(30):
        state = sim.initial_state(qvel=0.3 * np.random.default_rng(seed).normal(size=sim.model.nv))
        for _ in range(3):
            step = sim.step(state, kappa=kappa)
            assert step.status is Status.SOLVED, f"seed {seed}"
            iterations.append(step.iterations)
            state = step.state
    print(f"{name} on {below}, {friction}, {kappa:g}: median {np.median(iterations):g}, most {max(iterations)}")
    assert np.median(iterations) <= 12 and max(iterations) <= 60


def test_drawn_cylinders_on_a_floor():
    """Of 1 cm to 3 m, level, nearly so, tilted or lying; masses, time steps, κ and friction drawn. Measured: 5, 11, most 30."""
    iterations = []
    for seed in range(100):
        rng = np.random.default_rng([9, seed])
        length, mass = 10 ** rng.uniform([-2.0, -1.5], [0.5, 1.5])
        radius, half = length * rng.uniform(0.2, 1.0, 2)
        tilt, turn = rng.choice([0.0, 1e-5, 1e-3, 0.03, 0.5, np.pi / 2]), rng.uniform(0.0, 2.0 * np.pi)
        quat = np.array([np.cos(tilt / 2), np.sin(tilt / 2) * np.cos(turn), np.sin(tilt / 2) * np.sin(turn), 0.0])
        height = half * np.cos(tilt) + radius * np.sin(tilt) + length * rng.choice([0.0, 1e-4, 1e-2])
        shape = f'type="cylinder" size="{radius} {half}" mass="{mass}"'
        xml = f"""<mujoco><worldbody><geom type="plane" size="9 9 1"/>
            <body pos="0 0 {height}"><freejoint/><geom {shape}/></body></worldbody></mujoco>"""
        h, friction = rng.choice([0.002, 0.01, 0.02]) * np.sqrt(length / 0.1), str(rng.choice(["cone", "pyramid"]))
        kappa = 10 ** rng.uniform(-6.0, -0.5) * mass * length * np.sqrt(10.0 * length)
        sim = HardSimulator(load_model(xml), timestep=float(h), friction=friction)
        speeds = np.concatenate([rng.normal(size=3) * np.sqrt(length), 0.6 * rng.normal(size=3) / np.sqrt(length)])
        state = sim.initial_state(np.concatenate([[0.0, 0.0, height], quat]), speeds)
        for _ in range(4):
            step = sim.step(state, kappa=kappa)
            assert step.status is Status.SOLVED, f"seed {seed}"
            iterations.append(step.iterations)
            state = step.state
    print(np.median(iterations), np.percentile(iterations, 99), max(iterations))
    assert np.median(iterations) <= 6 and np.percentile(iterations, 99) <= 14
