"""Recursive Newton–Euler: joint forces that give the accelerations qacc; with qacc = 0, the bias force.

a_i = a_parent + c_dot qvel + c qacc,   f_i = I_i a_i + v_i ×* I_i v_i,   tau = c . (sum of f over the subtree).
Gravity enters as the world's upward acceleration. Source: Featherstone (2008), sec. 5.3.
"""

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.spatial import cross_force, multiply_inertia


@kernel
def newton_euler(m_bodies, m_dofs, gravity, bodies, cdof, cdof_dot, qvel, qacc, use_acceleration, out):
    """Out (nv,) = M qacc (without armature, if use_acceleration) + Coriolis, centrifugal and gravitational force [N, N m]."""
    n = len(m_bodies)
    momentum = scratch(6)
    for k in range(3):
        bodies[0].cacc[k] = 0.0
        bodies[0].cacc[3 + k] = -gravity[k]
    for i in range(1, n):
        mb = m_bodies[i]
        b = bodies[i]
        p = bodies[mb.parentid]
        for k in range(6):
            b.cacc[k] = p.cacc[k]
        for r in range(mb.dofadr, mb.dofadr + mb.dofnum):
            for k in range(6):
                b.cacc[k] += cdof_dot[r, k] * qvel[r]
            if use_acceleration:
                for k in range(6):
                    b.cacc[k] += cdof[r, k] * qacc[r]
        multiply_inertia(b.cinert, b.cacc, b.cfrc)
        multiply_inertia(b.cinert, b.cvel, momentum)
        cross_force(b.cvel, momentum, b.cfrc)
    for i in range(n - 1, 0, -1):
        p = m_bodies[i].parentid
        if p > 0:
            for k in range(6):
                bodies[p].cfrc[k] += bodies[i].cfrc[k]
    for r in range(len(m_dofs)):
        f = bodies[m_dofs[r].bodyid].cfrc
        s = 0.0
        for k in range(6):
            s += cdof[r, k] * f[k]
        out[r] = s
