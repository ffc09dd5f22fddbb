"""Work arrays of one step: allocated once for a simulator (one set per thread) and passed to every kernel."""

from typing import NamedTuple

import numpy as np

from dojo_py.by_address import ADDRESSES
from dojo_py.collision.epa import Polytope, polytope
from dojo_py.collision.relaxed_points import NUMBERS
from dojo_py.collision.shown_polygons import ENDS, Manifold, allocate_manifold
from dojo_py.collision.sweep import Sweep, allocate_sweep
from dojo_py.hard.contacts.size_change import NUMBERS as SIZE_CHANGE
from dojo_py.hard.contacts.start_places import NUMBERS as START
from dojo_py.hard.elements.feature_place import DERIVATIVES, FeaturePlace, PairMotion, allocate_motion, allocate_place
from dojo_py.hard.island_memory import MEMORIES
from dojo_py.hard.options import StepOptions
from dojo_py.hard.points import Point, allocate_point
from dojo_py.hard.report import COLUMNS
from dojo_py.solver.block_ldu import Blocks, Pattern, allocate, analyse
from dojo_py.solver.cones.contact import ROWS, state_size
from dojo_py.solver.elimination_order import group_tables
from dojo_py.solver.octet import WIDTH, aligned
from dojo_py.solver.settings import SolverSettings


