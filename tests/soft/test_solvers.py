"""Constraint solvers: all reach the same minimum, for both cones, all contact dimensions and impedance ratios."""

import mujoco
import numpy as np
import oracle
import pytest

from dojo_py.soft import SoftOptions, SoftSimulator
from dojo_py.soft.workspace import NCON, NEFC

SCENE = """<mujoco><worldbody><geom type="plane" size="5 5 1" condim="{0}" friction="1 0.05 0.01"/>
  <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.1" condim="{0}" friction="0.7 0.05 0.01"/></body>
  <body pos="1 0 0.1"><freejoint/><geom type="sphere" size="0.1" condim="{0}"/></body>
  <body pos="1.15 0 0.2"><freejoint/><geom type="sphere" size="0.1" condim="{0}"/></body>
  <body pos="1.1 1 0.1"><freejoint/><geom type="capsule" size="0.1 0.2" condim="{0}"/>
    <body pos="0.2 0 0"><joint axis="0 1 0" range="-57 6" limited="true" frictionloss="0.3"/>
      <geom type="capsule" size="0.08 0.1" condim="{0}"/></body></body></worldbody></mujoco>"""
STATES = 6


def scene(condim):
    """Box, spheres on each other, a jointed pair of capsules, all on the ground; the box meets the ground only."""
    model = mujoco.MjModel.from_xml_string(SCENE.format(condim))
    model.geom_contype[1], model.geom_conaffinity[1] = 2, 0
    model.geom_conaffinity[0] = 3
    return model


def accelerations(model, solver, seed=0, noslip=0, tolerance=1e-14, iterations=20000):
    """Our and the wheel's qacc at random states, both to full convergence."""
    code = ("PGS", "CG", "Newton").index(solver)
    common = {"tolerance": tolerance, "iterations": iterations, "ls_iterations": 100, "noslip_iterations": noslip}
    wheel = oracle.with_options(model, solver=code, noslip_tolerance=1e-18, **common)
    simulator = SoftSimulator(model, options=SoftOptions(solver=solver, noslip_tolerance=1e-18, **common))
    rng = np.random.default_rng(seed)
    for _ in range(STATES):
        qpos, qvel = oracle.random_state(model, rng, spread=0.02, speed=0.5, heights=(0.09, 0.1))
        data = oracle.forward(wheel, qpos, qvel)
        yield simulator.acceleration(simulator.initial_state(qpos, qvel)), np.array(data.qacc)


def options(condim, cone, impratio):
    return oracle.with_options(scene(condim), cone=("pyramidal", "elliptic").index(cone), impratio=impratio)


CASES = [(d, c, i) for d in (1, 3, 4, 6) for c in ("pyramidal", "elliptic") for i in (1.0, 10.0)]


@pytest.mark.parametrize(("condim", "cone", "impratio"), CASES)
def test_newton(condim, cone, impratio):
    """Measured: 7e-9 at worst (elliptic), 1e-13 (pyramidal)."""
    model = options(condim, cone, impratio)
    for ours, wheel in accelerations(model, "Newton", tolerance=1e-12, iterations=100):
        assert oracle.difference(ours, wheel) < 1e-7


@pytest.mark.parametrize("solver", ["CG", "PGS"])
@pytest.mark.parametrize(("condim", "cone", "impratio"), CASES)
def test_cg_and_pgs_reach_newtons_minimum(solver, condim, cone, impratio):
    """Measured against our Newton: CG 2e-6, PGS 3e-8. (The wheel's elliptic PGS stays at the cone's tip in some states.)"""
    model = options(condim, cone, impratio)
    pairs = zip(accelerations(model, solver), accelerations(model, "Newton", tolerance=1e-12, iterations=100), strict=True)
    for (ours, _), (newton, _) in pairs:
        assert oracle.difference(ours, newton) < 1e-5


@pytest.mark.parametrize(("condim", "cone", "impratio"), CASES)
def test_noslip(condim, cone, impratio):
    """Both sweep until nothing improves by 1e-18; convergence is of first order. Measured: 1.2e-5 at worst (rolling friction)."""
    model = options(condim, cone, impratio)
    for ours, wheel in accelerations(model, "Newton", noslip=5000, tolerance=1e-12, iterations=100):
        assert oracle.difference(ours, wheel) < 5e-5


def test_solution_satisfies_the_optimality_conditions():
    """Without the wheel: forces in the cones, and M qacc = smooth + J^T f to 1e-10 of the force scale."""
    for cone in ("pyramidal", "elliptic"):
        model = options(4, cone, 1.0)
        simulator = SoftSimulator(model, options=SoftOptions(tolerance=1e-14, iterations=200))
        rng = np.random.default_rng(3)
        qpos, qvel = oracle.random_state(model, rng, spread=0.02, speed=0.5, heights=(0.09, 0.1))
        qacc = simulator.acceleration(simulator.initial_state(qpos, qvel))
        work = simulator.work
        n = int(work.rows.counts[NEFC])
        J = oracle.jacobian(work.rows, model.nv)
        M = oracle.dense_inertia(simulator._packed, work.pose.M)
        force = work.solver.force[:n]
        residual = M @ qacc - work.forces.smooth - J.T @ force
        assert np.abs(residual).max() < 1e-9 * max(1.0, np.abs(work.forces.smooth).max())
        for c in work.rows.contacts[: int(work.rows.counts[NCON])]:
            f = force[c["efc_address"] : c["efc_address"] + (c["dim"] if cone == "elliptic" else 2 * (c["dim"] - 1))]
            if cone == "pyramidal":
                assert (f >= 0).all()
            else:
                mu = simulator._packed.pairs[c["pair"]]["friction"][: c["dim"] - 1]
                assert f[0] + 1e-9 >= np.linalg.norm(f[1:] / mu)


def test_zero_iterations_when_warm():
    """At rest the duality gap of the previous acceleration already meets the tolerance."""
    model = options(3, "pyramidal", 1.0)
    simulator = SoftSimulator(model)
    trajectory = simulator.rollout(simulator.initial_state(), np.zeros((2000, 0)))
    assert (trajectory.iterations[-100:] <= 1).all()


def test_what_a_file_says_of_the_inertia_stops_no_solver():
    """`statistic meaninertia` has no effect in MuJoCo 4; a tolerance in its scale would stop Newton before its first iteration."""
    text = SCENE.format(3).replace("<worldbody>", '<statistic meaninertia="1e20"/><worldbody>', 1)
    model, told = (mujoco.MjModel.from_xml_string(t) for t in (SCENE.format(3), text))
    assert told.stat.meaninertia == 1e20
    qpos, qvel = oracle.random_state(model, np.random.default_rng(0), spread=0.02, speed=0.5, heights=(0.09, 0.1))
    first, second = (s.acceleration(s.initial_state(qpos, qvel)) for s in map(SoftSimulator, (model, told)))
    assert np.array_equal(first, second)
