"""One action of one or many worlds: `rollout_batch` over the substeps; contacts, where wanted, from the last one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.simulate.own_steps import check_own_derivative
from dojo_py.simulate.results import Contacts, State
from dojo_py.simulate.simulator import kappa_of_mode
from dojo_py.simulate.status import WITHOUT_DERIVATIVE, Status

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Moved:
    """Outcome of one action."""

    state: State
    contacts: Contacts | None
    status: Status
    """The worst of the substeps."""


def advance(task: Any, states: Sequence[State], actions: Array, threads: int | None = 1, kappa: float | None = None) -> list[Moved]:
    """Each state (B) after its action (B, na). A world's outcome does not depend on the others, nor on threads.

    kappa [N m s]: hard mode: of the relaxed problem; None: the hard limit.
    """
    if not len(states):
        return []
    kappa = kappa_of_mode(task.sim, kappa)
    controls = np.array([task.control(a) for a in actions])
    kept = task.frame_skip - bool(task.wants_contacts)
    status = np.zeros(len(states), dtype=int)
    if kept:
        held = np.repeat(controls[:, None], kept, axis=1)
        trajectories = task.sim.rollout_batch(states, held, threads=threads, kappa=kappa)
        status = np.array([Status.worst(t.status) for t in trajectories])
        states = [t.final_state for t in trajectories]
    if not task.wants_contacts:
        return [Moved(s, None, Status(int(k))) for s, k in zip(states, status, strict=True)]
    if threads == 1 or len(states) == 1:
        steps = [task.sim.step(s, u, kappa=kappa) for s, u in zip(states, controls, strict=True)]
    else:
        with ThreadPoolExecutor(threads) as pool:  # the kernel releases the interpreter lock
            steps = list(pool.map(lambda s, u: task.sim.step(s, u, kappa=kappa), states, controls))
    return [Moved(s.state, s.contacts, Status.worst((s.status, k))) for s, k in zip(steps, status, strict=True)]


def differentiate(task: Any, state: State, action: Array, kappa: float | None) -> tuple[Array, Array, State]:
    """A (n, n), B (n, size of an action), n = 2nv + na, of one action at kappa, through all its substeps, and the state after it.

    Tangent [dq, dv, dact]. kappa is the hard mode's; the soft one takes differences.
    FloatingPointError when a substep, or its derivative, overflows. ValueError for a task with a `move` of its own, unless its own
    `differentiate` calls this.
    """
    from dojo_py.policy.derivatives import control_jacobian

    check_own_derivative(task)
    control = task.control(action)
    size = 2 * task.sim.model.nv + task.sim.model.na
    A, B, after = np.eye(size), np.zeros((size, len(control))), state
    kappa = kappa_of_mode(task.sim, kappa)
    for _ in range(task.frame_skip):
        lin = task.sim.linearize(after, control, kappa=kappa)
        if lin.status in WITHOUT_DERIVATIVE:
            raise FloatingPointError(f"the step cannot be differentiated: {lin.status.message}")
        A, B, after = lin.A @ A, lin.A @ B + lin.B, lin.next_state
    return A, B @ control_jacobian(task, action), after