class Work(NamedTuple):
    """Arrays over bodies marked (nb + 1, …) end with the world, body -1: `arrays.body_row`.

    nb bodies, nn nodes (joints with rows, then loop closures), nv coordinates (tendons included), nc contacts with at most nr rows,
    nl limits. Where the last length is 8 the last two numbers are zeros, so that a row fills a vector register (octet.py).
    """

    # the start of the step
    x: np.ndarray  # (nb + 1, 3) centres of mass [m]
    q: np.ndarray  # (nb + 1, 4)
    R: np.ndarray  # (nb + 1, 3, 3)
    v_prev: np.ndarray  # (nb + 1, 6) velocities of the last interval, v world, ω body
    momentum: np.ndarray  # (nb, 6) what the new momentum must equal but for impulses: old momentum + h (forces) [N s, N m s]
    Ga: np.ndarray  # (nn, 6, 8) impulse directions on the parent, rows: node, columns: force, torque in the body frame
    Gb: np.ndarray  # (nn, 6, 8) on the child
    Pa: np.ndarray  # (nn, 6, 8) -Gaᵀ, as the matrix has it
    Pb: np.ndarray  # (nn, 6, 8) -Gbᵀ
    Geq: np.ndarray  # (ne, s, 6, 8) of loop closures on their bodies
    turn0: np.ndarray  # (nj, 4) rotation of a ball or free joint, as qpos has it
    origin0: np.ndarray  # (nj, 3) free: origin of the body frame
    basis: np.ndarray  # (nj, 6, 6) compound joints
    rate_prev: np.ndarray  # (nv,) coordinate rates of the last interval
    angle0: np.ndarray  # (nv,) coordinate of hinges and slides
    force: np.ndarray  # (nv,) explicit generalised force on hinge, slide and ball coordinates [N m, N]
    # the unknowns
    v: np.ndarray  # these six are the arrays of `now`
    lam: np.ndarray
    theta: np.ndarray
    fric: np.ndarray
    lim: np.ndarray
    con: np.ndarray
    # the next pose and everything evaluated there
    xn: np.ndarray
    qn: np.ndarray
    Rn: np.ndarray
    p: np.ndarray  # (nb + 1, 4) step quaternions
    hG: np.ndarray  # (nb + 1, 3, 3) h Γ(ω)
    moves: np.ndarray  # (nb + 2, 6, 8) of bodies with pair contacts: (δx₊, δθ₊), world, by (v, ω); last row: identity
    by_moves: np.ndarray  # (19, 16) work: derivatives of a contact (feature_place.py)
    motion: PairMotion  # of the pair contact whose rows were found last
    feature: FeaturePlace  # of the feature that was looked at last (`apart.feature_place`)
    drows: np.ndarray  # (2, nr, 8) of the pair contact that was displaced last: derivative of its motion by both poses
    dwrench: np.ndarray  # (2, 6, 16) and of its impulses on both bodies
    extent: np.ndarray  # (1,) largest coordinate of a body [m]
    body_extent: np.ndarray  # (nb + 1,) of each body, 0 of the world [m]
    body_speed: np.ndarray  # (nb + 1,) largest of its velocities [m/s, rad/s]
    turn: np.ndarray  # (nb + 1, 3, 3) rotation of the step, Rᵀ R₊
    Ca: np.ndarray  # (nn, 6, 8) row Jacobians by the parent's velocity
    Cb: np.ndarray  # (nn, 6, 8) by the child's
    Ceq: np.ndarray  # (ne, s, 6, 8)
    rows: np.ndarray  # (nn, 6) constraint rows / h, coordinate rates
    drive: np.ndarray  # (nv, 2) dof law: impulse = drive₀ - drive₁ rate
    row_scale: np.ndarray  # (nv,) factor of the coordinate rows in the matrix
    pull: np.ndarray  # (nj, 6, 4) springs of balls and free joints: matrix by their rates and value, see `vector_springs`
    inertia: np.ndarray  # (nb, 6, 8) derivative of the momentum rows by the bodies' own velocities
    rb: np.ndarray  # (nb, 8) residual of the momentum rows
    rn: np.ndarray  # (nn, 6) residual of the node rows
    left_open: np.ndarray  # (nn, 6) what may be left of the rows of closures that give way [m/s, rad/s] (giving_way.py)
    unmet: np.ndarray  # (nn, 6) the part of the rows of loop closures that no impulse can change, see `keep_unmet`
    size: np.ndarray  # (nb, 8) largest impulse in each momentum row, for the round-off floor
    # contacts that take part in this step
    active: np.ndarray  # (nc,) candidate: plane i, or number of planes + feature
    n_active: np.ndarray  # (2,) how many contacts, how many of them with planes
    # features of pairs of bodies (collision/features.py) that were chosen in this step: nf - 1 rows; in the last one features
    # are only looked at, for their gap (round_pairs.py): it takes no part in the step
    n_features: np.ndarray  # (6,) counts (collision/participation.py)
    fwanted: np.ndarray  # (nf,) whether they take part (collision/participation.py)
    fkept: np.ndarray  # (nf,) what fwanted was then (part_states.py)
    freplaced: np.ndarray  # (nf,) one more than the feature that follows the rim of which it is a fixed point, or 0
    fplace: np.ndarray  # (nf,) in the table of contacts (contact_table.py)
    fkind: np.ndarray  # (nf,)
    fpair: np.ndarray  # (nf,) pair that it was chosen for
    fkey: np.ndarray  # (nf,) which feature of it that is, the same from step to step
    fbody: np.ndarray  # (nf, 2)
    fshape: np.ndarray  # (nf, 2) geoms
    fcentre: np.ndarray  # (nf, 2, 3) reference points in the bodies' frames [m]
    faxes: np.ndarray  # (nf, 2, 3, 3) axes there; the third is the direction of an edge or disc, the normal of a plane
    fhalf: np.ndarray  # (nf, 2, 3) half extents of boxes and axes [m]; first of a prism of a height field: 1 + its number
    fradius: np.ndarray  # (nf, 2) rounding [m]
    fsign: np.ndarray  # (nf,)
    fends: np.ndarray  # (nf,) how many ends a feature hangs over on the central path (collision/overhang.py)
    fend: np.ndarray  # (nf, ENDS, 2, 3) a point of each [m] and its direction outwards, or the axis of a cap, in the body's frame
    fend_place: np.ndarray  # (nf, ENDS) whose end it is: the feature's first or second body's
    fend_disc: np.ndarray  # (nf, ENDS) radius of the cap [m]; 0: an edge
    flift: np.ndarray  # (nf,) sign of the displacement along the normal from the contact point to the edge that crosses another
    fleast_sine: np.ndarray  # (nf,) sine of the angle of two edges below which they do not cross
    fpart: np.ndarray  # (nf, 2, 3) what of each shape a feature has that faces away on the central path (collision/facing.py)
    relaxed: np.ndarray  # (…,) relaxed nearest points of the pair that was looked at last (collision/relaxed_points.py)
    fstart: np.ndarray  # (nf, …) where each feature is at the start of a step on the central path (start_places.py)
    fcrossing: np.ndarray  # (nf,) 1 for two edges that fade as crossing.py says, with
    ffaces_at: np.ndarray  # (nf, 2, 2, 3) the normals of the faces at both, in the bodies' frames
    ffriction: np.ndarray  # (nf,)
    flaw: np.ndarray  # (nf,)
    pair_gap: np.ndarray  # (1,) smallest gap of the pairs whose boxes overlap at the end of the step [m]; infinite: not known
    cweight: np.ndarray  # (nc,) fraction of the impulse of a contact that acts: 1 but for far ones on the central path
    cslope: np.ndarray  # (nc,) derivative of cweight by the gap where the step starts, over cweight [1/m]
    cbeyond: np.ndarray  # (nc,) how much larger the gap is for what the feature hangs over where the step starts [m]
    cbeyond_by: np.ndarray  # (nc, 12) its derivative by both poses there (δx_A, δθ_A, δx_B, δθ_B)
    beyond: np.ndarray  # (13,) both, of the feature that was looked at last where the step starts
    by_size: np.ndarray  # (…,) its change with a size of a shape (size_change.py)
    limit_active: np.ndarray  # (nl,)
    n_limits: np.ndarray  # (1,) how many limits
    bound: np.ndarray  # (nv,) h times the dry friction of a coordinate, 0 while it is held [N s, N m s]
    lgap: np.ndarray  # (nl,) distance of the active limits to their bounds at the next pose [rad, m]
    dof_limit: np.ndarray  # (nv, 2) active limit of a coordinate: lower (or ball), upper; -1 where none
    cbody: np.ndarray  # (nc, 2)
    cmu: np.ndarray  # (nc,) coefficient of reference
    cratio: np.ndarray  # (nc, 5) all coefficients over it [1, 1, m, m, m]
    cscaled: np.ndarray  # (nc,) SAME, SCALED or UNEQUAL: what of these differs from 1, see contact_rows.py
    claw: np.ndarray  # (nc,)
    crestitution: np.ndarray  # (nc,)
    cimpact: np.ndarray  # (nc,) 1 where a contact rebounds in this step (impacts.py)
    crebound: np.ndarray  # (nc, 2) gap at the start, and how much larger it is at the end with the whole restitution [m]
    cend: np.ndarray  # (nc,) gap at the end at least [m]
    x_before: np.ndarray  # (nb + 1, 3) poses one interval before the start
    R_before: np.ndarray  # (nb + 1, 3, 3)
    spent: np.ndarray  # (nb,) iterations that its island has taken in this step so far (step.py)
    hasty: np.ndarray  # (nb,) 1: the last check found one of its pairs missing that moves by a good part of its size
    looks: np.ndarray  # (nb,) how often that was so in this step; NEVER once parts were tried in vain (island_step.py)
    unsolved: np.ndarray  # (nb,) 1: contacts were found that its island was not solved with (step.py)
    outcome: np.ndarray  # (nb, COLUMNS) of each island, at its first body (report.py)
    asked: np.ndarray  # (nb,) 1 where a failing step has asked for what was left out (choice.py)
    x_ahead: np.ndarray  # (nb + 1, 3) poses after the step at the old velocities (foresight.py)
    R_ahead: np.ndarray  # (nb + 1, 3, 3)
    cheld: np.ndarray  # (nc,) 1 where friction's bound is held at `cbound` (solver/cones/contact.py)
    cbound: np.ndarray  # (nc,) [N s]
    cframe: np.ndarray  # (nc, 3, 3) normal and tangents at the start (pairs)
    ctouch: np.ndarray  # (nc, 4) how far pairs touch at the start: the columns of elements/start_normals.py
    cpoint: np.ndarray  # (nc, 3) point of contact at the start (pairs) [m]
    crolling: np.ndarray  # (nc, 2, 3) ρ₀ of what rolls on both sides (rolling_arms.py) [m]
    cval: np.ndarray  # (nc, nr) gap, velocities that friction brakes
    limpact: np.ndarray  # (nl,) 1 where a limit rebounds in this step (impacts.py)
    lrebound: np.ndarray  # (nl, 2) as crebound [rad, m]
    lend: np.ndarray  # (nl,) as cend [rad, m]
    contact_allowance: np.ndarray  # (nc,) allowed penetration: how much of an initial overlap may stay in this step [m]
    limit_allowance: np.ndarray  # (nl,) likewise of a joint beyond its bound [rad, m]
    csoft: np.ndarray  # (nc,) compliance [m/(N s)] of those that give way (giving_way.py), 0 of all others
    cproximal: np.ndarray  # (nc,) compliance [1/kg] that only Newton's matrix has, of friction; times h of the gap (proximal.py)
    proximal: np.ndarray  # (1,) that compliance over the inverse mass of the bodies; 0: there is none
    linear_residual: np.ndarray  # (1,) of the last Newton step, after its refinement [m/s]; 0: not looked at
    crecovery: np.ndarray  # (nc,) how fast an initial overlap is undone at most [m/s]: 0 where all of it may stay
    lrecovery: np.ndarray  # (nl,) likewise [rad/s, m/s]
    kappa: np.ndarray  # (1,) central-path parameter of the step [N m s]; 0 in the hard limit
    group: np.ndarray  # (nb,) label: one body, the same for all that joints and closures connect with this one
    group_mass: np.ndarray  # (nb,) of the bodies of a group [kg], at the body that is its label
    group_near: np.ndarray  # (nb,) contacts of a group that the evaluated motion violates, likewise
    gives_way: np.ndarray  # (1,) compliance of loop closures where they contradict the rest (giving_way.py); 0: they are exact
    softness: np.ndarray  # (2,) how soft shapes are: κ of the point [N m s], the step's or on the way to the hard limit the path's;
    # the gap under the largest impulse there [m], 0 elsewhere
    in_hard_limit: np.ndarray  # (1,) 1 in the hard limit, 0 on the central path
    free_kind: np.ndarray  # (nf,) 1 + the kind of a feature before it was held (held_points.py), else 0; what it was:
    free_sign: np.ndarray  # (nf,)
    free_centre: np.ndarray  # (nf, 2, 3)
    free_axes: np.ndarray  # (nf, 2, 3, 3)
    free_radius: np.ndarray  # (nf, 2)
    checks: np.ndarray  # (1,) how often the end of this step has been checked for what was left out
    standoff: np.ndarray  # (nc,) the gap at which a contact rests in the hard limit [m]; 0 on the central path
    rest_gap: np.ndarray  # (nc,) the gap of a contact that rests at its standoff where the step starts [m]; 0: it does not
    keeps_rest: np.ndarray  # (1,) whether contacts are to rest at these gaps exactly
    limit_standoff: np.ndarray  # (nl,) likewise of limits [rad, m]
    standoff_kept: np.ndarray  # (nc,) both while a path is followed that ends at gaps of zero (central_path.py)
    limit_standoff_kept: np.ndarray  # (nl,)
    cC: np.ndarray  # (nc, 2, nr, 8)
    cB: np.ndarray  # (nc, 2, nr, 8)
    cH: np.ndarray  # (nc, 2, 6, 16) derivative at fixed impulse, by the velocities of the first body, then of the second
    cK: np.ndarray  # (nc, nr, nr)
    mixed: np.ndarray  # (nr, 8) work: K times the rows of a contact by one body
    cf: np.ndarray  # (nc, nr)
    cdy: np.ndarray  # (nc, nr)
    state: np.ndarray  # (z,) work: a contact's state
    # steps
    step: np.ndarray  # (N, 8) right-hand side and solution in elimination order
    drate: np.ndarray  # (nv,)
    dv: np.ndarray  # these six are the arrays of `change`
    dlam: np.ndarray
    dtheta: np.ndarray
    dfric: np.ndarray
    dlim: np.ndarray
    dcon: np.ndarray
    # what the last solved step leaves for the next one's start
    warm: np.ndarray  # (nb,) 1 where the impulses on a body are good to start from: its step was solved whole
    warm_lam: np.ndarray  # (nn, 6)
    warm_lim: np.ndarray  # (nl,) γ of every limit
    warm_fric: np.ndarray  # (nv,) β
    warm_con: np.ndarray  # (nc, nr) impulse of every candidate
    warm_feature: np.ndarray  # (nf - 1, 2 + nr) pair + 1, key and impulse of the features of the last step
    # the impulses that the present solve starts from: the last step's, none, or those where the last attempt stopped
    guess_lam: np.ndarray  # (nn, 6)
    guess_lim: np.ndarray  # (nl,)
    guess_fric: np.ndarray  # (nv,)
    guess_con: np.ndarray  # (nc, nr) of every candidate
    # the central path (central_path.py)
    path_targets: np.ndarray  # (6,) complementarities, their derivatives by ln θ; θ and the largest impulse where it was entered
    path_impulses: np.ndarray  # (2, nr) of one contact in two directions
    path_rb: np.ndarray  # (nb, 8) momentum rows of the point of the path, while W.rb holds others
    path_cdy: np.ndarray  # (nc, nr) likewise of contacts
    # islands, see islands.py
    island: np.ndarray  # (nb,) label of each body
    island_root: np.ndarray  # (nb,) union-find
    members: np.ndarray  # (5, …) bodies, nodes, coordinates, limits, contacts sorted by island
    island_first: np.ndarray  # (5, nb + 1) where each island begins in them
    island_place: np.ndarray  # (nb + 1,) where it begins in pattern.places
    place_island: np.ndarray  # (N,) island of each place
    span: np.ndarray  # (7, 2) the ranges of `members` that the solve works on
    taken: np.ndarray  # (2,) these are islands taken[0] … taken[1] - 1
    wanted: np.ndarray  # (number of planes,) 1: candidates that a first solve of this step left out and that would be violated
    wanted_limit: np.ndarray  # (nl,)
    parts: np.ndarray  # (nb,) in how many parts the step of each body was solved; 0: it failed, the body stays
    memory: np.ndarray  # (nb, 3) how the last step ended (island_memory.py)
    next_memory: np.ndarray  # (nb, 3) how this step ended; while it is not solved yet, the last one
    unmatched: np.ndarray  # (nb,) 1 where no velocity over the step has the momentum at the end of its last part
    pushed: np.ndarray  # (nb, 6) momentum that each body has from contacts and taut tendons (contact_work.py)
    begin: np.ndarray  # (nb, 6) momentum at the end of the last interval, angular in the body frame [N s, N m s]
    carried: np.ndarray  # (nb,) > 0 where that is `carry`, not the momentum of the velocities: no velocity over a step has it
    carry: np.ndarray  # (nb, 6)
    next_carried: np.ndarray  # (nb,) likewise at the end of this step
    next_carry: np.ndarray  # (nb, 6)
    # a step redone as shorter ones
    from_bodies: np.ndarray  # (nb, 13) where the step, or the present part of it, starts: start of the bodies' paths (passing.py)
    summed_limit: np.ndarray  # (nl,) impulse of an active limit over all parts
    summed_loops: np.ndarray  # (ne, 6) of a closure over all parts, see `closures.add_loop`
    summed: (
        np.ndarray
    )  # (nc, 9) impulse of a contact over all parts on its first body, or reversed on its second; its torque of friction;
    # the moment of the impulse about the world's origin
    start_bodies: np.ndarray  # (nb, 13) where the step starts
    fast: np.ndarray  # (nb,) 1 where parts of the step start with the velocities of fast_bodies (nb, 13), see fast_start.py
    fast_bodies: np.ndarray
    start_angle: np.ndarray  # (nv,)
    start_rate: np.ndarray  # (nv,)
    wrench: np.ndarray  # (nb, 6) force and torque on each body, world [N, N m]
    found: np.ndarray  # (19,) what the attempts at the step of an island have come to (outcome.py)
    sub_bodies: np.ndarray  # (nb, 13)
    sub_angle: np.ndarray  # (nv,)
    sub_rate: np.ndarray  # (nv,)
    halt: np.ndarray  # (3,) of a step whose parts end early (standstill.py)
    halt_bodies: np.ndarray  # (nb, 13), and the state there
    halt_angle: np.ndarray  # (nv,)
    halt_rate: np.ndarray  # (nv,)
    halt_summed_limit: np.ndarray  # as summed_limit, up to there
    halt_summed_loops: np.ndarray  # as summed_loops
    halt_summed: np.ndarray  # as summed
    trace: np.ndarray  # (201, 6) of the last solve: residual, centring, mean, step length, affine step length, σ
    traced: np.ndarray  # (1,) how many rows of it
    # linear algebra
    stiffest: np.ndarray  # (1,) largest stiffness of a contact over the smallest inertia of its body
    edges: np.ndarray  # (m, 2) graph edges; those of the joints first
    n_edges: np.ndarray  # (2,) of the joints, with contacts
    apart: np.ndarray  # (8,) addresses of what is compiled apart (compiled_apart.py)
    now: Point  # from here on groups, see handles.py: the present point
    change: Point  # Newton's step from it
    affine: Point  # the affine step, whose second-order terms correct it
    saved: Point  # where the step began, for the line search; before it, a Newton step before its last refinement or correction
    best: Point  # the best point that attempts at a step found
    base: Point  # a point of the central path,
    tangent: Point  # the tangent there,
    newton: Point  # and Newton's step beside it
    bend: Point  # half of the path's second derivative there
    sweep: Sweep
    manifold: Manifold
    polytope: Polytope
    pattern: Pattern
    blocks: Blocks
    options: StepOptions
    solver: SolverSettings


