"""All constraint rows of one state: equality, dry friction, limits, contacts, in this order."""

from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit
from dojo_py.soft.collision import detect
from dojo_py.soft.contacts import contact_rows
from dojo_py.soft.equality import equality_rows
from dojo_py.soft.limits import friction_rows, joint_limit_rows, tendon_limit_rows
from dojo_py.soft.surface import add_adhesion, add_surface_velocities
from dojo_py.soft.velocity_bias import subtract_velocity_bias
from dojo_py.soft.workspace import FULL, NBLOCK, NE, NEFC, NF

DISABLE_CONSTRAINT, DISABLE_EQUALITY = int(DisableBit.CONSTRAINT), int(DisableBit.EQUALITY)
DISABLE_FRICTIONLOSS, DISABLE_LIMIT = int(DisableBit.FRICTIONLOSS), int(DisableBit.LIMIT)


@kernel
def make_rows(m, pose, forces, rows, qpos):
    """Position-dependent part of every row: Jacobian, residual, regulariser."""
    flags = m.options[0].disableflags
    count = rows.counts
    for k in range(len(count)):
        count[k] = 0
    count[NBLOCK] = 0
    count[FULL] = 0
    detect(m, pose, rows)
    if flags & DISABLE_CONSTRAINT:
        return
    if not flags & DISABLE_EQUALITY:
        equality_rows(m, pose, forces, rows, qpos)
    if not flags & DISABLE_FRICTIONLOSS:
        friction_rows(m, forces.tendon_J, rows)
    count[NF] = count[NEFC] - count[NE]
    if not flags & DISABLE_LIMIT:
        joint_limit_rows(m, rows, qpos)
        tendon_limit_rows(m, forces.tendons, forces.tendon_J, rows)
    contact_rows(m, pose, rows)


@kernel
def reference_acceleration(m, pose, rows, qvel):
    """Vel = J qvel and aref = -b vel - k d (pos - margin) of every row; less dJ/dt qvel for connect and weld."""
    for i in range(rows.counts[NEFC]):
        r = rows.rows[i]
        s = 0.0
        for n in range(r.nnz):
            s += rows.J[i, n] * qvel[rows.J_colind[r.block, n]]
        r.vel = s
        r.aref = -r.damping * s - r.stiffness * r.impedance * (r.pos - r.margin)
    if rows.counts[NE] > 0:
        subtract_velocity_bias(m, pose, rows, qvel)
    if m.options[0].has_surfacevel:
        add_surface_velocities(m, pose, rows)
    if m.options[0].has_adhesion:
        add_adhesion(m, rows)
