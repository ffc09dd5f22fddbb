"""Free joint with forces of its own (damping, armature, dry friction): no constraint rows, 6 coordinates.

Δ = o - o_k                         rows 0-2 [m]    origin of the body frame, world axes
Δ = rotation vector of q_k* ⊗ q     rows 3-5 [rad]  body frame
"""

from dojo_py.algebra.rotations import log_jacobian, rotation_vector
from dojo_py.jit import kernel


@kernel
def free_rows(E, d, turn, start, com, c, J):
    """Rows c (6,), J (6, 6 or more), overwritten. start (3,): origin at the start; com (3,): centre of mass in the body.

    E (3, 3), d (3,): the body in the world.
    """
    for i in range(3):
        c[i] = d[i] - start[i]
        for k in range(3):
            c[i] -= E[i, k] * com[k]
            J[i, k] = 0.0
            J[3 + i, k] = 0.0
        J[i, i] = 1.0
        # J_φ = E [com]x
        J[i, 3] = E[i, 1] * com[2] - E[i, 2] * com[1]
        J[i, 4] = E[i, 2] * com[0] - E[i, 0] * com[2]
        J[i, 5] = E[i, 0] * com[1] - E[i, 1] * com[0]
    rotation_vector(turn, c[3:6])
    log_jacobian(c[3:6], J[3:6, 3:6])
