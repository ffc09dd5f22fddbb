"""The shipped model files: counts and masses against the published figures, starting poses, and a second of motion."""

from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, models
from dojo_py.collision.pair_filter import filtered_pairs
from dojo_py.formats import load_model

SHAPES = mujoco.mjtGeom
POINTS = {int(SHAPES.mjGEOM_SPHERE): 1, int(SHAPES.mjGEOM_CAPSULE): 2, int(SHAPES.mjGEOM_BOX): 8}
"""Candidate contact points of a shape with a plane."""


class Figures(NamedTuple):
    bodies: int
    nq: int
    nv: int
    nu: int
    mass: float  # [kg]
    points: int  # candidate contact points
    friction: float | None


FIGURES = {
    "ant": Figures(9, 15, 14, 8, 0.879, 9, 0.5),
    "atlas": Figures(31, 37, 36, 30, 174.05, 20, 0.5),
    "box": Figures(1, 7, 6, 3, 1.0, 8, 0.5),
    "cartpole": Figures(2, 2, 2, 1, 2.0, 0, None),
    "double_pendulum": Figures(2, 2, 2, 2, 2.0, 0, None),
    "dzhanibekov": Figures(1, 7, 6, 0, 1.0, 0, None),
    "fourbar": Figures(4, 4, 4, 2, 4.0, 0, None),
    "half_cheetah": Figures(7, 9, 9, 6, 14.0, 9, 0.4),
    "hopper": Figures(4, 6, 6, 3, 15.82, 5, 2.0),
    "humanoid": Figures(13, 28, 27, 21, 40.844, 21, 0.8),
    "npendulum": Figures(5, 5, 5, 5, 5.0, 0, None),
    "panda": Figures(9, 9, 9, 8, 16.822, 16, 0.5),
    "pendulum": Figures(1, 1, 1, 1, 1.0, 0, None),
    "quadrotor": Figures(1, 7, 6, 4, 1.325, 5, 0.5),
    "quadruped": Figures(13, 19, 18, 12, 12.453, 16, 0.8),
    "raibert_hopper": Figures(2, 8, 7, 3, 4.70, 2, 0.5),
    "slider": Figures(1, 1, 1, 1, 1.0, 0, None),
    "sphere": Figures(1, 7, 6, 3, 1.0, 1, 0.5),
    "tippetop": Figures(1, 7, 6, 0, 1.0, 2, 0.4),
    "walker": Figures(7, 9, 9, 6, 23.677, 8, 0.5),
}
CONSERVATIVE = ("cartpole", "double_pendulum", "dzhanibekov", "fourbar", "npendulum", "pendulum", "quadrotor", "slider")
STANDING = {
    "ant": 4,
    "atlas": 8,
    "box": 1,
    "hopper": 1,
    "humanoid": 4,
    "quadrotor": 4,
    "quadruped": 4,
    "raibert_hopper": 1,
    "sphere": 1,
    "tippetop": 1,
    "walker": 2,
}
"""Geoms that touch the ground in the first keyframe."""

FLOOR, OWN = 1, 2
"""Bits of contype and conaffinity: contact with the floor, of links with each other."""
OWN_PAIRS = {"half_cheetah": 19}
"""Pairs of geoms of the models whose links touch each other."""


def load(name: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(models.path(name)))


def at_keyframe(model: mujoco.MjModel, key: int = 0) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, key)
    mujoco.mj_forward(model, data)
    return data


def contact_geoms(model: mujoco.MjModel) -> list[int]:
    """Those that touch the floor."""
    return [g for g in range(model.ngeom) if model.geom_bodyid[g] and model.geom_contype[g] & FLOOR]


def ground_gaps(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, float]:
    """Height of each contact geom's lowest point [m]."""
    floor = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "floor")
    gaps = {}
    for g in contact_geoms(model):
        gaps[model.geom(g).name] = mujoco.mj_geomDistance(model, data, floor, g, 10.0, None)
    return gaps


def own_pairs(name: str) -> np.ndarray:
    """(n, 2) pairs of geoms of moving bodies that may touch."""
    model = load_model(name)
    pairs = filtered_pairs(model)
    return pairs[(np.asarray(model.geom_bodyid)[pairs] > 0).all(axis=1)]


