"""How many blocks of Newton's matrix there has to be room for."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.hard.workspace import analyse_room
from dojo_py.solver.block_ldu import allocate, analyse


@pytest.mark.parametrize("links", [140, 200])
def test_two_links_that_may_touch_many_others(links):
    """Eliminated before these, each makes every two of them share a block. Fill-in was counted only as far as a first guess of the
    room went: that of the second link was not.
    """
    places = 2 * links
    fixed = np.array([(i, i + 1) for i in range(places - 1)])
    moving = np.array([(0, i) for i in range(2, links)] + [(links, i) for i in range(links + 2, places)])
    pattern, _ = allocate(places, places * (places - 1) // 2)
    edges = np.concatenate([fixed, moving])
    assert analyse_room(fixed, moving, places) == analyse(edges, len(edges), pattern)


def test_a_model_in_which_nothing_moves():
    assert analyse_room(np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64), 0) == 0
    sim = HardSimulator(load_model("<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>"))
    assert sim.step(sim.initial_state()).status == 0
