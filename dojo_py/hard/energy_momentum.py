"""Energy and momentum of a maximal state, rows [x, v, q, ω] of the merged bodies.

    energy     E = Σ ½ m v² + ½ ωᵀ J ω - m g · (x - h v/2)  +  Σ ½ I_a θ̇² + V(θ - h θ̇/2 - θ₀)      mid-step, where v belongs
    momentum   P = Σ m v,   L = Σ R (s Jω - (h/2) ω × Jω) + (x - c) × m v,  s = sqrt(1 - h²|ω|²/4)      at the end of the interval

The poses belong to the end of the interval and the velocities to its middle: the energy is taken with the poses half a step back,
where its error oscillates by O(h²) without drift. The momentum is the one the integrator conserves to round-off; rotors (armature)
turn inside their bodies and are not part of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.elements.layout import Layout
from dojo_py.hard.terms import EQ_PATH, EQ_TENDON, FAST_PARTS, FREE, FREE_TURN
from dojo_py.hard.warm_start import carried_momentum
from dojo_py.mechanism import quaternion

Array = np.ndarray

SPIN_ROUNDS = 30
"""Newton's iterations for an angular velocity from its momentum, at most."""


def energy(
    layout: Layout, bodies: Array, qpos: Array, qvel: Array, h: float, paths: Array, left: Array, fast: Array | None
) -> float:
    """Kinetic plus potential energy [J], gravity, springs and rotors included; mid-step. bodies (nb, 13), h [s].

    paths (nt, 2): lengths of the spatial tendons and their rates, in the rows of all tendons. left: as in `momentum`. fast: None,
    or the bodies with the velocities that the parts of the next step start with (`Engine.over_fast_parts`). Where a step is divided
    because bodies rotate fast, the energy is that of the velocities over a part, and mid-step is half a part back. The spin of a
    free body that carries a momentum l is taken from that (J⁻¹ l): it does not jump where parts get another length.
    """
    L = layout
    moving, interval = over_last_parts(L, bodies, h, left)
    w = _over_parts(L, moving[:, 10:13], h, fast)[0]
    if fast is not None:
        moving, interval = fast, np.where(L.most_turn > FREE_TURN, h / FAST_PARTS, h)
    x, v = moving[:, 0:3], moving[:, 3:6]
    carried, carry = carried_momentum(left, len(L.mass))
    for b in np.flatnonzero(carried):
        w[b] = moving[b, 10:13] if L.most_turn[b] > FREE_TURN else L.mobility[b] @ carry[b, 3:]
    kinetic = 0.5 * np.sum(L.mass * np.sum(v * v, axis=1)) + 0.5 * np.einsum("bi,bij,bj->", w, L.inertia, w)
    gravity = -np.sum(L.mass[:, None] * L.gravity * (x - 0.5 * interval[:, None] * v))
    has_node = L.node[L.dof_joint] >= 0
    rotors = 0.5 * np.sum(np.where(has_node, L.dof_armature[: len(qvel)], 0.0) * qvel * qvel)
    if np.any(L.lift_arm):
        gravity += np.sum(L.mass * (quaternion.rotate(_half_back(moving, interval), L.lift_arm) @ L.lift_gravity))
    springs = _springs(L, qpos, qvel, h, interval[L.dof_body[: len(qvel)]])
    return float(kinetic + gravity + rotors + springs + _tendons(L, qpos, qvel, h, paths))


def over_last_parts(layout: Layout, bodies: Array, h: float, left: Array) -> tuple[Array, Array]:
    """(…, nb, 13) `bodies`, with velocities over intervals (…, nb) [s]: the last part of a step where they carry a momentum.

    Their own velocities are differences of poses over the whole step then (chords of their paths) and do not have that momentum.
    """
    flags, carry = carried_momentum(left, len(layout.mass))
    interval = np.where(flags > 0.0, h / np.maximum(flags, 1.0), h)
    chosen = flags > 0.0
    if not chosen.any():
        return bodies, interval
    out, b = bodies.copy(), np.nonzero(chosen)[-1]
    rows, momenta = out[chosen], carry[chosen]
    rows[:, 3:6] = momenta[:, :3] / layout.mass[b, None]
    rows[:, 10:13] = _spins_of_momenta(layout.inertia[b], momenta[:, 3:], interval[chosen])
    out[chosen] = rows
    return out, interval


