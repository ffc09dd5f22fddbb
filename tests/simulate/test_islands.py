"""Bodies that nothing connects are solved apart; what a failed step is; overlaps that nothing can undo."""

import numpy as np
import pytest

from dojo_py import HardOptions, HardSimulator, Status, load_model
from dojo_py.hard.island_memory import FAILED

PLANE = '<geom type="plane" size="0 0 1"/>'
BALL = '<body name="ball" pos="50 0 3"><freejoint/><geom size=".1" mass="1"/></body>'


def world(*bodies, plane=PLANE, options=""):
    return load_model(f"<mujoco><option {options}/><worldbody>{plane}{''.join(bodies)}</worldbody></mujoco>")


def slider(height):
    return f'<body pos="0 0 {height}"><joint type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>'


JAMMED = (
    '<body pos="0 0 .15"><freejoint/><geom size=".1" mass="1"/></body>'
    '<body pos="0 0 .2"><joint type="slide" axis="1 0 0"/><geom size=".06" mass="1"/></body>'
)
"""A ball between the floor and a slider that cannot rise, with less room than it needs."""
AWKWARD = {
    "overlap that cannot open": slider(0.0999),
    "exact touch along a slide": slider(0.1),
    "jammed": JAMMED,
    "one iteration": '<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>',
}


@pytest.mark.parametrize("name", AWKWARD)
def test_a_body_apart_moves_bit_for_bit_as_alone(name):
    options = HardOptions(max_iterations=1, subdivisions=0) if name == "one iteration" else HardOptions()
    alone = HardSimulator(world(BALL), timestep=0.01, options=options)
    both = HardSimulator(world(AWKWARD[name], BALL), timestep=0.01, options=options)
    velocity = np.array([0.3, 1.0, -0.2, 1.0, 2.0, 3.0])
    start = np.zeros(both.model.nv)
    start[-6:] = velocity
    here = both.rollout(both.initial_state(qvel=start), np.zeros((30, 0)))
    there = alone.rollout(alone.initial_state(qvel=velocity), np.zeros((30, 0)))
    assert np.array_equal(here.qpos[:, -7:], there.qpos) and np.array_equal(here.qvel[:, -6:], there.qvel)


@pytest.mark.parametrize("height", [0.0999, 0.1])
def test_a_slider_that_its_joint_holds_on_the_floor_slides_on(height):
    """No normal force is known, so none is made, nor friction; before: SINGULAR, or glued after 0.036 m."""
    sim = HardSimulator(world(slider(height)), timestep=0.01)
    run = sim.rollout(sim.initial_state(qvel=[1.0]), np.zeros((100, 0)))
    assert run.unsolved == 0
    assert run.qpos[-1, 0] == pytest.approx(1.0, abs=1e-9)


def test_a_movable_contact_on_a_tilted_slide_still_pushes():
    """The axis rises by 1e-3: gravity pulls the sphere down the slide, onto the floor."""
    body = '<body pos="0 0 .1"><joint type="slide" axis="1 0 .001"/><geom size=".1" mass="1"/></body>'
    sim = HardSimulator(world(body), timestep=0.01)
    run = sim.rollout(sim.initial_state(qvel=[-1.0]), np.zeros((10, 0)))
    assert run.unsolved == 0 and run.min_gap.min() > -1e-9


def test_the_smallest_gap_of_touching_balls():
    bodies = "".join(f'<body pos="0 0 {z}"><freejoint/><geom size=".1"/></body>' for z in (0.0, 0.2))
    sim = HardSimulator(world(bodies, plane="", options='gravity="0 0 0"'), timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((2, 0)))
    assert np.abs(run.min_gap).max() < 1e-7  # measured: 3e-8, the complementarity over no impulse; before: inf


def test_inexact_is_the_whole_step_and_usable():
    """Pose and velocity belong together, time goes on, residual and complementarity are those of the point."""
    model = world('<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>')
    sim = HardSimulator(model, timestep=0.01, options=HardOptions(max_iterations=6, subdivisions=0))
    state = sim.initial_state(qvel=[3.0, 0, -2.0, 4.0, 5.0, 0])
    step = sim.step(state)
    assert step.status == Status.INEXACT and not step.solved
    assert 1e-10 < max(step.residual, 1e2 * step.complementarity) < 1.0
    assert step.state.time == pytest.approx(0.01)
    moved = model.integrate(state.qpos, 0.01 * step.state.qvel)
    assert model.difference(step.state.qpos, moved) == pytest.approx(0.0, abs=1e-9)


