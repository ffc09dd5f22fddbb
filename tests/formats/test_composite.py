"""`composite` as the modeling chapter describes it: counts of bodies, joints, tendons and equalities, masses, places, motion."""

import mujoco
import numpy as np
import pytest
from default_run import some
from wheel_oracle import assert_equal

import dojo_py
from dojo_py import ModelError, load_model
from dojo_py.formats.save import mjcf


def world(inner, around=""):
    inner = f"<body {around} pos='0 0 1'><freejoint/>{inner}</body>" if around else inner
    return f"<mujoco><worldbody><geom type='plane' size='5 5 1'/>{inner}</worldbody></mujoco>"


def sphere(radius):
    return 1000.0 * 4.0 / 3.0 * np.pi * radius**3


CHAPTER = {
    "particle": world('<composite type="particle" count="10 10 10" spacing="0.07" offset="0 0 1"><geom size=".02"/></composite>'),
    "grid 1D": world(
        '<composite type="grid" count="20 1 1" spacing="0.045" offset="0 0 1"><joint kind="main" damping="0.001"/>'
        '<tendon kind="main" width="0.01"/><geom size=".02" rgba=".8 .2 .1 1"/><pin coord="1"/><pin coord="13"/></composite>'
    ),
    "grid 2D": world(
        '<composite type="grid" count="9 9 1" spacing="0.05" offset="0 0 1"><skin material="matcarpet" inflate="0.001" subgrid="3"'
        ' texcoord="true"/><geom size=".02"/><pin coord="0 0"/><pin coord="8 0"/></composite>'
    ),
    "rope": world(
        '<composite type="rope" count="21 1 1" spacing="0.04" offset="0 0 2"><joint kind="main" damping="0.005"/>'
        '<geom type="capsule" size=".01 .015"/></composite>', 'name="B10"',
    ),
    "loop": world(
        '<composite type="loop" count="21 1 1" spacing="0.04"><joint kind="main" damping="0.005"/>'
        '<geom type="capsule" size=".01 .015"/></composite>', 'name="B10"',
    ),
    "cloth": world(
        '<composite type="cloth" count="9 9 1" spacing="0.05" flatinertia="0.01"><joint kind="main" damping="0.001"/>'
        '<geom type="capsule" size="0.015 0.01"/></composite>', 'name="B3_5"',
    ),
    "box": world('<composite type="box" count="7 7 7" spacing=".04"><geom type="capsule" size=".015 .05"/></composite>',
        'name="o"'),
    "ellipsoid": world('<composite type="ellipsoid" count="5 7 9" spacing="0.05"><geom size=".015"/></composite>', 'name="o"'),
    "cylinder": world('<composite type="cylinder" count="5 7 9" spacing="0.05"><geom size=".015"/></composite>', 'name="o"'),
}  # fmt: skip
SHELL7, SHELL579 = 7**3 - 5**3, 5 * 7 * 9 - 3 * 5 * 7
COUNTS = {  # bodies with the world's, degrees of freedom, tendons, equalities
    "particle": (1001, 3000, 0, 0),
    "grid 1D": (21, 3 * 18, 19, 19),
    "grid 2D": (82, 3 * 79, 2 * 72, 2 * 72),
    "rope": (22, 6 + 2 * 20, 0, 0),
    "loop": (22, 6 + 2 * 20, 0, 1),
    "cloth": (82, 6 + 2 * 80, 8 * 8, 8 * 8),
    "box": (2 + SHELL7, 6 + SHELL7, 1, None),
    "ellipsoid": (2 + SHELL579, 6 + SHELL579, 1, None),
    "cylinder": (2 + SHELL579, 6 + SHELL579, 1, None),
}


@pytest.mark.parametrize("name", CHAPTER)
def test_counts_of_the_chapter(name):
    model = load_model(CHAPTER[name])
    bodies, nv, tendons, equalities = COUNTS[name]
    assert (model.nbody, model.nv, model.ntendon) == (bodies, nv, tendons)
    if equalities is None:  # one for each slider, one for each neighbour, one for the sum
        counts = (7, 7, 7) if name == "box" else (5, 7, 9)
        shell = {p for p in np.ndindex(counts) if any(k in (0, n - 1) for k, n in zip(p, counts, strict=True))}
        near = sum(tuple(k + (i == j) for j, k in enumerate(p)) in shell for p in shell for i in range(3))
        equalities = len(shell) + near + 1
    assert model.neq == equalities


