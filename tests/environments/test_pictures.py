"""Pictures of tasks: repeatable, and they follow the state. What the pixels show: tests/drawing/test_picture.py."""

import numpy as np
import pytest

from dojo_py.environments import make_task
from dojo_py.environments.render import render_task


@pytest.mark.parametrize("name", ["HalfCheetah", "Humanoid", "Quadrotor"])
def test_picture_is_repeatable_and_follows_the_state(name):
    task = make_task(name)
    first, second = (task.initial_state(np.random.default_rng(seed)) for seed in (0, 1))
    pictures = [render_task(task, s, 96, 72) for s in (first, first, second)]
    assert np.array_equal(pictures[0], pictures[1]) and not np.array_equal(pictures[0], pictures[2])
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 50