def own_gaps(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> np.ndarray:
    """Gaps of these pairs [m]."""
    return np.array([mujoco.mj_geomDistance(model, data, int(a), int(b), 10.0, None) for a, b in own_pairs(name)])


def poses(model: mujoco.MjModel, count: int) -> np.ndarray:
    """(count, nq) random poses within the limits of planar robots."""
    free = np.where(model.jnt_limited, 0.0, model.qpos0)
    drawn = np.random.default_rng(0).uniform(*model.jnt_range.T, (count, model.njnt))
    return np.where(model.jnt_limited, drawn, free)


def test_every_file_has_figures_here():
    assert models.names() == tuple(sorted(FIGURES))


@pytest.mark.parametrize("name", FIGURES)
def test_counts_and_mass(name):
    model, figures = load(name), FIGURES[name]
    assert (model.nbody - 1, model.nq, model.nv, model.nu) == figures[:4]
    assert model.body_mass.sum() == pytest.approx(figures.mass, rel=5e-4)
    assert (model.body_mass[1:] > 0).all()
    geoms = contact_geoms(model)
    assert sum(POINTS[int(model.geom_type[g])] for g in geoms) == figures.points
    assert {model.geom_friction[g, 0] for g in geoms} == ({figures.friction} if geoms else set())
    assert (model.actuator_ctrllimited == 1).all() and (model.actuator_forcelimited == 0).all()


@pytest.mark.parametrize("name", FIGURES)
def test_file_says_what_it_is_and_where_the_figures_are_from(name):
    text = models.path(name).read_text()
    comment = text[: text.index("-->")]
    assert text.startswith("<!--") and ("Figures" in comment or "Source" in comment)
    assert "mesh" not in text and "<include" not in text
    assert f'model="{name}"' in text and 'angle="radian"' in text and 'autolimits="true"' in text


@pytest.mark.parametrize("name", FIGURES)
def test_robots_touch_the_floor_only(name):
    """But for the models in OWN_PAIRS."""
    model = load(name)
    geoms = contact_geoms(model)
    assert all(model.geom_conaffinity[g] & ~OWN == 0 for g in geoms)
    assert len(own_pairs(name)) == OWN_PAIRS.get(name, 0)
    for g in range(model.ngeom):
        if model.geom_bodyid[g] == 0:
            assert model.geom_contype[g] == 0
    has_floor = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "floor") >= 0
    assert has_floor == (bool(geoms) and name != "panda")


@pytest.mark.parametrize("name", FIGURES)
def test_our_reader_sees_what_the_wheel_sees(name):
    wheel, model = load(name), load_model(models.path(name))
    assert model.joint_names == tuple(wheel.joint(j).name for j in range(wheel.njnt))
    for field in (
        "body_mass",
        "body_inertia",
        "body_ipos",
        "jnt_range",
        "actuator_gear",
        "key_qpos",
        "qpos0",
        "geom_size",
    ):
        np.testing.assert_allclose(getattr(model, field), getattr(wheel, field), atol=1e-12, err_msg=field)


@pytest.mark.parametrize("name", STANDING)
def test_first_keyframe_stands_on_the_ground(name):
    model = load(name)
    gaps = ground_gaps(model, at_keyframe(model))
    assert min(gaps.values()) > -1e-4
    assert sum(abs(gap) < 1e-3 for gap in gaps.values()) == STANDING[name]


@pytest.mark.parametrize("name", FIGURES)
def test_keyframes_respect_joint_limits_and_unit_quaternions(name):
    model = load(name)
    for key in range(model.nkey):
        for joint in range(model.njnt):
            value = model.key_qpos[key, model.jnt_qposadr[joint]]
            if model.jnt_limited[joint]:
                low, high = model.jnt_range[joint]
                assert low - 1e-12 <= value <= high + 1e-12, (model.key(key).name, model.joint(joint).name)
    text = models.path(name).read_text()
    assert ("<key " in text) == (model.nkey > 0) and model.nkey >= 1


@pytest.mark.parametrize("name", FIGURES)
def test_a_second_without_control(name):
    model = load(name)
    model.opt.timestep = 0.002
    for key in range(model.nkey):
        data = at_keyframe(model, key)
        for _ in range(500):
            mujoco.mj_step(model, data)
        assert all(warning.number == 0 for warning in data.warning), (name, model.key(key).name)
        assert np.isfinite(data.qpos).all() and np.abs(data.qvel).max() < 60.0


@pytest.mark.parametrize("name", [name for name in FIGURES if FIGURES[name].nu])
def test_a_second_of_random_control_stays_sane(name):
    """Uniform in the control range, a new sample every 10 ms: what benchmarks and random exploration do."""
    model = load(name)
    model.opt.timestep = 0.002
    data, rng = at_keyframe(model), np.random.default_rng(0)
    for _ in range(100):
        data.ctrl[:] = rng.uniform(*model.actuator_ctrlrange.T)
        mujoco.mj_step(model, data, 5)
    assert all(warning.number == 0 for warning in data.warning)
    assert np.abs(data.qvel).max() < 100.0


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_classical_models_have_no_dissipation(name):
    model = load(name)
    assert not model.dof_damping.any() and not model.dof_frictionloss.any() and not model.jnt_stiffness.any()
    assert not model.opt.density and not model.opt.viscosity