def test_masses_and_places():
    model = load_model(CHAPTER["particle"])
    assert model.body_mass[1:] == pytest.approx(np.full(1000, sphere(0.02)))
    assert np.all(model.geom_condim[1:] == 1) and np.all(model.geom_priority[1:] == 1)
    assert np.ptp(model.body_pos[1:], axis=0) == pytest.approx([0.63, 0.63, 0.63])
    grid = load_model(CHAPTER["grid 1D"])
    assert grid.tendon_length0 == pytest.approx(np.full(19, 0.045)) and np.all(grid.dof_damping == 0.001)
    assert [grid.body_jntnum[grid.body_id(f"B{i}_0")] for i in (0, 1, 13, 19)] == [3, 0, 0, 3]
    cloth = load_model(CHAPTER["cloth"])
    mass = sphere(0.015) + 1000 * np.pi * 0.015**2 * 0.02
    assert cloth.body_mass[1:] == pytest.approx(np.full(81, mass))
    box = mass * (0.025**2 + 0.00025**2) / 3
    assert np.sort(cloth.body_inertia[5]) == pytest.approx([box, box, mass * 2 * 0.025**2 / 3])
    assert cloth.tendon_length0 == pytest.approx(np.full(64, 0.05))


@pytest.mark.parametrize("name", ["rope", "loop"])
def test_the_elements_of_a_chain_touch_at_half_a_spacing(name):
    model = load_model(CHAPTER[name])
    sim = dojo_py.SoftSimulator(model)
    poses = sim.poses(sim.initial_state())
    places = np.array([poses.body(f"B{i}").position for i in range(21)])
    if name == "rope":
        assert np.diff(places, axis=0) == pytest.approx(np.tile([0.04, 0, 0], (20, 1)))
    else:  # a regular polygon: the middles of its sides
        reach = 0.02 / np.tan(np.pi / 21)
        assert np.linalg.norm(places - places.mean(axis=0), axis=1) == pytest.approx(np.full(21, reach))


@pytest.mark.parametrize("name", ["ellipsoid", "cylinder", "box"])
def test_a_shell_points_outwards(name):
    model = load_model(CHAPTER[name])
    bodies = range(2, model.nbody)
    outwards = np.array([model.body_pos[b] / np.linalg.norm(model.body_pos[b]) for b in bodies])
    axes = np.zeros((len(outwards), 9))
    for row, b in zip(axes, bodies, strict=True):
        mujoco.mju_quat2Mat(row, model.body_quat[b])
    assert axes.reshape(-1, 3, 3)[:, :, 2] == pytest.approx(outwards, abs=1e-12)
    size = 0.5 * (np.array([7, 7, 7]) - 1) * 0.04 if name == "box" else 0.5 * (np.array([5, 7, 9]) - 1) * 0.05
    scaled = np.abs(model.body_pos[2:] / size)
    norm = np.linalg.norm(scaled, axis=1) if name == "ellipsoid" else scaled.max(axis=1)
    if name == "cylinder":
        norm = np.maximum(np.linalg.norm(scaled[:, :2], axis=1), scaled[:, 2])
    assert norm == pytest.approx(np.ones(len(norm)))


@pytest.mark.parametrize("name", some(sorted({*CHAPTER} - {"particle"}), {*CHAPTER} - {"particle", "box", "cylinder"}))
def test_what_it_stands_for_is_written_and_read_by_the_wheel(name):
    text = mjcf(load_model(CHAPTER[name]))
    assert "composite" not in text
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


def test_twist_stretch_shear_and_classes():
    text = world(
        '<composite prefix="r" type="rope" count="4" spacing=".1"><joint kind="main" stiffness="2"/><joint kind="twist" damping="3"'
        ' solreffix="0.03 1"/><joint kind="stretch"/><geom size=".03"/></composite>', 'name="rB0"',
    )  # fmt: skip
    model = load_model(text)
    assert model.nv == 6 + 3 * 4 and model.neq == 6 and model.eq_solref[0].tolist() == [0.03, 1.0]
    assert model.joint("rJ0_2").stiffness == 2.0 and model.joint("rJT3").damping == 3.0 and model.joint("rJS1").type == 2
    text = world('<composite type="grid" count="3 4" spacing=".1"><tendon kind="shear"/><geom size=".01"/></composite>')
    assert load_model(text).ntendon == 2 * 4 + 3 * 3 + 2 * 3


