"""Newton's restitution at the limits of joints and tendons: closed forms, the wheel's stiff limits, energy, rest."""

import mujoco
import numpy as np
import pytest
from default_run import some
from scipy.optimize import brentq

from dojo_py import HardSimulator, load_model

HEAD = '<mujoco><option timestep="1e-3" gravity="0 0 {}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>'
BAR = '<geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/>'
STIFF = 1e8


def solref(e):
    """The (-stiffness, -damping) whose restitution is e."""
    return damped(-np.log(e) / np.sqrt(np.pi**2 + np.log(e) ** 2))


def wheels(e):
    """That with which the wheel's limit returns e: it lets go where its force would pull, before half an oscillation is over."""

    def left(ratio):
        root = np.sqrt(1.0 - ratio * ratio)
        return np.exp(-2.0 * ratio / root * np.arctan2(root, ratio)) - e

    return damped(brentq(left, 1e-9, 0.9))


def damped(ratio, stiffness=STIFF):
    """Of a damping ratio."""
    return f'solreflimit="-{stiffness} {-2.0 * ratio * np.sqrt(stiffness)}" solimplimit="1 1 .001 .5 2"'


SCENES = {
    "slide": HEAD.format(0) + '<body><joint type="slide" axis="1 0 0" range="-1 .0503" {}/>' + BAR + "</body></worldbody></mujoco>",
    "hinge": HEAD.format(0) + '<body><joint axis="0 1 0" range="-200 2.9" {}/>' + BAR + '<body pos=".4 0 0"><joint axis="0 1 0"/>'
    + BAR + "</body></body></worldbody></mujoco>",
    "ball": HEAD.format(0) + '<body><joint type="ball" range="0 2.9" {}/>' + BAR + '<body pos=".4 0 0"><joint axis="0 1 0"/>'
    + BAR + "</body></body></worldbody></mujoco>",
    "ball on a slide": HEAD.format(0) + '<body><joint type="slide" axis="0 0 1"/><joint type="ball" range="0 2.9" {}/>' + BAR
    + "</body></worldbody></mujoco>",
    "hinges of one body": HEAD.format(0) + '<body><joint axis="0 1 0" range="-200 2.9" {}/><joint axis="0 0 1" pos=".1 0 0"/>' + BAR
    + "</body></worldbody></mujoco>",
    "tendon": HEAD.format(0) + '<body><joint name="a" axis="0 1 0"/>' + BAR + '<body pos=".4 0 0"><joint name="b" axis="0 1 0"/>'
    + BAR + '</body></body></worldbody><tendon><fixed range="-1 .0503" {}><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/>'
    "</fixed></tendon></mujoco>",
}  # fmt: skip
STARTS = {
    "slide": [1.0],
    "hinge": [1.0, 0.3],
    "ball": [0.0, 1.0, 0.0, 0.3],
    "ball on a slide": [0.1, 0.0, 1.0, 0.0],
    "hinges of one body": [1.0, 0.4],
    "tendon": [1.0, 0.3],
}


@pytest.mark.parametrize("e", [0.3, 0.9])
@pytest.mark.parametrize("scene", SCENES)
def test_velocities_after_an_impact_are_those_of_a_stiff_limit(scene, e):
    """0.1 s, one impact at about 0.05 s; the wheel's limit is met for 0.3 ms. Measured: 4e-3 rad/s of 0.6 to 4."""
    wheel = mujoco.MjModel.from_xml_string(SCENES[scene].format(wheels(e)))
    wheel.opt.timestep = 2e-6
    data = mujoco.MjData(wheel)
    data.qvel[:] = STARTS[scene]
    mujoco.mj_step(wheel, data, 50000)
    sim = HardSimulator(load_model(SCENES[scene].format(solref(e))), timestep=1e-3)
    run = sim.rollout(sim.initial_state(qvel=STARTS[scene]), np.zeros((100, 0)))
    assert run.unsolved == 0
    before = np.abs(run.qvel[20] - run.qvel[-1]).max()
    print(f"{scene} {e}: {np.abs(run.qvel[-1] - data.qvel).max():.1e} of {before:.2f}")
    assert before > 0.3 and np.abs(run.qvel[-1] - data.qvel).max() < 1e-2


