"""Random bodies that fall into a bin: how many steps are solved, with cylinders as without."""

import numpy as np
import pytest

import dojo_py

CORNERS = "-.06 -.05 -.05 .07 -.06 -.04 .02 .08 -.05 0 0 .08 .05 .05 .03 -.05 .04 .04"


def heap(kinds, number, seed):
    """MJCF of `number` bodies of random kinds, sizes and orientations above each other, in a bin of 0.5 m by 0.5 m."""
    rng, bodies = np.random.default_rng(seed), []
    for i in range(number):
        kind, s = kinds[rng.integers(len(kinds))], rng.uniform(0.04, 0.1, 3)
        size = {"box": s, "capsule": (0.6 * s[0], s[1]), "cylinder": (s[0], 0.8 * s[1]), "ellipsoid": s, "sphere": s[:1]}.get(kind)
        turn, place = rng.normal(size=4), (*rng.uniform(-0.12, 0.12, 2), 0.15 + 0.2 * i)
        shape = 'mesh="lump"' if kind == "mesh" else f'size="{_row(size)}"'
        bodies.append(f'<body pos="{_row(place)}" quat="{_row(turn)}"><freejoint/><geom type="{kind}" {shape}/></body>')
    sides = ((0.25, 0), (-0.25, 0), (0, 0.25), (0, -0.25))
    walls = "".join(f'<geom type="plane" size="2 2 .1" pos="{x} {y} 0" zaxis="{-x} {-y} 0"/>' for x, y in sides)
    asset = f'<asset><mesh name="lump" vertex="{CORNERS}"/></asset>'
    floor = '<geom type="plane" size="2 2 .1"/>'
    return f'<mujoco><option timestep="0.01"/>{asset}<worldbody>{floor}{walls}{"".join(bodies)}</worldbody></mujoco>'


def _row(numbers):
    return " ".join(f"{x:.9g}" for x in numbers)


def unsolved(kinds, number, seeds):
    """Steps of 150 a heap that are not SOLVED."""
    count = 0
    for seed in seeds:
        model = dojo_py.load_model(heap(kinds, number, seed))
        sim = dojo_py.HardSimulator(model)
        count += sim.rollout(sim.initial_state(), np.zeros((150, 0))).unsolved
    return count


ALL = ("box", "capsule", "ellipsoid", "sphere", "mesh", "cylinder")


@pytest.mark.parametrize(("kinds", "number", "bound"), [(("box", "cylinder"), 6, 9), (("cylinder",), 6, 27), (ALL, 8, 9)])
def test_bodies_fall_into_a_bin(kinds, number, bound):
    """Six heaps of each, 900 steps; measured: 6, 20, 0 (bounds 1 %, of cylinders alone 3 %)."""
    assert unsolved(kinds, number, range(6)) <= bound
