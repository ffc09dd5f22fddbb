"""Flat bodies that are pushed over a floor: four sliding contacts share loads that the motion does not determine, one sticks."""

from functools import cache

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

SCENE = """<mujoco><worldbody><geom type="plane" size="3 3 1" friction="{mu}"/>
<body name="pushed" pos="0 0 .05"><freejoint/><geom type="{shape}" mass=".5" friction="{mu}"/></body>
<body name="pusher" pos="-.2 0 .05"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
  <geom type="sphere" size=".04" mass=".3" friction="{mu}"/></body></worldbody></mujoco>"""
DISC, BOX = 'cylinder" size=".08 .05', 'box" size=".08 .08 .05'
STARTS, STEPS = 60, 4


SCENES = {
    "disc, mu 1, h 0.01": (DISC, 1.0, 0.01),
    "disc, mu 0.4, h 0.05": (DISC, 0.4, 0.05),
    "disc, mu 0.4, h 0.01": (DISC, 0.4, 0.01),
    "box, mu 0.4, h 0.05": (BOX, 0.4, 0.05),
    "box, mu 0.4, h 0.01": (BOX, 0.4, 0.01),
}
LOST = {"disc, mu 1, h 0.01": 1, "box, mu 0.4, h 0.05": 2}
"""Steps that are not SOLVED today; without the proximal term (proximal.py) 57, 36 and 11."""


@cache
def pushed(name):
    """(statuses, smallest gaps [m]) of the steps (STARTS * STEPS,) after a sphere has set off: off centre, 0.2 to 3 m/s."""
    shape, mu, h = SCENES[name]
    sim = HardSimulator(load_model(SCENE.format(shape=shape, mu=mu)), timestep=h)
    rng, start, reach = np.random.default_rng(0), sim.initial_state(), 0.16 if shape == BOX else 0.121
    paths = []
    for _ in range(STARTS):
        angle, off, speed = rng.uniform(-0.6, 0.6), rng.uniform(-0.06, 0.06), rng.uniform(0.2, 3.0)
        ahead = np.array([np.cos(angle), np.sin(angle)])
        place = np.array([-ahead[1], ahead[0]]) * off - ahead * (reach + rng.uniform(0.0, 0.02))
        state = sim.initial_state(qpos=[*start.qpos[:7], *(place + [0.2, 0.0])], qvel=[0.0] * 6 + [*(speed * ahead)])
        paths.append(sim.rollout(state, np.zeros((STEPS, 0))))
    return np.concatenate([path.status for path in paths]), np.concatenate([path.min_gap for path in paths])


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.xfail(strict=True, reason=f"bound 0 of 240, measured {LOST[name]}")] if name in LOST else []
        )
        for name in SCENES
    ],
)
def test_every_step_is_solved(name):
    status, _ = pushed(name)
    assert np.count_nonzero(status) == 0, f"{np.count_nonzero(status)} of {len(status)}"


@pytest.mark.parametrize("name", SCENES)
def test_solved_steps_have_no_overlap(name):
    """Bound -1e-9 m."""
    status, gap = pushed(name)
    assert gap[status == 0].min() > -1e-9