def test_atlas_is_the_robot_of_table_ii():
    model = load("atlas")
    assert model.body_mass.sum() == pytest.approx(174.0, abs=0.5)
    assert (model.jnt_stiffness[1:] == 1.0).all() and (model.dof_damping[6:] == 12.5).all()
    feet = [g for g in contact_geoms(model) if "foot" in model.geom(g).name]
    assert len(feet) == 8 and (model.geom_size[feet, 0] == 0.025).all()

    stance, drop = (model.key(name).qpos for name in ("stance", "drop"))
    assert stance[2] == 0.9385 and drop[2] == 0.9385 + 0.5
    angle = np.linalg.norm([0, 0.2, 0.1])
    expected = np.r_[np.cos(angle / 2), np.sin(angle / 2) * np.array([0, 0.2, 0.1]) / angle]
    np.testing.assert_allclose(drop[3:7], expected, atol=1e-15)
    np.testing.assert_array_equal(stance[7:], drop[7:])
    half_turns = {"back_bky": 0.04}
    for side, sign in (("l", 1), ("r", -1)):
        half_turns |= {f"{side}_leg_hpy": -0.1, f"{side}_leg_kny": 0.2, f"{side}_leg_aky": -0.1}
        half_turns |= {f"{side}_arm_elx": 0.25 * sign, f"{side}_arm_ely": 0.5, f"{side}_arm_shx": -0.5 * sign}
    for joint in range(1, model.njnt):
        name = model.joint(joint).name
        assert stance[model.jnt_qposadr[joint]] == pytest.approx(np.pi * half_turns.get(name, 0.0), abs=1e-8), name


def test_atlas_is_symmetric():
    """Every left link is the mirror image of the right: mass, centre of mass, inertia at the reference pose."""
    model = load("atlas")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mirror = np.diag([1.0, -1.0, 1.0])
    for body in range(1, model.nbody):
        name = model.body(body).name
        if name.startswith("l_"):
            other = model.body("r_" + name[2:]).id
            assert model.body_mass[body] == model.body_mass[other]
            np.testing.assert_allclose(data.xipos[body], mirror @ data.xipos[other], atol=1e-12)
            inertia = []
            for b in (body, other):
                axes = data.ximat[b].reshape(3, 3)
                inertia.append(axes @ np.diag(model.body_inertia[b]) @ axes.T)
            np.testing.assert_allclose(inertia[0], mirror @ inertia[1] @ mirror, atol=1e-12)


def test_half_cheetah_has_the_springs_and_scales_of_table_vi():
    model = load("half_cheetah")
    np.testing.assert_array_equal(model.jnt_stiffness[3:].reshape(6, -1)[:, 0], [240, 180, 120, 180, 120, 60])
    np.testing.assert_array_equal(model.actuator_ctrlrange[:, 1], [120, 90, 60, 120, 60, 30])
    gaps = ground_gaps(model, at_keyframe(model))
    assert 0.0 <= gaps["bfoot"] < 1e-3 and 0.0 < gaps["ffoot"] < 0.05


def test_pushes_act_in_world_axes_on_the_centre_of_mass():
    for name in ("box", "sphere"):
        model = load(name)
        data = mujoco.MjData(model)
        data.qpos[:7] = [0, 0, 2, 0.5, 0.5, -0.5, 0.5]
        data.ctrl[:] = [1.0, 2.0, 3.0]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.qacc, [1, 2, 3 - 9.81, 0, 0, 0], atol=1e-12)


def test_hover_thrust_carries_the_quadrotor():
    model = load("quadrotor")
    data = at_keyframe(model, 1)
    assert np.abs(data.qacc).max() < 1e-6


def test_tippetop_turns_over():
    """In the wheel, with stiff contact: upside down after 8 s (measured: cosine of the tilt -0.97)."""
    model = load("tippetop")
    model.opt.timestep, model.opt.cone = 0.0005, mujoco.mjtCone.mjCONE_ELLIPTIC
    model.geom_solref[:] = [0.004, 1.0]
    data = at_keyframe(model, 1)
    assert data.xmat[1, 8] == pytest.approx(np.cos(0.1))
    np.testing.assert_allclose(data.cvel[1, 3:], 0.0, atol=1e-12)  # the centre of mass is at rest
    mujoco.mj_step(model, data, 20_000)
    assert data.xmat[1, 8] < -0.8


def test_dzhanibekov_flips():
    model = load("dzhanibekov")
    model.opt.timestep, model.opt.integrator = 0.001, mujoco.mjtIntegrator.mjINT_RK4
    data = at_keyframe(model, 1)
    cosines = []
    for _ in range(10_000):
        mujoco.mj_step(model, data)
        cosines.append(data.xmat[1, 0])
    assert max(cosines) > 0.99 and min(cosines) < -0.99


