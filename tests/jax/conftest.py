"""JAX in float64 for this folder only: other tests see the default again."""

import jax
import pytest


@pytest.fixture(autouse=True)
def float64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)
