"""Height fields against the wheel: contacts one by one in its order, one step, twenty steps, on generated terrains.

The wheel is asked for all digits (`ccd_tolerance` 1e-12). Of boxes and meshes it then still stops early on height fields: it takes
a corner of the box for one that it has seen, whichever corner of the prism it stands with, and gives a depth too small by up to its
size (test_what_the_wheel_says_of_boxes). A margin of 1e-13 m switches that test off in the wheel, and is what boxes and meshes are
compared at.
"""

import mujoco
import numpy as np
import pytest
from oracle import forward
from test_narrowphase import MESH_FILE, own_contacts

import dojo_py
from dojo_py.mechanism.hfield_surface import hfield_points
from dojo_py.sensors.rays import cells_below
from dojo_py.soft import SoftSimulator

SIZES = {"sphere": "0.13", "capsule": "0.08 0.15", "ellipsoid": "0.1 0.15 0.2", "cylinder": "0.1 0.15", "box": "0.1 0.15 0.2"}
KINDS = [*SIZES, "mesh"]
DISCRETE = ("box", "mesh")
STEEP, GENTLE = "0.6 0.5 0.3 0.1", "0.6 0.5 0.06 0.1"


def terrain(rng, kind, size=STEEP, margin=0.0, gap=0.0, option="", moving=False, geom=""):
    """A tilted height field of random heights and a free body of one shape; the terrain may move, too."""
    nrow, ncol = rng.integers(3, 9, 2)
    heights = " ".join(repr(float(h)) for h in rng.uniform(size=nrow * ncol))
    shape = f'type="{kind}" ' + ('mesh="m"' if kind == "mesh" else f'size="{SIZES[kind]}"')
    field = f'<geom name="t" type="hfield" hfield="h" euler="10 -20 30" margin="{margin}" gap="{gap}"/>'
    mass = '<inertial pos="0 0 0" mass="{}" diaginertia="{}"/>'
    field = f'<body pos="1 2 3"><freejoint/>{mass.format(9, "1 2 3")}{field}</body>' if moving else field
    return f"""<mujoco><option ccd_tolerance="1e-12" ccd_iterations="2000" tolerance="1e-14" iterations="300" {option}/><asset>
      <mesh name="m" vertex="{MESH_FILE}"/>
      <hfield name="h" nrow="{nrow}" ncol="{ncol}" size="{size}" elevation="{heights}"/></asset>
      <worldbody>{field}<body><freejoint/>{mass.format(2, ".01 .02 .03")}<geom {shape} {geom}/></body></worldbody></mujoco>"""


def placed(model, rng):
    """A pose of the last body, from clear of the terrain to inside it and over its rim."""
    data = forward(model, model.qpos0, np.zeros(model.nv))
    field, body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "t"), model.nq - 7
    place = np.array([rng.uniform(-0.65, 0.65), rng.uniform(-0.55, 0.55), rng.uniform(-0.1, 0.5)])
    qpos, turn = np.array(model.qpos0), rng.normal(size=4)
    qpos[body : body + 3] = data.geom_xpos[field] + data.geom_xmat[field].reshape(3, 3) @ place
    qpos[body + 3 :] = turn / np.linalg.norm(turn)
    return qpos


def wheels_contacts(model, qpos):
    data = forward(model, qpos, np.zeros(model.nv))
    return np.c_[data.contact.dist, data.contact.pos, data.contact.frame]


@pytest.mark.parametrize("margin, gap, moving", [(0.0, 0.0, False), (0.02, 0.01, False), (0.0, 0.0, True)])
@pytest.mark.parametrize("kind", KINDS)
def test_contacts(kind, margin, gap, moving):
    """Number, order, depth, point, normal. Measured: 8e-11 m, 5e-7 m, 2e-5 (ellipsoids, where the wheel's search has six digits);
    without curved faces 8e-13 m, 3e-7 m, 2e-11.
    """
    rng, found = np.random.default_rng(0), 0
    worst = np.zeros(3)
    for _ in range(12):
        small = 1e-13 if kind in DISCRETE and margin == 0.0 else 0.0
        text = terrain(rng, kind, margin=margin + small, gap=gap, moving=moving)
        wheel, ours = mujoco.MjModel.from_xml_string(text), SoftSimulator(dojo_py.load_model(text))
        for _ in range(8):
            qpos = placed(wheel, rng)
            a, b = own_contacts(ours, qpos), wheels_contacts(wheel, qpos)
            assert len(a) == len(b), qpos
            found += len(a)
            if len(a):
                error = np.abs(a - b)
                worst = np.maximum(worst, [error[:, 0].max(), error[:, 1:4].max(), error[:, 4:7].max()])
    assert found > 100
    assert (worst <= [1e-10, 1e-6, 5e-5]).all(), worst