def _spins_of_momenta(J: Array, momentum: Array, h: Array) -> Array:
    """Angular velocities (n, 3) over intervals h (n,) whose angular momenta at their ends are these: s Jω - (h/2) ω × Jω."""
    w, J_T, h = np.linalg.solve(J, momentum[..., None])[..., 0], np.swapaxes(J, -1, -2), h[:, None]
    for _ in range(SPIN_ROUNDS):
        share = np.sqrt(np.maximum(1.0 - 0.25 * h * h * np.sum(w * w, axis=1, keepdims=True), 1e-12))
        spin = np.einsum("nij,nj->ni", J, w)
        lacks = momentum - share * spin + 0.5 * h * np.cross(w, spin)
        turned = np.swapaxes(np.cross(w[:, None], J_T) - np.cross(spin[:, None], np.eye(3)), -1, -2)  # derivative of ω × Jω
        slope = (
            share[..., None] * J - (0.25 * h * h / share)[..., None] * spin[:, :, None] * w[:, None] - 0.5 * h[..., None] * turned
        )
        change = np.linalg.solve(slope, lacks[..., None])[..., 0]
        w = w + change
        if np.abs(change).max() <= 1e-14 * np.abs(w).max():
            break
    return w


def spin_at_end(spin: Array, w: Array, h: Array) -> Array:
    """(…, 3) angular momentum s Jω - (h/2) ω × Jω where an interval h (…, 1) [s] ends, body axes, of spin = Jω and w = ω (…, 3)."""
    share = np.sqrt(np.maximum(1.0 - 0.25 * h**2 * np.sum(w * w, axis=-1, keepdims=True), 0.0))
    return np.asarray(share * spin - 0.5 * h * np.cross(w, spin))


def _half_back(bodies: Array, h: Array) -> Array:
    """(nb, 4) orientations half an interval h (nb,) before the end: between q and q₋ = q ⊗ φ(ω)*."""
    w = 0.5 * h[:, None] * bodies[:, 10:13]
    turn = np.concatenate([np.sqrt(np.maximum(1.0 - np.sum(w * w, axis=1, keepdims=True), 0.0)), -w], axis=1)
    middle = bodies[:, 6:10] + quaternion.multiply(bodies[:, 6:10], turn)
    return middle / np.linalg.norm(middle, axis=1, keepdims=True)


def _tendons(L: Layout, qpos: Array, qvel: Array, h: float, paths: Array) -> float:
    """Springs and armature of the tendons."""
    total, address = 0.0, L.dof_qadr
    for e in np.flatnonzero(L.eq_kind >= EQ_TENDON):
        terms = slice(int(L.eq_terms[e, 0]), int(L.eq_terms[e, 1]))
        dofs, coef, own = L.term_dof[terms], L.term_coef[terms], int(L.eq_dof[e])
        length, rate = float(coef @ qpos[address[dofs]]), float(coef @ qvel[dofs])
        if L.eq_kind[e] == EQ_PATH:
            length, rate = paths[own - len(qvel)]
        middle = length - 0.5 * h * rate
        low, high = L.tendon_rest[own - len(qvel)]
        away = middle - float(np.clip(middle, low, high))
        total += float(spring_energy(L.dof_stiffness[own], L.dof_stiffness_poly[own], away))
        total += 0.5 * L.dof_armature[own] * rate * rate
    return total