def test_a_step_with_nothing_usable_leaves_the_state():
    sim = HardSimulator(world(BALL), timestep=0.01)
    state = sim.initial_state(qvel=[1.0, 2, 3, 0, 0, 0])
    step = sim.step(state, wrenches=np.array([[0.0] * 6, [1e300, 0, 0, 1e300, 0, 0]]))
    assert step.status not in (Status.SOLVED, Status.INEXACT) and step.substeps == 0
    assert np.array_equal(step.state.qpos, state.qpos) and np.array_equal(step.state.qvel, state.qvel)
    assert step.state.time == state.time


def test_what_fails_in_the_same_way_again_stops():
    """The first failure leaves the state as it is; from there the next step would fail like it, for good. It ends INEXACT, at rest.

    A ball apart from it moves as it does alone.
    """
    sim = HardSimulator(world(BALL + BALL.replace('name="ball" pos="50', 'pos="90')), timestep=0.01)
    push = np.zeros((3, 6))
    push[1] = 1e20, 0, 0, 1e20, 0, 0
    first = sim.step(sim.initial_state(qvel=[1.0, 2, 3, 0, 0, 0] * 2), wrenches=push)
    assert first.status not in (Status.SOLVED, Status.INEXACT)
    second = sim.step(first.state, wrenches=push)
    assert second.status == Status.INEXACT and np.all(second.state.qvel[:6] == 0.0)
    assert np.array_equal(second.state.qpos[:7], first.state.qpos[:7])
    assert second.residual == pytest.approx(3.0) and second.state.qvel[6] == 1.0
    assert sim.step(second.state).solved


@pytest.mark.parametrize("seed", range(6))
def test_impacts_of_spinning_bodies_keep_both_momenta(seed):
    """Two bodies in zero gravity at 80 m/s, |ω| h up to 1.4: steps are solved in parts. Measured: 2e-13 of the scale."""
    rng = np.random.default_rng(seed)
    shapes = ('type="capsule" size=".013 .014" mass=".09" euler="20 30 0"', 'size=".02" mass=".02"')
    places = ("0 0 0", ".06 .02 0")
    bodies = "".join(f'<body pos="{p}"><freejoint/><geom {s}/></body>' for p, s in zip(places, shapes, strict=True))
    h = 5e-4
    sim = HardSimulator(world(bodies, plane="", options='gravity="0 0 0"'), timestep=h)
    spin = rng.normal(size=(2, 3))
    spin *= rng.uniform(0.2, 1.4, (2, 1)) / h / np.linalg.norm(spin, axis=1, keepdims=True)
    state = sim.initial_state(qvel=[80.0, 0, 0, *spin[0], -80.0, 0, 0, *spin[1]])
    run = sim.rollout(state, np.zeros((20, 0)))
    first, last = sim.momentum(state), sim.momentum(run.final_state)
    scale = 0.09 * 80 * 0.06
    assert last[0] == pytest.approx(first[0], abs=1e-10)
    assert last[1] == pytest.approx(first[1], abs=1e-9 * scale)


def test_momentum_of_a_body_that_turns_too_far_for_a_step_is_carried_on():
    """|ω| h = 1.55 about an axis that is none of its own: tumbling leaves what velocities over h can carry."""
    block = '<body><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body>'
    sim = HardSimulator(world(block, plane="", options='gravity="0 0 0"'), timestep=0.01)
    state = sim.initial_state(qvel=[0, 0, 0, 60.0, 100.0, 60.0])
    run = sim.rollout(state, np.zeros((200, 0)))
    assert run.unsolved == 0
    scale = np.linalg.norm(sim.momentum(state)[1])
    assert sim.momentum(run.final_state)[1] == pytest.approx(sim.momentum(state)[1], abs=1e-8 * scale)


def test_weak_forces_act():
    """Accelerations below residual_tolerance / h; before: never."""
    sim = HardSimulator(world(BALL, plane="", options='gravity="0 0 -1e-9"'), timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((100, 0)))
    assert run.qvel[-1, 2] == pytest.approx(-1e-9, rel=1e-6)