def graph_edges(layout):
    """(m, 2) pairs of places that share a block, joints and loop closures only."""
    edges = []
    nt = len(layout.node_joint)
    for n in range(nt):
        j = int(layout.node_joint[n])
        if j >= 0:
            touched = [int(layout.parent[j]), int(layout.child[j])]
        else:
            touched = [int(b) for b in layout.eq_bodies[-1 - j]]
        edges += [(int(layout.place_node[n]), int(layout.place_body[b])) for b in touched if b >= 0]
    return np.array(edges, np.int64).reshape(-1, 2)


def contact_rows(planes, pairs):
    """Most rows of a contact of these candidates; three at least."""
    return max([3, *(ROWS[law] for laws in (planes.law, pairs.law) for law in set(laws.tolist()))])


NEAR_A_FEATURE, MOST_NEAR = 4, 4096
"""Number of near pairs that there is room for: so many for each feature that there is room for, and so many more."""


def contact_room(planes, room):
    """Most contacts of a step with room for so many features of pairs."""
    return len(planes.body) + room + 1


def allocate_work(layout, planes, pairs, options, solver, room=None):
    """A Work for a layout and its contact candidates; room: for how many features of pairs, by default what one starts with."""
    room = int(pairs.room[0]) if room is None else room
    nb, nn, nj = len(layout.mass), len(layout.node_joint), len(layout.kind)
    nv, nl, nf = len(layout.dof_node), len(layout.limit_dof), room + 1
    nc, nr = contact_room(planes, room), contact_rows(planes, pairs)
    total = nb + nn
    fixed = graph_edges(layout)
    edges = np.concatenate([fixed, np.zeros((nf, 2), np.int64)])
    pattern, blocks = allocate(total, analyse_room(fixed, _moving_pairs(layout, pairs), total), fixed)
    analyse(edges, len(fixed), pattern)
    z = aligned
    points = [allocate_point(nb, nn, nv, nl, nc, state_size(nr)) for _ in range(9)]
    now, change = points[:2]
    work = Work(
        x=z((nb + 1, 3)), q=z((nb + 1, 4)), R=z((nb + 1, 3, 3)), v_prev=z((nb + 1, 6)), momentum=z((nb, 6)),
        Ga=z((nn, 6, WIDTH)), Gb=z((nn, 6, WIDTH)), Pa=z((nn, 6, WIDTH)), Pb=z((nn, 6, WIDTH)),
        Geq=z((*layout.eq_bodies.shape, 6, WIDTH)), turn0=z((nj, 4)), origin0=z((nj, 3)),
        basis=z((nj, 6, 6)), rate_prev=z(nv), angle0=z(nv), force=z(nv), v=now.v, lam=now.lam,
        theta=now.theta, fric=now.fric, lim=now.lim, con=now.con, xn=z((nb + 1, 3)), qn=z((nb + 1, 4)), Rn=z((nb + 1, 3, 3)),
        p=z((nb + 1, 4)), hG=z((nb + 1, 3, 3)), moves=z((nb + 2, 6, WIDTH)), by_moves=z((DERIVATIVES, 2 * WIDTH)),
        motion=allocate_motion(), feature=allocate_place(),
        drows=z((2, nr, WIDTH)), dwrench=z((2, 6, 2 * WIDTH)), extent=z(1), body_extent=z(nb + 1), body_speed=z(nb + 1),
        turn=z((nb + 1, 3, 3)), Ca=z((nn, 6, WIDTH)),
        Cb=z((nn, 6, WIDTH)), Ceq=z((*layout.eq_bodies.shape, 6, WIDTH)), rows=z((nn, 6)), drive=z((nv, 2)),
        row_scale=z(nv), pull=z((nj, 6, 4)), inertia=z((nb, 6, WIDTH)), rb=z((nb, WIDTH)),
        rn=z((nn, 6)), left_open=z((nn, 6)), unmet=z((nn, 6)), size=z((nb, WIDTH)), active=z(nc, np.int64), n_active=z(2, np.int64),
        n_features=z(6, np.int64), fwanted=z(nf, np.int64), fkept=z(nf, np.int64), freplaced=z(nf, np.int64),
        fplace=z(nf, np.int64), fkind=z(nf, np.int64),
        fpair=z(nf, np.int64), fkey=z(nf, np.int64), fbody=z((nf, 2), np.int64),
        fshape=z((nf, 2), np.int64), fcentre=z((nf, 2, 3)), faxes=z((nf, 2, 3, 3)), fhalf=z((nf, 2, 3)), fradius=z((nf, 2)),
        fsign=z(nf), ffriction=z(nf), flaw=z(nf, np.int64), pair_gap=z(1), cweight=z(nc), cslope=z(nc),
        fends=z(nf, np.int64), fend=z((nf, ENDS, 2, 3)), fend_place=z((nf, ENDS), np.int64), fend_disc=z((nf, ENDS)),
        flift=z(nf), fleast_sine=z(nf), fpart=z((nf, 2, 3), np.int64), fcrossing=z(nf, np.int64), ffaces_at=z((nf, 2, 2, 3)),
        relaxed=np.full(NUMBERS, -1.0), fstart=z((nf, START)), cbeyond=z(nc), cbeyond_by=z((nc, 12)), beyond=z(13),
        by_size=z(SIZE_CHANGE),
        limit_active=z(nl, np.int64), n_limits=z(1, np.int64), bound=z(nv), lgap=z(nl), dof_limit=np.full((nv, 2), -1, np.int64),
        cbody=z((nc, 2), np.int64), cmu=z(nc), cratio=z((nc, 5)), cscaled=z(nc, np.int64),
        crestitution=z(nc), cimpact=z(nc, np.int64), crebound=z((nc, 2)), cend=z(nc), x_before=z((nb + 1, 3)),
        R_before=z((nb + 1, 3, 3)), asked=z(nb, np.int64), spent=z(nb), hasty=z(nb, np.int64), looks=z(nb, np.int64),
        unsolved=z(nb, np.int64),
        outcome=z((nb, COLUMNS)), x_ahead=z((nb + 1, 3)), R_ahead=z((nb + 1, 3, 3)),
        claw=z(nc, np.int64), cheld=z(nc, np.int64), cbound=z(nc),
        cframe=z((nc, 3, 3)), ctouch=z((nc, 4)), cpoint=z((nc, 3)), crolling=z((nc, 2, 3)), cval=z((nc, nr)),
        kappa=z(1), gives_way=z(1), softness=z(2), group=z(nb, np.int64), group_mass=z(nb), group_near=z(nb, np.int64),
        in_hard_limit=z(1), free_kind=z(nf, np.int64), free_sign=z(nf),
        free_centre=z((nf, 2, 3)), free_axes=z((nf, 2, 3, 3)), free_radius=z((nf, 2)), checks=z(1, np.int64),
        standoff=z(nc), rest_gap=z(nc), keeps_rest=z(1), limit_standoff=z(nl), standoff_kept=z(nc), limit_standoff_kept=z(nl),
        limpact=z(nl, np.int64), lrebound=z((nl, 2)), lend=z(nl),
        contact_allowance=z(nc), limit_allowance=z(nl), csoft=z(nc), cproximal=z(nc), proximal=z(1), linear_residual=z(1),
        crecovery=z(nc), lrecovery=z(nl),
        cC=z((nc, 2, nr, WIDTH)), cB=z((nc, 2, nr, WIDTH)),
        cH=z((nc, 2, 6, 2 * WIDTH)), mixed=z((nr, WIDTH)), cK=z((nc, nr, nr)), cf=z((nc, nr)),
        cdy=z((nc, nr)), state=z(state_size(nr)),
        step=z((total, WIDTH)), drate=z(nv),
        dv=change.v, dlam=change.lam, dtheta=change.theta, dfric=change.fric, dlim=change.lim, dcon=change.con,
        warm=z(nb, np.int64), warm_lam=z((nn, 6)), warm_lim=z(nl), warm_fric=z(nv), warm_con=z((nc, nr)),
        warm_feature=z((room, 2 + nr)),
        guess_lam=z((nn, 6)), guess_lim=z(nl), guess_fric=z(nv), guess_con=z((nc, nr)),
        path_targets=z(6), path_impulses=z((2, nr)), path_rb=z((nb, 8)), path_cdy=z((nc, nr)),
        island=z(nb, np.int64), island_root=z(nb, np.int64), members=z((5, max(nb, nn, nv, nl, nc, 1)), np.int64),
        island_first=z((5, nb + 1), np.int64), island_place=z(nb + 1, np.int64), place_island=z(total, np.int64),
        span=z((7, 2), np.int64), taken=z(2, np.int64), wanted=z(len(planes.body), np.int64),
        wanted_limit=z(nl, np.int64), parts=z(nb, np.int64),
        memory=z((nb, MEMORIES)), next_memory=z((nb, MEMORIES)),
        unmatched=z(nb, np.int64), pushed=z((nb, 6)), begin=z((nb, 6)), carried=z(nb),
        carry=z((nb, 6)),
        next_carried=z(nb), next_carry=z((nb, 6)),
        summed=z((nc, 9)), summed_limit=z(nl), summed_loops=z((len(layout.eq_kind), 6)),
        from_bodies=z((nb, 13)), start_bodies=z((nb, 13)),
        fast=z(nb, np.int64), fast_bodies=z((nb, 13)),
        start_angle=z(nv), start_rate=z(nv), wrench=z((nb, 6)), found=z(COLUMNS + 9), sub_bodies=z((nb, 13)),
        sub_angle=z(nv), sub_rate=z(nv),
        halt=z(3), halt_bodies=z((nb, 13)), halt_angle=z(nv), halt_rate=z(nv),
        halt_summed=z((nc, 9)), halt_summed_limit=z(nl), halt_summed_loops=z((len(layout.eq_kind), 6)),
        trace=z((201, 6)), traced=z(1, np.int64), edges=edges, stiffest=z(1),
        n_edges=np.array([len(fixed), len(fixed)], np.int64), apart=ADDRESSES,
        now=now, change=change, affine=points[2], saved=points[3], best=points[4], base=points[5],
        tangent=points[6], newton=points[7], bend=points[8], sweep=allocate_sweep(pairs, NEAR_A_FEATURE * room + MOST_NEAR),
        manifold=allocate_manifold(), polytope=polytope(),
        pattern=pattern, blocks=blocks, options=options, solver=solver,
    )  # fmt: skip
    for q in (work.q, work.qn, work.p):
        q[-1, 0] = 1.0
    work.moves[-1] = np.eye(6, WIDTH)
    for R in (work.R, work.Rn, work.R_ahead, work.turn):
        R[-1] = np.eye(3)
    return work


