"""The derivative of the next coordinates and rates by central differences of the map to them, for models with loops."""

from dojo_py.hard.bodies import next_poses
from dojo_py.hard.coordinates import to_maximal, to_minimal
from dojo_py.jit import kernel
from dojo_py.rotation import quat_conj_mul, rotation_vector


@kernel
def next_coordinates(L, W, V, G, bodies, factor, column, h, reference, qpos, qvel):
    """qpos, qvel after a step from bodies (nb, 13) with the velocities G.v + factor * G.columns[:, :, column] (none if < 0)."""
    nb = bodies.shape[0]
    for b in range(nb):
        for i in range(3):
            W.x[b, i] = bodies[b, i]
        for i in range(4):
            W.q[b, i] = bodies[b, 6 + i]
        for i in range(6):
            W.v[b, i] = G.v[b, i]
            if column >= 0:
                W.v[b, i] += factor * G.columns[L.place_body[b], i, column]
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


@kernel
def column_scale(L, G, column, h, epsilon):
    """Step of a difference along a column: epsilon, less where the velocities change fast."""
    largest = 1.0
    for b in range(G.bodies.shape[0]):
        for i in range(6):
            largest = max(largest, h * abs(G.columns[L.place_body[b], i, column]))
    return epsilon / largest


@kernel
def next_change(L, W, V, G, start, column, delta, h, reference, out):
    """out (2 nv,) = derivative of the next coordinates and rates along a column. start (2, nb, 13): bodies at +delta, -delta."""
    nv = G.dq.shape[0]
    for side in range(2):
        sign = delta if side == 0 else -delta
        next_coordinates(L, W, V, G, start[side], sign, column, h, reference, G.next_qpos[side], G.next_qvel[side])
    coordinate_difference(L, G.next_qpos[0], G.next_qpos[1], G.dq, V.scratch)
    for i in range(nv):
        out[i] = 0.5 * G.dq[i] / delta
        out[nv + i] = 0.5 * (G.next_qvel[0, i] - G.next_qvel[1, i]) / delta


@kernel
def starts(L, V, h, qpos, qvel, bodies):
    """bodies (nb, 13) of coordinates and rates."""
    to_maximal(L, qpos, qvel, h, bodies, V.coordinates)
