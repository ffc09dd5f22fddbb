"""The next coordinates and rates at given velocities, by the full map to them, and the difference of two sets."""

from dojo_py.hard.bodies import next_poses
from dojo_py.hard.coordinates import to_minimal
from dojo_py.jit import kernel
from dojo_py.rotation import quat_conj_mul, rotation_vector


@kernel
def next_coordinates(L, W, V, G, bodies, h, reference, qpos, qvel):
    """qpos, qvel after a step from bodies (nb, 13) with the velocities W.v. Moves W's poses."""
    nb = bodies.shape[0]
    for b in range(nb):
        for i in range(3):
            W.x[b, i] = bodies[b, i]
        for i in range(4):
            W.q[b, i] = bodies[b, 6 + i]
    next_poses(W.x, W.q, W.v, h, W.xn, W.qn, W.Rn, W.p, W.hG, W.turn)
    for b in range(nb):
        row = G.next_bodies[b]
        for i in range(3):
            row[i], row[3 + i], row[10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
        for i in range(4):
            row[6 + i] = W.qn[b, i]
    to_minimal(L, G.next_bodies, h, reference, qpos, qvel, V.coordinates)


@kernel
def coordinate_difference(L, a, b, out, s):
    """out (nv,) = tangent that moves qpos b to a (both (nq,)); rotations by rotation vectors in the body frame. s: work (2, 12)."""
    turn = s[0, 0:4]
    for j in range(L.kind.shape[0]):
        adr, dof, k = L.qadr[j], L.vadr[j], L.ndof[j]
        if L.count[j] == k:
            for i in range(k):
                out[dof + i] = a[adr + i] - b[adr + i]
            continue
        if k == 6:
            for i in range(3):
                out[dof + i] = a[adr + i] - b[adr + i]
            adr, dof = adr + 3, dof + 3
        quat_conj_mul(b[adr : adr + 4], a[adr : adr + 4], turn)
        if turn[0] < 0.0:
            for i in range(4):
                turn[i] = -turn[i]
        rotation_vector(turn, out[dof : dof + 3])
