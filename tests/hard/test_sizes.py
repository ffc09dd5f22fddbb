"""Sizes of shapes and poses of planes as parameters: derivatives beside differences, values beside models with others, a fit."""

import mujoco
import numpy as np
import pytest
from default_run import in_turn, some
from differences import tight
from test_parameters import differences

from dojo_py import HardSimulator, load_model, save_mjcf
from dojo_py.identification import Recording, Unknown, identify

SHAPES = {
    "sphere": ('type="sphere" size="{}"', (0.05,)),
    "capsule": ('type="capsule" size="{} {}"', (0.03, 0.05)),
    "box": ('type="box" size="{} {} {}"', (0.05, 0.04, 0.03)),
    "cylinder": ('type="cylinder" size="{} {}"', (0.04, 0.05)),
    "ellipsoid": ('type="ellipsoid" size="{} {} {}"', (0.05, 0.03, 0.04)),
}
LYING = """<mujoco><option timestep="0.01"/>{more}<worldbody><geom name="floor" type="plane" size="2 2 .1"/>
  <geom name="table" pos="0 0 .0512" quat="1 .02 .01 0" {table}/>
  <body name="a" pos=".01 .02 .2" quat=".9 .3 .2 .1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1e-3 1.2e-3 1.4e-3"/>
    <geom name="g" {shape}/></body></worldbody></mujoco>"""


MESH = 'type="mesh" mesh="rock"', ()
ROCK = '<asset><mesh name="rock" vertex="-.06 -.05 -.04 .05 -.06 -.03 .01 .07 -.04 .02 -.01 .06 -.04 .03 .05"/></asset>'


def shape(name, sizes=None):
    text, usual = MESH if name == "mesh" else SHAPES[name]
    return text.format(*(usual if sizes is None else sizes))


def dropped(name, other, kappa):
    """A simulator and the state of a body of one shape soon after it has met a fixed one of the other, or the floor."""
    table = 'type="sphere" size=".001" contype="0" conaffinity="0"' if other == "floor" else shape(other)
    sim = tight(load_model(LYING.format(shape=shape(name), table=table, more=ROCK if other == "mesh" else "")), 0.01)
    state = sim.initial_state(qvel=[0.3, 0.1, -1.0, 2.0, 1.0, 3.0])
    met = 0
    for _ in range(60):
        step = sim.step(state, kappa=kappa)
        state, met = step.state, met + (np.min(step.contacts.gap, initial=1.0) < 2e-3 + 20.0 * kappa)
        if met > 2:
            break
    assert met > 2
    return sim, sim.initial_state(state.qpos, state.qvel)


@pytest.mark.parametrize(("other", "kappa"), in_turn(["floor", *SHAPES], (1e-3, 1e-6)))
@pytest.mark.parametrize("name", SHAPES)
def test_columns_are_the_differences_of_steps(name, other, kappa):
    """Of what falls, and of what it falls on, the floor's pose too; relative to the largest entry. Measured: 2e-7, else 5e-10."""
    sim, state = dropped(name, other, kappa)
    kinds = ["size", "plane_offset", "plane_normal"] if other == "floor" else ["size"]
    found = sim.linearize(state, kappa=kappa, parameters=kinds)
    assert found.status == 0
    for kind in kinds:
        scale = sim.parameter("size").value if kind == "size" else np.full(sim.parameter(kind).size, 0.1)
        columns = found.parameters[kind] * scale
        assert np.abs(columns).max() > 1e-3
        exact = [differences(sim, state.qpos, state.qvel, None, kind, k, scale[k], kappa) for k in range(len(scale))]
        worst = np.abs(columns - np.stack(exact, 1)).max() / np.abs(columns).max()
        print(f"{kind}: {name} on {other} {kappa:g}: {worst:.1e}")
        assert worst <= 1e-6