@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_the_rate_turns_round(e):
    """v⁺ = -e v⁻ in the step of the impact. Measured: 2e-7 m/s, the standoff over h."""
    sim = HardSimulator(load_model(SCENES["slide"].format(solref(e))))
    run = sim.rollout(sim.initial_state(qvel=[1.0]), np.zeros((100, 0)))
    assert abs(run.qvel[-1, 0] + e) < 1e-6 and abs(run.qvel[40, 0] - 1.0) < 1e-12
    assert run.qpos.max() < 0.0503 + 1e-9


def test_it_comes_to_rest():
    """A pendulum that falls onto its limit."""
    text = HEAD.format(-9.81) + '<body><joint axis="0 1 0" range="-30 20" {}/>' + BAR + "</body></worldbody></mujoco>"
    sim = HardSimulator(load_model(text.format(solref(0.5))), timestep=0.002)
    run = sim.rollout(sim.initial_state(), np.zeros((1500, 0)))
    assert run.unsolved == 0
    assert run.qvel[:, 0].min() < -0.5 and abs(run.qvel[-1, 0]) < 1e-7
    assert abs(run.qpos[-1, 0] - np.deg2rad(20.0)) < 1e-8


@pytest.mark.parametrize("seed", some(range(4), [0]))
def test_energy_never_grows(seed):
    """Two links whose limits bounce, over a floor that bounces with friction; 20 J.

    The impulses of joints act where the step starts and do work of first order in h in an impact: 0.013 J at most at h 5e-4.
    """
    rng = np.random.default_rng(seed)
    bounce = solref(rng.choice([0.7, 1.0]))
    text = f"""<mujoco><option gravity="0 0 -9.81"/><default><geom solref="{bounce.split('"')[1]}" friction=".6"/></default>
      <worldbody><geom type="plane" size="1 1 1" contype="1" conaffinity="0"/><body pos="0 0 .5">
      <joint axis="0 1 0" range="-50 60" {bounce}/>
      <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0" contype="0"/><body pos=".4 0 0">
      <joint axis="0 1 0" range="-70 40" {bounce}/><geom type="capsule" size=".03" fromto="0 0 0 .4 0 0" contype="0"/>
      </body></body></worldbody></mujoco>"""
    gains = []
    for h in (5e-4, 2.5e-4):
        sim = HardSimulator(load_model(text), timestep=h)
        run = sim.rollout(sim.initial_state(qvel=3.0 * rng.standard_normal(2)), np.zeros((round(0.6 / h), 0)))
        assert run.unsolved == 0
        energies = np.array([sim.energy(run.state(t)) for t in range(1, len(run.time))])
        gains.append(np.diff(energies).max())
        assert np.abs(np.diff(run.qvel[:, 1])).max() > 1.0
    print(f"{gains[0]:.1e} {gains[1]:.1e}")
    assert gains[0] < 0.03 and gains[1] < 0.5 * max(gains[0], 1e-3)


TRIPLE = """<mujoco><default><geom contype="0" conaffinity="0"/><joint solreflimit="-1000 0" limited="true"/></default><worldbody>
  <body pos="0 0 2.8"><joint axis="0 1 0" range="-60 60"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".3"/>
  <body pos="0 0 -.3"><joint axis="0 1 0" range="-90 90"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".2"/>
  <body pos="0 0 -.3">{}<geom type="capsule" fromto="0 0 0 0 0 -.15" size=".02" mass=".05"/></body></body></body></worldbody>
  </mujoco>"""
