"""Costs and constraints of plans written in jnp: their Jacobians against differences, plans against those of numpy's."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from dojo_py import HardSimulator, load_model  # noqa: E402
from dojo_py.jax import residual_constraint, residual_cost  # noqa: E402
from dojo_py.planning import Constraint, PlanStatus, ResidualCost, cem, control_cost, ilqr  # noqa: E402
from dojo_py.planning.knots import stages_and_end  # noqa: E402

ARM = """<mujoco><worldbody><body><joint name="a" axis="0 0 1" damping="0.1"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/><body pos="0.4 0 0"><joint name="b" axis="0 0 1" damping="0.1"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/></body></body></worldbody>
  <actuator><motor joint="a" ctrlrange="-5 5"/><motor joint="b" ctrlrange="-5 5"/></actuator></mujoco>"""
PLACE, HOLE, RADIUS = np.array([0.1, 0.7]), np.array([0.5, 0.35]), 0.12


def tip(q, np=jnp):
    a, b = q[0], q[0] + q[1]
    return 0.4 * np.stack([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)])


@pytest.mark.parametrize(("name", "na"), [("box", 0), ("quadruped", 0), ("muscle", 2)])
def test_jacobians_are_those_of_differences(name, na):
    """By tangents of free joints, velocities, activations and controls; at stages and at the end, one knot and several at once."""
    muscle = """<mujoco><worldbody><body><joint name="e" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
      <actuator><muscle joint="e" lengthrange="-2 2"/><muscle joint="e" gear="-1" lengthrange="-2 2"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(muscle if name == "muscle" else name), 0.02)
    model, rng, weights = sim.model, np.random.default_rng(0), jnp.array([1.0, 2.0, 3.0, 4.0])
    assert model.na == na

    def residual(x, u, k):
        own = jnp.array([jnp.sin(x).sum(), weights[k] * x[: model.nq] @ x[: model.nq][::-1]])
        return own if u is None else jnp.append(own, x[-1] * jnp.sum(u**2))

    cost = residual_cost(model, residual, 2.0)
    start = sim.initial_state(model.integrate(model.qpos0, rng.normal(0, 0.3, model.nv)), rng.normal(0, 0.3, model.nv))
    run = sim.rollout(start, rng.uniform(0, 1, (3, model.nu)))
    states = [run.state(k) for k in range(4)]
    plain = ResidualCost(lambda s, u, k: np.asarray(cost.residual(s, u, k)), 2.0)
    for knots in stages_and_end(states, run.control):
        assert cost.total(knots) == pytest.approx(plain.total(knots), rel=1e-12)
        for i, (mine, theirs) in enumerate(zip(cost.expansions(model, knots), plain.expansions(model, knots), strict=True)):
            for part in ("x", "u", "xx", "ux", "uu"):
                np.testing.assert_allclose(getattr(mine, part), getattr(theirs, part), rtol=1e-6, atol=1e-6, err_msg=f"{i} {part}")


def test_a_plan_past_an_obstacle_is_that_of_the_same_constraints_in_numpy():
    sim = HardSimulator(load_model(ARM), 0.05)
    start, stage = sim.initial_state(np.array([0.0, 0.3]), np.zeros(2)), control_cost(sim.model, 1e-3)

    def clear(x, u, k):
        return jnp.array([RADIUS**2 - jnp.sum((tip(x) - HOLE) ** 2)])

    written = [
        residual_constraint(sim.model, lambda x, u, k: tip(x) - PLACE, name="tip"),
        residual_constraint(sim.model, clear, "inequality", "all", "clear"),
    ]
    plain = [
        Constraint(lambda s, u, k: tip(s.qpos, np) - PLACE, name="tip"),
        Constraint(
            lambda s, u, k: np.array([RADIUS**2 - np.sum((tip(s.qpos, np) - HOLE) ** 2)]), "inequality", "all", name="clear"
        ),
    ]
    mine, theirs = (ilqr(sim, start, np.zeros((30, 2)), stage=stage, constraints=given) for given in (written, plain))
    assert mine.status is PlanStatus.SOLVED and mine.hard_violation <= 5e-3
    np.testing.assert_allclose(mine.controls, theirs.controls, atol=1e-3)
    closest = min(np.linalg.norm(tip(q, np) - HOLE) for q in mine.hard_trajectory.qpos)
    assert RADIUS - 0.03 < closest < RADIUS + 0.01, "it passes by close"
    rough = cem(sim, start, np.zeros((30, 2)), terminal=residual_cost(sim.model, lambda x, u, k: tip(x) - PLACE, 100.0))
    assert np.linalg.norm(tip(rough.hard_trajectory.qpos[-1], np) - PLACE) < 0.02


def test_mistakes_are_named():
    sim = HardSimulator(load_model(ARM), 0.05)
    with pytest.raises(TypeError, match="function"):
        residual_cost(sim.model, 3.0)
    with pytest.raises(TypeError, match=r"function=.* takes \(x, u\), expected a function of \(state, control, k\)"):
        residual_cost(sim.model, lambda x, u: x)
    with pytest.raises(TypeError, match="model"):
        residual_cost(sim, lambda x, u, k: x)
    with pytest.raises(ValueError, match=r"the residual has shape \(2, 2\), expected \(p,\)"):
        ilqr(sim, sim.initial_state(), np.zeros((3, 2)), stage=residual_cost(sim.model, lambda x, u, k: jnp.eye(2)))
    another = residual_cost(load_model("box"), lambda x, u, k: x[:1])
    with pytest.raises(ValueError, match=r"the residual is of model '\w+' with nq, nv = 7, 6, the states have \(2, 2\)"):
        ilqr(sim, sim.initial_state(), np.zeros((3, 2)), stage=another)
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(RuntimeError, match="float64"):
            residual_cost(sim.model, lambda x, u, k: x)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_an_index_beyond_the_end_is_told(recwarn):
    """JAX takes the nearest entry: a cost of entry 20 of 4 was one of the last, and its plan SOLVED."""
    sim, goals = HardSimulator(load_model(ARM), 0.05), jnp.zeros((5, 2))
    start, controls = sim.initial_state(), np.zeros((5, 2))
    for function in (lambda x, u, k: x[:2] - 0.1, lambda x, u, k: x[-2:] - goals[jnp.minimum(k, 4)]):
        ilqr(sim, start, controls, terminal=residual_cost(sim.model, function))
    assert not recwarn
    with pytest.warns(RuntimeWarning, match=r"at knot 5 .*index 20 is out of bounds for axis 0 with size 4"):
        ilqr(sim, start, controls, terminal=residual_cost(sim.model, lambda x, u, k: jnp.array([x[20] - 0.1])))
    with pytest.warns(RuntimeWarning, match="index 5 is out of bounds"):
        ilqr(sim, start, controls, terminal=residual_cost(sim.model, lambda x, u, k: x[:2] - goals[k]))


def test_what_a_function_in_jnp_is_given_is_said_where_it_is_taken_for_something_else():
    sim = HardSimulator(load_model(ARM), 0.05)
    with pytest.raises(ValueError, match="function returned None where the control is None, at the end"):
        ilqr(sim, sim.initial_state(), np.zeros((5, 2)), terminal=residual_cost(sim.model, lambda x, u, k: u))
    with pytest.raises(AttributeError) as raised:
        ilqr(sim, sim.initial_state(), np.zeros((5, 2)), terminal=residual_cost(sim.model, lambda x, u, k: x.qpos))
    assert any("not a State" in note for note in raised.value.__notes__)
