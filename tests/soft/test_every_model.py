"""Inverse dynamics, the solvers' minimum and 500 steps on every model: the shipped ones, public robots and URDF, a hundred trees.

The stages are in test_stages.py, whose list of models this is. Trees: some here, all of them where marked slow.
"""

import mujoco
import numpy as np
import oracle
import pytest
from default_run import one_in
from public import TIE
from test_integrators import INTEGRATORS, STEPS, wheel_motion, wheels_horizon
from test_stages import PUBLIC, URDFS
from trees import random_tree

from dojo_py.soft import SoftOptions, SoftSimulator

TREES = [f"tree {seed}" for seed in range(100)]
SHIPPED = [path.stem for path in oracle.MODELS]
ROBOTS = [name for name in PUBLIC if name != TIE] + URDFS
TIGHT = {"tolerance": 1e-15, "iterations": 500}
DROPPED = {45}
"""Trees with two boxes that come within their margin along a separating axis only: the wheel's broad phase drops the contact."""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Name -> MjModel."""

    def model(name):
        kind, _, rest = name.partition(" ")
        if kind == "tree":
            return oracle.without_unsupported_pairs(mujoco.MjModel.from_xml_string(random_tree(int(rest))))
        if name in SHIPPED:
            return mujoco.MjModel.from_xml_path(str(oracle.MODELS[SHIPPED.index(name)]))
        monkeypatch.chdir(tmp_path)  # the wheel writes its warnings here
        return oracle.public_model(name)

    return model


@pytest.mark.parametrize("name", SHIPPED + one_in(ROBOTS + TREES, 4))
def test_inverse_of_forward(load, name):
    """Measured: 2e-13 of the largest force; the wheel's inverse of a random acceleration: 1e-12."""
    model = load(name)
    simulator = SoftSimulator(model, options=SoftOptions(**TIGHT))
    rng = np.random.default_rng(0)
    for _ in range(5):
        qpos, qvel = oracle.random_state(model, rng)
        control = rng.uniform(-1, 1, model.nu)
        state = simulator.initial_state(qpos, qvel)
        qacc = simulator.acceleration(state, control)
        forces = simulator.work.forces
        force = forces.actuator.copy()
        scale = max(1.0, *(np.abs(f).max(initial=0.0) for f in (forces.constraint, forces.bias)))
        error = np.abs(simulator.inverse(state, qacc) - force).max(initial=0.0) / scale
        print(f"{name}: inverse(forward) {error:.1e} (bound 1e-8)")
        assert error < 1e-8
        data = oracle.forward(model, qpos, qvel, control)
        data.qacc[:] = rng.normal(size=model.nv)
        mujoco.mj_inverse(model, data)
        assert oracle.difference(simulator.inverse(state, data.qacc), data.qfrc_inverse) < 1e-9


ABOVE = {("tree 4", "CG"): 1.6e-6, ("tree 76", "CG"): 1.6e-6}
"""Trees for which what is left of the cost is above the bound, of 5191."""


@pytest.mark.parametrize("solver, bound", [("CG", 1e-6), ("PGS", 2e-5)])
@pytest.mark.parametrize("name", one_in(SHIPPED + ROBOTS + TREES, 5))
def test_cg_and_pgs_reach_newtons_cost(load, request, name, solver, bound):
    """At tolerance 1e-8, which they compare with one iteration's gain: what is left is more. Measured: CG 9e-7, PGS 1e-5.

    PGS wants up to 12,000 sweeps of the trees' deep contacts.
    """
    if (name, solver) in ABOVE:
        request.applymarker(pytest.mark.xfail(strict=True, reason=f"bound {bound:g}, measured {ABOVE[name, solver]:g}"))
    model = load(name)
    newton = SoftSimulator(model, options=SoftOptions(solver="Newton", **TIGHT))
    other = SoftSimulator(model, options=SoftOptions(solver=solver, tolerance=1e-8, iterations=20000))
    rng = np.random.default_rng(1)
    for _ in range(4):
        qpos, qvel = oracle.random_state(model, rng)
        cost = oracle.primal_cost(model, oracle.forward(model, qpos, qvel))
        state = newton.initial_state(qpos, qvel)
        least = cost(newton.acceleration(state))
        more = cost(other.acceleration(state)) - least
        print(f"{name}, {solver}: {more:.1e} above Newton's cost {least:.3g} (bound {bound:g})")
        assert abs(more) < bound * max(1.0, 1e-6 * abs(least))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("contact", [False, True], ids=["free", "in contact"])
@pytest.mark.parametrize("name", one_in(URDFS + TREES, 20))
def test_five_hundred_steps(load, name, contact, integrator):
    """As long as two wheels 1e-13 apart stay together. The shipped models and public robots: test_integrators.py."""
    kind, _, seed = name.partition(" ")
    if kind == "tree" and int(seed) in DROPPED and contact:
        pytest.skip("the wheel drops a contact: see DROPPED")
    wheel = oracle.with_options(load(name), integrator=INTEGRATORS.index(integrator), tolerance=1e-15, iterations=200)
    if not contact:
        wheel.opt.disableflags |= (1 << 4) | (1 << 3)
    rng = np.random.default_rng(0)
    qvel, controls = 0.3 * rng.normal(size=wheel.nv), 0.1 * rng.normal(size=(STEPS, wheel.nu))
    controls = controls[: wheels_horizon(wheel, integrator, wheel.qpos0, qvel, controls)]
    assert len(controls) >= 1
    options = SoftOptions(integrator=integrator, tolerance=1e-15, iterations=200)
    simulator = SoftSimulator(wheel, timestep=wheel.opt.timestep, options=options)
    ours = simulator.rollout(simulator.initial_state(wheel.qpos0, qvel), controls)
    largest = np.abs(ours.qpos - wheel_motion(wheel, wheel.qpos0, qvel, controls)).max()
    print(f"{name}, {integrator}, {len(controls)} steps: {largest:.1e} (bound 1e-6)")
    assert largest < 1e-6
