"""Work arrays of the derivatives of one step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.gradients.refinement import Refinement, allocate_refinement
from dojo_py.hard.workspace import contact_room
from dojo_py.solver.octet import WIDTH, aligned, whole

EPSILON = 1e-5
"""Step of the central differences of what is not in closed form (impulse directions, actuators' laws): 1e-10 off."""


class Division(NamedTuple):
    """Work of a step in parts (divided_step.py). k columns: 2 nv + na + nu, then six carried momenta of every body."""

    lengths: np.ndarray  # (2,) lengths of the interval before the current part and of that part [s]
    parts: np.ndarray  # (1,) how many parts
    held: np.ndarray  # (nb,) 1 where the momentum at the start is carried, so not a function of poses and velocities
    v: np.ndarray  # (nb, 6) velocities over the interval before the first part
    qpos: np.ndarray  # (nq,) where the current part starts
    qvel: np.ndarray  # (nv,)
    rates: np.ndarray  # (nv,) where the step ends, unless they are matched
    A: np.ndarray  # (n, n) of the current part, n = 2 nv + na
    B: np.ndarray  # (n, nu)
    chain: np.ndarray  # (n, k) coordinates and rates where the current part starts (at last: where the step ends), and
    # activations where the step ends: their derivatives by all that the step starts from
    product: np.ndarray  # (2 nv, k) work
    carried: np.ndarray  # (nb, 6) cotangents of the momenta that are carried to the next step
    by_carried: np.ndarray  # (k,) the cotangents of the step's start that follow from these


class Tangent(NamedTuple):
    """One set per thread. nb bodies, nn nodes, nc contact candidates, m columns (right-hand sides, a multiple of 8)."""

    bodies: np.ndarray  # (nb, 13) state at which residuals are differentiated
    qpos: np.ndarray  # (nq,) perturbed
    qvel: np.ndarray  # (nv,)
    control: np.ndarray  # (nu,)
    columns: np.ndarray  # (N, 6, m) right-hand sides, then solutions, in elimination order
    again: Refinement  # of the columns
    v: np.ndarray  # (nb + 1, 6) velocities of the solution
    here: np.ndarray  # (nv, 6) displacement of the child's centre and rotation, world, per unit of a coordinate: at the start
    before: np.ndarray  # (nv, 6) likewise of the pose one interval before the start
    before_rate: np.ndarray  # (nv, 6) that pose per unit of a rate
    x_before: np.ndarray  # (nb + 1, 3) poses one interval before the start
    R_before: np.ndarray  # (nb + 1, 3, 3)
    inertia_before: np.ndarray  # (nb, 3, 3) derivative of the old angular momentum by a rotation between the two poses, world
    tangent: np.ndarray  # (nb, 3, 3) (h Γ)⁻¹ at the solution
    tangent_before: np.ndarray  # (nb, 3, 3) (h Γ)⁻¹ Rᵀ of the interval before
    force: np.ndarray  # (nb, 3) impulse whose direction is fixed in the world [N s]
    contact: np.ndarray  # (nb, 6, 6) right-hand side of the body's rows by its displacement and rotation, through plane contacts
    own: np.ndarray  # (nv, 6) change of the rates of a joint by its own coordinate, before the unknowns respond
    moved: np.ndarray  # (nb, 12) displacement, rotation, change of the old velocities in the current column
    under: np.ndarray  # (nb,) 1 for the bodies that the current column moves
    pair_rows: np.ndarray  # (nc, 12, 6) right-hand sides of both bodies of a pair by the second's displacement and rotation
    pair_force: np.ndarray  # (nc, 3) its impulse on the second body, world [N s]
    pair_twist: np.ndarray  # (nc, 12) right-hand sides of both bodies by a rotation of its tangents about the normal
    motion: np.ndarray  # (nc, 6, 6) change of the motion along a contact's rows by (u, ψ), of a pair's second body
    fade: np.ndarray  # (nc, 6) change of a far pair's gap where the step starts by (u, ψ) of the second body
    shown: np.ndarray  # (nb, 6) linear forms in (u, ψ) of the bodies, from the cotangents of the contact table
    shown_pair: np.ndarray  # (nc, 12) likewise of a pair's second body, then of both with the first
    pair_spin: np.ndarray  # (nc, 3) angle by which a pair's tangents lag behind, per unit of a rotation of both bodies
    load: np.ndarray  # (nn, 6) impulses of the joints' rows, joint couplings included [N s, N m s]
    impulse: np.ndarray  # (nn, 6, 8) impulse directions on the children
    lever: np.ndarray  # (nb, 3, 3) change of outside torques by a rotation of their body, see body_table.py [N m]
    wrench: np.ndarray  # (nb, 6) world forces and torques of the step [N, N m]
    still: np.ndarray  # (nb, 6) of `force` and of the torques in `wrench` the part whose direction is fixed in the world [N s, N m]
    d_force: np.ndarray  # (nd,) change of the actuators' forces in the current column
    d_servo: np.ndarray  # (number of servos,) of the servos' impulses
    d_orient: np.ndarray  # (number of servos of orientations, 3) of the impulses of these
    servo_free: np.ndarray  # (number of servos,) 1 where the force is inside its range
    d_wrench: np.ndarray  # (nb, 6) of the actuators' wrenches
    next_bodies: np.ndarray  # (nb, 13) `bodies` displaced for a difference
    adjoint: np.ndarray  # (N, 6, 8) in the first column: right-hand side and solution of the transposed system
    adjoint_again: Refinement
    rates: np.ndarray  # (nv, 8) likewise: weights of the next rates
    row: np.ndarray  # (2 nv, 1) one column of A
    act: np.ndarray  # (na,) perturbed
    next_act: np.ndarray  # (na,) activations after the step
    d_act: np.ndarray  # (na,) their change in the current column
    act_rows: np.ndarray  # (na, 2 nv + na + nu) their rows of A and B, in the order of the columns
    division: Division


def allocate_tangent(model: Any, layout: Any, planes: Any, room: int, servos: int, orientations: int, columns: int) -> Tangent:
    """Work arrays for a number of columns; room: for features of pairs."""
    nd = len(layout.dof_node)
    z, nb, nn = aligned, len(layout.mass), len(layout.node_joint)
    nc = contact_room(planes, room)
    return Tangent(
        z((nb, 13)), z(model.nq), z(model.nv), z(model.nu),
        z((nb + nn, 6, whole(columns))), allocate_refinement(layout, columns), z((nb + 1, 6)),
        z((model.nv, 6)), z((model.nv, 6)), z((model.nv, 6)), z((nb + 1, 3)), z((nb + 1, 3, 3)), z((nb, 3, 3)), z((nb, 3, 3)),
        z((nb, 3, 3)), z((nb, 3)), z((nb, 6, 6)), z((model.nv, 6)), z((nb, 12)), z(nb, np.int64), z((nc, 12, 6)), z((nc, 3)),
        z((nc, 12)), z((nc, 6, 6)), z((nc, 6)), z((nb, 6)), z((nc, 12)), z((nc, 3)), z((nn, 6)),
        z((nn, 6, WIDTH)), z((nb, 3, 3)), z((nb, 6)), z((nb, 6)), z(nd), z(servos),
        z((orientations, 3)), z(servos, np.int64), z((nb, 6)), z((nb, 13)), z((nb + nn, 6, WIDTH)),
        allocate_refinement(layout, 1),
        z((model.nv, WIDTH)), z((2 * model.nv, 1)),
        z(model.na), z(model.na), z(model.na), z((model.na, columns)), _allocate_division(model, nb),
    )  # fmt: skip


def _allocate_division(model: Any, nb: int) -> Division:
    z, rates = np.zeros, 2 * model.nv
    n = rates + model.na
    k = n + model.nu + 6 * nb
    return Division(
        z(2), z(1, np.int64), z(nb, np.int64), z((nb, 6)), z(model.nq), z(model.nv), z(model.nv), z((n, n)),
        z((n, model.nu)), z((n, k)), z((rates, k)), z((nb, 6)), z(k),
    )  # fmt: skip
