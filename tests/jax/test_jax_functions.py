"""step_function and rollout_function under jit, grad, jacrev, jacfwd and vmap against the simulator they stand for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from default_run import some

from dojo_py import HardSimulator, load_model
from dojo_py.jax import rollout_function, step_function
from dojo_py.jax.tangents import Tangents
from dojo_py.simulate.status import OutOfDomain

KAPPA, H = 3e-4, 0.02
BALL = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 .6"><freejoint/><geom type="box" size=".1 .2 .15"/>
<body pos=".3 0 0"><joint name="b" type="ball" damping=".1"/><geom type="capsule" size=".05 .1" pos=".1 0 0"/></body></body>
</worldbody><actuator><motor joint="b" gear="0 1 0"/></actuator></mujoco>"""
MODELS = ("box", "hopper", "ball")


def a_start(name, seed=0):
    """(model, state vector (nq + nv,), control (nu,)) with rotations away from the identity, near the floor."""
    model = load_model(BALL if name == "ball" else name)
    rng = np.random.default_rng(seed)
    qpos = model.integrate(model.qpos0, 0.2 * rng.normal(size=model.nv))
    if name == "hopper":  # inside its joints' bounds, its foot just above the floor
        qpos[:] = 0.1, 1.24, 0.05, -0.1, -0.1, 0.05
    else:
        qpos[2] = 0.3
    return model, np.concatenate([qpos, 0.3 * rng.normal(size=model.nv)]), 0.5 * rng.normal(size=model.nu)


def ambient(model, state, A, end):
    """The Jacobian (nq + nv, nq + nv) in coordinates that goes with A, by differences of model.integrate and model.difference."""
    nq, nv, eps = model.nq, model.nv, 1e-6
    up, down = np.zeros((nq + nv, 2 * nv)), np.zeros((2 * nv, nq + nv))
    for i in range(nv):
        e = eps * np.eye(nv)[i]
        up[:nq, i] = (model.integrate(end[:nq], e) - model.integrate(end[:nq], -e)) / (2 * eps)
    for i in range(nq):
        e = eps * np.eye(nq)[i]
        down[:nv, i] = (model.difference(state[:nq] + e, state[:nq]) - model.difference(state[:nq] - e, state[:nq])) / (2 * eps)
    up[nq:, nv:], down[nv:, nq:] = np.eye(nv), np.eye(nv)
    return up @ A @ down, up


def relative(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max() / max(np.abs(np.asarray(b)).max(), 1e-300))


@pytest.mark.parametrize("name", some(MODELS, ["box", "hopper"]))
def test_step_is_the_simulator_and_its_jacobians_agree(name):
    """Value: the same numbers. jacfwd = jacrev = A, B of `linearize` between tangents to 1e-10 (measured 2e-16)."""
    model, x, u = a_start(name)
    f = step_function(model, H, KAPPA)
    sim = HardSimulator(model, H)
    lin = sim.linearize(sim.initial_state(x[: model.nq], x[model.nq :]), u, kappa=KAPPA)
    y = f(x, u)
    assert np.array_equal(y, np.concatenate([lin.next_state.qpos, lin.next_state.qvel]))
    assert np.array_equal(y, jax.jit(f)(x, u))
    forward, reverse = jax.jacfwd(f, (0, 1))(x, u), jax.jit(jax.jacrev(f, (0, 1)))(x, u)
    A, up = ambient(model, x, lin.A, np.asarray(y))
    for j in (forward, reverse):
        assert relative(j[0], A) < 1e-8 and relative(j[1], up @ lin.B) < 1e-8  # (differences of the maps: 1e-9)
    t = Tangents(model)
    lowered = jax.vmap(lambda e: t.lower(x, e), out_axes=1)(np.eye(t.size))
    raised = jax.vmap(lambda e: t.raise_(y, e), out_axes=1)(np.eye(t.tangent_size))
    worst = max(relative(j[0], raised @ lin.A @ lowered) for j in (forward, reverse))
    worst = max(worst, *(relative(j[1], raised @ lin.B) for j in (forward, reverse)), relative(forward[0], reverse[0]))
    print(f"{name}: forward, reverse and linearize agree to {worst:.1e} (bound 1e-10)")
    assert worst < 1e-10