@pytest.mark.parametrize("kind", KINDS)
def test_motion(kind):
    """One step and twenty of a body that falls onto gentle terrain [m, m/s times h].

    Measured: 1e-15 and 2e-14; with ellipsoids and cylinders, whose contact points the wheel finds to 1e-7 m, 2e-9 and 2e-8.
    """
    rng = np.random.default_rng(1)
    one, many, touched = 0.0, 0.0, 0
    for _ in range(6):
        text = terrain(rng, kind, GENTLE, margin=1e-13 if kind in DISCRETE else 0.0, geom='friction="0.7"')
        wheel = mujoco.MjModel.from_xml_string(text)
        ours, data = SoftSimulator(dojo_py.load_model(text)), mujoco.MjData(wheel)
        qpos, qvel = placed(wheel, rng), 0.3 * rng.normal(size=6)
        qpos[:3] = *rng.uniform(-0.2, 0.2, 2), 0.6
        while not len(wheels_contacts(wheel, qpos)):
            qpos[2] -= 0.003
        data.qpos[:], data.qvel[:] = qpos, qvel
        state = ours.initial_state(qpos, qvel)
        for step in range(20):
            mujoco.mj_step(wheel, data)
            state = ours.step(state).state
            touched += data.ncon > 0
            difference = max(np.abs(state.qpos - data.qpos).max(), wheel.opt.timestep * np.abs(state.qvel - data.qvel).max())
            one, many = max(one, difference if step == 0 else 0.0), max(many, difference)
    assert touched > 45  # of 120
    assert one < 1e-8 and many < (1e-7 if kind in ("ellipsoid", "cylinder") else 1e-12)


def depth_by_separating_axes(first, second):
    """The overlap of two convex polyhedra (corners, normals of faces, directions of edges): the least over all candidate axes."""
    axes = [*first[1], *second[1], *(np.cross(a, b) for a in first[2] for b in second[2])]
    axes = np.array([axis / np.linalg.norm(axis) for axis in axes if np.linalg.norm(axis) > 1e-9])
    axes = np.concatenate([axes, -axes])
    return float(((second[0] @ axes.T).min(axis=0) - (first[0] @ axes.T).max(axis=0)).max())


def box_polyhedron(centre, turn, half):
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    return centre + corners @ turn.T, list(turn.T), list(turn.T)


def prism_polyhedron(top, bottom):
    low = top * [1, 1, 0] + [0, 0, bottom]
    edges = [*(top - np.roll(top, 1, 0)), *(low - np.roll(low, 1, 0)), np.array([0.0, 0, 1])]
    sides = [np.cross(edge, [0, 0, 1]) for edge in edges[3:6]]
    return np.concatenate([top, low]), [np.cross(edges[0], edges[1]), np.array([0.0, 0, 1]), *sides], edges


def test_what_the_wheel_says_of_boxes():
    """By separating axes, which needs no search, our depths are right to 1e-12 (measured: 2e-16); the wheel's are too small, by up
    to 0.1 m here, never too large.
    """
    rng, ours_off, wheel_off = np.random.default_rng(2), 0.0, []
    for _ in range(10):
        text = terrain(rng, "box")
        wheel, ours = mujoco.MjModel.from_xml_string(text), SoftSimulator(dojo_py.load_model(text))
        qpos = placed(wheel, rng)
        data = forward(wheel, qpos, np.zeros(6))
        turn = data.geom_xmat[0].reshape(3, 3)
        place, turned = turn.T @ (data.geom_xpos[1] - data.geom_xpos[0]), turn.T @ data.geom_xmat[1].reshape(3, 3)
        box = box_polyhedron(place, turned, [0.1, 0.15, 0.2])
        depths = [depth_by_separating_axes(prism_polyhedron(top, -0.1), box) for top in all_triangles(wheel)]
        depths = np.array([depth for depth in depths if depth < 0.0])
        found = own_contacts(ours, qpos)[:, 0]
        assert len(found) == len(depths) == data.ncon
        if len(found):
            ours_off = max(ours_off, np.abs(np.sort(found) - np.sort(depths)).max())
            wheel_off += list(data.contact.dist - found)
    assert ours_off < 1e-12 and min(wheel_off) > -1e-12 and max(wheel_off) > 1e-3


