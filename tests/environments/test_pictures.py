"""Pictures of tasks: repeatable, and they follow the state. What the pixels show: tests/drawing/test_picture.py."""

import numpy as np
import pytest

from dojo_py import State, load_model
from dojo_py.environments import make_task
from dojo_py.environments.render import render, render_task


@pytest.mark.parametrize("name", ["HalfCheetah", "Humanoid", "Quadrotor"])
def test_picture_is_repeatable_and_follows_the_state(name):
    task = make_task(name)
    first, second = (task.initial_state(np.random.default_rng(seed)) for seed in (0, 1))
    pictures = [render_task(task, s, 96, 72) for s in (first, first, second)]
    assert np.array_equal(pictures[0], pictures[1]) and not np.array_equal(pictures[0], pictures[2])
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 50


def test_a_target_is_drawn_where_the_state_has_it():
    """Targets of tasks of one's own are mocap bodies."""
    model = load_model(
        """<mujoco><worldbody><body mocap="true" pos="0 0 9"><geom size=".3" rgba="1 0 0 1"/></body></worldbody></mujoco>"""
    )
    state = State(np.zeros(0), np.zeros(0), np.zeros(0), mocap_pos=np.zeros((1, 3)))
    picture = render(model, state, (90.0, 0.0, 4.0), np.zeros(3), 60, 40).astype(int)
    assert picture[20, 30, 0] > 2 * picture[20, 30, 2] and picture[2, 2, 0] < picture[2, 2, 2]
