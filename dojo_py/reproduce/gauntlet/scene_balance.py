"""Energy of scenes that nothing drives and momentum of scenes that nothing holds, in numpy from the bodies' states.

    energy     E = Σ ½ m v² + ½ ωᵀ J ω - m g · (x - h v/2) + Σ ½ I_a q̇²                        half a step back, where v lives
    momentum   P = Σ m v,   L = Σ R (s J ω - (h/2) ω × J ω) + x × m v,   s = sqrt(1 - h²|ω|²/4)

What the integrator promises. A free body keeps E, P and L to round-off, at every |ω| h below 2. Impulses of joints, contacts
and friction change E by λ·(w₋ + w₊)/2, w the rate along λ. With w₋ = w₊ - G λ that is -½ λᵀ G λ + λ·w₊, and λ·w₊ ≤ 0: it is 0
for joints, at most 0 along a normal (a gap closes to 0, not below), negative for friction. So energy never grows as long as
directions do not turn within the step. They turn by h Ω, Ω the fastest rotation, and the energy of a symplectic integrator
oscillates within a band of relative width (h Ω)² about one that does not grow. Hence growth is accepted up to BAND (h Ω)² of the
kinetic energy where joints or contacts are at work. Once h Ω > FASTEST this is no bound any more; there the energy of bodies
without joints grows by LOOSE of it at most. (A step is divided there, and its velocities are those from where it starts to where
it ends: what turns back meanwhile shows less energy than it has. So it is the most of RECENT states that may not grow.) The
complementarity κ of a solved step leaves λ·w₊ = κ/h: bodies at rest that touch creep apart; accepted is CREEP of their size a
second.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.family import Outcome
from dojo_py.reproduce.gauntlet.scene_run import Run

Array = np.ndarray

BAND = 1.0
FASTEST = 0.5
"""Largest rotation in a step at which energy grows by (h Ω)² of it at most [rad]."""
LOOSE, RECENT = 0.6, 4
"""See above: what momentum tells of the energy, and velocities over a step do not, is a third of it at h Ω = 1 (hard/terms.py)."""
CREEP = 1e-4
"""Speed that a body at rest may take on, over its size [1/s]: a 0.1 m ball touching a floor without gravity has 8e-6."""
RESIDUAL = 1e-10
"""Of a step, the hard mode's own tolerance [m/s, rad/s]."""
ROUND_OFF = 1e-11
"""Relative to the momentum in motion: 60 steps at the solver's tolerance; a free body alone keeps it to 1e-13."""


def inertia_of(wheel: Any) -> Array:
    """(nbody, 3, 3) about the centres of mass, in the bodies' axes."""
    import mujoco

    R = np.zeros((wheel.nbody, 9))
    for b in range(wheel.nbody):
        mujoco.mju_quat2Mat(R[b], wheel.body_iquat[b])
    turn = R.reshape(-1, 3, 3)
    return np.einsum("bij,bj,bkj->bik", turn, wheel.body_inertia, turn)


def rotate(q: Array, v: Array) -> Array:
    """v (..., 3) turned by the quaternions (..., 4)."""
    w, u = q[..., :1], q[..., 1:]
    return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)


def energy(run: Run) -> tuple[Array, Array]:
    """(T + 1,) total energy and its kinetic part [J]."""
    m, J = run.wheel, inertia_of(run.wheel)
    x, v, w = run.maximal[:, :, 0:3], run.maximal[:, :, 3:6], run.maximal[:, :, 10:13]
    moving = m.body_weldid > 0
    mass = np.where(moving, m.body_mass, 0.0)
    kinetic = 0.5 * np.einsum("b,tbi,tbi->t", mass, v, v) + 0.5 * np.einsum("tbi,bij,tbj->t", w, J * moving[:, None, None], w)
    kinetic = kinetic + 0.5 * np.sum(m.dof_armature * run.qvel**2, axis=1)
    return kinetic - np.einsum("b,i,tbi->t", mass, m.opt.gravity, x - 0.5 * run.h * v), kinetic


