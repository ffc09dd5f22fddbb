"""Which contacts and limits take part in a step: those whose gap it may close, and those that a check at its end found missing."""

from dojo_py.collision.participation import LET_GO, NOW, OF_STEP, WITH_CONTACTS
from dojo_py.hard.compiled_apart import faded, left_out_features, want_features
from dojo_py.hard.contacts.foresight import SPARE, may_close
from dojo_py.hard.elements.contact_rows import add_contact, plane_gap
from dojo_py.hard.islands import BODIES, in_span
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import analyse
from dojo_py.solver.elimination_order import order_groups

LIMIT_MARGIN = 0.2
"""Joints within this of a bound always have that limit [rad, m]. A limit that does not act costs a number on the diagonal; one that
was left out and is violated at the end of the step costs another solution."""


@kernel
def choose_contacts(L, P, Q, W, h, everything, margin):
    """Fill W.active and W.limit_active with the contacts and limits that take part.

    Contacts with planes: all (`everything`), or those whose gap a step may close (foresight.py), and those in W.wanted.
    Contacts of pairs: the features in the table (convex_choice.py) but those that have faded (far_pairs.py). Limits: as contacts
    with planes. margin [m]: `contact_margin`.
    """
    W.n_active[0] = 0
    for i in range(P.body.shape[0]):
        if not (everything or W.wanted[i]):
            gap, foreseen = plane_gap(P, i, W.x, W.R), plane_gap(P, i, W.x_ahead, W.R_ahead)
            if not may_close(L, P.body[i], -1, gap, foreseen, h, SPARE, margin):
                continue
        add_contact(P, Q, W, i)
    W.n_active[1] = W.n_active[0]
    for s in range(W.n_features[NOW]):
        may_return = W.freplaced[s] > 0  # (a fixed point of a rim that is followed, followed_rims.py)
        if may_return or (W.fwanted[s] != LET_GO and (W.fwanted[s] != OF_STEP or not faded(L, P, Q, W, s))):
            add_contact(P, Q, W, P.body.shape[0] + s)
    W.n_features[WITH_CONTACTS] = W.n_features[NOW]
    W.n_limits[0] = 0
    for l in range(L.limit_dof.shape[0]):
        if L.limit_sign[l] != 0.0 and not (everything or W.wanted_limit[l]):
            dof = L.limit_dof[l]
            room = L.limit_sign[l] * (W.angle0[dof] - L.limit_bound[l])
            if room > LIMIT_MARGIN + 3.0 * h * abs(W.rate_prev[dof]):
                continue
        W.limit_active[W.n_limits[0]] = l
        W.limpact[l] = 0
        W.n_limits[0] += 1
    _update_graph(L, W)


@kernel
def add_contacts_of_features(L, P, Q, W):
    """Add contacts for the features that have none yet, at the end of the list, and mark their bodies in W.unsolved."""
    for f in range(W.n_features[WITH_CONTACTS], W.n_features[NOW]):
        c = W.n_active[0]
        add_contact(P, Q, W, P.body.shape[0] + f)
        W.con[c, :] = 0.0
        W.summed[c, :] = 0.0
        for side in range(2):
            if W.fbody[f, side] >= 0:
                W.unsolved[W.fbody[f, side]] = 1
    W.n_features[WITH_CONTACTS] = W.n_features[NOW]
    _update_graph(L, W)


@kernel
def _update_graph(L, W):
    """Put the edges of body-body contacts into the pattern; order and analyse again only when they changed."""
    fixed = W.n_edges[0]
    count = fixed
    changed = False
    for c in range(W.n_active[1], W.n_active[0]):
        a, b = W.cbody[c, 0], W.cbody[c, 1]
        if a < 0 or b < 0 or a == b:
            continue
        i, k = min(L.place_body[a], L.place_body[b]), max(L.place_body[a], L.place_body[b])
        if count > fixed and W.edges[count - 1, 0] == i and W.edges[count - 1, 1] == k:
            continue  # (contacts of a pair are adjacent, or nearly so; a duplicate edge does no harm)
        if W.edges[count, 0] != i or W.edges[count, 1] != k:
            changed = True
            W.edges[count, 0], W.edges[count, 1] = i, k
        count += 1
    if changed or count != W.n_edges[1]:
        W.n_edges[1] = count
        order_groups(W.edges, fixed, count, W.pattern)
        analyse(W.edges, count, W.pattern)
        _mark_tree(L, W)


@kernel
def _mark_tree(L, W):
    """Blocks between the joints of the tree and their bodies: `assemble` writes them anew every time, so `clear` need not."""
    W.blocks.tree[:] = 0
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        if j >= 0:
            for b in (L.child[j], L.parent[j]):
                if b >= 0:
                    i, k = L.place_node[n], L.place_body[b]
                    W.blocks.tree[W.pattern.block_of[i, k]] = 1


@kernel
def left_out_contact(L, P, Q, W, h):
    """Mark the contacts and limits that were left out but are violated at the next poses. Returns how many."""
    added = left_out_features(L, P, Q, W, h)
    planes = W.n_active[1]
    for i in range(P.body.shape[0]):
        gap = plane_gap(P, i, W.xn, W.Rn)
        if gap < 0.0:
            known = False
            for c in range(planes):
                known = known or W.active[c] == i
            if not known:
                W.wanted[i] = 1
                added += 1
    for l in range(L.limit_dof.shape[0]):
        known = L.limit_sign[l] == 0.0  # (of balls: always there)
        for m in range(W.n_limits[0]):
            known = known or W.limit_active[m] == l
        if not known:
            dof = L.limit_dof[l]
            parts = W.parts[L.dof_body[dof]]
            end = W.sub_angle[dof] if parts > 1 else W.angle0[dof] + h * W.rows[L.dof_node[dof], L.dof_row[dof]]
            if parts > 0 and L.limit_sign[l] * (end - L.limit_bound[l]) < 0.0:
                W.wanted_limit[l] = 1
                added += 1
    return added


@kernel
def want_all(L, P, Q, W, h):
    """Mark limits and contacts (with the world or within an island) that were left out of the step of the islands in W.span.

    A solve may fail because something is left out: a light limb that nothing stops rotates by more than a step allows. This is done
    once a step for each body (W.asked): otherwise a heap that is hard to solve would take in its neighbours, layer after layer.
    Returns how many there are.
    """
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.asked[W.members[BODIES, k]] == 1:
            return 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.asked[W.members[BODIES, k]] = 1
    added = want_features(L, P, Q, W, h)
    for i in range(P.body.shape[0]):
        added += _want(W, P.body[i], i)
    for l in range(L.limit_dof.shape[0]):
        if in_span(W, L.dof_body[L.limit_dof[l]]):
            known = L.limit_sign[l] == 0.0 or W.wanted_limit[l] == 1  # (those of balls are always there)
            for m in range(W.n_limits[0]):
                known = known or W.limit_active[m] == l
            if not known:
                W.wanted_limit[l] = 1
                added += 1
    return added


@kernel
def _want(W, b, candidate):
    """Mark a candidate contact on body b of the islands. Returns 1 if it did not take part yet, else 0."""
    if not in_span(W, b) or W.wanted[candidate] == 1:
        return 0
    for c in range(W.n_active[0]):
        if W.active[c] == candidate:
            return 0
    W.wanted[candidate] = 1
    return 1
