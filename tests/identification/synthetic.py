"""Tosses of a cube made by the engine itself, with friction and corners of our choice, with and without noise."""

import numpy as np

from dojo_py.identification import Recording, Unknown
from dojo_py.identification.cube import HALF, SIGNS, nominal_cube

FRICTION = 0.21


def truth():
    """The simulator that makes the tosses: every corner moved by up to 3 % of the half width."""
    corners = HALF * SIGNS * (1 + 0.03 * np.random.default_rng(7).uniform(-1, 1, SIGNS.shape))
    return nominal_cube().with_parameters({"friction": FRICTION, "contact_point": corners})


def tosses(count, steps=60, noise=0.0, seed=0):
    """Recordings of thrown cubes; noise [m] on positions, noise / half width [rad] on orientations."""
    sim, rng, out = truth(), np.random.default_rng(seed), []
    for i in range(count):
        qpos = np.array([0, 0, 0.1, *rng.normal(size=4)])
        qpos[3:] /= np.linalg.norm(qpos[3:])
        qvel = np.array([*rng.uniform(-1.5, 1.5, 2), -1.0, *rng.uniform(-8, 8, 3)])
        trajectory = sim.rollout(sim.initial_state(qpos, qvel), np.zeros((steps, 0)))
        assert trajectory.unsolved == 0
        scale = noise * np.array([1.0] * 3 + [1 / HALF] * 3)
        samples = [sim.model.integrate(q, scale * rng.normal(size=6)) for q in trajectory.qpos]
        out.append(Recording(f"toss {i}", np.array(samples)))
    return sim, out


def guess(sim, off=0.3):
    """Unknowns that start from a friction of 0.4 and corners off by `off`."""
    return [
        Unknown("friction", 0.4, 0.01, 0.8),
        Unknown("contact_point", HALF * SIGNS * (1 - off), -1.5 * HALF, 1.5 * HALF),
    ]


def errors(sim, result):
    """(relative error of friction, largest corner error / half width)"""
    friction = abs(result.values["friction"][0] / FRICTION - 1)
    corners = np.abs(result.values["contact_point"] - sim.parameter("contact_point").value).max() / HALF
    return friction, corners
