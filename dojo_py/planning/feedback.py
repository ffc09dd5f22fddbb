"""FeedbackLoop: a closed-loop roll-out with the feedback gains of a plan in one kernel call, with arrays that are reused."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from dojo_py.handles import handle
from dojo_py.simulate.loop_pool import LoopPool
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Simulator

Array = np.ndarray
MOST_KEPT = 8
"""Number of simulators and numbers of steps whose unused loops are kept."""


class FeedbackLoop:
    """Closed-loop roll-outs of T steps of a simulator that has a `loop`. To be used by one thread at a time."""

    def __init__(self, sim: Simulator, steps: int, rows: Any = None):
        from dojo_py.by_address import address_of, struct_address
        from dojo_py.planning.feedback_kernels import Feedback, act

        model = sim.model
        nq, nv, na, nu = int(model.nq), int(model.nv), int(model.na), int(model.nu)
        self.rows = sim.loop(steps) if rows is None else rows
        z = np.zeros
        fields: dict[str, Any] = {
            "qpos": self.rows.qpos, "qvel": self.rows.qvel, "act": self.rows.act, "control": self.rows.control,
            "status": z(steps, np.int64), "done": z(1, np.int64), "old_qpos": z((steps, nq)), "old_qvel": z((steps, nv)),
            "old_act": z((steps, na)), "old_control": z((steps, nu)), "feedforward": z((steps, nu)),
            "gains": z((steps, nu, 2 * nv + na)), "low": z(nu), "high": z(nu), "away": z(2 * nv + na),
            "turns": z((3, 4)), "rotation": z(3), "joint_type": np.array(model.jnt_type, np.int64),
            "joint_qpos": np.array(model.jnt_qposadr, np.int64), "joint_dof": np.array(model.jnt_dofadr, np.int64),
        }  # fmt: skip
        self.data = Feedback(**fields)
        self._handle = handle(self.data)
        self._act, self._address = address_of(act), struct_address(self._handle)

    def run(
        self, start: State, states: list[State], controls: Array, feedforward: Array, gains: Array, limits: tuple[Array, Array],
        kappa: float | None,
    ) -> tuple[list[State], Array, Array] | None:  # fmt: skip
        """T + 1 states, controls (T, nu) and statuses (T,) of the roll-out with u = controls + feedforward + gains (x ⊖ states).

        None if a step fails (SINGULAR, NOT_FINITE). ValueError if the simulator rejects the initial state.
        """
        d, T = self.data, len(controls)
        rows = self.rows.at(start)
        if rows is not self.rows:  # mocap bodies or equality constraints differ from those of the model
            return FeedbackLoop(rows.simulator, T, rows).run(start, states, controls, feedforward, gains, limits, kappa)
        for k in range(T):
            d.old_qpos[k], d.old_qvel[k], d.old_act[k] = states[k].qpos, states[k].qvel, states[k].act
        d.old_control[:], d.feedforward[:], d.gains[:], d.low[:], d.high[:] = controls, feedforward, gains, *limits
        rows.start(start)
        rows.run(self._act, self._address, 0.0 if kappa is None else kappa)
        if d.done[0] < T or not all(np.isfinite(rows).all() for rows in (d.qpos, d.qvel, d.act)):
            return None
        return [start, *(rows.state(k) for k in range(1, T + 1))], d.control.copy(), d.status.copy()


_pool: LoopPool[FeedbackLoop] = LoopPool(MOST_KEPT)


def borrowed(sim: Simulator, steps: int) -> AbstractContextManager[FeedbackLoop]:
    """A loop for exclusive use, from the pool if there is one; it returns to the pool afterwards."""
    return _pool.borrowed((id(sim), steps), lambda: FeedbackLoop(sim, steps))