@pytest.mark.parametrize("name", some(MODELS, ["ball"]))
def test_derivatives_are_those_of_the_function_itself(name):
    """Central differences of f in all nq + nv coordinates, lengths of quaternions included (bound 1e-6)."""
    model, x, u = a_start(name, seed=1)
    f = step_function(model, H, KAPPA)
    columns, step = [], jax.jit(f)
    for i in range(len(x)):
        e = 2e-6 * np.eye(len(x))[i]
        columns.append((step(x + e, u) - step(x - e, u)) / 4e-6)
    error = relative(jax.jacrev(f)(x, u), np.stack(columns, axis=1))
    print(f"{name}: differences of the step: {error:.1e} (bound 1e-6)")
    assert error < 1e-6


STATEFUL = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 .6"><freejoint/><geom type="box" size=".1 .2 .15"/>
<body pos=".3 0 0"><joint name="b" type="ball" damping=".1"/><geom type="capsule" size=".05 .1" pos=".1 0 0"/>
<body pos=".2 0 0"><joint name="h" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/></body></body></body></worldbody><actuator>
<general joint="b" gear="0 1 0" dyntype="filter" dynprm=".1" gainprm="3"/><general joint="h" dyntype="integrator" biastype="affine"
gainprm="2" biasprm="0 -2 -.1"/><muscle joint="h" lengthrange="-1 1" force="4"/><motor joint="h"/></actuator></mujoco>"""


def test_activations_are_part_of_the_state():
    """A filter, a servo of an integrated control, a muscle: the simulator's numbers; differences to 1e-6; a roll-out's chain."""
    model = load_model(STATEFUL)
    rng = np.random.default_rng(0)
    qpos = model.integrate(model.qpos0, 0.2 * rng.normal(size=model.nv))
    qpos[2] = 0.3
    x = np.concatenate([qpos, 0.3 * rng.normal(size=model.nv), [0.3, -0.2, 0.4]])
    u = np.array([0.4, 0.3, 0.6, -0.2])
    f, sim = step_function(model, H, KAPPA), HardSimulator(model, H)
    end = sim.step(sim.initial_state(x[: model.nq], x[model.nq : -3], act=x[-3:]), u, kappa=KAPPA).state
    assert np.array_equal(f(x, u), np.concatenate([end.qpos, end.qvel, end.act]))
    forward, reverse = jax.jacfwd(f, (0, 1))(x, u), jax.jacrev(f, (0, 1))(x, u)
    assert max(relative(a, b) for a, b in zip(forward, reverse, strict=True)) < 1e-12
    step = jax.jit(f)
    for at, (value, found) in enumerate(zip((x, u), forward, strict=True)):
        columns = []
        for e in 2e-6 * np.eye(len(value)):
            moved = [(x + s * e, u) if at == 0 else (x, u + s * e) for s in (1.0, -1.0)]
            columns.append((step(*moved[0]) - step(*moved[1])) / 4e-6)
        assert relative(found, np.stack(columns, axis=1)) < 1e-6
    roll = rollout_function(model, H, KAPPA)
    chained = f(f(x, u), 0.5 * u)
    assert np.abs(roll(x, np.stack([u, 0.5 * u]))[-1] - chained).max() < 1e-7  # (not from the last step's impulses)
    slope = jax.grad(lambda x: roll(x, jnp.stack([u, 0.5 * u]))[-1].sum())(x)
    assert relative(slope, jax.grad(lambda x: f(f(x, u), 0.5 * u).sum())(x)) < 1e-6
    with pytest.raises(ValueError, match=r"expected \(nq \+ nv \+ na,\)"):
        f(x[:-1], u)
    by_damping = step_function(model, H, KAPPA, ("damping",))
    values = {"damping": sim.parameter("damping").value}
    assert by_damping(x, u, values).shape == x.shape


def test_length_of_a_quaternion_does_not_matter():
    model, x, u = a_start("box")
    f = step_function(model, H, KAPPA)
    longer = x.copy()
    longer[3:7] *= 3.0
    assert relative(f(longer, u), f(x, u)) < 1e-12
    J, K = jax.jacfwd(f)(x, u), jax.jacfwd(f)(longer, u)
    assert relative(K[:, 3:7], J[:, 3:7] / 3.0) < 1e-9
    assert np.abs(J @ np.concatenate([np.zeros(3), x[3:7], np.zeros(6)])).max() < 1e-12


def test_tangent_maps_are_the_jacobians_of_integrate_and_difference():
    model, x, _ = a_start("ball", seed=2)
    t = Tangents(model)
    eye = np.eye(t.tangent_size)
    _, up = ambient(model, x, eye, x)
    raised = jax.vmap(lambda e: t.raise_(x, e), out_axes=1)(eye)
    assert np.abs(raised - up).max() < 1e-9
    assert np.abs(jax.vmap(lambda e: t.lower(x, e))(raised.T).T - eye).max() < 1e-15
    assert np.abs(np.linalg.pinv(raised) - jax.vmap(lambda e: t.lower(x, e), out_axes=1)(np.eye(t.size))).max() < 1e-14


@pytest.mark.parametrize("name", some(["box", "ball"], ["box"]))
def test_rollout_is_the_simulators_and_the_chain_of_its_jacobians(name):
    """T = 10 steps through touch-down: states the same numbers, gradient = chain of A and B (1e-10, measured 1e-15)."""
    model, x, _ = a_start(name, seed=3)
    controls = np.random.default_rng(4).normal(size=(10, model.nu))
    f = rollout_function(model, H, KAPPA)
    sim = HardSimulator(model, H)
    traj = sim.rollout(sim.initial_state(x[: model.nq], x[model.nq :]), controls, kappa=KAPPA, linearize=True)
    y = f(x, controls)
    assert y.shape == (11, len(x)) and np.array_equal(y, np.concatenate([traj.qpos, traj.qvel], axis=1))
    w = np.random.default_rng(5).normal(size=y.shape)
    gx, gu = jax.jit(jax.grad(lambda x, u: jnp.sum(w * f(x, u)), (0, 1)))(x, controls)
    t = Tangents(model)
    lifted = [np.asarray(jax.vmap(lambda e, s=s: t.raise_(s, e), out_axes=1)(np.eye(t.tangent_size))) for s in y]
    adjoint, by_control = lifted[-1].T @ w[-1], []
    for k in range(9, -1, -1):
        by_control.append(traj.B[k].T @ adjoint)
        adjoint = traj.A[k].T @ adjoint + lifted[k].T @ w[k]
    lowered = np.asarray(jax.vmap(lambda e: t.lower(x, e), out_axes=1)(np.eye(t.size)))
    errors = relative(gx, lowered.T @ adjoint), relative(gu, by_control[::-1])
    forward = jax.jacfwd(lambda x, u: jnp.sum(w * f(x, u)), (0, 1))(x, controls)
    errors += relative(forward[0], gx), relative(forward[1], gu)
    print(f"{name}: chain against grad, jacfwd against grad: {errors}")
    assert max(errors) < 1e-10


def test_vmap_is_one_call_of_rollout_batch(monkeypatch):
    model, x, _ = a_start("box")
    rng = np.random.default_rng(6)
    states, controls = x + 0.01 * rng.normal(size=(7, len(x))), rng.normal(size=(7, 5, model.nu))
    f = rollout_function(model, H, KAPPA, threads=2)
    single = [f(s, c) for s, c in zip(states, controls, strict=True)]
    gradient = jax.grad(lambda s, c: jnp.sum(f(s, c)[-1] ** 2))
    singly = [gradient(s, c) for s, c in zip(states, controls, strict=True)]
    calls = []
    batch = HardSimulator.rollout_batch
    monkeypatch.setattr(HardSimulator, "rollout_batch", lambda *a, **k: calls.append(len(a[1])) or batch(*a, **k))
    together = jax.jit(jax.vmap(f))(states, controls)
    assert calls == [7] and np.array_equal(together, single)
    calls.clear()
    assert relative(jax.jit(jax.vmap(gradient))(states, controls), singly) < 1e-13 and calls == [7]
    calls.clear()
    shared = jax.vmap(f, in_axes=(None, 0))(states[0], controls)  # only the controls are batched
    assert calls == [7] and np.array_equal(shared[0], single[0])
    calls.clear()
    jax.jit(jax.jacfwd(f))(states[0], controls[0]).block_until_ready()  # all tangents share one call
    assert calls == [1]
    calls.clear()
    nested = jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(None, 0))(states[:3], controls[:2])
    assert calls == [6] and nested.shape == (2, 3, 6, len(x)) and np.array_equal(nested[0, 0], single[0])


def test_a_large_batch_comes_back():
    """Arguments beyond a megabyte once made callbacks wait for themselves (JAX issue 24255)."""
    model, x, _ = a_start("box")
    states = np.tile(x, (20000, 1))
    states[:, 2] = np.nan
    states[0] = x
    out = jax.jit(jax.vmap(step_function(model, H, KAPPA), in_axes=(0, None)))(states, np.zeros(model.nu))
    assert np.isfinite(out[0]).all() and np.isnan(out[1:]).all()


def test_hard_steps_with_relaxed_derivatives():
    model, x, u = a_start("box")
    f = step_function(model, H, None, gradient_kappa=KAPPA)
    sim = HardSimulator(model, H)
    state = sim.initial_state(x[: model.nq], x[model.nq :])
    assert np.array_equal(f(x, u)[: model.nq], sim.step(state, u).state.qpos)
    _, up = ambient(model, x, np.eye(2 * model.nv), np.asarray(f(x, u)))
    assert relative(jax.jacrev(f, 1)(x, u), up @ sim.linearize(state, u, kappa=KAPPA).B) < 1e-8


def test_mistakes_are_named():
    model, x, u = a_start("box")
    f = step_function(model, H, KAPPA)
    with pytest.raises(ValueError, match=r"state_vector has shape \(4,\)"):
        f(x[:4], u)
    with pytest.raises(ValueError, match=r"control has shape \(2,\)"):
        f(x, u[:2])
    with pytest.raises(ValueError, match="expected \\[\\]"):
        f(x, u, {"mass": 1.0})
    with pytest.raises(NotImplementedError, match="second derivatives"):
        jax.hessian(lambda x: f(x, u)[0])(x)
    with pytest.raises(ValueError, match="unsolved='never'"):
        step_function(model, H, unsolved="never")
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(RuntimeError, match="jax_enable_x64"):
        f(x, u)


def test_parameters_are_named_once_and_there():
    """The last of two names for one number acted, both had the whole derivative; what a model has none of failed when called."""
    for model, names, message in (
        ("box", ("mass", "mass:box"), "mass:box belongs to two names, 'mass' and 'mass:box'"),
        ("box", ("com", "com"), "com:box belongs to two names"),
        ("box", ("friction", "friction_directions"), "friction_directions:.* belongs to two names, 'friction' and 'friction_dir"),
        ("box", ("contact_point", "size"), "contact_point:.* belongs to two names, 'size' and 'contact_point'"),
        ("pendulum", ("friction",), "the model has no friction"),
    ):
        with pytest.raises(ValueError, match=message):
            step_function(model, H, KAPPA, names)
    step_function("box", H, KAPPA, ("mass", "inertia", "com", "contact_point", "friction"))


def test_unsolved_steps_are_not_silent():
    from dojo_py import HardOptions

    model, x, u = a_start("box")
    impatient = HardOptions(max_iterations=1, subdivisions=0)
    with pytest.warns(RuntimeWarning, match="INEXACT"):
        step_function(model, H, KAPPA, options=impatient)(x, u).block_until_ready()
    with pytest.raises(Exception, match="INEXACT"):
        step_function(model, H, KAPPA, options=impatient, unsolved="raise")(x, u).block_until_ready()
    assert np.isfinite(step_function(model, H, KAPPA, options=impatient, unsolved="ignore")(x, u)).all()


def test_values_that_are_refused_are_a_value_error():
    """Within jit only a callback knows the values: there it is JAX's error, with the same text."""
    model, x, u = a_start("box")
    f = step_function(model, H, KAPPA, ("mass",))
    with pytest.raises(ValueError, match="mass"):
        f(x, u, {"mass": np.array([-1.0])})
    with pytest.raises(ValueError, match="half a turn"):
        f(x + 1e4 * (np.arange(len(x)) >= model.nq + 3), u, {"mass": np.array([1.0])})
    with pytest.raises(jax.errors.JaxRuntimeError, match="mass"):
        jax.jit(f)(x, u, {"mass": np.array([-1.0])}).block_until_ready()


