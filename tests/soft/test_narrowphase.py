"""Contacts of each pair of shapes against the wheel, at random poses from clear of each other to deep inside.

Pairs that have a function of their own agree to round-off and in order. All others go through the wheel's general convex
algorithm, asked for all digits (`ccd_tolerance` 1e-12): its normals then have five or six digits, and which four of many corners
it keeps is left to round-off where several choices are equally large. Poses at which it contradicts itself are passed over.
"""

import mujoco
import numpy as np
import oracle
import pytest
from default_run import in_turn

import dojo_py
from dojo_py.soft import SoftSimulator
from dojo_py.soft.narrowphase import HFIELD, MESH, SEARCHED_PAIRS, SHAPE_NAMES, SUPPORTED
from dojo_py.soft.workspace import NCON

SIZES = {
    "plane": "5 5 0.1",
    "sphere": "0.12",
    "capsule": "0.08 0.2",
    "ellipsoid": "0.1 0.2 0.15",
    "cylinder": "0.1 0.15",
    "box": "0.1 0.2 0.15",
}
CORNERS = [(0.1, 0.01), (0.06, 0.09), (-0.05, 0.1), (-0.11, 0.02), (-0.04, -0.08), (0.05, -0.09)]
MESH_FILE = " ".join(f"{x} {y} {z}" for z in (-0.12, 0.12) for x, y in CORNERS)
"""Vertices of the mesh: a prism, so that faces with four and with six corners touch."""
CONVEX_PAIRS = sorted(pair for pair in SEARCHED_PAIRS if HFIELD not in pair)  # height fields: test_height_fields.py


def _named(value):
    """Of a pair of kinds, or a margin."""
    return f"{SHAPE_NAMES[value[0]]}-{SHAPE_NAMES[value[1]]}" if isinstance(value, tuple) else value


OTHER_SIZES = {"capsule": "0.05 0.25", "box": "0.13 0.08 0.21"}
"""Of the second shape where both are of one kind."""


def mjcf_of_pair(first, second, margin, option=""):
    """Two free bodies with one shape each; a plane is fixed in the world, tilted.

    An explicit pair: the wheel's broad phase drops some pairs of geoms that come within the margin along a separating axis only.
    """
    geom = '<geom name="{0}" type="{1}" {3}="{2}"/>'
    one = geom.format("a", first, SIZES.get(first, first), "size" if first in SIZES else "mesh")
    body = '<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{}</body>'
    one = one.replace("/>", ' euler="20 -30 10"/>') if first == "plane" else body.format(one)
    size = (OTHER_SIZES if first == second and second in OTHER_SIZES else SIZES).get(second, second)
    two = body.format(geom.format("b", second, size, "size" if second in SIZES else "mesh"))
    asset = f'<asset><mesh name="mesh" vertex="{MESH_FILE}"/></asset>' if "mesh" in (first, second) else ""
    pair = f'<contact><pair geom1="a" geom2="b" margin="{margin}" condim="3"/></contact>'
    return f"<mujoco>{option}{asset}<worldbody>{one}{two}</worldbody>{pair}</mujoco>"


def pair_model(first, second, margin, option=""):
    """`mjcf_of_pair` compiled by the wheel."""
    return mujoco.MjModel.from_xml_string(mjcf_of_pair(first, second, margin, option))


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


@pytest.mark.parametrize(("kinds", "margin"), in_turn(sorted(SUPPORTED - SEARCHED_PAIRS), (0, 0.2)), ids=_named)
def test_contacts_of_a_pair(kinds, margin):
    """Count, order, distance, position and frame. Measured: 6e-13 at worst (capsule–box), 3e-15 otherwise."""
    touching, wrong = mismatches(kinds, margin, 1000)
    assert touching > 50
    assert not wrong, f"{len(wrong)} of {touching}: first {wrong[0]}"


def contacts_of(model, qpos):
    """(n, 13) of the wheel: distance, position, frame."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    return np.c_[data.contact.dist, data.contact.pos, data.contact.frame]


def differences(ours, theirs):
    """Largest difference of distance, position and frame, in whatever order; infinite where the numbers of contacts differ."""
    if ours.shape != theirs.shape:
        return np.full(3, np.inf)
    if not len(ours):
        return np.zeros(3)
    nearest = np.abs(ours[:, None, :4] - theirs[None, :, :4]).max(axis=2)
    error = np.abs(ours - theirs[nearest.argmin(axis=1)])
    return np.array([error[:, 0].max(), max(error[:, 1:4].max(), nearest.min(axis=0).max()), error[:, 4:].max()])


def own_contacts(simulator, qpos):
    """(n, 13) likewise, of ours."""
    simulator.acceleration(simulator.initial_state(qpos))
    found = simulator.work.rows.contacts[: int(simulator.work.rows.counts[NCON])]
    return np.c_[found["dist"], found["pos"], found["frame"].reshape(-1, 9)]


def is_tie(model, qpos, theirs):
    """Whether the wheel's own contacts are others when the pose moves by 1e-9."""
    for seed in range(4):
        near = qpos + 1e-9 * np.random.default_rng(seed).normal(size=len(qpos))
        if differences(contacts_of(model, near), theirs).max() > 1e-4:
            return True
    return False


EXACT_WHEEL = '<option ccd_tolerance="1e-12" ccd_iterations="2000">{}</option>'


