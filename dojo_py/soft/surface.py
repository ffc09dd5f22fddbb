"""Surfaces that move although their geoms do not (belts, wheels), and that stick: velocities and adhesion of geoms at contacts.

    v(p) = R (v_g + w_g × Rᵀ (p - x)),   w = R w_g

The rows of a contact see J q̇ + v₂ - v₁ along its tangents, w₂ - w₁ about its normal. R, x: pose of the geom; v_g, w_g:
`surfacevel`, in its frame. Adhesion pulls with a constant force F along the normal at every contact that is found, closer than
margin + gap; it counts as a passive force. That its rows push back makes them give no further: aref grows by R F for the row along
the normal, by R F/n for each of the n edges of a pyramid (R: regulariser). Found from the wheel.
"""

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import Cone
from dojo_py.soft.passive import apply_force
from dojo_py.soft.workspace import NCON

ELLIPTIC = int(Cone.ELLIPTIC)


@kernel
def add_surface(g, frame, con, sign, out):
    """out (3,) += sign * velocity of the surface of geom g at the contact: along both tangents [m/s], about the normal [rad/s]."""
    R, u, N = frame.xmat, g.surfacevel, con.frame
    w = scratch(3)
    v = scratch(3)
    for k in range(3):
        w[k] = R[k, 0] * u[3] + R[k, 1] * u[4] + R[k, 2] * u[5]
        v[k] = R[k, 0] * u[0] + R[k, 1] * u[1] + R[k, 2] * u[2]
    x, y, z = con.pos[0] - frame.xpos[0], con.pos[1] - frame.xpos[1], con.pos[2] - frame.xpos[2]
    v[0] += w[1] * z - w[2] * y
    v[1] += w[2] * x - w[0] * z
    v[2] += w[0] * y - w[1] * x
    for k in range(3):
        out[0] += sign * N[1, k] * v[k]
        out[1] += sign * N[2, k] * v[k]
        out[2] += sign * N[0, k] * w[k]


@kernel
def add_surface_velocities(m, pose, rows):
    """Velocities and reference accelerations of the contacts' rows, for surfaces that move."""
    moving = scratch(3)
    for i in range(rows.counts[NCON]):
        con = rows.contacts[i]
        if con.efc_address < 0 or con.dim == 1:
            continue
        for k in range(3):
            moving[k] = 0.0
        add_surface(m.geoms[con.geom2], pose.geoms[con.geom2], con, 1.0, moving)
        add_surface(m.geoms[con.geom1], pose.geoms[con.geom1], con, -1.0, moving)
        for j in range(1, min(con.dim, 4)):  # two tangents, spin
            if m.options[0].cone == ELLIPTIC:
                add_velocity(rows.rows[con.efc_address + j], moving[j - 1])
            else:
                change = m.pairs[con.pair].friction[j - 1] * moving[j - 1]
                add_velocity(rows.rows[con.efc_address + 2 * j - 2], change)
                add_velocity(rows.rows[con.efc_address + 2 * j - 1], -change)


@kernel
def add_adhesion(m, rows):
    """Reference accelerations of contacts that stick: what adhesion pulls is no load on the contact."""
    for i in range(rows.counts[NCON]):
        con = rows.contacts[i]
        pull = m.pairs[con.pair].adhesion
        if pull == 0.0 or con.efc_address < 0:
            continue
        edges = 1 if con.dim == 1 or m.options[0].cone == ELLIPTIC else 2 * (con.dim - 1)
        for k in range(edges):
            row = rows.rows[con.efc_address + k]
            row.aref += row.R * pull / edges


@kernel
def add_velocity(row, change):
    """A further velocity along one row."""
    row.vel += change
    row.aref -= row.damping * change


@kernel
def adhesive_forces(m, pose, rows, out):
    """Out (nv,) += forces of adhesion at all contacts."""
    force = scratch(3)
    for i in range(rows.counts[NCON]):
        con = rows.contacts[i]
        pull = m.pairs[con.pair].adhesion
        if pull == 0.0:
            continue
        for geom, sign in ((con.geom1, 1.0), (con.geom2, -1.0)):
            body = m.geoms[geom].bodyid
            for k in range(3):
                force[k] = sign * pull * con.frame[0, k]
            last, com = m.bodies[body].lastdof, pose.bodies[body].com
            apply_force(m.M_rowadr, m.M_colind, pose.cdof, last, com, con.pos, force, out)
