"""How short and how long an actuator can get: it is pulled with a constant acceleration of the joints until it rests.

    qvel ← exp(-h / max(0.01, timeconst)) qvel,   force = ± accel m / |M⁻¹ m|,   at most maxforce       m: moment of the actuator

before each step of h = timestep, from qpos0, for inttotal seconds; what is least (most) in the last `interval` seconds counts.
Source: MuJoCo's modelling chapter, "Length range"; `mj_setLengthRange`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dojo_py.mechanism.enums import DisableBit, Integrator
from dojo_py.simulate.results import State
from dojo_py.simulate.status import LOST
from dojo_py.soft.simulator import SoftSimulator

Array = np.ndarray

OFF = DisableBit.FRICTIONLOSS | DisableBit.CONTACT | DisableBit.SPRING | DisableBit.DAMPER
OFF |= DisableBit.GRAVITY | DisableBit.ACTUATION | DisableBit.SENSOR
SMALL = 1e-15


def pull(model: Any, actuator: int, settings: Any) -> tuple[Array, str]:
    """Range (2,) of the actuator's length and what is wrong with it, "" if nothing. settings: spec.LengthRange."""
    integrator = Integrator.EULER if model.opt.integrator == Integrator.RK4 else model.opt.integrator  # as the wheel's mj_step2
    option = dataclasses.replace(model.opt, disableflags=int(OFF), timestep=settings.timestep, integrator=int(integrator))
    sim = SoftSimulator(model.replace(opt=option))
    ends = np.zeros((2, 2))
    for side in range(2):
        lengths = _lengths(sim, actuator, 2.0 * side - 1.0, settings)
        if lengths is None:
            return np.zeros(2), "the simulation of its range of lengths is unstable"
        ends[side] = lengths.min(), lengths.max()
    low, high = float(ends[0, 0]), float(ends[1, 1])
    if not low < high:
        return np.zeros(2), f"its lengths go from {low:g} to {high:g}: no range"
    if np.any(ends[:, 1] - ends[:, 0] > settings.tolrange * (high - low)):
        return np.array([low, high]), f"its range of lengths did not come to rest within {settings.inttotal:g} s"
    return np.array([low, high]), ""


def _lengths(sim: SoftSimulator, actuator: int, sign: float, settings: Any) -> Array | None:
    """Lengths in the last seconds, pulled one way; None where the simulation fails."""
    state, found = sim.initial_state(), []
    decay = np.exp(-sim.timestep / max(0.01, settings.timeconst))
    while state.time < settings.inttotal:
        state = State(state.qpos, state.qvel * decay, state.act, state.time)
        sim.acceleration(state)
        step = sim.step(state, joint_forces=sign * _force(sim, actuator, settings))
        if step.status in LOST:
            return None
        state = step.state
        if state.time > settings.inttotal - settings.interval:
            found.append(float(sim.work.forces.actuators[int(sim.model.actuator_outadr[actuator])]["length"]))
    return np.array(found)


def _force(sim: SoftSimulator, actuator: int, settings: Any) -> Array:
    """(nv,) pull on the coordinates that makes the acceleration asked for."""
    rows, columns, nv = sim._packed.M_rowadr, sim._packed.M_colind, int(sim.model.nv)
    moment = sim.work.forces.moment[int(sim.model.actuator_outadr[actuator])]
    M = np.zeros((nv, nv))
    M[np.repeat(np.arange(nv), np.diff(rows)), columns] = sim.work.pose.M
    M += np.tril(M, -1).T
    force = moment * settings.accel / max(SMALL, float(np.linalg.norm(np.linalg.solve(M, moment))))
    size = float(np.linalg.norm(force))
    return force * settings.maxforce / size if 0.0 < settings.maxforce < size else np.array(force)