def _moving_pairs(layout, pairs):
    """(m, 2) pairs of places of bodies that may touch, in order, each once."""
    both = pairs.shape_node[pairs.geom].reshape(-1, 2)
    both = both[(both >= 0).all(axis=1) & (both[:, 0] != both[:, 1])]
    return np.unique(np.sort(layout.place_body[both].reshape(-1, 2), axis=1), axis=0).astype(np.int64)


def analyse_room(fixed, moving, total):
    """Number of blocks that any contacts of `moving` (m, 2), pairs of places, may make besides those of `fixed`.

    Groups that contacts between them may join are eliminated in any order then, so that every two of their nodes may share a block.
    """
    group, _, _ = group_tables(total, fixed)
    own = group[moving[:, 0]] == group[moving[:, 1]] if len(moving) else np.zeros(0, bool)
    if own.all():  # the order never changes
        edges = np.concatenate([fixed, moving])
        most = max(total * (total - 1) // 2, 1)
        room, found = 0, 8 * total + 4 * len(edges)
        while room < min(found + 1, most):  # (with too little room it counts too few)
            room = min(2 * found + 1, most)
            found = int(analyse(edges, len(edges), allocate(total, room)[0]))
        return found
    together, _, _ = group_tables(total, np.concatenate([fixed, moving]))
    sizes = np.bincount(together)
    return int((sizes * (sizes - 1) // 2).sum())
