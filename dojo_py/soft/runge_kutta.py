"""Fourth-order Runge–Kutta; orientations by the Runge–Kutta–Munthe-Kaas correction.

Positions move on q0 ⊕ u with body-frame increments u; for the rotations, with t = |u|,

    du/dt = w + u×w/2 + c u×(u×w),   c = (1 - t/2 cot(t/2)) / t² = 1/12 + t²/720 + ...

of the shortest u with this rotation (a body may turn more than half a turn in a step), in full: stiff equality constraints show
what a truncated c leaves out (1e-8 m after 20 steps of 0.002 s).
Source: Munthe-Kaas (1999), High order Runge–Kutta methods on manifolds; computation chapter, "Integrators".
"""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.soft.euler import advance_activations, integrate_positions
from dojo_py.soft.kinematics import BALL, FREE


@kernel
def chart_coefficient(square):
    """The c above, of square = t²."""
    if square < 1e-2:
        return 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
    half = 0.5 * np.sqrt(square)
    return (1.0 - half / np.tan(half)) / square


@kernel
def within_half_a_turn(x, y, z):
    """Factor that makes the shortest of the rotation vectors that are the same rotation as (x, y, z)."""
    angle = np.sqrt(x * x + y * y + z * z)
    if angle <= np.pi:
        return 1.0
    return 1.0 - 2.0 * np.pi / angle * np.floor(angle / (2.0 * np.pi) + 0.5)


@kernel
def chart_rates(joints, u, qvel, out):
    """out (nv,) = rate of the increment u (nv,) that the velocity qvel (nv,) makes."""
    for k in range(len(qvel)):
        out[k] = qvel[k]
    for n in range(len(joints)):
        j = joints[n]
        if j.type > BALL:
            continue
        i = j.dofadr + 3 if j.type == FREE else j.dofadr
        share = within_half_a_turn(u[i], u[i + 1], u[i + 2])
        x, y, z = share * u[i], share * u[i + 1], share * u[i + 2]
        a, b, c = qvel[i], qvel[i + 1], qvel[i + 2]
        p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
        share = chart_coefficient(x * x + y * y + z * z)
        out[i] += 0.5 * p + share * (y * r - z * q)
        out[i + 1] += 0.5 * q + share * (z * p - x * r)
        out[i + 2] += 0.5 * r + share * (x * q - y * p)


@kernel
def stage_state(m, w, qpos, qvel, act, share, rk):
    """State of the next stage: the start plus h * share * (rates of the present stage), into rk rows 8, 9, 10; u into row 3."""
    h = m.options[0].timestep * share
    nv = len(qvel)
    for k in range(len(qpos)):
        rk[8, k] = qpos[k]
    for k in range(nv):
        rk[3, k] = h * rk[4, k]
        rk[9, k] = qvel[k] + h * w.solver.qacc[k]
    integrate_positions(m.joints, rk[8], rk[3], 1.0)
    for k in range(len(act)):
        rk[10, k] = act[k] + h * w.forces.act_rate[k]


@kernel
def accumulate(m, w, weight, rk):
    """Weighted sums of the stages' rates: position row 0, velocity row 1, activation row 2."""
    for k in range(len(m.dofs)):
        rk[0, k] += weight * rk[4, k]
        rk[1, k] += weight * w.solver.qacc[k]
    for k in range(len(w.forces.act_rate)):
        rk[2, k] += weight * w.forces.act_rate[k]


@kernel
def begin(m, qvel, rk):
    """Clear the sums; the rates at the start."""
    for k in range(rk.shape[1]):
        for i in range(4):
            rk[i, k] = 0.0
    chart_rates(m.joints, rk[3], qvel, rk[4])


@kernel
def next_stage(m, w, stage, qpos, qvel, act, rk):
    """After the forward pass of stage 0, 1, 2: add its rates and prepare the state of the next one."""
    accumulate(m, w, 1.0 / 6.0 if stage == 0 else 1.0 / 3.0, rk)
    if stage == 0:
        for i in range(len(w.forces.actuators)):
            rk[5, i], rk[6, i] = w.forces.actuators[i].length, w.forces.actuators[i].velocity
    stage_state(m, w, qpos, qvel, act, 1.0 if stage == 2 else 0.5, rk)
    chart_rates(m.joints, rk[3], rk[9, : len(qvel)], rk[4])


@kernel
def finish(m, w, qpos, qvel, act, rk):
    """After the forward pass of stage 3: the step, state in place."""
    h = m.options[0].timestep
    accumulate(m, w, 1.0 / 6.0, rk)
    for k in range(len(act)):
        w.forces.act_rate[k] = rk[2, k]
    for i in range(len(w.forces.actuators)):
        w.forces.actuators[i].length = rk[5, i]  # activations stay near the length at the start, bristles bend by its rate
        w.forces.actuators[i].velocity = rk[6, i]
    advance_activations(m, w.forces, act)
    for k in range(len(qvel)):
        qvel[k] += h * rk[1, k]
    integrate_positions(m.joints, qpos, rk[0], h)
