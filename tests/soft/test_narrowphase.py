"""Contacts of each pair of shapes against the wheel, at random poses from clear of each other to deep inside."""

import mujoco
import numpy as np
import oracle
import pytest

from dojo_py.soft import SoftSimulator
from dojo_py.soft.narrowphase import SHAPE_NAMES, SUPPORTED

SIZES = {
    "plane": "5 5 0.1",
    "sphere": "0.12",
    "capsule": "0.08 0.2",
    "ellipsoid": "0.1 0.2 0.15",
    "cylinder": "0.1 0.15",
    "box": "0.1 0.2 0.15",
}
OTHER_SIZES = {"capsule": "0.05 0.25", "box": "0.13 0.08 0.21"}
"""Of the second shape where both are of one kind."""


def pair_model(first, second, margin):
    """Two free bodies with one shape each; a plane is fixed in the world, tilted.

    An explicit pair: the wheel's broad phase drops some pairs of geoms that come within the margin along a separating axis only.
    """
    geom = '<geom name="{0}" type="{1}" size="{2}"/>'
    one = geom.format("a", first, SIZES[first])
    body = '<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{}</body>'
    one = one.replace("/>", ' euler="20 -30 10"/>') if first == "plane" else body.format(one)
    two = body.format(geom.format("b", second, OTHER_SIZES.get(second, SIZES[second]) if first == second else SIZES[second]))
    pair = f'<contact><pair geom1="a" geom2="b" margin="{margin}" condim="3"/></contact>'
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{one}{two}</worldbody>{pair}</mujoco>")


def poses(model, rng, count, aligned):
    """Random placements within reach; `aligned` uses right angles and common offsets: the degenerate cases."""
    for _ in range(count):
        qpos = np.array(model.qpos0)
        for a in range(0, model.nq, 7):
            qpos[a : a + 3] = rng.uniform(-0.3, 0.3, 3)
            q = rng.normal(size=4)
            if aligned:
                qpos[a : a + 3] = np.round(qpos[a : a + 3], 1)
                q = np.eye(4)[rng.integers(4)] + (rng.random() < 0.5) * np.eye(4)[rng.integers(4)]
            qpos[a + 3 : a + 7] = q / np.linalg.norm(q)
        yield qpos


def mismatches(kinds, margin, count, aligned=False, seed=0):
    """Number of poses, poses in contact, and a list of what differs beyond 1e-9."""
    model = pair_model(*(SHAPE_NAMES[k] for k in kinds), margin)
    simulator = SoftSimulator(model)
    touching, wrong = 0, []
    for qpos in poses(model, np.random.default_rng(seed), count, aligned):
        data = oracle.forward(model, qpos, np.zeros(model.nv))
        simulator.acceleration(simulator.initial_state(qpos))
        touching += data.ncon > 0
        try:
            differences = oracle.contact_differences(simulator, data)
        except AssertionError as error:
            wrong.append((qpos, str(error)))
            continue
        if any(value > 1e-9 for value in differences.values()):
            wrong.append((qpos, differences))
    return touching, wrong


@pytest.mark.parametrize("margin", [0, 0.2])
@pytest.mark.parametrize("kinds", sorted(SUPPORTED), ids=lambda k: f"{SHAPE_NAMES[k[0]]}-{SHAPE_NAMES[k[1]]}")
def test_contacts_of_a_pair(kinds, margin):
    """Count, order, distance, position and frame. Measured: 6e-13 at worst (capsule–box), 3e-15 otherwise."""
    touching, wrong = mismatches(kinds, margin, 1000)
    assert touching > 50
    assert not wrong, f"{len(wrong)} of {touching}: first {wrong[0]}"
