"""Fits to MuJoCo's own simulation, whose contacts and integrator are not ours: the truth lies in the intervals."""

from pathlib import Path

import numpy as np
import pytest
from default_run import some
from recorded import BOX, H, arm, box, pushed_block, quadruped

from dojo_py import HardSimulator, load_model
from dojo_py.identification import Tied, Unknown, identify

pytest.importorskip("mujoco")
QUADRUPED = Path(__file__).resolve().parents[2] / "models" / "quadruped.xml"


def inside(sim, recordings, unknowns, true, **options):
    """(n,) whether each true value is in its 95 % interval."""
    result = identify(sim, recordings, unknowns, **options)
    print(result, true)
    low, high = result.interval().T
    assert not result.undetermined
    return (low <= true) & (true <= high), result


def test_masses_and_dampers_of_an_arm():
    """Measured: 6 of 6, masses to 2 %; the first damper 8 % too large, by steps of 10 ms."""
    found, result = inside(*arm(0))
    assert found.sum() >= 5
    assert np.all(result.deviations < [0.06, 0.06, 0.06, 0.1, 0.06, 0.06])


@pytest.mark.parametrize(("mass", "friction"), some([(1.0, 0.8), (2.5, 0.3)], [(2.5, 0.3)]))
def test_a_block_that_sticks_and_slides_is_found_from_far_starts(mass, friction):
    """Mass 1.7 kg and friction 0.45, to 10 %. Measured: 1.758 ± 0.065 kg and 0.431 ± 0.033, 1.773 ± 0.091 and 0.424 ± 0.034.

    With stretches joined tightly from the beginning: 1.08 kg and 0.83, "converged", from there, and 2.06, 0.34 from (2.5, 0.3).
    """
    sim, recordings, true = pushed_block()
    unknowns = [Unknown("mass:b", mass, 0.1, 10.0), Unknown("friction", friction, 0.01, 2.0)]
    result = identify(sim, recordings, unknowns)
    print(result)
    assert np.all(np.abs(result.estimates / true - 1) < 0.1)


@pytest.mark.slow
def test_nine_of_ten_truths_lie_in_the_95_percent_interval():
    """Two draws each of the arm, the quadruped and tosses of a box."""
    found = np.concatenate([inside(*one)[0] for seed in (0, 1) for one in (arm(seed), quadruped(seed, QUADRUPED), box(seed))])
    print(f"{found.sum()} of {len(found)}")
    assert found.mean() >= 0.9


@pytest.mark.slow  # a quarter of a minute
def test_a_quadrupeds_trunk_by_free_states_and_by_measured_ones():
    """MuJoCo's feet overlap the ground; a rigid step from such a sample pushes them out, however heavy the trunk is.

    Measured: truth 1.3, found 1.31 ± 0.03; by one-step predictions from the samples themselves 0.18.
    """
    sim, recordings, unknowns, true = quadruped(0, QUADRUPED)
    short = [type(recordings[0])("stand", recordings[0].qpos[:81], recordings[0].control[:80])]
    result = identify(sim, short, unknowns, kappa=[1e-5, 1e-6], max_iterations=10)
    blamed = identify(sim, short, unknowns, kappa=[1e-5, 1e-6], horizon=1, free_states=False, max_iterations=10)
    print(result, blamed)
    low, high = result.interval()[0]
    assert abs(result.estimates[0] / true[0] - 1) < 0.1
    assert blamed.estimates[0] < 0.6 < low


def test_what_a_toss_does_not_tell_is_named():
    """Mass and inertia move a free body only together. Measured: intervals of ± 140 and 150 %."""
    sim, recordings, unknowns, _ = box(0, 2)
    known = [Tied(("mass",), 1.0, 0.1, 10), unknowns[2]]
    result = identify(sim, recordings, known, kappa=1e-6, horizon=10, max_iterations=6, tolerance=1e-2)
    assert set(result.undetermined) == {"mass", "inertia"}
    assert "not determined" in str(result)


def test_a_prior_settles_what_the_data_leave_open():
    sim, recordings, unknowns, _ = box(0, 2)
    known = [Tied(("mass",), 1.0, 0.1, 10, prior=0.01), unknowns[2]]
    result = identify(sim, recordings, known, kappa=1e-6, horizon=10, max_iterations=6, tolerance=1e-2)
    assert "mass" not in result.undetermined
    assert abs(result.estimates[0] - 1.0) < 0.03


def test_an_unknown_may_belong_to_one_part_only():
    sim = HardSimulator(load_model(BOX), H)
    with pytest.raises(ValueError, match="belongs to several unknowns"):
        identify(sim, box(0, 1)[1], [Unknown("mass"), Tied(("mass", "inertia"))])