def all_triangles(model):
    """Of a wheel's height field, in its frame."""
    nrow, ncol, (x, y, top, _) = int(model.hfield_nrow[0]), int(model.hfield_ncol[0]), model.hfield_size[0]
    z = model.hfield_data.reshape(nrow, ncol).astype(float) * top
    p = np.stack([*np.meshgrid(np.linspace(-x, x, ncol), np.linspace(-y, y, nrow)), z], axis=-1)
    for r in range(nrow - 1):
        for c in range(ncol - 1):
            yield np.array([p[r + 1, c], p[r, c], p[r + 1, c + 1]])
            yield np.array([p[r, c], p[r + 1, c + 1], p[r, c + 1]])


def test_at_most_fifty_contacts_of_a_pair():
    text = """<mujoco><asset><hfield name="h" nrow="40" ncol="40" size="1 1 .2 .1"/></asset><worldbody>
      <geom type="hfield" hfield="h"/><body pos=".013 .017 .099"><freejoint/><geom type="box" size=".8 .8 .1"/></body>
      </worldbody></mujoco>"""
    wheel, ours = mujoco.MjModel.from_xml_string(text), SoftSimulator(dojo_py.load_model(text))
    found, theirs = own_contacts(ours, wheel.qpos0), wheels_contacts(wheel, wheel.qpos0)
    assert len(found) == len(theirs) == 50
    assert np.abs(found[:, 0] + 1e-3).max() < 1e-12 and np.abs(found[:, 6] - 1.0).max() < 1e-12  # where on a flat face is open
    assert np.abs(found - theirs)[:, 1:3].max() < 0.06  # the width of a cell: the same prisms in the same order


def test_planes_and_other_height_fields_are_not_met():
    text = """<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody><geom type="plane" size="9 9 1"/>
      <geom type="hfield" hfield="h"/><body pos="0 0 .5"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="hfield" hfield="h"/></body></worldbody></mujoco>"""
    wheel, ours = mujoco.MjModel.from_xml_string(text), SoftSimulator(dojo_py.load_model(text))
    assert len(own_contacts(ours, wheel.qpos0)) == len(wheels_contacts(wheel, wheel.qpos0)) == 0


def test_poses_without_sense_make_no_contacts():
    """NaN, infinity and far away: no work without end."""
    text = terrain(np.random.default_rng(0), "box")
    ours = SoftSimulator(dojo_py.load_model(text))
    for place in (1e8, -1e8, 1e150):
        qpos = ours.model.qpos0.copy()
        qpos[:3] = place
        assert len(own_contacts(ours, qpos)) == 0


def test_rays_meet_height_fields_where_the_wheel_says():
    """From above, below, beside, along rows, columns and edges; of many cells a ray looks at those below it."""
    rng, nrow, ncol = np.random.default_rng(0), 60, 45
    heights = " ".join(f"{z:.3f}" for z in rng.uniform(size=nrow * ncol))
    ways = [*rng.normal(size=(30, 3)), *np.eye(3), *-np.eye(3), (1, 1, 0), (0, -1, -1), (-1, 0, -0.2)]
    sites = "".join(
        f'<site name="s{i}" pos="{x} {y} {z}" zaxis="{a} {b} {c}"/>'
        for i, ((x, y, z), (a, b, c)) in enumerate(zip(rng.uniform(-1, 1, (len(ways), 3)) * [1.2, 0.8, 0.3], ways, strict=True))
    )
    text = f"""<mujoco><asset><hfield name="h" nrow="{nrow}" ncol="{ncol}" size="1 .7 .2 .1" elevation="{heights}"/></asset>
      <worldbody><geom type="hfield" hfield="h"/><body><joint type="slide"/><geom size=".01" pos="0 0 9"/>{sites}</body></worldbody>
      <sensor>{"".join(f'<rangefinder site="s{i}"/>' for i in range(len(ways)))}</sensor></mujoco>"""
    wheel, model = mujoco.MjModel.from_xml_string(text), dojo_py.load_model(text)
    data = mujoco.MjData(wheel)
    mujoco.mj_step(wheel, data)
    ours = SoftSimulator(model).step(SoftSimulator(model).initial_state()).sensordata
    assert 10 < np.count_nonzero(ours >= 0.0) < len(ways)
    np.testing.assert_allclose(ours, data.sensordata, atol=1e-9)
    points = hfield_points(model, 0)
    assert all(cells_below(points, np.zeros(3), way / np.linalg.norm(way)).sum() <= 2 * (nrow + ncol) for way in ways[:30])