def momentum(run: Run) -> tuple[Array, Array, float, float]:
    """(T + 1, 3) linear and angular momentum about the first centre of mass; what one residual of a step can change of each."""
    m, J, h = run.wheel, inertia_of(run.wheel), run.h
    x, v, q, w = (run.maximal[:, :, a:b] for a, b in ((0, 3), (3, 6), (6, 10), (10, 13)))
    p = m.body_mass[:, None] * v
    centre = m.body_mass @ x[0] / m.body_mass.sum()
    spin = np.einsum("bij,tbj->tbi", J, w)
    share = np.sqrt(np.maximum(1.0 - 0.25 * h * h * np.sum(w * w, axis=2), 0.0))
    local = share[:, :, None] * spin - 0.5 * h * np.cross(w, spin)
    angular = (rotate(q, local) + np.cross(x - centre, p)).sum(axis=1)
    lever = m.body_mass * np.linalg.norm(x - centre, axis=2).max(axis=0)
    return p.sum(axis=1), angular, float(m.body_mass.sum()), float((lever + np.abs(J).max(axis=(1, 2))).sum())


def passive(run: Run) -> bool:
    """Nothing drives it: no actuators, springs or gravity compensation."""
    m = run.wheel
    return bool(m.nu == 0 and not m.jnt_stiffness.any() and not m.body_gravcomp.any())


def held(run: Run, pairs: Any) -> bool:
    """Something is joined to the world or can touch what is fixed, or gravity acts."""
    m = run.wheel
    roots = [j for j in range(m.njnt) if m.jnt_type[j] != 0 and m.body_weldid[m.body_parentid[m.jnt_bodyid[j]]] == 0]
    to_world = any(0 in (m.body_weldid[a], m.body_weldid[b]) for a, b in zip(m.eq_obj1id, m.eq_obj2id, strict=True))
    fixed = m.body_weldid[m.geom_bodyid] == 0
    touches = fixed[pairs.first] | fixed[pairs.second]
    return bool(roots or to_world or touches.any() or np.any(m.opt.gravity))


def balance_outcomes(run: Run, pairs: Any, overlap: float) -> dict[str, Outcome]:
    """The properties "energy" and "momentum" where the scene promises them, up to the first unsolved step."""
    steps = len(run.status) if run.solved.all() else int(np.argmin(run.solved))
    found: dict[str, Outcome] = {}
    if steps and passive(run) and overlap <= 1e-9:
        found["energy"] = _energy_outcome(run, steps, pairs)
    if steps and not held(run, pairs):
        found["momentum"] = _momentum_outcome(run, steps)
    return found


def _free_joints(run: Run) -> int:
    return int(np.sum(run.wheel.jnt_type == 0))


