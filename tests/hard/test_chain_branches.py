"""Three hinges in one body reach an orientation in two ways, (a, b, c) and (a + π, π - b, c + π): angles stay on their branch."""

import numpy as np
import pytest
from loaded_step import LoadedStep

from dojo_py.hard.elements.chain_angles import chain_angles
from dojo_py.hard.elements.joints.compound import chain_pose
from dojo_py.jit import entry

THREE_HINGES = """<mujoco><worldbody><body><joint axis="0 0 1"/><joint axis="0 1 0"/><joint axis="1 0 0"/>
  <geom type="box" size=".1 .2 .3" pos=".1 .2 .1" mass="1"/></body></worldbody></mujoco>"""


@entry
def pose(L, theta, p, q):
    turn, S = np.zeros(4), np.zeros((6, 6))[:, 0:3]
    chain_pose(L, 0, theta, turn, p, q, S)


@entry
def angles(L, p, q, theta):
    chain_angles(L, 0, q, p, theta, np.zeros(4), True)


@pytest.mark.parametrize("off", [0.0, 1e-5, 1e-3])
def test_a_pose_that_the_chain_does_not_reach_keeps_its_branch(off):
    """off [m]: how far the anchor is from where it belongs. Poses that were off ended π away, and bodies at rates of π/h."""
    layout = LoadedStep(THREE_HINGES, seed=0).layout
    for seed in range(20):
        rng = np.random.default_rng(seed)
        there, p, q = rng.uniform(-1.2, 1.2, 3), np.zeros(3), np.zeros(4)
        pose(layout, there, p, q)
        p += off * rng.standard_normal(3)
        theta = there + 0.05 * rng.standard_normal(3)
        angles(layout, p, q, theta)
        assert np.abs(theta - there).max() < 20.0 * off + 1e-9