LAST = {"ball": '<joint type="ball" range="0 60"/>', "hinge": '<joint axis="0 1 0" range="-60 60"/>'}


@pytest.mark.parametrize("h", [0.01, 0.0025])
@pytest.mark.parametrize("last", LAST)
def test_a_pendulum_between_limits_that_lose_nothing_gains_nothing(last, h):
    """Three links, 20 starts, 0.5 s. Largest gain of a run 0.1 % of its kinetic energy, of a step 7 % (joints' impulses act where
    it starts). Where the mean of rates before and after bounded the work of limits alone: 22 % of a run, 50 % of a step.
    """
    sim = HardSimulator(load_model(TRIPLE.format(LAST[last])), timestep=h)
    rng = np.random.default_rng(6)
    still, gain, step = sim.energy(sim.initial_state()), 0.0, 0.0
    for _ in range(20):
        start = sim.initial_state(qvel=(8.0 if last == "ball" else 6.0) * rng.standard_normal(sim.model.nv))
        run = sim.rollout(start, np.zeros((round(0.5 / h), 0)))
        energies = np.array([sim.energy(run.state(t)) for t in range(len(run.time))])
        kinetic = energies[0] - still
        gain, step = max(gain, (energies[-1] - energies[0]) / kinetic), max(step, np.diff(energies).max() / kinetic)
    print(f"{last}, h {h}: {gain:.1e} of a run, {step:.1e} of a step")
    assert gain < 0.005 and step < 0.1


def test_the_central_path_knows_none():
    texts = [SCENES["hinge"].format(words) for words in (solref(0.8), "")]
    ends = []
    for text in texts:
        sim = HardSimulator(load_model(text))
        state = sim.initial_state(qpos=[np.deg2rad(2.89), 0.0], qvel=[1.0, 0.3])
        ends.append(sim.step(state, kappa=1e-4).state.qvel)
    assert np.array_equal(*ends)
    assert sim.step(state).state.qvel[0] < 0.2


@pytest.mark.parametrize("radius", [0.01, 0.05])
@pytest.mark.parametrize("h", [0.002, 0.01])
def test_a_ball_joint_returns_what_a_hinge_does(radius, h):
    """A rod that swings in a plane. A ball's threshold had been that of the rod's spin about itself: thin ones lost all."""
    fastest = []
    for joint, q, v in (
        ('type="ball" range="0 40"', [np.cos(0.25), 0, np.sin(0.25), 0], [0, 3.0, 0]),
        ('axis="0 1 0" range="-40 40"', [0.5], [3.0]),
    ):
        sim = HardSimulator(
            load_model(
                f"""<mujoco><worldbody><body><joint {joint} limited="true" solreflimit="-1000 0"/>
                <geom type="capsule" size="{radius} .2" pos="0 0 -.5" mass="1"/></body></worldbody></mujoco>"""
            ),
            h,
        )
        run = sim.rollout(sim.initial_state(qpos=q, qvel=v), np.zeros((int(0.25 / h), 0)))
        fastest.append(run.qvel[:, -2 if len(v) == 3 else 0].min())
    assert fastest[0] < -3.5 and fastest[0] == pytest.approx(fastest[1], rel=0.005)


@pytest.mark.parametrize("rate", [0.1, 1.0, 6.0])
def test_a_balanced_rotor_returns_all_of_any_rate(rate):
    """No weight acts on it. The threshold had been g √(m/I) h, 7 rad/s here."""
    sim = HardSimulator(
        load_model(
            """<mujoco><worldbody><body><joint axis="0 0 1" limited="true" range="-40 40" solreflimit="-1000 0"/>
            <geom type="cylinder" size=".02 .02" mass="1"/></body></worldbody></mujoco>"""
        ),
        0.01,
    )
    run = sim.rollout(sim.initial_state(qvel=[rate]), np.zeros((int(120.0 / rate), 0)))
    assert run.qvel[-1, 0] == pytest.approx(-rate, rel=1e-3)