@pytest.mark.parametrize("name", ["grid 1D", "rope", "loop"])
def test_they_move_in_both_modes(name):
    """A tenth of a second: no step fails, and lengths between neighbours stay.

    Of the grid with one pin: a string that is straight between two cannot carry a load while its lengths are held exactly.
    """
    model = load_model(CHAPTER[name].replace('<pin coord="13"/>', ""))
    for sim in (dojo_py.SoftSimulator(model, timestep=0.002), dojo_py.HardSimulator(model, timestep=0.005)):
        traj = sim.rollout(sim.initial_state(), np.zeros((20, 0)))
        assert not np.any(traj.status)
        if name == "grid 1D":
            places = sim.poses(traj.state(20)).sites.position
            assert np.linalg.norm(np.diff(places, axis=0), axis=1) == pytest.approx(np.full(19, 0.045), rel=0.02)


FAULTY = {
    '<composite count="2" spacing="1"/>': "type: is required",
    '<composite type="particl" count="2" spacing="1"/>': "did you mean 'particle'",
    '<composite type="particle" count="2"/>': "a positive spacing is needed",
    '<composite type="particle" count="1 2" spacing="1"/>': "ones last",
    '<composite type="particle" count="0" spacing="1"/>': "positive numbers are accepted",
    '<composite type="particle" count="900 900 900" spacing="1"/>': "more than 20000",
    '<composite type="grid" count="2 2 2" spacing="1"/>': "1 or 2 dimensions",
    '<composite type="box" count="2 2" spacing="1"/>': "3 dimensions",
    '<composite type="rope" count="3" spacing="1"/>': "stands in a body",
    '<body name="x"><composite type="rope" count="3" spacing="1"/></body>': "named 'x', not BX",
    '<body name="B7"><composite type="rope" count="3" spacing="1"/></body>': "named 'B7', not BX",
    '<composite type="particle" count="2" spacing="1"><pin coord="1"/></composite>': "only a grid is pinned",
    '<composite type="particle" count="2" spacing="1"><geom sze="1"/></composite>': "sze: is not an attribute of geom",
    '<composite type="particle" count="2" spacing="1"><geom type="box" size="1"/></composite>': "'box' is not one of",
    '<composite type="particle" count="2" spacing="1"><bone/></composite>': "is not an element of composite",
    '<composite type="cable" count="2" spacing="1"/>': "'cable' is not simulated",
}


@pytest.mark.parametrize("text", FAULTY)
def test_what_is_wrong_is_named_once(text):
    with pytest.raises(ModelError, match=FAULTY[text]) as caught:
        load_model(world(text))
    assert len(caught.value.errors) == 1


def test_the_composites_of_a_file_are_counted_together():
    """Before: each could make 20000 bodies, hundreds of times in one file."""
    one = '<composite type="particle" count="27 27 27" spacing=".1"><geom size=".01"/></composite>'
    with pytest.raises(ModelError, match="composites of the file make 39366 bodies, more than 20000"):
        load_model(world(2 * one))


FLAT = (
    '<body name="B0_0"><joint type="ball"/><composite type="cloth" count="3 3" spacing=".1" flatinertia=".1">{}</composite></body>'
)


@pytest.mark.parametrize(
    "empty, same", [('mass="" size=".1"', 'size=".1"'), ('density="" size=".1"', 'size=".1"'), ('size=""', "")]
)
def test_empty_numbers_of_a_geom_are_as_not_given(empty, same):
    def outcome(attributes, text):
        try:
            return load_model(world(text.format(f"<geom {attributes}/>"))).body_mass.tolist()
        except ModelError as error:
            return [record.message for record in error.errors]

    for text in (FLAT, '<body name="b"><composite type="box" count="3 3 3" spacing=".1">{}</composite></body>'):
        assert outcome(empty, text) == outcome(same, text)
