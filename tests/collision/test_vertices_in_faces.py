"""Vertices that lie in a face of a hull but for round-off are no corners of it, and nothing may be searched for from there."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

PRISM = """<mujoco><asset><mesh name="m" vertex="{}"/></asset><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 .15"><freejoint/><geom type="mesh" mesh="m"/></body>{}</worldbody></mujoco>"""
TABLE = '<geom type="box" size=".3 .3 .02" pos="0 0 .02"/>'


def prism(bulge):
    """24 corners, and before them one that is in the middle of the upper face but for `bulge` [m]."""
    angle = 2 * np.pi * np.arange(12) / 12
    ring = 0.1 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    return np.vstack([[[0.0, 0.0, 0.06 + bulge]], ring + [0, 0, -0.05], ring + [0, 0, 0.06]])


@pytest.mark.parametrize("table", ["", TABLE])
@pytest.mark.parametrize("bulge", [1e-12, 1e-11, 1e-9])
def test_a_prism_falls_on_the_floor_and_on_a_box(bulge, table):
    """It fell through, as did a link of a public robot: the first vertex had no neighbours, so it seemed to be the lowest one."""
    text = PRISM.format(" ".join(f"{x!r}" for x in prism(bulge).ravel().tolist()), table)
    sim = HardSimulator(load_model(text), timestep=0.01)
    pairs = sim.world.pairs
    for first, count in pairs.shape_hull[pairs.shape_kind == 7]:
        assert count >= 24 and np.all(np.diff(pairs.first)[first : first + count] >= 3)
    run = sim.rollout(sim.initial_state(), np.zeros((60, 0)))
    height = 0.04 * bool(table)
    lowest = run.qpos[-1, 2] - height
    assert run.unsolved == 0 and run.min_gap.min() > -1e-9
    assert 0.04 < lowest < 0.07 and np.abs(run.qvel[-1]).max() < 1e-6
