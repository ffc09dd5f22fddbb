"""Forward dynamics: (qpos, qvel, act, control) to the acceleration qacc and the constraint forces.

M qacc + bias = passive + actuator + from outside + J^T f. Source: computation chapter, "Simulation pipeline".
"""

from dojo_py.jit import kernel
from dojo_py.soft.actuation import actuator_forces, adhesion_transmissions, transmissions
from dojo_py.soft.bias import newton_euler
from dojo_py.soft.constraint import make_rows, reference_acceleration
from dojo_py.soft.inertia import body_inertias, factorize, inertia_matrix, solve_inertia, tendon_inertia
from dojo_py.soft.kinematics import body_velocities, forward_kinematics
from dojo_py.soft.passive import DISABLE_GRAVITY, all_passive_off, apply_force, passive_forces
from dojo_py.soft.solve import solve_constraints
from dojo_py.soft.surface import adhesive_forces
from dojo_py.soft.tendons import add_rotor_bias, tendon_lengths


@kernel
def position_stage(m, w, qpos, qvel):
    """Everything that depends on the position only, and the transmissions' velocities."""
    p = w.pose
    forward_kinematics(m.bodies, m.joints, m.geoms, m.sites, m.qpos0, p.bodies, p.joints, p.geoms, p.sites, p.cdof, qpos)
    body_inertias(m.bodies, p.bodies)
    inertia_matrix(m.bodies, m.dofs, m.M_rowadr, m.M_colind, p.bodies, p.cdof, p.M)
    tendon_lengths(m, p, w.forces, qpos, qvel)
    tendon_inertia(m.tendons, w.forces.tendon_J, m.M_rowadr, m.M_colind, p.M)
    for a in range(len(p.M)):
        p.LD[a] = p.M[a]
    factorize(m.M_rowadr, m.M_colind, p.LD)
    transmissions(m, p, w.forces, qpos, qvel)
    make_rows(m, p, w.forces, w.rows, qpos)
    adhesion_transmissions(m, p, w.forces, w.rows, qvel)


@kernel
def bias_forces(m, w, qvel, qacc, use_acceleration, out):
    """Out (nv,) = Newton–Euler force at the present pose, with gravity unless it is switched off."""
    gravity = w.gravity
    for k in range(3):
        gravity[k] = 0.0 if m.options[0].disableflags & DISABLE_GRAVITY else m.options[0].gravity[k]
    p = w.pose
    newton_euler(m.bodies, m.dofs, gravity, p.bodies, p.cdof, p.cdof_dot, qvel, qacc, use_acceleration, out)
    add_rotor_bias(m, p, w.forces, qvel, out)


@kernel
def velocity_stage(m, w, qpos, qvel):
    """Body velocities, passive forces, reference accelerations, bias."""
    p = w.pose
    body_velocities(m.bodies, m.joints, p.bodies, p.cdof, p.cdof_dot, qvel)
    passive_forces(m, p, w.forces, qpos, qvel)
    if m.options[0].has_adhesion and not all_passive_off(m.options[0].disableflags):
        adhesive_forces(m, p, w.rows, w.forces.passive)
    reference_acceleration(m, p, w.rows, qvel)
    bias_forces(m, w, qvel, qvel, 0, w.forces.bias)


@kernel
def add_wrenches(m, pose, wrench, out):
    """Out (nv,) += forces along the dofs that wrench (nbody, 6) makes: world force and torque at each body's centre of mass."""
    for n in range(1, len(m.bodies)):
        f = wrench[n]
        if f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0 and f[3] == 0.0 and f[4] == 0.0 and f[5] == 0.0:
            continue
        last, b = m.bodies[n].lastdof, pose.bodies[n]
        apply_force(m.M_rowadr, m.M_colind, pose.cdof, last, b.com, b.xipos, f, out)
        if last >= 0:
            for a in range(m.M_rowadr[last], m.M_rowadr[last + 1]):
                i = m.M_colind[a]
                out[i] += pose.cdof[i, 0] * f[3] + pose.cdof[i, 1] * f[4] + pose.cdof[i, 2] * f[5]


@kernel
def acceleration_stage(m, w, act, control, warm):
    """Actuator forces, unconstrained acceleration, constraint forces. Returns (iterations, scaled gradient)."""
    f = w.forces
    actuator_forces(m, f, act, control)
    for k in range(len(f.smooth)):
        f.smooth[k] = f.passive[k] + f.actuator[k] - f.bias[k] + w.joint_force[k]
    add_wrenches(m, w.pose, w.wrench, f.smooth)
    for k in range(len(f.smooth)):
        f.qacc_smooth[k] = f.smooth[k]
    solve_inertia(m.M_rowadr, m.M_colind, w.pose.LD, f.qacc_smooth)
    return solve_constraints(m, w.pose, f, w.rows, w.solver, warm)


@kernel
def forward(m, w, qpos, qvel, act, control, warm):
    """All stages; qacc is in w.solver.qacc (on entry the warm start, if warm is not 0).

    Returns (iterations, scaled gradient).
    """
    position_stage(m, w, qpos, qvel)
    velocity_stage(m, w, qpos, qvel)
    return acceleration_stage(m, w, act, control, warm)
