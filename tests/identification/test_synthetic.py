"""Tosses made by the engine: friction and corners come back."""

import numpy as np
import pytest
from synthetic import HALF, errors, guess, tosses

from dojo_py.identification import Unknown, identify
from dojo_py.identification.cube import nominal_cube

ONE_STEP = np.array([1 / 3e-4] * 3 + [1 / 6e-3] * 3)
NOISE = 1e-3
TOSSES = 24


@pytest.mark.slow  # half a minute
def test_clean_tosses_give_the_parameters_to_1e_4():
    sim, recordings = tosses(6)
    result = identify(
        nominal_cube(), recordings, guess(sim), (1e-5, 1e-7, 1e-9, 1e-11), horizon=1, free_states=False, weights=ONE_STEP,
        loss="soft_l1", tolerance=1e-12,
    )  # fmt: skip
    friction, corners = errors(sim, result)
    print(f"friction {friction:.1e}, corners {corners:.1e} of the half width")
    assert friction < 1e-4 and corners < 1e-4  # measured: 6e-7, 1.3e-5


@pytest.mark.slow
def test_tosses_with_1_mm_noise_give_the_parameters_to_2_percent():
    """1 mm on positions and 1 mm / half width = 1.1 deg on orientations, every sample; started from five-step predictions."""
    sim, recordings = tosses(TOSSES, noise=NOISE, seed=1)
    weights = np.array([1 / NOISE] * 3 + [HALF / NOISE] * 3)
    first = identify(
        nominal_cube(), recordings, guess(sim), (1e-4, 1e-5), horizon=5, free_states=False, weights=weights / 10, loss="soft_l1",
        tolerance=1e-3, max_iterations=15,
    )  # fmt: skip
    near = [
        Unknown("friction", first.values["friction"], 0.01, 0.8),
        Unknown("contact_point", first.values["contact_point"], -1.5 * HALF, 1.5 * HALF),
    ]
    result = identify(nominal_cube(), recordings, near, (1e-5, 1e-6), horizon=15, max_iterations=20)
    friction, corners = errors(sim, result)
    biased = errors(sim, first)
    print(f"friction {friction:.1e}, corners {corners:.1e} of the half width; by five-step predictions {biased}")
    assert np.allclose(result.noise.samples / [NOISE] * [1, 1, 1, HALF, HALF, HALF], 1, rtol=0.15)  # all that is left is the noise
    assert friction < 0.02 and corners < 0.02
