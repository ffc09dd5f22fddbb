"""Ball: the child rotates freely about a point fixed in the parent. 3 constraint rows, 3 coordinates.

0 = d + E p_b - p_a                 rows 0-2 [m]    anchors, parent's frame
Δ = rotation vector of q_k* ⊗ q     rows 3-5 [rad]  q: child in parent; Δ in the child's frame
"""

from dojo_py.algebra.rotations import log_jacobian, quat_conj_mul, rotation_vector
from dojo_py.hard.elements.joints.anchors import anchor_rows
from dojo_py.jit import kernel


@kernel
def ball_rows(E, d, turn, anchor_parent, anchor_child, c, J):
    """Rows c (6,), J (6, 6 or more), overwritten. turn (4,): rotation of the child since the start."""
    anchor_rows(E, d, anchor_parent, anchor_child, c, J)
    rotation_vector(turn, c[3:6])
    log_jacobian(c[3:6], J[3:6, 3:6])


@kernel
def relative_turn(start, now, out):
    """out (4,) = start* ⊗ now: the rotation since the start of the step, in the child's frame."""
    quat_conj_mul(start, now, out)
