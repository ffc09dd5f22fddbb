"""Small systems with a closed form behind the simulator interface: what the planner is compared on."""

from dataclasses import dataclass

import numpy as np

from dojo_py.simulate.results import Linearization, State
from dojo_py.simulate.status import Status


@dataclass
class FlatModel:
    """A model whose coordinates are plain numbers."""

    nv: int
    nu: int
    na: int = 0

    @property
    def nq(self):
        return self.nv

    def integrate(self, qpos, dq):
        return qpos + dq

    def difference(self, b, a):
        return b - a


@dataclass
class Outcome:
    state: State
    status: Status = Status.SOLVED


class FunctionSystem:
    """x⁺ = function(x, u) with x = [qpos, qvel]; derivatives by the complex step, exact to round-off."""

    timestep = 0.1

    def __init__(self, function, nv, nu):
        self.function, self.model = function, FlatModel(nv, nu)
        self.calls = 0

    def initial_state(self, x):
        nv = self.model.nv
        return State(np.array(x[:nv], float), np.array(x[nv:], float), np.zeros(0))

    def step(self, state, control, kappa=None):
        self.calls += 1
        with np.errstate(over="ignore", invalid="ignore"):
            y = self.function(np.concatenate([state.qpos, state.qvel]), np.asarray(control))
        nv = self.model.nv
        return Outcome(State(y[:nv], y[nv:], np.zeros(0), state.time + self.timestep))

    def linearize(self, state, control, kappa=None):
        z = np.concatenate([state.qpos, state.qvel, control])
        n, tiny = 2 * self.model.nv, 1e-30
        J = np.array([self.function((z + 1j * tiny * e)[:n], (z + 1j * tiny * e)[n:]).imag / tiny for e in np.eye(len(z))]).T
        return Linearization(J[:, :n], J[:, n:], self.step(state, control).state)


class LinearSystem(FunctionSystem):
    """x⁺ = A x + B u + c"""

    def __init__(self, A, B, c=0.0):
        self.A, self.B = A, B
        super().__init__(lambda x, u: A @ x + B @ u + c, len(A) // 2, B.shape[1])


def random_linear_system(seed, nv=2, nu=2):
    """A controllable one, a little unstable."""
    generator = np.random.default_rng(seed)
    A = np.eye(2 * nv) + 0.3 * generator.standard_normal((2 * nv, 2 * nv))
    return LinearSystem(A, generator.standard_normal((2 * nv, nu)))


def double_integrator(h=0.1):
    """A unit mass pushed by one force: x⁺ = [q + h v + ½ h² u, v + h u]."""
    return LinearSystem(np.array([[1.0, h], [0.0, 1.0]]), np.array([[0.5 * h * h], [h]]))


def pendulum(h=0.05):
    """Unit pendulum with torque, angle from hanging, semi-implicit Euler: v⁺ = v + h (u − sin q − 0.1 v), q⁺ = q + h v⁺."""

    def function(x, u):
        v = x[1] + h * (u[0] - 9.81 * np.sin(x[0]) - 0.1 * x[1])
        return np.array([x[0] + h * v, v])

    return FunctionSystem(function, 1, 1)


def matrix_cost(Q, R, half=True):
    """½ xᵀ Q x + ½ uᵀ R u as a user's function with its derivatives, Q and R full matrices."""
    from dojo_py.planning import FunctionCost, Quadratic

    def split(state, control):
        x = np.concatenate([state.qpos, state.qvel])
        return x, np.zeros(0) if control is None else control

    def value(state, control, k):
        x, u = split(state, control)
        return 0.5 * (x @ Q @ x + (u @ R @ u if len(u) else 0.0))

    def derivatives(state, control, k):
        x, u = split(state, control)
        R_here = R if len(u) else np.zeros((0, 0))
        return Quadratic(value(state, control, k), Q @ x, R_here @ u, Q, np.zeros((len(u), len(x))), R_here)

    return FunctionCost(value, derivatives)


def positive(generator, n, least=0.1):
    """A random positive definite matrix."""
    M = generator.standard_normal((n, n))
    return M @ M.T + least * np.eye(n)
