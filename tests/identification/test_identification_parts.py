"""Transforms, pseudo-inertias, files, base parameters, covariance: each against what defines it."""

import numpy as np
import pytest
from default_run import some

from dojo_py import HardSimulator, load_model
from dojo_py.identification import Recording, Unknown, base_parameters, identify, read_recording
from dojo_py.identification.pseudo_inertia import slope, to_body, to_com, to_free, to_linear
from dojo_py.identification.transforms import TRANSFORMS

SLIDER = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="cart">
<joint name="rail" type="slide" axis="1 0 0"
damping="0.7"/><geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor joint="rail"/></actuator></mujoco>"""


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_have_their_slopes_and_inverses(name):
    t, z = TRANSFORMS[name], np.linspace(-3, 3, 13)
    assert np.allclose(t.free(t.value(z)), z, atol=1e-12)
    assert np.allclose((t.value(z + 1e-5) - t.value(z - 1e-5)) / 2e-5, t.slope(z), atol=1e-9)
    assert t.free(np.array([np.inf]))[0] == np.inf


def test_any_ten_numbers_are_a_body_and_back():
    rng = np.random.default_rng(0)
    for _ in range(20):
        z = rng.normal(size=10)
        body = to_body(z)
        moments = np.array([[body[4], body[7], body[8]], [body[7], body[5], body[9]], [body[8], body[9], body[6]]])
        low, middle, high = np.linalg.eigvalsh(moments)
        assert body[0] > 0 and low > 0 and low + middle >= high * (1 - 1e-12)
        assert np.allclose(to_free(body[0], body[1:4], body[4:]), z, atol=1e-7)
        assert np.allclose(to_com(to_linear(body)), body)
    numeric = np.stack([(to_body(z + e) - to_body(z - e)) / 2e-6 for e in 1e-6 * np.eye(10)], 1)
    assert np.allclose(slope(to_body, z), numeric, rtol=1e-6, atol=1e-6 * np.abs(numeric).max())
    with pytest.raises(ValueError, match="triangle"):
        to_free(1.0, np.zeros(3), np.array([1, 1, 5.0, 0, 0, 0]))


def test_files_with_units(tmp_path):
    (tmp_path / "a.csv").write_text("x,angle,force\n100,90,2\n200,45,3\n300,0,4\n")
    read = read_recording(tmp_path / "a.csv", {"qpos": [0, 1], "control": [2]}, {"qpos": ["mm", "deg"], "control": 0.5})
    assert np.allclose(read.qpos, [[0.1, np.pi / 2], [0.2, np.pi / 4], [0.3, 0]])
    assert read.control.tolist() == [[1.0], [1.5]]
    np.savez(tmp_path / "b.npz", qpos=read.qpos, control=read.control)
    assert np.array_equal(read_recording(tmp_path / "b.npz").qpos, read.qpos)
    with pytest.raises(ValueError, match="unit 'furlong'"):
        read_recording(tmp_path / "a.csv", {"qpos": [0]}, {"qpos": "furlong"})
    with pytest.raises(ValueError, match="no qpos"):
        read_recording(tmp_path / "a.csv", {"control": [0]})
    with pytest.raises(ValueError, match=r"columns\['qpos'\]: there is no column 7, .*a\.csv has the columns 0 … 2"):
        read_recording(tmp_path / "a.csv", {"qpos": [7]})
    (tmp_path / "gap.csv").write_text("x,angle\n1,2\n\n3,nan\n")
    with pytest.raises(ValueError, match=r"gap\.csv: line 4, column 2: qpos is nan, expected finite .*`resample`"):
        read_recording(tmp_path / "gap.csv", {"qpos": [0, 1]})
    for name in ("none.csv", "none.npz"):
        with pytest.raises(FileNotFoundError, match=rf"file: No such file or directory: '.*{name}'"):
            read_recording(tmp_path / name)
    with pytest.raises(ValueError, match=r"columns: .*b\.npz has no columns"):
        read_recording(tmp_path / "b.npz", {"qpos": [1]})
    with pytest.raises(ValueError, match=r"units of \{'qvel'\}: of .*b\.npz only \['control', 'qpos'\] are read"):
        read_recording(tmp_path / "b.npz", units={"qvel": "deg"})


def test_base_parameters_find_rank_and_combinations():
    rng = np.random.default_rng(1)
    independent = rng.normal(size=(50, 3))
    J = np.hstack([independent, independent @ [[1.0, 2], [0, -1], [3, 0]], np.zeros((50, 1))])
    base = base_parameters(J)
    assert base.combine.shape == (3, 6)
    theta = rng.normal(size=6)
    same = theta + np.linalg.svd(J)[2][3:].T @ rng.normal(size=3)
    assert np.allclose(base.combine @ theta, base.combine @ same)
    for wrong in (np.zeros(3), [["a"]], [[np.nan, 1.0]], np.zeros((0, 2))):
        with pytest.raises((TypeError, ValueError), match="jacobian"):
            base_parameters(wrong)


@pytest.mark.parametrize("transform", some(["none", "log", "softplus"], ["softplus"]))
def test_a_cart_on_a_rail(transform):
    """Linear dynamics: mass and damping come back exactly, and the interval covers what noise does."""
    sim = HardSimulator(load_model(SLIDER))
    control = np.sin(0.1 * np.arange(200))[:, None]
    seen = sim.rollout(sim.initial_state(), control)
    unknowns = [Unknown("mass", 1.0, 0.01, 10, transform), Unknown("damping", 0.2, 0.001, 5, transform)]
    result = identify(sim, [Recording("run", seen.qpos, control)], unknowns, kappa=1e-6, weights=1e5)
    assert np.allclose(result.estimates, [2.0, 0.7], rtol=1e-6)
    noisy = seen.qpos + 1e-4 * np.random.default_rng(0).normal(size=seen.qpos.shape)
    result = identify(
        sim, [Recording("run", noisy, control)], unknowns, kappa=1e-6, weights=1e4, horizon=50, free_states=True, continuity=100.0
    )
    low, high = result.interval(0.99).T
    assert np.all(low < [2.0, 0.7]) and np.all(high > [2.0, 0.7])
    assert np.all(result.deviations < [0.1, 0.1])
