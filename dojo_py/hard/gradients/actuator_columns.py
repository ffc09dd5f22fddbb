"""Right-hand sides through the actuators: by the control, and where forces turn with bodies or depend on them by the state.

The actuators' laws are differentiated by central differences: they cost a microsecond and have no part in what is stiff. Servos of
rotations keep their whole turns meanwhile, or a difference across half a turn would be taken for a derivative.
"""

from dojo_py.actuation.controlled import GAIN_DCMOTOR
from dojo_py.actuation.force import BIAS_MUSCLE, GAIN_MUSCLE
from dojo_py.actuation.transmission import SCALAR, TENDON
from dojo_py.hard.dof_rows import solved_impulse
from dojo_py.hard.drives import drive
from dojo_py.jit import kernel
from dojo_py.rotation import quat_normalise


@kernel
def follows_bodies(T):
    """Whether an actuator's force is a wrench that depends on the bodies' poses (sites, ball and free joints)."""
    for i in range(T.transmission.shape[0]):
        if T.transmission[i] != SCALAR and T.transmission[i] != TENDON:
            return True
    return False


@kernel
def follows_state(T):
    """Whether the law of an actuator changes with the state: one that follows bodies, a muscle, or a motor."""
    for i in range(T.transmission.shape[0]):
        if T.gaintype[i] == GAIN_MUSCLE or T.biastype[i] == BIAS_MUSCLE or T.gaintype[i] == GAIN_DCMOTOR:
            return True
    return follows_bodies(T)


@kernel
def follows_rates(T):
    """Whether the law of an actuator changes with the rates, where it changes with the state: not that of a rotor on a site."""
    for i in range(T.transmission.shape[0]):
        if T.gaintype[i] == GAIN_MUSCLE or T.biastype[i] == BIAS_MUSCLE or T.gaintype[i] == GAIN_DCMOTOR:
            return True
        if T.transmission[i] != SCALAR and T.transmission[i] != TENDON and (T.gaintype[i] != 0 or T.biastype[i] != 0):
            return True
    return False


@kernel
def add_drive(L, T, W, V, G, bodies, qpos, qvel, act, control, h, scheme, factor):
    """G.d_force, G.d_servo, G.d_wrench += factor * what the actuators do there; servos at the length and rate of the solution.

    A servo's gain, its bias and, under a bounded total force, its range depend on the controls: all are in its impulse.
    """
    V.wrench[:, :] = 0.0
    V.hold[0] = 1
    drive(L, T, V, bodies, qpos, qvel, act, control, h)
    V.hold[0] = 0
    for i in range(G.d_force.shape[0]):
        G.d_force[i] += factor * V.force[i]
    for i in range(G.d_servo.shape[0]):
        G.d_servo[i] += factor * solved_impulse(L, W, V.servos, i, h, h, scheme)
    for b in range(G.d_wrench.shape[0]):
        for i in range(6):
            G.d_wrench[b, i] += factor * V.wrench[b, i]


@kernel
def clear_drive(G):
    """Nothing yet."""
    G.d_force[:] = 0.0
    G.d_servo[:] = 0.0
    G.d_wrench[:, :] = 0.0


@kernel
def displaced(G, bodies, delta, out):
    """out (nb, 13) = bodies (nb, 13) moved by delta times the column's motion in G.moved."""
    for b in range(bodies.shape[0]):
        m, row, T = G.moved[b], out[b], G.tangent_before[b]
        for i in range(3):
            row[i] = bodies[b, i] + delta * m[i]
            row[3 + i] = bodies[b, 3 + i] + delta * m[6 + i]
            row[10 + i] = bodies[b, 10 + i] + delta * (T[i, 0] * m[9] + T[i, 1] * m[10] + T[i, 2] * m[11])
        x, y, z = 0.5 * delta * m[3], 0.5 * delta * m[4], 0.5 * delta * m[5]
        q = bodies[b, 6:10]
        row[6] = q[0] - x * q[1] - y * q[2] - z * q[3]
        row[7] = q[1] + x * q[0] + y * q[3] - z * q[2]
        row[8] = q[2] + y * q[0] + z * q[1] - x * q[3]
        row[9] = q[3] + z * q[0] + x * q[2] - y * q[1]
        quat_normalise(row[6:10])


@kernel
def put_drive(L, W, A, G, h, column):
    """The change of the actuators in G.d_… into a column."""
    for dof in range(G.d_force.shape[0]):
        n = L.dof_node[dof]
        if n >= 0 and G.d_force[dof] != 0.0:
            G.columns[L.place_node[n], L.dof_row[dof], column] += W.row_scale[dof] * h * G.d_force[dof]
    for a in range(G.d_servo.shape[0]):
        if G.d_servo[a] != 0.0:
            dof = A.servo_dof[a]
            G.columns[L.place_node[L.dof_node[dof]], L.dof_row[dof], column] += W.row_scale[dof] * G.d_servo[a]
    for b in range(G.d_wrench.shape[0]):
        f, R = G.d_wrench[b], W.R[b]
        x = G.columns[L.place_body[b]]
        for i in range(3):
            x[i, column] += h * f[i]
            x[3 + i, column] += h * (R[0, i] * f[3] + R[1, i] * f[4] + R[2, i] * f[5])