def test_without_jax_the_extra_is_named():
    import subprocess
    import sys

    code = "import sys; sys.modules['jax'] = None\nimport dojo_py\ntry:\n import dojo_py.jax\nexcept ImportError as e:\n print(e)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert 'pip install "dojo-sim[jax]"' in out


def test_parameters_are_differentiated():
    """Against `linearize`, and central differences of f (1e-6)."""
    model, x, u = a_start("box")
    f = step_function(model, H, KAPPA, ("mass", "friction"))
    sim = HardSimulator(model, H)
    lin = sim.linearize(sim.initial_state(x[: model.nq], x[model.nq :]), u, kappa=KAPPA, parameters=["mass", "friction"])
    p = {"mass": np.array([1.0]), "friction": np.full(lin.parameters["friction"].shape[1], 0.5)}
    for transform in (jax.jacfwd, jax.jacrev):
        J = transform(f, 2)(x, u, p)
        for name, value in p.items():
            for i in range(len(value)):
                e = 1e-5 * np.eye(len(value))[i]
                numeric = (f(x, u, {**p, name: value + e}) - f(x, u, {**p, name: value - e})) / 2e-5
                assert relative(J[name][:, i], numeric) < 1e-6


def test_rollouts_are_differentiated_by_parameters():
    """Six steps through touch-down, under grad, jit and vmap: against central differences of the roll-out.

    Measured: 4e-6 for com, whose columns are round-off of residual differences, 2e-7 at worst for the others.
    """
    model, x, _ = a_start("ball", seed=3)
    names = ("mass", "inertia", "com", "gravity", "friction", "damping", "contact_point", "timestep")
    f = rollout_function(model, H, KAPPA, names)
    controls = np.zeros((6, model.nu))
    sim = HardSimulator(model, H)
    p = {name: np.array(sim.parameter(name).value, float) for name in names}
    w = np.random.default_rng(5).normal(size=f(x, controls, p).shape)

    def loss(p):
        return jnp.sum(w * f(x, controls, p))

    gradient = jax.jit(jax.grad(loss))(p)
    rng, worst = np.random.default_rng(6), {}
    for name in names:
        assert gradient[name].shape == p[name].shape
        change = rng.normal(size=p[name].shape) * max(np.abs(p[name]).max(), 1e-2)
        if name == "inertia":
            change = p[name]
        e = 1e-5
        numeric = (loss({**p, name: p[name] + e * change}) - loss({**p, name: p[name] - e * change})) / (2 * e)
        worst[name] = abs(float(jnp.sum(gradient[name] * change) - numeric)) / max(abs(float(numeric)), 1e-2)
    print({name: f"{error:.0e}" for name, error in worst.items()}, "(bound 1e-6, com 1e-5)")
    assert all(error < (1e-5 if name == "com" else 1e-6) for name, error in worst.items())
    two = jax.vmap(jax.grad(loss))({name: np.stack([value, value]) for name, value in p.items()})
    assert all(relative(two[name][1], gradient[name]) < 1e-12 for name in names)


