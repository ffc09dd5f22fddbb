"""What an actuator of unit force does: moment arms of ball and free joints, wrenches of sites.

Hinge, slide, tendon: gear₀ along the joint or tendon. Ball: torque gear₀₋₂ in the child's axes (jointinparent: the parent's).
Free: force gear₀₋₂ in world axes at the origin of the body frame and torque gear₃₋₅ in body axes (jointinparent: world axes).
Site: force gear₀₋₂ and torque gear₃₋₅ in the axes of the site, or of the reference site, whose body takes the opposite.
Slider-crank: gear₀ along the length of `mechanism/slider_crank.py`. Adhesion: at the contacts of a body, found in the step.
Orientation: three torques along the axes of a ball joint's child or of a site beside a reference site; no gear.
"""

from dojo_py.algebra.rotations import quat_conj_mul, quat_to_matrix, rotation_vector
from dojo_py.arrays import scratch
from dojo_py.jit import kernel

SCALAR, BALL, FREE, SITE, TENDON, CRANK, ADHESION, ORIENTATION = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def turn_axis(q, gear, in_parent, out):
    """out (3,) = torque axis of a ball or free joint in the child's axes. q (4,): child in parent; gear (3 or more,)."""
    for k in range(3):
        out[k] = gear[k]
    if in_parent:
        R = scratch((3, 3))
        quat_to_matrix(q, R)
        for k in range(3):
            out[k] = R[0, k] * gear[0] + R[1, k] * gear[1] + R[2, k] * gear[2]


@kernel
def ball_length(q, axis):
    """Length [rad] of a ball transmission: the joint's rotation vector along the axis (3,)."""
    turn = scratch(3)
    rotation_vector(q, turn)
    return turn[0] * axis[0] + turn[1] * axis[1] + turn[2] * axis[2]


@kernel
def site_wrench(q, gear, out):
    """out (6,) = force and torque in world axes of the gear (6,) in a site whose orientation is q (4,)."""
    R = scratch((3, 3))
    quat_to_matrix(q, R)
    for k in range(3):
        out[k] = R[k, 0] * gear[0] + R[k, 1] * gear[1] + R[k, 2] * gear[2]
        out[3 + k] = R[k, 0] * gear[3] + R[k, 1] * gear[4] + R[k, 2] * gear[5]


@kernel
def site_length(p1, q1, p2, q2, gear, wrench):
    """Length between two sites: gear along their relative position and rotation vector, in the second's axes.

    p1, p2 (3,) [m], q1, q2 (4,): poses of the sites; gear (6,); wrench (6,): site_wrench of the second.
    """
    length, q, turn = 0.0, scratch(4), scratch(3)
    for k in range(3):
        length += wrench[k] * (p1[k] - p2[k])
    quat_conj_mul(q2, q1, q)
    rotation_vector(q, turn)
    for k in range(3):
        length += gear[3 + k] * turn[k]
    return length
