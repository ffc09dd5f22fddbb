"""Model → rows of the Layout for loop closures: connect, weld and couplings, then servos of orientations, then tendons."""

import numpy as np

from dojo_py.hard.couplings import Coupling, joint_coupling, tendon_coupling, tendon_terms
from dojo_py.hard.orientation_table import between, orientation_servos
from dojo_py.hard.path_table import bodies_of_path, path_tables
from dojo_py.hard.terms import EQ_CONNECT, EQ_COUPLING, EQ_LENGTHS, EQ_ORIENTATION, EQ_PATH, EQ_TENDON, EQ_WELD
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import conjugate, matrix, multiply
from dojo_py.mechanism.source import refusal
from dojo_py.mechanism.tendon_paths import is_spatial

MJ_EQ_CONNECT, MJ_EQ_WELD, MJ_EQ_JOINT, MJ_EQ_TENDON = 0, 1, 2, 3


def closure_tables(model, where, com, dof_joint, parent, tendons):
    """Loop closures: connect, weld and couplings that are active at the start; servos; tendons. Returns a dict of arrays."""
    kinds, bodies, pos, quats, couplings, polys = [], [], [], [], [], []
    pairs = []  # tendons of equalities
    centre = lambda i: com[i] if i >= 0 else np.zeros(3)  # noqa: E731
    for e in range(model.neq):
        if not model.eq_active0[e]:
            continue
        t, data = int(model.eq_type[e]), np.asarray(model.eq_data[e], float)
        one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        p, q, coupling, poly = np.zeros((2, 3)), np.array([1.0, 0, 0, 0]), None, np.zeros(7)
        if t in (MJ_EQ_CONNECT, MJ_EQ_WELD):
            site = int(model.eq_objtype[e]) == 6
            if site:
                frames = [
                    (int(model.site_bodyid[s]), np.array(model.site_pos[s], float), np.array(model.site_quat[s], float))
                    for s in (one, two)
                ]
            elif t == MJ_EQ_CONNECT:
                frames = [(one, data[0:3], np.eye(4)[0]), (two, data[3:6], np.eye(4)[0])]
            else:  # weld: data = anchor in body 2, relative position and orientation of body 2 in body 1, torque scale
                R = matrix(data[6:10])
                frames = [(one, data[3:6] + R @ data[0:3], data[6:10]), (two, data[0:3], np.eye(4)[0])]
            seen = []
            for k, (b, local, turn) in enumerate(frames):
                i = int(where.node[b])
                p[k] = where.pos[b] + matrix(where.quat[b]) @ local - centre(i)
                seen.append((i, multiply(where.quat[b], turn)))
            # orientation of body 2 in body 1 when closed: first frame equals second frame
            q = multiply(seen[0][1], conjugate(seen[1][1]))
            touched = [seen[0][0], seen[1][0], -1, -1]
            if touched[0] == touched[1]:
                continue  # both ends on one rigid body
            kinds.append(EQ_CONNECT if t == MJ_EQ_CONNECT else EQ_WELD)
        elif t == MJ_EQ_TENDON and any(i >= 0 and is_spatial(model, i) for i in (one, two)):
            ends = [_bodies_of_tendon(model, where, i, dof_joint, parent) if i >= 0 else [] for i in (one, two)]
            touched = ends[0] + ends[1] + [-1] * (4 - len(ends[0]) - len(ends[1]))
            poly[:5], poly[5:] = data[:5], [float(model.tendon_length0[i]) if i >= 0 else 0.0 for i in (one, two)]
            pairs.append((one, two, len(ends[0])))
            kinds.append(EQ_LENGTHS)
        elif t in (MJ_EQ_JOINT, MJ_EQ_TENDON):
            coupling = joint_coupling(model, e, one, two) if t == MJ_EQ_JOINT else tendon_coupling(model, one, two)
            touched = _touched((*coupling.first, *coupling.second), dof_joint, parent)
            poly[:5], poly[5:] = data[:5], coupling.reference
            kinds.append(EQ_COUPLING)
        else:
            message = "only connect, weld, joint and tendon are simulated in the hard mode"
            raise ModelError(refusal(model, "equality", (e,), "type", message))
        bodies.append(touched)
        pos.append(p)
        quats.append(q)
        couplings.append(coupling)
        polys.append(poly)
    servos = []
    for k, i in enumerate(orientation_servos(model)):
        ends = between(model, where, i)
        if ends.one == ends.two:
            continue  # both frames in one rigid body
        servos.append((len(kinds), k, ends.frames))
        kinds.append(EQ_ORIENTATION)
        bodies.append([ends.one, ends.two, -1, -1])
        pos.append(np.zeros((2, 3)))
        quats.append(np.array([1.0, 0, 0, 0]))
        couplings.append(None)
        polys.append(np.zeros(7))
    for t in tendons:
        spatial = is_spatial(model, t)
        coupling = None if spatial else Coupling(tendon_terms(model, t), [], (0.0, 0.0))
        kinds.append(EQ_PATH if spatial else EQ_TENDON)
        touched = _bodies_of_tendon(model, where, t, dof_joint, parent)
        if max(touched, default=-1) < 0:
            raise ModelError(refusal(model, "tendon", (t,), "", "it touches no body that moves"))
        bodies.append(touched + [-1] * (4 - len(touched)))
        pos.append(np.zeros((2, 3)))
        quats.append(np.array([1.0, 0, 0, 0]))
        couplings.append(coupling)
        polys.append(np.zeros(7))
    n, slots = len(kinds), max((len(touched) for touched in bodies), default=4)
    starts, terms = np.zeros((n, 3), np.int64), []
    for e, coupling in enumerate(couplings):
        sides = (coupling.first, coupling.second) if coupling else ([], [])
        starts[e] = len(terms), len(terms) + len(sides[0]), len(terms) + len(sides[0]) + len(sides[1])
        terms += [*sides[0], *sides[1]]
    place = {t: n - len(tendons) + k for k, t in enumerate(tendons)}
    ends = np.full((n, 3), -1)
    for e, (one, two, first) in zip([e for e in range(n) if kinds[e] == EQ_LENGTHS], pairs, strict=True):
        ends[e] = place[one], place.get(two, -1), first
    touched = np.array([some + [-1] * (slots - len(some)) for some in bodies], np.int64).reshape(n, slots)
    spatial = [None] * (n - len(tendons)) + [t if is_spatial(model, t) else None for t in tendons]
    frames, numbers = np.tile([1.0, 0, 0, 0], (n, 2, 1)), np.full(n, -1)
    for e, k, pair in servos:
        frames[e], numbers[e] = pair, k
    coordinates = np.full(n, -1)
    coordinates[n - len(tendons) :] = model.nv + np.arange(len(tendons))
    return {
        "eq_kind": np.array(kinds, np.int64).reshape(n),
        "eq_bodies": touched,
        "eq_pos": np.array(pos, float).reshape(n, 2, 3),
        "eq_quat": np.array(quats, float).reshape(n, 4),
        "eq_frames": frames,
        "eq_servo": numbers.astype(np.int64),
        "eq_terms": starts,
        "term_dof": np.array([dof for dof, _ in terms], np.int64),
        "term_coef": np.array([coef for _, coef in terms], float),
        "eq_poly": np.array(polys, float).reshape(n, 7),
        "eq_dof": coordinates.astype(np.int64),
        "eq_tendons": ends.astype(np.int64),
        **path_tables(model, where, com, spatial, touched),
    }


def _bodies_of_tendon(model, where, t, dof_joint, parent):
    """Bodies that a tendon touches, as its closure has them."""
    if is_spatial(model, t):
        return bodies_of_path(model, where, t)
    return _touched(tendon_terms(model, t), dof_joint, parent)


def _touched(terms, dof_joint, parent):
    """Bodies that the coordinates of the terms move against each other: child and parent of their joints, four at least."""
    out = []
    for dof, _ in terms:
        j = int(dof_joint[dof])
        out += [j, int(parent[j])]
    return out + [-1] * (4 - len(out))