def test_light_bodies_are_not_pushed_from_afar():
    """A sphere of 0.1 g, 1.3 mm above the floor, without gravity; before: pushed at 0.05 m/s²."""
    body = '<body pos="0 0 .0063"><freejoint/><geom size=".005" mass="1e-4"/></body>'
    sim = HardSimulator(world(body, options='gravity="0 0 0"'), timestep=0.001)
    run = sim.rollout(sim.initial_state(), np.zeros((100, 0)))
    assert abs(run.qvel[-1, 2]) < 1e-4 * 0.1


def test_far_from_the_origin_bodies_rest():
    """200 m away, 1 ms steps; before: never solved."""
    body = '<body pos="200 200 .4"><freejoint/><geom size=".4"/></body>'
    sim = HardSimulator(world(body), timestep=0.001)
    run = sim.rollout(sim.initial_state(), np.zeros((50, 0)))
    assert run.unsolved == 0 and run.iterations.max() <= 30


def test_time_goes_on_where_nothing_can_move():
    sim = HardSimulator(load_model(f"<mujoco><worldbody>{PLANE}</worldbody></mujoco>"), timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((3, 0)))
    assert run.unsolved == 0 and run.time == pytest.approx([0.0, 0.01, 0.02, 0.03])


def test_a_step_that_failed_leaves_what_the_next_one_starts_from():
    """A resting ball, then a step that overflows: impulses and momenta beside the state stay, too, and that it failed."""
    sim = HardSimulator(world('<body pos="0 0 .1"><freejoint/><geom size=".1" mass="1"/></body>'), timestep=0.01)
    state = sim.rollout(sim.initial_state(), np.zeros((5, 0))).final_state
    failed = sim.step(state, wrenches=np.array([[0.0] * 6, [1e300, 0, 0, 1e300, 0, 0]]))
    assert failed.substeps == 0
    assert np.array_equal(failed.state.exact.impulses[1:], state.exact.impulses[1:])
    assert failed.state.exact.impulses[0] == FAILED
    np.testing.assert_allclose(sim.step(failed.state).state.qpos, sim.step(state).state.qpos, rtol=0, atol=1e-9)


def test_a_ball_between_two_planes_that_are_too_near_stays():
    """Nothing can undo the overlap of 1.6 mm, and without the 1e-11 m of room that it gets no point lies between the planes.

    Before: INEXACT in 28 of 40 steps.
    """
    top = '<geom type="plane" size="5 5 1" pos="0 0 .8484" zaxis="0 0 -1"/>'
    sim = HardSimulator(world(top + '<body pos="0 0 .425"><freejoint/><geom size=".425"/></body>'), timestep=0.003)
    run = sim.rollout(sim.initial_state(None, np.array([0.3, 0, 0, 0, 0, 0])), np.zeros((40, 0)))
    assert run.unsolved == 0
    assert run.min_gap.min() > -1.6e-3 - 1e-9  # beside the touching floor, which it does not enter


def test_what_parts_cannot_finish_goes_on_from_there():
    """Five boxes on ball joints that turn by 2.9 rad in a step take four parts; 20 iterations are not enough.

    For the rest of the interval they stay where they are; the residual says how far off they are, and they keep their momentum.
    """
    box = '<geom type="box" size=".1 .2 .3"/>'
    chain = ""
    for _ in range(4):  # (of up to three bodies parts bring their own iterations)
        chain = f'<body pos=".1 .2 .3"><joint type="ball"/>{box}{chain}</body>'
    model = world(f'<body pos="0 0 9"><freejoint/>{box}{chain}</body>', options='gravity="0 0 0"')
    sim = HardSimulator(model, timestep=0.1, options=HardOptions(max_iterations=20))
    start = sim.initial_state(None, np.array([1.0, 0, 0, 18, 18, 14] + [0] * 12))
    step = sim.step(start)
    assert step.status == Status.INEXACT and step.substeps == 3
    before, after = start.maximal[1:].mean(axis=0), step.state.maximal[1:].mean(axis=0)
    speed = sim.momentum(start)[0][0] / model.body_mass.sum()
    assert after[0] - before[0] == pytest.approx(0.5 * 0.1 * speed, rel=1e-9)  # half of the way
    assert after[3] == pytest.approx(speed, rel=1e-9)
    assert step.residual == pytest.approx(0.5 * np.abs(step.state.maximal[1:, 10:]).max(), rel=0.2)
    patient = HardSimulator(model, timestep=0.1).step(step.state)
    assert patient.solved
    assert patient.state.maximal[1:, 0].mean() - after[0] == pytest.approx(0.1 * speed, rel=1e-9)
