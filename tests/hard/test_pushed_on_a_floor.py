"""Flat bodies that are pushed over a floor: four sliding contacts share loads that the motion does not determine, one sticks."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

SCENE = """<mujoco><worldbody><geom type="plane" size="3 3 1" friction="{mu}"/>
<body name="pushed" pos="0 0 .05"><freejoint/><geom type="{shape}" mass=".5" friction="{mu}"/></body>
<body name="pusher" pos="-.2 0 .05"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
  <geom type="sphere" size=".04" mass=".3" friction="{mu}"/></body></worldbody></mujoco>"""
DISC, BOX = 'cylinder" size=".08 .05', 'box" size=".08 .08 .05'
STARTS, STEPS = 60, 4


@pytest.mark.parametrize(
    ("shape", "mu", "h", "unsolved", "iterations"),
    [
        (DISC, 1.0, 0.01, 6, 70),
        (DISC, 1.0, 0.05, 2, 40),
        (DISC, 0.4, 0.01, 2, 40),
        (BOX, 0.4, 0.05, 4, 60),
        (BOX, 1.0, 0.01, 2, 40),
    ],
)
def test_a_sphere_hits_what_stands_on_a_floor(shape, mu, h, unsolved, iterations):
    """Off centre, at 0.2 to 3 m/s.

    Of these 240 steps 2, 0, 0, 1 and 0 are not SOLVED, after 46, 19, 24, 36 and 22 iterations a step in the mean. Of 600 steps of
    150 such starts 2, 0, 0, 1 and 1; without the proximal term of loads 19, 0, 0, 12 and 0, after twice as many iterations; and
    where the path's ratio of products changes to its end (`central_path.CATCH_UP`) 119, 0, 0, 26 and 7, after six times as many.
    """
    sim = HardSimulator(load_model(SCENE.format(shape=shape, mu=mu)), timestep=h)
    rng, start = np.random.default_rng(0), sim.initial_state()
    reach, lost, count = 0.16 if shape == BOX else 0.121, 0, 0
    for _ in range(STARTS):
        angle, off, speed = rng.uniform(-0.6, 0.6), rng.uniform(-0.06, 0.06), rng.uniform(0.2, 3.0)
        ahead = np.array([np.cos(angle), np.sin(angle)])
        place = np.array([-ahead[1], ahead[0]]) * off - ahead * (reach + rng.uniform(0.0, 0.02))
        state = sim.initial_state(qpos=[*start.qpos[:7], *(place + [0.2, 0.0])], qvel=[0.0] * 6 + [*(speed * ahead)])
        path = sim.rollout(state, np.zeros((STEPS, 0)))
        lost += np.count_nonzero(path.status)
        count += path.iterations.sum()
        assert path.min_gap.min() > -1e-9
    mean = count / (STARTS * STEPS)
    print(f"{lost} of {STARTS * STEPS} steps are not solved (bound {unsolved}), {mean:.1f} iterations a step (bound {iterations})")
    assert lost <= unsolved and mean <= iterations
