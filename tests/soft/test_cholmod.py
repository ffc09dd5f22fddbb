"""CHOLMOD's factor of the Newton Hessian against the dense one, and what is said when it is missing."""

import mujoco
import numpy as np
import pytest

from dojo_py.soft import SoftOptions, SoftSimulator, cholmod
from dojo_py.soft.options import FACTORIZATIONS

MISSING = 'scikit-sparse is not installed: pip install "dojo-sim[cholmod]"'
needs_cholmod = pytest.mark.skipif(not cholmod.installed(), reason=MISSING)


def pile(count, cone):
    """Spheres of 0.1 m in a heap of columns that lean on each other."""
    rng, side, bodies = np.random.default_rng(0), 3, ""
    for i in range(count):
        x, y, z = 0.19 * (i % side), 0.19 * (i // side % side), 0.1 + 0.19 * (i // side**2)
        dx, dy = 0.01 * rng.normal(size=2)
        bodies += f'<body pos="{x + dx} {y + dy} {z}"><freejoint/><geom size="0.1" condim="4"/></body>'
    text = f'<mujoco><option cone="{cone}"/><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>'
    return mujoco.MjModel.from_xml_string(text)


@needs_cholmod
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_both_factors_give_one_motion(cone):
    """162 dofs, about 50 contacts, 50 steps. Measured: 3e-16 m."""
    ends = []
    for factorization in FACTORIZATIONS:
        simulator = SoftSimulator(pile(27, cone), options=SoftOptions(factorization=factorization, tolerance=1e-10))
        trajectory = simulator.rollout(simulator.initial_state(), np.zeros((50, 0)))
        assert not trajectory.status.any()
        ends.append(trajectory.qpos[-1])
    assert len(simulator.work.solver.H) == 0, "the dense matrix must not be there"
    difference = np.abs(ends[0] - ends[1]).max()
    print(f"{cone}: dense against CHOLMOD after 50 steps {difference:.1e} m (bound 1e-9)")
    assert difference < 1e-9


@needs_cholmod
def test_worlds_in_threads_keep_their_own_factors():
    simulator = SoftSimulator(pile(9, "elliptic"), options=SoftOptions(factorization="cholmod"))
    state, controls = simulator.initial_state(), np.zeros((4, 10, 0))
    single = simulator.rollout(state, controls[0])
    for many in simulator.rollout_batch(state, controls, threads=2):
        assert np.array_equal(many.qpos, single.qpos)


@needs_cholmod
def test_an_indefinite_matrix_is_refused_and_forgotten():
    i = np.array([0, 1], dtype=np.int32)
    assert not cholmod.factorize(2, i, i, np.array([1.0, -1.0]))
    assert not cholmod.factorize(2, i, i, np.array([1.0, np.nan]))
    assert cholmod.factorize(2, i, i, np.array([1.0, 4.0]))
    assert np.allclose(cholmod.solve(np.array([1.0, 1.0])), [1.0, 0.25])


def test_missing_package_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setattr(cholmod, "installed", lambda: False)
    with pytest.raises(ImportError, match=r"libsuitesparse-dev.*dojo-sim\[cholmod\]"):
        SoftSimulator(pile(1, "elliptic"), options=SoftOptions(factorization="cholmod"))
    assert not cholmod.chosen(None, 10**6), "nothing needs it unless asked for"


def test_large_models_use_it_unasked(monkeypatch):
    monkeypatch.setattr(cholmod, "installed", lambda: True)
    assert cholmod.chosen(None, cholmod.LARGE) and not cholmod.chosen(None, cholmod.LARGE - 1)
    assert cholmod.chosen("cholmod", 1) and not cholmod.chosen("dense", 10**6)
    with pytest.raises(ValueError, match="factorization"):
        SoftOptions(factorization="sparse")


def test_kernels_reach_python_without_the_package(monkeypatch):
    """A dense factor in numpy in its place: 9 spheres, 54 dofs, 30 steps. Measured: 1e-16 m."""
    held = {}

    def factorize(n, i, j, values):
        A = np.zeros((n, n))
        np.add.at(A, (i, j), values)
        held["A"] = A + np.tril(A, -1).T
        return True

    start = SoftSimulator(pile(9, "elliptic")).initial_state()
    dense = SoftSimulator(pile(9, "elliptic"), options=SoftOptions(factorization="dense")).rollout(start, np.zeros((30, 0)))
    monkeypatch.setattr(cholmod, "installed", lambda: True)
    monkeypatch.setattr(cholmod, "factorize", factorize)
    monkeypatch.setattr(cholmod, "solve", lambda b: np.linalg.solve(held["A"], b))
    sparse = SoftSimulator(pile(9, "elliptic"), options=SoftOptions(factorization="cholmod")).rollout(start, np.zeros((30, 0)))
    assert held and not sparse.status.any()
    assert np.abs(sparse.qpos - dense.qpos).max() < 1e-9