def test_a_quaternion_of_length_0_has_finite_derivatives():
    """It is taken for the identity. All columns of jacfwd and all of grad were NaN; its own are 0 now, the others those there."""
    model, x, u = a_start("box")
    f, null, there = step_function(model, H, KAPPA), x.copy(), x.copy()
    null[3:7], there[3:7] = 0.0, (1.0, 0.0, 0.0, 0.0)
    J, expected = np.array(jax.jacfwd(f)(null, u)), np.array(jax.jacfwd(f)(there, u))
    expected[:, 3:7] = 0.0
    assert np.array_equal(f(null, u), f(there, u)) and np.array_equal(J, expected)
    gradient = jax.grad(lambda x: f(x, u).sum())(null)
    assert np.abs(gradient - expected.sum(axis=0)).max() < 1e-12


def test_an_element_of_a_vmap_that_the_simulator_refuses_is_nan():
    """It was a JaxRuntimeError for all of them. A call by itself, and unsolved="raise", raise."""
    model, x, u = a_start("box")
    fast = x.copy()
    fast[model.nq + 3] = 200.0
    f = step_function(model, H, KAPPA)
    with pytest.raises(OutOfDomain):
        f(fast, u)
    with pytest.warns(RuntimeWarning, match="element 1 of 3, and 1 more is refused, and NaN: .*turn"):
        out = jax.vmap(f, (0, None))(np.stack([x, fast, fast]), u)
    assert np.array_equal(out[0], f(x, u)) and np.isnan(out[1:]).all()
    with pytest.raises(jax.errors.JaxRuntimeError, match="turn"):
        jax.vmap(step_function(model, H, KAPPA, unsolved="raise"), (0, None))(np.stack([x, fast]), u)
    heavy = step_function(model, H, KAPPA, ("mass",))
    with pytest.warns(RuntimeWarning, match="element 1 of 2 is refused, and NaN: .*mass"):
        out = jax.vmap(lambda mass: heavy(x, u, {"mass": mass}))(np.array([[1.0], [-1.0]]))
    assert np.isfinite(out[0]).all() and np.isnan(out[1]).all()