def general_mismatches(model, placements):
    """(contacts, of these with several points, what differs, largest differences of the others)."""
    simulator = SoftSimulator(model)
    found, several, wrong, largest = 0, 0, [], np.zeros(3)
    for qpos in placements:
        theirs, ours = contacts_of(model, qpos), own_contacts(simulator, qpos)
        error = differences(ours, theirs)
        found, several = found + bool(len(theirs)), several + (len(theirs) > 1)
        if (error <= np.array([1e-6, 2e-6, 5e-5])).all():
            largest = np.maximum(largest, error)
        elif not is_tie(model, qpos, theirs):
            wrong.append((qpos.tolist(), ours[:, :7], theirs[:, :7]))
    return found, several, wrong, largest


@pytest.mark.parametrize(("kinds", "margin"), in_turn(CONVEX_PAIRS, (0, 0.2)), ids=_named)
def test_contacts_of_a_general_pair(kinds, margin):
    """Count, distance, position and frame, faces and edges included. Measured: 4e-7 m, 1e-6 m (GJK's own, where apart), 2e-5.

    Within a margin: of two meshes that are apart the wheel may take an edge on a face for what is nearest (1 of 197).
    """
    model = pair_model(*(SHAPE_NAMES[k] for k in kinds), margin, EXACT_WHEEL.format(""))
    placements = poses(model, np.random.default_rng(0), 300, False)
    found, _, wrong, _ = general_mismatches(model, placements)
    assert found > 50
    assert len(wrong) <= (0.01 * found if margin and kinds == (MESH, MESH) else 0), f"{len(wrong)} of {found}: first {wrong[0]}"


def stacked(model, rng, count, height, tilt=0.05):
    """The first body on the second, nearly upright, anywhere in space."""
    for _ in range(count):
        qpos, turn, turned = np.array(model.qpos0), np.zeros(4), np.zeros(4)
        axis, yaw, angle = rng.normal(size=2), rng.uniform(0, 2 * np.pi), tilt * rng.random()
        axis = np.sin(angle / 2) * axis / np.linalg.norm(axis)
        mujoco.mju_mulQuat(turn, np.array([np.cos(angle / 2), *axis, 0.0]), np.array([np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]))
        place = np.array([*rng.uniform(-0.08, 0.08, 2), height - rng.uniform(0, 0.01)])
        whole = rng.normal(size=4)
        whole /= np.linalg.norm(whole)
        mujoco.mju_rotVecQuat(qpos[:3], place, whole)
        mujoco.mju_mulQuat(turned, whole, turn)
        qpos[3:7], qpos[10:14] = turned, whole
        qpos[7:10] = 0.0
        yield qpos


FACES = [
    ("cylinder", "box", 0.3), ("cylinder", "cylinder", 0.3), ("cylinder", "mesh", 0.27),
    ("box", "mesh", 0.27), ("mesh", "mesh", 0.24),
]  # fmt: skip


@pytest.mark.parametrize("first, second, height", FACES)
def test_faces_on_faces(first, second, height):
    """A cap or a face on another: the four corners that are kept. The wheel's ties are many on a cap, which is regular."""
    model = pair_model(first, second, 0, EXACT_WHEEL.format(""))
    found, several, wrong, _ = general_mismatches(model, stacked(model, np.random.default_rng(0), 100, height))
    assert several > 75
    assert len(wrong) <= 0.1 * found, f"{len(wrong)} of {found}: first {wrong[0]}"


def test_one_contact_without_multiccd():
    """The flag leaves one point, the deepest."""
    model = pair_model("cylinder", "box", 0, EXACT_WHEEL.format('<flag multiccd="disable"/>'))
    found, several, wrong, _ = general_mismatches(model, poses(model, np.random.default_rng(0), 300, False))
    assert found > 50 and several == 0 and not wrong


@pytest.mark.parametrize("kinds", [("plane", "mesh"), ("box", "mesh"), ("mesh", "mesh")])
def test_meshes_that_we_read(kinds):
    """A Model finds the faces of its hulls by itself: the same contacts as of the wheel's own lists."""
    wheel = pair_model(*kinds, 0, EXACT_WHEEL.format(""))
    text = mjcf_of_pair(*kinds, 0, EXACT_WHEEL.format(""))
    ours, theirs = SoftSimulator(dojo_py.load_model(text)), SoftSimulator(wheel)
    found = 0
    for qpos in poses(wheel, np.random.default_rng(0), 150, False):
        a, b = own_contacts(ours, qpos), own_contacts(theirs, qpos)
        found += bool(len(a))
        assert differences(a, b).max() < 1e-6
    assert found > 20


def test_a_mesh_lies_on_the_ground():
    """One second of a prism that falls on its face, beside the wheel's; measured: 2e-8 m."""
    shape = f'<asset><mesh name="m" vertex="{MESH_FILE}"/></asset>'
    body = '<body pos="0 0 0.125"><freejoint/><geom type="mesh" mesh="m"/></body>'
    text = f'<mujoco>{shape}<worldbody><geom type="plane" size="1 1 1"/>{body}</worldbody></mujoco>'
    wheel, simulator = mujoco.MjModel.from_xml_string(text), SoftSimulator(dojo_py.load_model(text))
    data = mujoco.MjData(wheel)
    mujoco.mj_step(wheel, data, 500)
    end = simulator.rollout(simulator.initial_state(), np.zeros((500, 0)))
    assert data.ncon == 4
    assert np.abs(end.qpos[-1, :3] - data.qpos[:3]).max() < 1e-6