def test_npendulum_file_is_what_the_function_writes():
    assert models.path("npendulum").read_text() == models.npendulum_xml()


@pytest.mark.parametrize("links", [1, 2, 12])
def test_npendulum_of_any_length(links):
    model = mujoco.MjModel.from_xml_string(models.npendulum_xml(links, length=0.5, mass=2.0))
    assert (model.nbody - 1, model.nq, model.nu) == (links, links, links)
    assert model.body_mass.sum() == pytest.approx(2.0 * links)
    data = at_keyframe(model)
    assert data.subtree_com[0, 2] == pytest.approx(0.5 * (links + 1) - 0.25 * links)
    assert mujoco.MjModel.from_xml_string(models.npendulum_xml(links, torque=0.0)).nu == 0


def test_npendulum_refuses_nonsense():
    for bad in ({"links": 0}, {"mass": 0.0}, {"length": -1.0}, {"torque": -1.0}):
        with pytest.raises(ValueError, match="npendulum_xml"):
            models.npendulum_xml(**bad)


def test_path_names_the_nearest():
    assert models.path("box") == models.path("box.xml") and isinstance(models.path("box"), Path)
    with pytest.raises(ValueError, match="did you mean 'humanoid'"):
        models.path("humanoit")


@pytest.mark.parametrize("name", OWN_PAIRS)
def test_links_do_not_overlap_where_they_start(name):
    """Smallest gap: half-cheetah 0.145 m. No pair overlaps in a tenth of random poses (measured: none)."""
    model = load(name)
    for key in range(model.nkey):
        assert own_gaps(model, at_keyframe(model, key), name).min() > 0.1
    data, overlaps = mujoco.MjData(model), np.zeros(OWN_PAIRS[name])
    for qpos in poses(model, 200):
        data.qpos[:] = qpos
        mujoco.mj_forward(model, data)
        overlaps += own_gaps(model, data, name) < 0.0
    assert overlaps.max() < 0.1 * 200


@pytest.mark.parametrize("name", OWN_PAIRS)
def test_a_thousand_hard_steps_with_own_contacts(name):
    """Random controls, h 0.01 s: every step SOLVED, no gap below -1e-9 m (measured: the smallest is 1e-10 m)."""
    sim = HardSimulator(load_model(name), timestep=0.01)
    controls = np.random.default_rng(0).uniform(*sim.model.actuator_ctrlrange.T, (1000, sim.model.nu))
    played = sim.rollout(sim.initial_state(keyframe="home"), controls)
    assert played.unsolved == 0 and played.min_gap.min() > -1e-9


def hopper_that_touches_itself() -> str:
    """The hopper's file, all links against all but neighbours."""
    text = models.path("hopper").read_text()
    text = text.replace('contype="1" conaffinity="0"', 'contype="3" conaffinity="2"')
    return text.replace('contype="0"/>', 'contype="2"/>')


def test_a_folded_hopper_lies_on_itself():
    """In the air its motors fold it until leg and torso touch (measured: gaps from 1e-10 m): nothing else prevents it."""
    sim = HardSimulator(load_model(hopper_that_touches_itself()), timestep=0.01)
    state, pushed = sim.initial_state(qpos=[0, 4, 0, -2.4, -1.5, 0]), 0.0
    for _ in range(60):
        step = sim.step(state, [-200.0, -200.0, 0.0])
        assert step.status == 0
        state, own = step.state, (step.contacts.bodies > 0).all(axis=1)
        if own.any():
            assert step.contacts.gap[own].min() > -1e-9
            pushed = max(pushed, step.contacts.impulse[own, 0].max())
    assert pushed > 1.0


def test_soft_steps_with_own_contacts_are_the_wheels():
    """Poses of the hopper in which links overlap: one step to 1e-6 of the largest velocity (measured: 4e-15, 5 poses)."""
    text = hopper_that_touches_itself()
    wheel, sim, compared = mujoco.MjModel.from_xml_string(text), SoftSimulator(load_model(text)), 0
    for qpos in poses(wheel, 60):
        data = mujoco.MjData(wheel)
        data.qpos[:] = qpos
        data.qpos[1] = 4.0
        mujoco.mj_forward(wheel, data)
        if data.ncon:
            step = sim.step(sim.initial_state(qpos=data.qpos), np.zeros(3))
            mujoco.mj_step(wheel, data)
            np.testing.assert_allclose(step.state.qvel, data.qvel, atol=1e-6 * np.abs(data.qvel).max())
            compared += 1
    assert compared >= 3
