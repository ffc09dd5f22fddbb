"""Semi-implicit Euler with implicit joint damping, and the position update every integrator uses.

(M + h D) a = smooth + constraint;  v+ = v + h a;  q+ = q ⊕ h v+. Source: computation chapter, "Integrators".
"""

from dojo_py.actuation.controlled import is_controlled, next_states
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit
from dojo_py.soft.actuation import DISABLE_ACTUATION, DYN_NONE, GAIN_SO3, next_activation, next_rotation
from dojo_py.soft.inertia import factorize, solve_inertia
from dojo_py.soft.kinematics import BALL, FREE
from dojo_py.soft.passive import DISABLE_DAMPER, damper_slope
from dojo_py.soft.spatial import integrate_quaternion

DISABLE_EULERDAMP = int(DisableBit.EULERDAMP)


@kernel
def integrate_positions(joints, qpos, qvel, h):
    """Qpos (nq,) <- qpos ⊕ h qvel, in place."""
    for n in range(len(joints)):
        j = joints[n]
        q = j.qposadr
        v = j.dofadr
        if j.type > BALL:
            qpos[q] += h * qvel[v]
            continue
        if j.type == FREE:
            for k in range(3):
                qpos[q + k] += h * qvel[v + k]
            q += 3
            v += 3
        integrate_quaternion(qpos[q : q + 4], qvel[v], qvel[v + 1], qvel[v + 2], h)


@kernel
def advance_activations(m, forces, act):
    """Act (na,) one time step on, in place; they rest while actuation is switched off."""
    if m.options[0].disableflags & DISABLE_ACTUATION:
        return
    for i in range(len(m.actuators)):
        a = m.actuators[i]
        s, rates, h = forces.actuators[a.outadr], forces.act_rate, m.options[0].timestep
        if a.gaintype == GAIN_SO3:
            if a.dyntype != DYN_NONE:
                next_rotation(a, act, a.actadr, rates, a.actadr, h)
        elif is_controlled(a.gaintype):
            next_states(a.gaintype, a.dynprm, a.gainprm, a.biasprm, act, a.actadr, s.velocity, rates, h, act)
        elif a.dyntype != DYN_NONE:
            act[a.actadr] = next_activation(a, s.length, act[a.actadr], rates[a.actadr], h)


@kernel
def advance(m, w, qacc, qpos, qvel, act):
    """Activations, then velocity by qacc (nv,), then position by the new velocity; all in place."""
    h = m.options[0].timestep
    advance_activations(m, w.forces, act)
    for k in range(len(qvel)):
        qvel[k] += h * qacc[k]
    integrate_positions(m.joints, qpos, qvel, h)


@kernel
def euler(m, w, qpos, qvel, act):
    """One step from the accelerations of `forward`; state in place."""
    opt = m.options[0]
    if not opt.has_damping or opt.disableflags & (DISABLE_EULERDAMP | DISABLE_DAMPER):
        advance(m, w, w.solver.qacc, qpos, qvel, act)
        return
    H = w.integ[0]
    for a in range(len(w.pose.M)):
        H[a] = w.pose.M[a]
    a = w.solver.vec[1]
    for k in range(len(qvel)):
        H[m.M_rowadr[k + 1] - 1] += opt.timestep * damper_slope(m.dofs[k].damping, qvel[k])
        a[k] = w.forces.smooth[k] + w.forces.constraint[k]
    factorize(m.M_rowadr, m.M_colind, H)
    solve_inertia(m.M_rowadr, m.M_colind, H, a)
    advance(m, w, a, qpos, qvel, act)
