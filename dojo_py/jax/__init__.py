"""The differentiable front door: the hard step and rollout as JAX functions, and the step's residuals written plainly.

JAX is an extra; nothing else of dojo_py imports it.
"""

try:
    import jax as _jax  # noqa: F401
except ImportError as error:
    raise ImportError('dojo_py.jax needs JAX, which is not installed; pip install "dojo-sim[jax]"') from error

from dojo_py.jax.closed_loop import closed_loop_function
from dojo_py.jax.costs import residual_constraint, residual_cost
from dojo_py.jax.functions import rollout_function, step_function

__all__ = ["closed_loop_function", "residual_constraint", "residual_cost", "rollout_function", "step_function"]
