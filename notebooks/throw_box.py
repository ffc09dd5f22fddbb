"""Throw a box to a target: gradient descent with `jax.grad` through 50 steps of flight, impact, sliding and rest.

The box of 1 kg and edge 0.5 m starts 0.5 m above the floor, half a metre from its edges; how must it be thrown (velocity, m/s) so
that it comes to lie at the target? It lands after 0.3 s, slides, and stops by friction: contact decides where. The simulation and
its derivatives are those of the relaxed problem at κ 3e-4; the throw that is found is then simulated in the hard limit.

Run it: python notebooks/throw_box.py
"""

import jax
import jax.numpy as jnp
import numpy as np

from dojo_py import HardSimulator, load_model
from dojo_py.jax import rollout_function

jax.config.update("jax_enable_x64", True)

TIMESTEP, STEPS, KAPPA = 0.02, 50, 3e-4
TARGET = np.array([1.2, 0.5])
"""Where the box shall lie [m]."""
START = np.array([0.0, 0.0, 0.75])
FIRST = np.array([0.5, 0.0, 0.0])
"""First guess of the throw [m/s]."""


def throw(iterations: int = 20, rate: float = 1.2) -> dict[str, np.ndarray]:
    """Throws tried (n, 3), their losses [m²] (n,), the last one's path, and its miss in the hard limit [m]."""
    model = load_model("box")
    rollout = rollout_function(model, TIMESTEP, KAPPA)
    controls = jnp.zeros((STEPS, model.nu))

    def path(velocity: jax.Array) -> jax.Array:
        state = jnp.concatenate([START, jnp.array([1.0, 0.0, 0.0, 0.0]), velocity, jnp.zeros(3)])
        return rollout(state, controls)

    def loss(velocity: jax.Array) -> jax.Array:
        miss = path(velocity)[-1, :2] - TARGET
        return miss @ miss

    value_and_gradient = jax.jit(jax.value_and_grad(loss))
    velocity, throws, losses = jnp.array(FIRST), [], []
    for _ in range(iterations):
        value, gradient = value_and_gradient(velocity)
        throws.append(np.asarray(velocity))
        losses.append(float(value))
        velocity = velocity - rate * gradient
    sim = HardSimulator(model, TIMESTEP)
    qvel = np.concatenate([throws[-1], np.zeros(3)])
    hard = sim.rollout(sim.initial_state(np.concatenate([START, [1, 0, 0, 0]]), qvel), np.zeros((STEPS, model.nu)))
    assert hard.unsolved == 0
    return {
        "throws": np.array(throws),
        "losses": np.array(losses),
        "path": np.asarray(path(throws[-1])),
        "hard_miss": np.linalg.norm(hard.qpos[-1, :2] - TARGET),
    }


if __name__ == "__main__":
    found = throw()
    print("iteration   throw [m/s]              distance from the target [m]")
    for i, (velocity, value) in enumerate(zip(found["throws"], found["losses"], strict=True)):
        print(f"{i:9d}   {velocity[0]:6.3f} {velocity[1]:6.3f} {velocity[2]:6.3f}     {np.sqrt(value):.2e}")
    print(f"in the hard limit the same throw misses by {found['hard_miss']:.1e} m")
