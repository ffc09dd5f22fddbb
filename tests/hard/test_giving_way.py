"""Constraints that contradict each other: closures and overlaps give way, nothing freezes, and what can be is exact again."""

import dataclasses

import numpy as np
import pytest

from dojo_py import Ending, HardSimulator, Status, load_model
from dojo_py.hard.island_memory import GAVE_WAY

BENT = np.array([-1.3, 1.2])
ARM = """<mujoco><option timestep="0.01"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="hand" mocap="true" pos="0.8 0 1"/>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" range="-170 170"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/>
    <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" range="10 150"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/></body></body>
  <body name="ball" pos="3 0 2"><freejoint/><geom size="0.1" mass="0.5"/></body>
  </worldbody><equality><connect body1="lower" body2="hand" anchor="0.4 0 0"/></equality></mujoco>"""


def with_hand(state, place):
    return dataclasses.replace(state, mocap_pos=np.array([place]))


def bent(sim):
    """The arm bent, the hand where its tip is."""
    return sim.initial_state(np.concatenate([BENT, sim.model.qpos0[2:]]))


@pytest.fixture(scope="module")
def sim():
    return HardSimulator(load_model(ARM))


def run(sim, state, place, steps):
    out = []
    for _ in range(steps):
        out.append(sim.step(with_hand(state, place)))
        state = out[-1].state
    return out


@pytest.mark.parametrize("target", [(1.5, 0.0, 1.4), (0.3, 0.5, 1.2), (0.1, 0.0, 1.05)], ids=["too far", "beside", "limits"])
def test_an_arm_pulled_to_where_it_cannot_go_comes_as_near_as_it_can(sim, target):
    state = run(sim, bent(sim), tip(BENT), 30)[-1].state
    away = run(sim, state, target, 200)
    assert all(np.isfinite(step.state.qpos).all() for step in away)
    assert all(step.status is Status.INEXACT for step in away)
    assert all(step.iterations <= 20 for step in away[20:])
    rest = away[-1].state
    assert np.abs(rest.qvel[:2]).max() < 0.01  # (the lever to a far target is short)
    nearest = least_distance(sim.model, target)
    reached = np.linalg.norm(tip(rest.qpos) - target)
    assert reached < nearest + 1e-3
    back = run(sim, rest, tip(BENT), 50)
    assert all(step.status is Status.SOLVED for step in back[10:])
    assert np.linalg.norm(tip(back[-1].state.qpos) - tip(BENT)) < 1e-8


@pytest.mark.parametrize(("beyond", "most"), [(1e-2, 12), (1e-3, 12)])
def test_a_target_that_stays_a_little_out_of_reach_costs_little(sim, beyond, most):
    """By less than `recovery_speed` undoes in a step: what was in vain is tried again in every eighth step only.

    Iterations a step in the mean: measured 9 and 7, of all tried in every step 24 and 27. The motion is the same bit for bit.
    """
    reach = np.hypot(0.4 + 0.4 * np.cos(np.deg2rad(10)), 0.4 * np.sin(np.deg2rad(10)))
    place = (reach + beyond, 0.0, 1.0)
    state = run(sim, bent(sim), place, 60)[-1].state
    away = run(sim, state, place, 36)
    assert all(step.status is Status.INEXACT and 0.5 * beyond < 0.01 * step.residual < 2.0 * beyond for step in away)
    assert all(step.ending is Ending.GAVE_WAY for step in away)
    assert np.mean([step.iterations for step in away]) < most
    trying = run(sim, with_all_tried(sim, state), place, 1)
    for step in away:
        assert np.array_equal(trying[-1].state.qpos, step.state.qpos)
        trying = run(sim, with_all_tried(sim, trying[-1].state), place, 1)
    back = run(sim, away[-1].state, (0.75, 0.0, 1.0), 15)
    assert all(step.status is Status.SOLVED for step in back[12:])


def with_all_tried(sim, state):
    """The state with a first step after which closures gave way as its last: the next waits for nothing."""
    impulses, bodies = state.exact.impulses.copy(), len(sim.world.layout.mass)
    in_vain = impulses[8 * bodies : 10 * bodies : 2]  # (in how many steps in a row they did)
    in_vain[impulses[:bodies] == GAVE_WAY] = 1.0
    return dataclasses.replace(state, exact=dataclasses.replace(state.exact, impulses=impulses))


