"""Derivatives where something is chosen among equals, or where numbers are large: normals along axes and diagonals, stiff closures.

Bound 1e-6 against Ridders' differences (differences.py).
"""

import numpy as np
import pytest
from default_run import in_turn
from differences import compare, ridders, tight

from dojo_py import load_model

PAIR = """<mujoco><option gravity="0 0 {g}"/><worldbody>
  <body pos="{at}" {turn}><freejoint/><geom {one} mass="1"/></body>
  <body {other}><freejoint/><geom {two} mass="2"/></body></worldbody></mujoco>"""
ROD, BLOCK, BALL = 'type="capsule" size=".05 .3"', 'type="box" size=".2 .3 .1"', 'type="sphere" size=".1"'
ACROSS, ALONG = 'euler="90 0 0"', 'euler="0 90 0"'
TIES = {
    "capsules crossing side by side": PAIR.format(g=0, one=ROD, two=ROD, at="0 0 .1", turn=ACROSS, other=ALONG),
    "capsules crossing off centre": PAIR.format(g=0, one=ROD, two=ROD, at=".1 .1 .1", turn=ACROSS, other=ALONG),
    "sphere on a flat box": PAIR.format(g=-9.81, one=BALL, two=BLOCK, at="0 0 .2", turn="", other=""),
    "sphere beside a flat box": PAIR.format(g=-9.81, one=BALL, two=BLOCK, at=".3 0 0", turn="", other=""),
    "spheres, one on the other": PAIR.format(g=-9.81, one=BALL, two=BALL, at="0 0 .2", turn="", other=""),
    "spheres on a diagonal": PAIR.format(g=0, one=BALL, two=BALL, at="{0} {0} 0".format(0.1 * np.sqrt(2)), turn="", other=""),
    "sphere on a capsule": PAIR.format(g=0, one=BALL, two=ROD, at="0 .15 0", turn="", other=""),
    "overlap deeper than a step undoes": PAIR.format(g=0, one=BALL, two=BALL, at="0 0 .1", turn="", other=""),
}


@pytest.mark.parametrize("friction", ["cone", "pyramid"])
@pytest.mark.parametrize(("name", "kappa"), in_turn(TIES, (1e-1, 3e-4, 1e-6)))
def test_normals_along_axes(name, kappa, friction):
    """Central differences of the frame turned the tangents by a right angle: A was 152 for -0.004."""
    sim = tight(load_model(TIES[name]), 0.01, friction=friction)
    for qvel in (np.zeros(12), np.r_[0.1, -0.2, -0.3, 0.5, 0.4, -0.6, 0.2, 0, 0, 0.3, -0.2, 0.1]):
        found = compare(sim, sim.initial_state(None, qvel), np.zeros(0), kappa)
        print(f"{name} κ {kappa:g} {friction}: A {found.A:.1e}, differences {found.estimate:.0e}")
        assert found.estimate <= 1e-7
        assert found.A <= 1e-6


LOCKED = """<mujoco><option gravity="3 8 3"/><worldbody><body><joint name="a" axis="0 1 0" stiffness="2e8" springref="15"/>
  <geom type="sphere" size="40" pos="70 -80 10" mass="2000" contype="0"/></body></worldbody>
  <equality><joint joint1="a" polycoef=".02 0 0 0 0"/></equality></mujoco>"""
TWICE = """<mujoco><worldbody><body name="a"><joint axis="4 1 0" pos="-.1 .1 -.2"/>
  <geom type="sphere" size=".1" pos=".1 0 0" mass=".2" contype="0"/></body>
  <body name="b" pos=".2 .1 .4" euler="20 40 10"><joint axis="0 4 1" stiffness=".8"/>
  <geom type="capsule" size=".06 .1" mass=".2" contype="0"/></body>
  </worldbody><equality><weld body1="a" body2="b"/></equality></mujoco>"""


@pytest.mark.parametrize("text, bound", [(LOCKED, 1e-9), (TWICE, 1e-4)], ids=["130 m, stiff", "more rows than freedoms"])
def test_closures(text, bound):
    """The regularisation of their rows must not show: 2e-3 and 1e-2 when it does. Measured: 3e-12, 1e-5.

    A weld of two hinges has four rows too many; their loads are what round-off makes of them.
    """
    sim = tight(load_model(text), 0.02)
    qpos = np.full(sim.model.nq, 0.1)
    found = compare(sim, sim.initial_state(qpos, -qpos), np.zeros(0), 1e-4)
    print(f"A {found.A:.1e}, differences {found.estimate:.0e}")
    assert found.estimate <= 1e-7
    assert found.A <= bound


HANGING = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 1"><joint axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.8" size=".05" mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("kappa", [1e-1, 1e-3, 1e-6])
def test_a_pendulum_that_hangs_straight_down(kappa):
    """Its joint does not change the gap there, to first order: contacts that took no part made steps jump, by 2.6e-4 at κ = 1e-3.

    Measured: 5e-14.
    """
    sim = tight(load_model(HANGING), 0.01)
    found = compare(sim, sim.initial_state(np.zeros(1), np.array([0.5])), np.zeros(0), kappa)
    print(f"κ {kappa:g}: A {found.A:.1e}, differences {found.estimate:.0e}")
    assert found.estimate <= 1e-9
    assert found.A <= 1e-9


CHAIN = """<mujoco><worldbody><body><freejoint/><geom type="box" size="{s} {s} {s}" mass="900" contype="0"/>
  <body pos="{l} 0 {l}"><joint name="one" axis="1 2 3"/><joint name="two" axis="-2 1 .3" pos="{s} {s} 0" damping="7"/>
  <geom type="box" size="{s} {s} {l}" mass="1400" contype="0"/>
  <body pos="0 {l} 0"><joint name="rail" type="slide" axis="1 1 0"/>
  <geom type="sphere" size="{s}" mass="300" contype="0"/></body></body>
  </body></worldbody></mujoco>"""


@pytest.mark.parametrize("size", [0.03, 30.0])
def test_anchors_of_chains_of_any_size(size):
    """An anchor of a slide has no effect at all (it had one of 3e-7 m/s a metre); two hinges in a body at 100 m: 2e-3."""
    sim = tight(load_model(CHAIN.format(s=size, l=2 * size)), 0.1 * np.sqrt(size / 30.0))
    m, rng = sim.model, np.random.default_rng(0)
    qpos, qvel = m.integrate(m.qpos0, 0.3 * rng.uniform(-1, 1, m.nv)), 0.1 * rng.normal(size=m.nv)
    qvel[:3] *= size
    columns = sim.linearize(sim.initial_state(qpos, qvel), None, kappa=1e-4, parameters=["joint_anchor"]).parameters["joint_anchor"]
    value = sim.parameter("joint_anchor").value
    assert value.shape == (3, 3)
    scale = max(np.abs(columns).max(), 1e-3)
    assert np.abs(columns[:, 6:]).max() <= 1e-9
    for k in range(6):

        def central(step, k=k):
            ends = []
            for sign in (1, -1):
                moved = value.ravel().copy()
                moved[k] += sign * step * size
                other = sim.with_parameters({"joint_anchor": moved})
                ends.append(other.step(other.initial_state(qpos, qvel), None, kappa=1e-4).state)
            return np.concatenate([m.difference(ends[0].qpos, ends[1].qpos), ends[0].qvel - ends[1].qvel]) / (2 * step * size)

        off = np.abs(columns[:, k] - ridders(central, 1e-2)[0]).max() / scale
        print(f"{size} m, anchor {k}: {off:.1e}")
        assert off <= 1e-6