@pytest.mark.parametrize(("other", "kappa"), in_turn(["floor", *SHAPES, "mesh"], (1e-3, 1e-6)))
def test_centres_of_spheres_count_against_all_shapes(other, kappa):
    """`contact_point` of a sphere: columns beside differences; a model with the value steps alike. Measured: 1.9e-7, else 6e-9."""
    sim, state = dropped("sphere", other, kappa)
    columns = sim.linearize(state, kappa=kappa, parameters=["contact_point:g"]).parameters["contact_point:g"]
    assert np.abs(columns).max() > 1.0
    exact = [differences(sim, state.qpos, state.qvel, None, "contact_point:g", k, 0.01, kappa) for k in range(3)]
    worst = np.abs(0.01 * columns - np.stack(exact, 1)).max() / np.abs(0.01 * columns).max()
    print(f"sphere on {other} {kappa:g}: {worst:.1e}")
    assert worst <= 1e-6
    moved = sim.with_parameters({"contact_point:g": [0.02, -0.01, 0.015]})
    again = HardSimulator(moved.to_model(), timestep=0.01)
    ends = [one.step(one.initial_state(state.qpos, state.qvel), kappa=kappa).state.qvel for one in (sim, moved, again)]
    assert np.abs(ends[1] - ends[2]).max() < 1e-9 < np.abs(ends[1] - ends[0]).max()


OTHER = {
    "sphere": (0.056,),
    "capsule": (0.027, 0.06),
    "box": (0.045, 0.047, 0.033),
    "cylinder": (0.045, 0.04),
    "ellipsoid": (0.04, 0.035, 0.05),
}


@pytest.mark.parametrize("other", ["floor", *SHAPES])
@pytest.mark.parametrize("name", SHAPES)
def test_steps_are_those_of_a_model_with_these_sizes(name, other, tmp_path):
    """In the hard limit, and of `to_model`, whose file the wheel reads."""
    still = 'type="sphere" size=".001" contype="0" conaffinity="0"'
    tables = (still, still) if other == "floor" else (shape(other), shape(other, OTHER[other]))
    sims = [
        HardSimulator(load_model(LYING.format(shape=shape(name, sizes), table=table, more="")), timestep=0.01)
        for sizes, table in zip((None, OTHER[name]), tables, strict=True)
    ]
    sizes = {"size:g": OTHER[name]} | ({} if other == "floor" else {"size:table": OTHER[other]})
    changed = sims[0].with_parameters(sizes)
    model = changed.to_model()
    assert np.allclose(model.geom_size, sims[1].model.geom_size, rtol=0, atol=1e-16)
    ends = []
    for sim in (changed, sims[1], HardSimulator(model, timestep=0.01)):
        run = sim.rollout(sim.initial_state(qvel=[0.3, 0.1, -1.0, 2.0, 1.0, 3.0]), np.zeros((60, 0)))
        assert run.unsolved == 0
        ends.append(run.qpos)
    off = [np.abs(end - ends[1]).max() for end in ends]
    print(f"{name} on {other}: {off[0]:.1e} {off[2]:.1e}")
    assert max(off) < 1e-9
    assert np.abs(sims[0].rollout(sims[0].initial_state(), np.zeros((60, 0))).qpos - ends[1]).max() > 1e-3
    save_mjcf(model, tmp_path / "other.xml")
    assert np.allclose(mujoco.MjModel.from_xml_path(str(tmp_path / "other.xml")).geom_size, model.geom_size, rtol=0, atol=1e-12)


ABOVE = """<mujoco><option timestep="0.01"/><worldbody><geom name="floor" type="plane" size="2 2 .1" pos="0 0 -1"/>
  <geom name="table" {table}/><body name="a" pos="0 0 .3"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/>
    <geom name="g" {shape}/></body></worldbody></mujoco>"""
ELLIPSOID = 'type="ellipsoid" size=".05 .05 .05"'


def fallen(sim):
    run = sim.rollout(sim.initial_state(), np.zeros((60, 0)))
    assert run.unsolved == 0
    return run.qpos


def test_radii_count_against_all_shapes():
    """`contact_radius` of a sphere is its `size`: on an ellipsoid, where bounds of shapes that are not round pairs must follow."""
    sim = HardSimulator(load_model(ABOVE.format(table=ELLIPSOID, shape='size=".03"')))
    for radius in (0.06, 0.2):
        ends = [fallen(sim.with_parameters({name: radius})) for name in ("contact_radius:g", "size:g")]
        assert np.array_equal(*ends) and np.array_equal(
            ends[0], fallen(HardSimulator(sim.with_parameters({"size:g": radius}).to_model()))
        )
        assert ends[0][-1, 2] == pytest.approx(0.05 + radius, abs=1e-6)