def _energy_outcome(run: Run, steps: int, pairs: Any) -> Outcome:
    E, K = energy(run)
    m, contacts = run.wheel, len(pairs.first) > 0
    lonely = not contacts and m.njnt == _free_joints(run)
    turning = np.linalg.norm(run.maximal[:, :, 10:13], axis=2).max(axis=1) * run.h
    turning = np.maximum.accumulate(turning)[: steps + 1]
    fast, (thrown, where) = 0, (0, "")
    divided = bool((run.substeps[:steps] > 1).any())  # (of what velocities no longer show)
    if (divided or not lonely) and (turning > FASTEST).any():
        slow = max(int(np.argmax(turning > FASTEST)) - 1, 0)
        if m.njnt == _free_joints(run):
            fast, (thrown, where) = steps - slow, _thrown(run, E, K, slow, steps)
        steps = slow
    if steps < 1:
        return Outcome(fast, thrown, 0.0, where)
    turning, top = turning[: steps + 1], np.maximum.accumulate(K)[: steps + 1]
    pull = 0.5 * m.body_mass.sum() * (run.h * np.linalg.norm(m.opt.gravity)) ** 2
    band = 0.0 if lonely else BAND * (turning**2 * top + pull)
    height = np.abs(run.maximal[:, :, 0:3]).max()
    sizes = m.geom_rbound[(m.geom_rbound > 0) & (m.body_weldid[m.geom_bodyid] > 0)]
    creep = CREEP * sizes.min(initial=np.inf, where=sizes > 0) if contacts and len(sizes) else RESIDUAL
    floor = 1e-9 * top + 1e-13 * m.body_mass.sum() * np.linalg.norm(m.opt.gravity) * height + 0.5 * creep**2 * m.body_mass.sum()
    lowest = np.minimum.accumulate(E)[: steps + 1]
    growth = E[1 : steps + 1] - lowest[:-1]
    accepted = np.broadcast_to(band + floor, top.shape)[1:]
    bad = growth > accepted
    share = growth / np.maximum(top[1:], 1e-300)
    if not bad.any():
        return Outcome(steps + fast, thrown, float(max(share.max(), 0.0)), where)
    t = int(np.argmax(bad))
    text = f"step {t}: energy {lowest[t]:.6g} -> {E[t + 1]:.6g} J, accepted {accepted[t]:.2g} J more, h Ω {turning[t + 1]:.2g}"
    return Outcome(steps + fast, int(bad.sum()) + thrown, float(share.max()), text)


def _thrown(run: Run, E: Array, K: Array, first: int, steps: int) -> tuple[int, str]:
    """How many steps from `first` on give free bodies LOOSE of their energy, and the first of them."""
    top = np.array([E[max(t - RECENT + 1, first) : t + 1].max() for t in range(first, steps + 1)])
    if len(top) < 2:
        return 0, ""
    height = E - K
    lowest = np.minimum.accumulate(top)
    scale = np.maximum(lowest - height[first : steps + 1].min(), 0.0)
    bad = E[first + 1 : steps + 1] > lowest[:-1] + LOOSE * scale[:-1] + CREEP
    if not bad.any():
        return 0, ""
    t = first + int(np.argmax(bad))
    return int(bad.sum()), f"step {t}: energy {lowest[t - first]:.6g} -> {E[t + 1]:.6g} J of bodies that turn fast"


def _momentum_outcome(run: Run, steps: int) -> Outcome:
    P, L, mass, lever = momentum(run)
    m, x, v = run.wheel, run.maximal[:, :, 0:3], run.maximal[:, :, 3:6]
    motion = np.einsum("b,tb->t", m.body_mass, np.linalg.norm(v, axis=2)).max()
    spins = np.einsum("b,tb->t", np.abs(inertia_of(m)).max(axis=(1, 2)), np.linalg.norm(run.maximal[:, :, 10:13], axis=2)).max()
    swing = spins + motion * np.linalg.norm(x - x[0].mean(axis=0), axis=2).max()
    bad, worst, text = 0, 0.0, ""
    # (what bodies that turn too far for velocities over h carry on shows again after a whole step; or they start with it)
    whole = np.concatenate([run.substeps[:1] == 1, run.substeps[:steps] == 1])
    first = int(np.argmax(whole))
    for name, value, scale, tolerance in (("linear", P, motion, mass), ("angular", L, swing, lever)):
        change = np.linalg.norm(value[1 : steps + 1] - value[first], axis=1)
        change[~whole[1:]] = 0.0
        accepted = ROUND_OFF * scale + 10.0 * RESIDUAL * tolerance * np.arange(1, steps + 1)
        wrong = ~(change <= accepted)
        bad += int(wrong.sum())
        worst = max(worst, float(change.max() / max(scale, 1e-300)))
        if wrong.any() and not text:
            t = int(np.argmax(wrong))
            turning = run.h * np.linalg.norm(run.maximal[t, :, 10:13], axis=1).max()
            text = f"step {t}: {name} momentum changed by {change[t] / scale:.2g} of what moves, |ω| h {turning:.2g}"
    return Outcome(2 * int(whole[1:].sum()), bad, worst, text)