def spring_energy(stiffness: Any, poly: Array, x: Any) -> Any:
    """Energy [J] of springs at displacements x:  k x²/2 + k₁ x³/3 + k₂ x⁴/4. poly (…, 2)."""
    return x * x * (stiffness / 2.0 + x * (poly[..., 0] / 3.0 + x * poly[..., 1] / 4.0))


def _springs(L: Layout, qpos: Array, qvel: Array, h: float, interval: Array) -> float:
    """Energy of the joints' springs, half an interval back: of hinges and slides `interval` (nv,), that of their rates, else h."""
    alone = np.flatnonzero(L.dof_vector < 0)  # hinges and slides
    away = qpos[L.dof_qadr[alone]] - 0.5 * interval[alone] * qvel[alone] - L.dof_springref[alone]
    total = float(np.sum(spring_energy(L.dof_stiffness[alone], L.dof_stiffness_poly[alone], away)))
    for j in np.flatnonzero(L.rotation >= 0):
        first, straight = int(L.vadr[j]), int(L.rotation[j])
        spin, adr = first + straight, int(L.qadr[j])
        stiffness, poly = L.dof_stiffness[spin], L.dof_stiffness_poly[spin]
        if not stiffness and not np.any(poly):
            continue
        middle = quaternion.multiply(qpos[adr + straight :][:4], quaternion.exponential(-0.5 * h * qvel[spin : spin + 3]))
        turn = quaternion.logarithm(quaternion.multiply(quaternion.conjugate(L.spring_quat[j]), middle))
        total += float(spring_energy(stiffness, poly, np.linalg.norm(turn)))
        if L.kind[j] == FREE:
            shift = qpos[adr : adr + 3] - 0.5 * h * qvel[first:spin] - L.dof_springref[first:spin]
            total += float(spring_energy(stiffness, poly, np.linalg.norm(shift)))
    return total


def momentum(layout: Layout, bodies: Array, h: float, left: Array, fast: Array | None) -> tuple[Array, Array]:
    """Linear (3,) [kg m/s] and angular (3,) [kg m²/s] momentum about the centre of mass, world axes. bodies (nb, 13), h [s].

    left: what the last step left for the next (warm_start.py), with momenta that bodies carry beside their velocities. fast: as in
    `energy`.
    """
    L = layout
    if len(L.mass) == 0:
        return np.zeros(3), np.zeros(3)
    x, v, q, w = np.split(bodies if fast is None else fast, (3, 6, 10), axis=1)
    w, interval = _over_parts(L, bodies[:, 10:13], h, fast)
    spin = np.einsum("bij,bj->bi", L.inertia, w)
    local = spin_at_end(spin, w, interval)
    carried, carry = carried_momentum(left, len(L.mass))
    p = np.where(carried[:, None] > 0, carry[:, :3], L.mass[:, None] * v)
    local = np.where(carried[:, None] > 0, carry[:, 3:], local)
    centre = L.mass @ x / L.mass.sum()
    return p.sum(axis=0), (quaternion.rotate(q, local) + np.cross(x - centre, p)).sum(axis=0)


def _over_parts(L: Layout, w: Array, h: float, fast: Array | None) -> tuple[Array, Array]:
    """Angular velocities (nb, 3) over an interval h as those over the parts (nb, 1) [s] in which a step divides it (parts.py)."""
    turn = h * np.linalg.norm(w, axis=1, keepdims=True)
    parts = 2.0 ** np.ceil(np.log2(np.maximum(turn / L.most_turn[:, None], 1.0)))
    sine = np.clip(0.5 * turn, 1e-300, 1.0)
    scale = np.where(parts > 1, parts * np.sin(np.arcsin(sine) / parts) / sine, 1.0)
    if fast is None:
        return scale * w, h / parts
    joined = L.most_turn[:, None] > FREE_TURN
    return np.where(joined, fast[:, 10:13], scale * w), np.where(joined, h / FAST_PARTS, h / parts)