def tip(qpos):
    """The arm's tip [m]."""
    a, b = qpos[0], qpos[0] + qpos[1]
    return np.array([0.4 * np.cos(a) + 0.4 * np.cos(b), 0.0, 1.0 - 0.4 * np.sin(a) - 0.4 * np.sin(b)])


def least_distance(model, target):
    """From the target to the nearest point that the tip can be at, over a grid of the joints' ranges [m]."""
    low, high = model.jnt_range[:2].T
    grid = [(a, b) for a in np.linspace(low[0], high[0], 400) for b in np.linspace(low[1], high[1], 400)]
    return min(np.linalg.norm(tip(np.array(q)) - target) for q in grid)


def test_what_is_free_moves_as_it_does_alone(sim):
    out, usual = run(sim, bent(sim), (1.5, 0.0, 1.4), 20), run(sim, bent(sim), tip(BENT), 20)
    assert np.array_equal(out[-1].state.qpos[2:], usual[-1].state.qpos[2:])


HEAVY = """<mujoco><option timestep="{h}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="hand" mocap="true" pos="0.9 0 1"/>
  <body pos="0 0 1"><joint axis="0 1 0" range="-170 170"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".05" mass="15"/>
    <body pos=".4 0 0"><joint axis="0 1 0" range="10 150"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="8"/>
      <body name="finger" pos=".4 0 0"><joint axis="0 1 0" range="-90 90"/>
        <geom type="capsule" fromto="0 0 0 .1 0 0" size=".01" mass="{mass}"/></body></body></body>
  </worldbody><equality><connect body1="finger" body2="hand" anchor=".1 0 0"/></equality></mujoco>"""


CORNER = pytest.mark.xfail(
    strict=False,
    reason="bound: solved again within 20 steps. Ends where elbow and finger are at their limits, a local minimum of the distance"
    " to the target, as 3 of 27 other masses and time steps of this arm (2 without Newton's method on smoothed equations)",
)


@pytest.mark.parametrize(
    ("mass", "h"),
    [(0.1, 0.002), (0.1, 0.01), pytest.param(0.1, 0.05, marks=CORNER), (1.0, 0.002), (1.0, 0.01), (1.0, 0.05)],
)
def test_a_heavy_arm_held_by_a_light_finger_is_solved_again(h, mass):
    """What pulls is as stiff as all that hangs on it asks for; with the finger's own mass alone the arm sagged for good."""
    sim, qpos = HardSimulator(load_model(HEAVY.format(h=h, mass=mass))), np.array([-1.0, 1.2, 0.3])
    angles = np.cumsum(qpos)
    home = np.array([np.dot([0.4, 0.4, 0.1], np.cos(angles)), 0.0, 1.0 - np.dot([0.4, 0.4, 0.1], np.sin(angles))])
    state = run(sim, sim.initial_state(qpos), home, 5)[-1].state
    away = run(sim, state, (1.5, 0.0, 1.3), round(1.0 / h))
    assert all(step.status is Status.INEXACT for step in away)
    back = run(sim, away[-1].state, home, 40)
    assert all(step.status is Status.SOLVED for step in back[20:])  # from the 1st to the 18th on


FINGERS = ARM.replace(
    "</body></body>",
    """<body pos="0.4 0 0"><joint name="left" axis="0 1 0" armature="0.01"/><geom size="0.003" pos="0.02 0 0" mass="1e-5"/></body>
    <body pos="0.4 0 0"><joint name="right" axis="0 1 0" armature="0.01"/><geom size="0.003" pos="0.02 0 0" mass="1e-5"/></body>
    </body></body>""",
    1,
).replace("</equality>", '<joint joint1="left" joint2="right"/></equality><actuator><motor joint="left"/></actuator>')


def test_coupled_fingers_stay_together_while_their_arm_cannot_get_where_it_should():
    """Links of 10 mg with rotors of 0.01 kg m²: in the scale of the links' inertia the compliance leaves all of the coupling open.

    Measured: 0.01 of the angle that the motor alone would turn.
    """
    sim = HardSimulator(load_model(FINGERS))
    state = with_hand(sim.initial_state(np.concatenate([BENT, sim.model.qpos0[2:]])), (1.5, 0.0, 1.4))
    motion = sim.rollout(state, np.full((20, 1), 0.5))
    assert all(status == Status.INEXACT for status in motion.status)
    left, right = motion.qpos[-1, 2:4]
    alone = 0.5 * 0.5 / 0.01 * 0.2**2
    assert 0.3 * alone < left < 0.7 * alone and abs(left - right) < 0.02 * alone
