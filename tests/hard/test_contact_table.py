"""The gaps that `Step.contacts` shows: no row overlaps by more than its shapes do."""

import numpy as np

from dojo_py import HardSimulator

HULLS = """<mujoco>
  <option gravity="0 0 0"/>
  <asset><mesh name="a" vertex="{}"/><mesh name="b" vertex="{}"/></asset>
  <worldbody>
    <body><freejoint/><geom type="mesh" mesh="a"/></body>
    <body pos="{}"><freejoint/><geom type="mesh" mesh="b"/></body>
  </worldbody>
</mujoco>"""


def numbers(values):
    """As in a file."""
    return " ".join(f"{x:.5f}" for x in np.ravel(values))


def test_no_row_overlaps_more_than_the_shapes():
    """26 pairs of drawn hulls, some of which start in each other. A feature whose corner lies beside its face goes on below the
    face's plane: rows were up to 4.3 mm deeper than the shapes, in four of these pairs.
    """
    rng = np.random.default_rng(0)
    overlaps = 0
    for _ in range(26):
        count = int(rng.integers(6, 40))
        hulls = [rng.normal(size=(count, 3)) * rng.uniform(0.02, 0.2, 3) for _ in range(2)]
        apart = rng.normal(size=3)
        apart /= np.linalg.norm(apart)
        sim = HardSimulator(HULLS.format(*map(numbers, hulls), numbers(0.3 * apart)), timestep=0.01)
        state = sim.initial_state()
        qvel = np.concatenate([apart * rng.uniform(1, 8), rng.normal(0, 6, 3), np.zeros(3), rng.normal(0, 6, 3)])
        state = sim.initial_state(state.qpos, qvel)
        for _ in range(5):
            pair = float(sim.rollout(state, np.zeros((1, 0))).min_gap[0])
            step = sim.step(state)
            state = step.state
            below = step.contacts.gap[step.contacts.gap < -1e-9]
            overlaps += len(below)
            assert np.all(below >= pair - 1e-9)
    assert overlaps >= 20