@pytest.mark.parametrize("other", [{"contact_point:g": [0.0, 0.0, -0.2]}, {"contact_radius:g": 0.12}])
@pytest.mark.parametrize("shape", ['size=".05"', 'type="box" size=".05 .05 .05"'])
def test_kinds_that_change_one_shape_may_come_in_any_order(shape, other):
    """Bounds of a shape hold what both say of it."""
    other = {name: value for name, value in other.items() if not ("box" in shape and name == "contact_point:g")}
    sim = HardSimulator(load_model(ABOVE.format(table='size=".05"', shape=shape)))
    size = {"size:g": 0.2 if "box" in shape else 0.1}
    one, two = sim.with_parameters(other).with_parameters(size), sim.with_parameters(other | size)
    assert np.array_equal(fallen(one), fallen(two))
    for pairs in (one.world.pairs, two.world.pairs):
        away = np.linalg.norm(pairs.round_centre[2] - pairs.shape_centre[2]) + np.linalg.norm(pairs.round_half[2])
        assert pairs.shape_reach[2] >= away + pairs.round_radius[2] - 1e-15
        assert pairs.shape_inner[2] <= pairs.round_half[2].min() + pairs.round_radius[2] + 1e-15


def test_a_fit_finds_how_large_a_box_is():
    """From three tosses, sizes 20 % off. The box rests 4e-5 m above the floor. Measured: 0.6 % off, from elsewhere too."""
    floor = 'type="sphere" size=".001" contype="0" conaffinity="0"'
    true = HardSimulator(load_model(LYING.format(shape=shape("box"), table=floor, more="")), timestep=0.01)
    rng, tosses = np.random.default_rng(0), []
    for number in range(3):
        qvel = np.concatenate([rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3)])
        run = true.rollout(true.initial_state(qvel=qvel), np.zeros((40, 0)))
        noise = np.hstack([rng.normal(0, 1e-4, (41, 3)), rng.normal(0, 1e-3, (41, 3))])
        measured = [true.model.integrate(qpos, off) for qpos, off in zip(run.qpos, noise, strict=True)]
        tosses.append(Recording(str(number), np.array(measured), run.control))
    start = true.with_parameters({"size:g": [0.06, 0.032, 0.036]})
    found = identify(start, tosses, [Unknown("size:g", lower=0.01, upper=0.1)], kappa=1e-6)
    sizes = found.simulator.parameter("size:g").value
    print(sizes)
    assert np.abs(sizes / [0.05, 0.04, 0.03] - 1).max() < 0.01


@pytest.mark.parametrize("name", some(["sphere", "cylinder", "box"], ["sphere"]))
def test_a_fit_finds_how_a_floor_is_tilted(name):
    """By a ball, a cylinder, or a box; the start is given with another length. Only the direction counts, and is reported."""
    normal = np.array([0.05, -0.03, 1.0]) / np.linalg.norm([0.05, -0.03, 1.0])
    still = 'type="sphere" size=".001" contype="0" conaffinity="0"'
    sim = HardSimulator(load_model(LYING.format(shape=shape(name), table=still, more="")), timestep=0.01)
    true, rng, runs = sim.with_parameters({"plane_normal": normal}), np.random.default_rng(0), []
    for number in range(3):
        qvel = np.concatenate([rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3)])
        run = true.rollout(true.initial_state(qvel=qvel), np.zeros((50, 0)))
        measured = [sim.model.integrate(qpos, rng.normal(0, [1e-4] * 3 + [1e-3] * 3)) for qpos in run.qpos]
        runs.append(Recording(str(number), np.array(measured), run.control))
    found = identify(sim, runs, [Unknown("plane_normal", start=[0.0, 0.0, 7.0])], kappa=1e-6)
    value = found.simulator.parameter("plane_normal").value[0]
    print(name, value, found.values["plane_normal"], found.interval(0.95))
    assert np.abs(value - normal).max() < 3e-3
    assert np.linalg.norm(found.z) == pytest.approx(1.0, abs=0.05)
    with pytest.raises(ValueError, match="no transform"):
        identify(sim, runs, [Unknown("plane_normal", transform="log")])


def test_what_has_no_size_to_change_is_named():
    text = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
      <body name="a" pos="0 0 3"><freejoint/><geom name="hull" type="mesh" mesh="m"/></body>
      <body name="b"><freejoint/><geom name="ball" size=".1"/></body></worldbody></mujoco>"""
    sim = HardSimulator(load_model(text))
    assert sim.parameter("size").labels == ("ball.0",)
    with pytest.raises(ValueError, match="size of 'hull' is not one of"):
        sim.parameter("size:hull")
    with pytest.raises(ValueError, match="must be positive"):
        sim.with_parameters({"size:ball": 0.0})
